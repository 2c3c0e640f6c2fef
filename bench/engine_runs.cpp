#include "engine_runs.h"

#include <cstdlib>
#include <map>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "check/check.h"
#include "diag/render.h"
#include "measure.h"
#include "service/modules.h"

namespace hyla::bench {

BenchModel BenchModel::from_file(const std::string& path, std::vector<engine::Assignment> assignments) {
  return {service::Disk(), path, std::move(assignments)};
}

BenchModel BenchModel::from_text(const std::string& text, std::vector<engine::Assignment> assignments) {
  const std::string path = "bench.hyla";
  const std::map<std::string, std::string> files = {{path, text}};
  return {service::MemoryFiles(files), path, std::move(assignments)};
}

BenchModel::BenchModel(const service::FileSystem& files, const std::string& path,
                       std::vector<engine::Assignment> assignments) {
  service::ModulePath modules(files, {}, *sources_);
  diag::Sink sink;
  const diag::FileId prelude = modules.load_standard("prelude");
  const base::Result<diag::FileId> file = modules.load(path);
  if (!file.ok()) give_up(sink, file.message());
  const check::Forest forest = check::load_modules(*sources_, prelude, file.value(), modules, sink);
  model_ = check::check(forest, sink);
  if (sink.has_errors()) give_up(sink, "");
  std::string message;
  request_.top = engine::find_top(model_, forest.modules[forest.main].name, "", message);
  if (!request_.top) give_up(sink, message);
  request_.assignments = std::move(assignments);
}

std::unique_ptr<engine::World> BenchModel::build() {
  diag::Sink sink;
  engine::BuildFailure failure;
  std::unique_ptr<engine::World> world = engine::build(model_, request_, sink, failure);
  if (world == nullptr) give_up(sink, failure.message);
  return world;
}

BenchModel::Run BenchModel::run(double stop_time) {
  const std::unique_ptr<engine::World> world = build();
  engine::RunOptions options;
  options.stop_time = stop_time;
  diag::Sink sink;
  Run result;
  const double begin = processor_time_s();
  result.outcome = engine::run(*world, options, nullptr, sink);
  result.time_s = processor_time_s() - begin;
  if (result.outcome.ending == engine::Ending::Failed) give_up(sink, "");
  for (const engine::StatisticInstance& statistic : world->statistics) {
    if (const auto* tally = std::get_if<statistics::Tally>(&statistic.figures)) {
      result.observations += tally->count();
      result.mean = tally->mean();
    }
  }
  return result;
}

void BenchModel::give_up(const diag::Sink& sink, const std::string& message) const {
  fmt::print(stderr, "{}{}\n", diag::render(sink.sorted(), *sources_, {false, 120}), message);
  std::exit(EXIT_FAILURE);
}

}  // namespace hyla::bench
