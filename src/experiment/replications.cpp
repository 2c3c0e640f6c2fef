#include "experiment/replications.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>

#include "engine/world.h"
#include "experiment/parallel.h"
#include "statistics/replications.h"

namespace hyla::experiment {
namespace {

/// Hands the progress of one replication on to the common watch.
class Part : public engine::Observer {
 public:
  Part(std::size_t number, ReplicationWatch& watch, std::mutex& mutex, std::atomic<bool>& ending)
      : number_(number), watch_(watch), mutex_(mutex), ending_(ending) {}

  void occurred(const engine::World& /*world*/, const engine::Occurrence& /*occurrence*/) override {}
  bool progress(const engine::World& /*world*/, double time, std::uint64_t events) override {
    const std::lock_guard lock(mutex_);
    if (!ending_ && !watch_.progress(number_, time, events)) ending_ = true;
    return !ending_;
  }
  void printed(const engine::World& /*world*/, double /*time*/, code::ObjectRef /*object*/,
               std::string_view /*text*/) override {}
  bool wants_occurrences() const override { return false; }

 private:
  std::size_t number_;
  ReplicationWatch& watch_;
  std::mutex& mutex_;
  std::atomic<bool>& ending_;
};

void run_one(const model::Model& model, engine::BuildRequest build, const engine::RunOptions& options,
             std::size_t number, Part& part, Replication& result) {
  build.substream = number;
  engine::BuildFailure failure;
  const std::unique_ptr<engine::World> world = engine::build(model, build, result.sink, failure);
  if (!world) {
    result.failure = failure.message;
    return;
  }
  result.has_run = true;
  result.outcome = engine::run(*world, options, &part, result.sink);
  result.figures = figures_of(*world);
  for (Figure& figure : result.figures) figure.histogram = {};  // many replications would hold many of them
}

/// The mean of this run says something about the model.
bool counts(const Replication& replication) {
  return replication.has_run && replication.outcome.ending != engine::Ending::Interrupted &&
         replication.outcome.ending != engine::Ending::Failed;
}

/// Objects that actions have made come and go; their statistics are theirs alone.
bool is_reported(const engine::World& world, code::ObjectRef owner) {
  const engine::Object& object = world.object(owner);
  return owner && object.self == owner && object.order < world.built;
}

}  // namespace

std::vector<Figure> figures_of(const engine::World& world) {
  std::vector<Figure> figures;
  figures.reserve(world.statistics.size());
  for (const engine::StatisticInstance& instance : world.statistics) {
    if (!is_reported(world, instance.owner)) continue;
    std::visit(
        [&](const auto& statistic) {
          figures.push_back({world.path(instance.owner), instance.id, statistic.summary(), statistic.histogram()});
        },
        instance.figures);
  }
  return figures;
}

std::vector<Replication> replicate(const model::Model& model, const ReplicationRequest& request,
                                   ReplicationWatch& watch) {
  std::vector<Replication> replications(request.count);
  std::mutex mutex;
  std::atomic<bool> ending = false;
  run_parallel(request.count, request.threads, [&](std::size_t number) {
    Replication& result = replications[number];
    if (ending) {
      result.has_run = true;
      result.outcome.ending = engine::Ending::Interrupted;
      result.outcome.time = request.options.start_time;
      return;
    }
    Part part(number, watch, mutex, ending);
    run_one(model, request.build, request.options, number, part, result);
  });
  return replications;
}

std::vector<JointFigure> join(const std::vector<Replication>& replications) {
  std::vector<JointFigure> joint;
  std::vector<statistics::Replications> values;
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> places;
  for (const Replication& replication : replications) {
    if (!counts(replication)) continue;
    for (const Figure& figure : replication.figures) {
      const auto [place, is_new] = places.emplace(std::pair(figure.object, figure.statistic.index), joint.size());
      if (is_new) {
        joint.push_back({figure.object, figure.statistic, {}});
        values.emplace_back();
      }
      values[place->second].add(figure.summary.mean);
    }
  }
  for (std::size_t i = 0; i < joint.size(); ++i) joint[i].summary = values[i].summary();
  return joint;
}

}  // namespace hyla::experiment
