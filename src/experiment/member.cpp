#include "experiment/member.h"

#include <cmath>
#include <ctime>
#include <limits>

#include "base/text.h"
#include "engine/follow.h"

namespace hyla::experiment {
namespace {

/// Follows what the folds of a plan are about.
class Observing final : public engine::Follower {
 public:
  Observing(const Plan& plan, MemberResult& result) : plan_(plan), result_(result) {
    for (const TimeFold& fold : plan.folds) {
      FoldRequest request = fold.request;
      if (fold.data != SIZE_MAX) request.data = &plan.data[fold.data];
      quantities_.push_back(fold.quantity);
      folds_.push_back(make_fold(request));
    }
  }

  std::span<const model::ExprId> quantities() const override { return quantities_; }
  void settled(double time, std::span<const double> values) override {
    for (std::size_t i = 0; i < folds_.size(); ++i) folds_[i]->settled(time, values[i]);
  }
  void passed(engine::Passage& passage) override {
    for (std::size_t i = 0; i < folds_.size(); ++i) folds_[i]->passed(passage, i);
  }
  void ended(double time, engine::Evaluator& evaluator) override {
    std::vector<model::LocalId> locals;
    std::vector<double> inputs;
    for (std::size_t i = 0; i < folds_.size(); ++i) {
      locals.push_back(plan_.folds[i].local);
      inputs.push_back(folds_[i]->result(time));
    }
    const std::size_t first = inputs.size();
    for (const Observed& observed : plan_.observed) locals.push_back(observed.local);
    inputs.resize(locals.size());
    for (std::size_t i = 0; i < plan_.observed.size(); ++i) {
      const auto value = evaluator.evaluate(plan_.observed[i].value, locals, inputs);
      if (!value) return;
      inputs[first + i] = *value;
    }
    result_.values.assign(inputs.begin() + static_cast<std::ptrdiff_t>(first), inputs.end());
    for (std::size_t i = 0; i < plan_.requirements.size(); ++i) {
      const PlannedRequirement& requirement = plan_.requirements[i];
      if (!requirement.of_each_run) continue;
      const auto holds = evaluator.evaluate(requirement.condition, locals, inputs);
      if (!holds) return;
      if (*holds == 0) result_.violated.push_back(static_cast<std::uint32_t>(i));
    }
    is_complete_ = true;
  }
  bool is_complete() const { return is_complete_; }

 private:
  const Plan& plan_;
  MemberResult& result_;
  std::vector<model::ExprId> quantities_;
  std::vector<std::unique_ptr<RunFold>> folds_;
  bool is_complete_ = false;
};

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

MemberResult failed(std::string message, const diag::Sink& sink) {
  MemberResult result;
  result.status = MemberStatus::Failed;
  for (const diag::Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity() != diag::Severity::Error) continue;
    if (message.empty()) message = diagnostic.message;
  }
  result.message = message.empty() ? "the run has failed" : std::move(message);
  return result;
}

std::string why_failed(const engine::RunOutcome& outcome) {
  return outcome.ending == engine::Ending::Requirement ? "a requirement of the model is violated" : "";
}

/// Measured values that a run has not come to; empty: there are none.
std::string missed_data(const Plan& plan, double time) {
  for (const DataColumn& data : plan.data) {
    if (data.times.back() <= time) continue;
    return "the run ended at " + base::format_number(time) + ", before the last value of " + data.name + " at " +
           base::format_number(data.times.back());
  }
  return "";
}

}  // namespace

std::string key_of(const Member& member) {
  std::string key;
  for (const Value& value : member.point) (key += value.text) += '\x1f';
  return key + std::to_string(member.replication);
}

engine::BuildRequest request_of(const Plan& plan, const MemberSetup& setup, const std::vector<Value>& point,
                                std::uint64_t replication) {
  engine::BuildRequest build = setup.build;
  build.substream = replication;
  for (std::size_t i = 0; i < plan.factors.size(); ++i) {
    if (plan.factors[i].is_setting || point[i].text.empty()) continue;
    build.assignments.push_back({plan.factors[i].path, point[i].text});
  }
  return build;
}

MemberResult run_member(const Plan& plan, const MemberSetup& setup, const Member& member,
                        std::shared_ptr<engine::CompiledModel> compiled, engine::Observer* observer, diag::Sink& sink) {
  const double begin = processor_seconds();
  engine::BuildRequest build = request_of(plan, setup, member.point, member.replication);
  build.compiled = std::move(compiled);
  engine::RunOptions options = setup.options;
  if (setup.adapt) {
    std::string wrong = setup.adapt(member, build, options);
    if (!wrong.empty()) return failed(std::move(wrong), sink);
  }
  engine::BuildFailure failure;
  const std::unique_ptr<engine::World> world = engine::build(*plan.model, build, sink, failure);
  if (!world) return failed(failure.message, sink);
  MemberResult result;
  Observing observing(plan, result);
  options.follower = &observing;
  options.threads = 1;
  const engine::RunOutcome outcome = engine::run(*world, options, observer, sink);
  if (outcome.ending == engine::Ending::Interrupted) return {};
  if (outcome.ending == engine::Ending::Failed || outcome.ending == engine::Ending::Requirement ||
      !observing.is_complete()) {
    result = failed(why_failed(outcome), sink);
  } else if (std::string missed = missed_data(plan, outcome.time); !missed.empty()) {
    result = failed(std::move(missed), sink);
  } else {
    result.status = MemberStatus::Good;
  }
  result.time = outcome.time;
  result.coverage = counts_of(outcome.coverage);
  result.seconds = processor_seconds() - begin;
  return result;
}

}  // namespace hyla::experiment
