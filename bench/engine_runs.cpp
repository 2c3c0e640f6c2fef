#include "engine_runs.h"

#include <cstdlib>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "check/check.h"
#include "diag/render.h"
#include "engine/compiled_model.h"
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

std::unique_ptr<engine::World> BenchModel::build() { return build(request_); }

std::unique_ptr<engine::World> BenchModel::build(const engine::BuildRequest& request) const {
  diag::Sink sink;
  engine::BuildFailure failure;
  std::unique_ptr<engine::World> world = engine::build(model_, request, sink, failure);
  if (world == nullptr) give_up(sink, failure.message);
  return world;
}

BenchModel::Run BenchModel::run(double stop_time) {
  engine::RunOptions options;
  options.stop_time = stop_time;
  return run(options);
}

BenchModel::Run BenchModel::run(const engine::RunOptions& options) { return run(build(), options); }

BenchModel::Run BenchModel::run_again(const engine::RunOptions& options) {
  if (!compiled_) compiled_ = std::make_shared<engine::CompiledModel>(model_);
  engine::BuildRequest request = request_;
  request.compiled = compiled_;
  return run(build(request), options);
}

BenchModel::Run BenchModel::run(std::unique_ptr<engine::World> world, const engine::RunOptions& options) const {
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

namespace {

class EventTimes : public engine::Observer {
 public:
  explicit EventTimes(BenchModel::Result& result) : result_(result) {}

  void occurred(const engine::World&, const engine::Occurrence& occurrence) override {
    using Kind = engine::OccurrenceKind;
    if (occurrence.kind != Kind::Transition && occurrence.kind != Kind::Reaction) return;
    result_.event_times.push_back(occurrence.time);
    result_.last_events[occurrence.object.index] = occurrence.time;
  }
  bool progress(const engine::World&, double, std::uint64_t) override { return true; }
  void printed(const engine::World&, double, code::ObjectRef, std::string_view) override {}
  bool wants_occurrences() const override { return true; }

 private:
  BenchModel::Result& result_;
};

/// Takes the values at the end and nothing else.
class EndValues : public engine::Recorder {
 public:
  EndValues(std::vector<engine::RecordedPlace> places, BenchModel::Result& result)
      : places_(std::move(places)), result_(result) {}

  double next_output() const override { return std::numeric_limits<double>::infinity(); }
  std::span<const engine::RecordedPlace> places() const override { return places_; }
  void row(const engine::World& world, double, engine::RowKind kind) override {
    if (kind != engine::RowKind::End) return;
    for (const engine::RecordedPlace& place : places_) {
      const code::Slot& slot = world.object(place.object).slots[place.slot];
      const bool is_scalar = place.element == engine::RecordedPlace::kScalar;
      result_.values.push_back(is_scalar ? slot.real : slot.box->slots()[place.element].real);
    }
  }

 private:
  std::vector<engine::RecordedPlace> places_;
  BenchModel::Result& result_;
};

void add_places(const engine::World& world, const std::string& name, std::vector<engine::RecordedPlace>& places) {
  const engine::Object& top = world.objects.front();
  const model::Model& model = world.model;
  for (const model::VariableId id : model.bodies[model.classes[top.object_class].body].variables) {
    const model::Variable& variable = model.variables[id];
    if (model.name(variable.name) != name) continue;
    const std::uint32_t slot = world.layout.variables[id.index];
    if (!variable.shape) {
      places.push_back({top.self, slot});
    } else {
      for (std::uint32_t k = 0; k < top.slots[slot].box->size; ++k) places.push_back({top.self, slot, k});
    }
  }
}

}  // namespace

BenchModel::Result BenchModel::result(const engine::RunOptions& options, const std::vector<std::string>& wanted) {
  const std::unique_ptr<engine::World> world = build();
  Result result;
  result.last_events.assign(world->objects.size(), 0);
  std::vector<engine::RecordedPlace> places;
  for (const std::string& name : wanted) add_places(*world, name, places);
  EventTimes observer(result);
  EndValues recorder(std::move(places), result);
  diag::Sink sink;
  result.outcome = engine::run(*world, options, &observer, sink, &recorder);
  if (result.outcome.ending == engine::Ending::Failed) give_up(sink, "");
  return result;
}

void BenchModel::give_up(const diag::Sink& sink, const std::string& message) const {
  fmt::print(stderr, "{}{}\n", diag::render(sink.sorted(), *sources_, {false, 120}), message);
  std::exit(EXIT_FAILURE);
}

}  // namespace hyla::bench
