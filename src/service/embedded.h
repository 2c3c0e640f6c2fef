// Files of the repository inside the program. The build generates the definitions; see CMakeLists.txt.
#pragma once

#include <span>

#include "base/embedded.h"

namespace hyla::service {

/// lib/*.hyla, sorted by path.
std::span<const base::EmbeddedFile> standard_library();

/// docs/diagnostics/*.md, sorted by path: one page per kind of diagnostic.
std::span<const base::EmbeddedFile> diagnostic_pages();

}  // namespace hyla::service
