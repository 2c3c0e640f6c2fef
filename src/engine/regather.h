// Clusters follow the structure: when objects come and go, or refer to others than before, the clusters concerned are
// dissolved at the end of the instant and their objects are gathered again. Shapes and configurations that were met
// before are found again by their texts.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// The equations of an object have to be looked at again: it is new, or one of its links or connections in equations is
/// another one than before. Before an object goes, it is marked too: those that read it are gathered again. References,
/// exchangeable parts and populations need not be told: whoever reads them is marked when their slots change.
void mark_structure(Run& run, ObjectRef object);

/// Gathers again what was marked. With `settled`, equations that cannot be gathered end the run; before that they are
/// left alone, since the instant may go on.
void regather(Run& run, bool settled);

/// At the start: objects are marked when a reference that their equations follow changes.
void watch_structure(Run& run, ObjectRef object);

}  // namespace hyla::engine
