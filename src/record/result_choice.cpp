#include "record/result_choice.h"

#include <algorithm>

namespace hyla::record {

base::Result<ChosenColumns> choose_columns(const std::vector<ResultColumn>& all, const ResultChoice& choice) {
  std::vector<bool> is_wanted(all.size(), choice.patterns.empty());
  for (const std::string& pattern : choice.patterns) {
    const auto found = find_columns(all, pattern);
    if (!found.ok()) return base::Failure{found.message()};
    for (const std::size_t place : found.value()) is_wanted[place] = true;
  }
  ChosenColumns chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_wanted[i]) continue;
    chosen.columns.push_back(all[i]);
    chosen.series.push_back(all[i].series);
  }
  std::sort(chosen.series.begin(), chosen.series.end());
  chosen.series.erase(std::unique(chosen.series.begin(), chosen.series.end()), chosen.series.end());
  for (ResultColumn& column : chosen.columns) {
    const auto place = std::lower_bound(chosen.series.begin(), chosen.series.end(), column.series);
    column.series = static_cast<std::size_t>(place - chosen.series.begin());
  }
  return chosen;
}

}  // namespace hyla::record
