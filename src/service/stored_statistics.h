// Statistics read back from what `hyla run --json` prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/run_report.h"

namespace hyla::service {

struct StoredStatistics {
  std::string model;
  std::size_t runs = 0;
  std::vector<StatisticReport> statistics;  ///< of the first run, with their means and histograms only
};

/// Failures begin with the name and the line.
base::Result<StoredStatistics> read_statistics(const std::string& name, std::string_view text);

}  // namespace hyla::service
