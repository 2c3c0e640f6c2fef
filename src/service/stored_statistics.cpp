#include "service/stored_statistics.h"

#include <algorithm>
#include <cmath>

#include "base/json_reader.h"

namespace hyla::service {
namespace {

class StatisticsReader {
 public:
  explicit StatisticsReader(std::string_view text) : json_(text) {}

  bool read(StoredStatistics& result) {
    bool has_run = false;
    const bool good = json_.read_object([&](std::string_view key) {
      if (key != "run" || json_.next() != '{') return json_.skip();
      has_run = true;
      return read_run(result);
    });
    return good && (json_.at_end() || json_.fail("the end of the file")) &&
           (has_run || json_.fail("the results of a run, as `hyla run --json` prints them"));
  }
  const base::JsonReader& json() const { return json_; }

 private:
  bool read_run(StoredStatistics& result) {
    return json_.read_object([&](std::string_view key) {
      if (key == "model") return json_.read_text(result.model);
      if (key != "runs") return json_.skip();
      return json_.read_array([&] { return result.runs++ == 0 ? read_single(result) : json_.skip(); });
    });
  }

  bool read_single(StoredStatistics& result) {
    return json_.read_object([&](std::string_view key) {
      if (key != "statistics") return json_.skip();
      return json_.read_array([&] { return read_statistic(result.statistics.emplace_back()); });
    });
  }

  bool read_statistic(StatisticReport& statistic) {
    return json_.read_object([&](std::string_view key) {
      if (key == "object") return json_.read_text(statistic.object);
      if (key == "name") return json_.read_text(statistic.name);
      if (key == "unit") return json_.read_text(statistic.unit);
      if (key == "mean" && json_.next() != 'n') return json_.read_number(statistic.figures.mean);
      if (key == "histogram") return read_histogram(statistic.histogram);
      if (key != "kind") return json_.skip();
      std::string kind;
      if (!json_.read_text(kind)) return false;
      statistic.figures.kind = kind == "tally" ? statistics::SummaryKind::Tally : statistics::SummaryKind::TimeWeighted;
      return true;
    });
  }

  bool read_histogram(StatisticReport::Histogram& histogram) {
    const bool good = json_.read_object([&](std::string_view key) {
      if (key == "low") return json_.read_number(histogram.low);
      if (key == "width") return json_.read_number(histogram.width);
      if (key != "bins") return json_.skip();
      return json_.read_array([&] {
        double weight = 0;
        if (!json_.read_number(weight)) return false;
        if (!std::isfinite(weight) || weight < 0) return json_.fail("a weight that is not negative");
        histogram.bins.push_back(weight);
        return true;
      });
    });
    const bool is_sensible = std::isfinite(histogram.low) && std::isfinite(histogram.width) && histogram.width > 0;
    return good && (is_sensible || json_.fail("a histogram with bins of some width"));
  }

  base::JsonReader json_;
};

}  // namespace

base::Result<StoredStatistics> read_statistics(const std::string& name, std::string_view text) {
  StoredStatistics result;
  StatisticsReader reader(text);
  if (reader.read(result)) return result;
  const std::string_view before = text.substr(0, reader.json().place());
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  return base::Failure{name + ":" + std::to_string(line) + ": " + reader.json().problem()};
}

}  // namespace hyla::service
