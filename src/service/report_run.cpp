#include "service/report_run.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "service/run_names.h"

namespace hyla::service {
namespace {

RunEnding ending_of(engine::Ending ending) {
  switch (ending) {
    case engine::Ending::StopTime:
      return RunEnding::StopTime;
    case engine::Ending::Exhausted:
      return RunEnding::Exhausted;
    case engine::Ending::Terminated:
      return RunEnding::Terminated;
    case engine::Ending::Requirement:
      return RunEnding::Requirement;
    case engine::Ending::EventLimit:
      return RunEnding::EventLimit;
    case engine::Ending::Interrupted:
      return RunEnding::Interrupted;
    case engine::Ending::Failed:
      return RunEnding::Failed;
  }
  return RunEnding::Failed;
}

StatisticReport describe(const model::Model& model, const std::string& object, model::StatisticId id,
                         const statistics::Summary& summary) {
  const model::Statistic& statistic = model.statistics[id];
  const std::string_view unit =
      statistic.unit && statistic.unit != model::kBareUnit ? model.unit_name(statistic.unit) : std::string_view();
  return {object, std::string(model.name(statistic.name)), std::string(unit), summary, {}};
}

/// What fired, and where it stands.
std::pair<std::string, diag::Span> describe(const model::Model& model, const engine::FireCount& count) {
  if (count.reaction) {
    const model::Reaction& reaction = model.reactions[count.reaction];
    return {reaction_path(model, reaction), reaction.span};
  }
  if (count.process) {
    const model::Process& process = model.processes[count.process];
    return {body_path(model, process.body) + ": process " + std::string(model.name(process.name)), process.span};
  }
  const model::Class& atomic = model.classes[count.atomic];
  return {std::string(model.name(atomic.name)) + ": transitions", atomic.span};
}

}  // namespace

std::string body_path(const model::Model& model, model::BodyId id) {
  const model::Body& body = model.bodies[id];
  if (!body.parent && !body.state) return std::string(model.name(model.classes[body.object_class].name));
  if (!body.state) return body_path(model, body.parent);
  const model::State& state = model.states[body.state];
  return chart_path(model, model.charts[state.chart]) + '.' + std::string(model.name(state.name));
}

std::string chart_path(const model::Model& model, const model::Chart& chart) {
  const std::string path = body_path(model, chart.body);
  return chart.name ? path + '.' + std::string(model.name(chart.name)) : path;
}

std::string reaction_path(const model::Model& model, const model::Reaction& reaction) {
  const std::string_view what = reaction.label ? model.name(reaction.label) : trigger_word(reaction.trigger);
  return body_path(model, reaction.body) + ": " + std::string(what);
}

StatisticReport statistic_of(const model::Model& model, const experiment::Figure& figure) {
  StatisticReport report = describe(model, figure.object, figure.statistic, figure.summary);
  if (!figure.histogram.empty()) {
    const auto bins = figure.histogram.bins();
    report.histogram = {figure.histogram.low(), figure.histogram.width(), {bins.begin(), bins.end()}};
  }
  return report;
}

StatisticReport statistic_of(const model::Model& model, const experiment::JointFigure& figure) {
  return describe(model, figure.object, figure.statistic, figure.summary);
}

ContinuousReport report_of(const engine::ContinuousWork& work) {
  ContinuousReport report;
  report.islands = work.islands;
  report.configurations = work.configurations;
  report.steps = work.steps;
  report.rejected = work.rejected;
  report.evaluations = work.evaluations;
  report.jacobians = work.jacobians;
  report.factorisations = work.factorisations;
  report.to_stiff = work.to_stiff;
  report.to_nonstiff = work.to_nonstiff;
  report.crossings = work.crossings;
  report.uncleared = work.uncleared;
  report.loops = work.loops;
  report.iterations = work.iterations;
  for (const solve::Method method : work.methods) report.methods.emplace_back(solve::name_of(method));
  report.threads = work.threads;
  report.blame.looks = work.blame.looks;
  report.blame.seconds = work.blame.seconds;
  for (const engine::LimitCount& one : work.blame.limits) report.blame.limits.push_back({one.variable, one.count});
  for (const engine::IslandCost& one : work.blame.islands) {
    report.blame.islands.push_back({one.variable, one.states, one.steps, one.rejected, one.evaluations, one.seconds});
  }
  return report;
}

SingleRun report_of(const model::Model& model, const engine::RunOutcome& outcome,
                    const std::vector<experiment::Figure>& figures, std::uint64_t number) {
  SingleRun run;
  run.number = number;
  run.ending = ending_of(outcome.ending);
  run.time = outcome.time;
  run.reason = outcome.reason;
  run.events = outcome.events;
  run.steps = outcome.steps;
  run.instants = outcome.instants;
  run.messages = outcome.messages;
  run.unhandled = outcome.unhandled;
  run.violations = outcome.violations;
  run.continuous = report_of(outcome.continuous);
  for (const experiment::Figure& figure : figures) run.statistics.push_back(statistic_of(model, figure));
  return run;
}

std::vector<FiredReport> fired_of(const model::Model& model, const diag::Sources& sources,
                                  const std::vector<engine::FireCount>& counts) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, engine::FireCount> sums;
  for (const engine::FireCount& count : counts) {
    const auto key = std::tuple(count.reaction.index, count.process.index, count.atomic.index);
    const auto [sum, is_new] = sums.emplace(key, count);
    if (!is_new) sum->second.count += count.count;
  }
  std::vector<FiredReport> fired;
  for (const auto& [key, count] : sums) {
    auto [what, span] = describe(model, count);
    const bool is_condition = count.reaction && model.reactions[count.reaction].trigger == model::TriggerKind::When;
    fired.push_back({std::move(what), place_text(sources, span), count.count, is_condition});
  }
  std::stable_sort(fired.begin(), fired.end(),
                   [](const FiredReport& a, const FiredReport& b) { return a.count > b.count; });
  return fired;
}

}  // namespace hyla::service
