#include "service/plot_statistics.h"

#include <string_view>
#include <utility>

#include "base/text.h"
#include "service/plot_view.h"
#include "service/stored_statistics.h"

namespace hyla::service {

bool plot_statistics(const PlotRequest& request, const FileSystem& files, PlotOutcome& outcome) {
  const std::string& path = request.results.front();
  const auto fail = [&](std::string message) {
    outcome.failures.push_back(std::move(message));
    return false;
  };
  if (request.results.size() > 1) return fail("`" + path + "` holds statistics, which are drawn alone");
  if (!request.x.empty() || request.from || request.to || !request.marks.empty() || !request.events_file.empty()) {
    return fail("`" + path + "` holds statistics: --x, --from, --to, --mark and --events-file say nothing about them");
  }
  const base::Result<std::string> text = files.read(path);
  if (!text.ok()) return fail(text.message());
  const base::Result<StoredStatistics> stored = read_statistics(path, text.value());
  if (!stored.ok()) return fail(stored.message());
  const std::vector<StatisticReport>& statistics = stored.value().statistics;
  const std::vector<record::PlotHistogram> all = histograms_of(statistics, {{"", {"*"}}});
  std::vector<std::string_view> names;
  for (const record::PlotHistogram& histogram : all) names.emplace_back(histogram.name);
  if (names.empty()) return fail("`" + path + "` has no statistics that have counted anything");
  for (const std::string& word : request.words) {
    if (!histograms_of(statistics, {{"", {word}}}).empty()) continue;
    const auto near = base::nearest(word, names);
    return fail("`" + path + "` has no statistic `" + word + "`" +
                (near ? "; did you mean `" + std::string(*near) + "`?" : "; there are " + base::quoted_list(names)));
  }
  outcome.plot.histograms = request.words.empty() ? all : histograms_of(statistics, {{"", request.words}});
  outcome.plot.title = request.title.value_or(stored.value().model);
  outcome.plot.width = request.width;
  outcome.plot.height = request.height;
  if (stored.value().runs > 1) {
    outcome.plot.note = "of the first of " + std::to_string(stored.value().runs) + " runs";
  }
  return true;
}

}  // namespace hyla::service
