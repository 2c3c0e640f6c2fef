// Clusters follow the structure: when objects come and go, or refer to others than before, the clusters concerned are
// dissolved at the end of the instant and their objects are gathered again. Shapes and configurations that were met
// before are found again by their texts.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// The equations of an object have to be looked at again: it is new, or one of its references, links or connections in
/// equations is another one than before. Before an object goes, it is marked too: those that read it are gathered
/// again.
inline void mark_structure(Run& run, ObjectRef object) { run.changed_structure.push_back(object); }

}  // namespace hyla::engine
