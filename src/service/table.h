// Rows of cells as aligned text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hyla::service {

/// Columns are two blanks apart and as wide as their widest cell; the first `left` of them are aligned left, all others
/// right. Each line begins with `indent` and has no blanks at its end.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left, const std::string& indent);

}  // namespace hyla::service
