// Files of the repository that live inside the program: the standard library, the pages of `hyla explain`.
// The build generates the tables; cmake/HylaEmbed.cmake says how.

#pragma once

#include <span>
#include <string_view>

namespace hyla::base {

// Both views refer to storage that lives as long as the program.
struct EmbeddedFile {
  std::string_view path;  // relative to the repository's root, with `/`
  std::string_view text;
};

}  // namespace hyla::base
