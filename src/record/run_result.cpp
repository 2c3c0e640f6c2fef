#include "record/run_result.h"

#include <algorithm>

#include "base/text.h"
#include "record/glob.h"

namespace hyla::record {
namespace {

base::Failure no_such(std::span<const ResultColumn> columns, std::string_view pattern) {
  std::vector<std::string_view> names;
  for (const ResultColumn& column : columns) names.push_back(column.name);
  std::string message = "no variable `" + std::string(pattern) + "` was recorded";
  if (const auto near = base::nearest(pattern, names)) {
    message += "; did you mean `" + std::string(*near) + "`?";
  } else {
    message += names.empty() ? "; the file has no variables" : "; there are " + base::quoted_list(names);
  }
  return {message};
}

}  // namespace

std::vector<double> RunResult::values(const ResultColumn& column) const {
  std::vector<double> values = series[column.series];
  if (!column.is_negated) return values;
  for (double& value : values) {
    if (!is_absent(value)) value = -value;
  }
  return values;
}

double RunResult::value(const ResultColumn& column, std::size_t row) const {
  const double value = series[column.series][row];
  return column.is_negated && !is_absent(value) ? -value : value;
}

std::size_t count_series(std::span<const ResultColumn> columns) {
  std::size_t count = 0;
  for (const ResultColumn& column : columns) count = std::max(count, column.series + 1);
  return count;
}

base::Result<std::vector<std::size_t>> find_columns(std::span<const ResultColumn> columns, std::string_view pattern) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (takes(pattern, columns[i].name)) found.push_back(i);
  }
  if (found.empty()) return no_such(columns, pattern);
  return found;
}

base::Result<std::size_t> find_column(std::span<const ResultColumn> columns, std::string_view name) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (matches(name, columns[i].name) && !is_pattern(name)) return i;
  }
  return no_such(columns, name);
}

}  // namespace hyla::record
