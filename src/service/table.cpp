#include "service/table.h"

#include <algorithm>

#include "diag/display.h"

namespace hyla::service {

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left, const std::string& indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], diag::display_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - diag::display_width(row[i]), ' ');
      if (i > 0) line += "  ";
      line += i < left ? row[i] + blanks : blanks + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace hyla::service
