#include "engine/loop_relations.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/configure.h"

namespace hyla::engine {
namespace {

using code::NodeId;

/// Solutions that are nearer to each other are one.
constexpr double kSame = 1e-6, kSameNearZero = 1e-11;
/// Relations that depend on each other are decided again so often at one point.
constexpr int kMostRounds = 8;

bool holds(const LoopRelation& relation, const double* values) {
  return relation.is_strict ? values[relation.g] > 0 : values[relation.g] >= 0;
}

/// Computes what follows from the unknowns.
void place_all(const Loop& loop, const double* x, double* values) {
  for (std::size_t i = 0; i < loop.unknowns.size(); ++i) values[loop.unknowns[i]] = x[i];
  if (!loop.large) code::run(loop.evaluate, values);
}

/// Whether the values satisfy what is held.
bool agrees(const Loop& loop, double* values) {
  code::run(loop.relate, values);
  return std::all_of(loop.relations.begin(), loop.relations.end(), [&](const LoopRelation& relation) {
    return holds(relation, values) == (values[relation.mode] != 0);
  });
}

/// The relations of a loop follow its unknowns.
class FollowingResiduals : public solve::Residuals {
 public:
  FollowingResiduals(const Loop& loop, solve::Residuals& held, double* values)
      : loop_(loop), held_(held), values_(values), scratch_(held.size()) {}

  std::size_t size() const override { return held_.size(); }
  const solve::Pattern* pattern() const override { return held_.pattern(); }
  solve::Evaluation evaluate(const double* x, double* residuals) override {
    solve::Evaluation outcome = held_.evaluate(x, residuals);
    for (int round = 0; round < kMostRounds && follow(); ++round) outcome = held_.evaluate(x, residuals);
    return outcome;
  }
  solve::Evaluation jacobian(const double* x, double* jacobian) override {
    evaluate(x, scratch_.data());
    return held_.jacobian(x, jacobian);
  }

 private:
  /// True: a relation has changed.
  bool follow() {
    bool changed = false;
    code::run(loop_.relate, values_);
    for (const LoopRelation& relation : loop_.relations) {
      const double truth = holds(relation, values_) ? 1 : 0;
      changed = changed || values_[relation.mode] != truth;
      values_[relation.mode] = truth;
    }
    return changed;
  }

  const Loop& loop_;
  solve::Residuals& held_;
  double* values_;
  std::vector<double> scratch_;
};

/// Further attempts, all from the same start.
class Attempts {
 public:
  Attempts(const Loop& loop, solve::Residuals& held, double* values, double* x, std::vector<double> start,
           solve::NonlinearSolver& solver, const solve::NonlinearSettings& settings)
      : loop_(loop),
        held_(held),
        following_(loop, held, values),
        values_(values),
        x_(x),
        start_(std::move(start)),
        solver_(solver),
        settings_(settings) {
    for (const LoopRelation& relation : loop.relations) modes_.push_back(values[relation.mode]);
  }

  /// The solution in `x` contradicts what is held: beyond a crossing that is right, unless there is one that does not.
  void look_for_other() {
    const std::vector<double> found(x_, x_ + start_.size());
    const bool is_found = attempt(following_, true) == solve::Solved::Good;
    hold();
    place_all(loop_, x_, values_);
    if (is_found && is_other(found) && agrees(loop_, values_)) return;
    std::copy(found.begin(), found.end(), x_);
    place_all(loop_, x_, values_);
  }

  /// What is held has no solution nearby.
  solve::Solved go_on() {
    if (attempt(following_, true) == solve::Solved::Good) return place_followed();
    const solve::Solved held = attempt(held_, false);
    if (held == solve::Solved::Good) {
      place_all(loop_, x_, values_);
      return held;
    }
    if (attempt(following_, false) == solve::Solved::Good) return place_followed();
    hold();
    return held;
  }

 private:
  solve::Solved attempt(solve::Residuals& residuals, bool is_local) {
    hold();
    std::copy(start_.begin(), start_.end(), x_);
    settings_.is_local = is_local;
    return solver_.solve(residuals, x_, settings_);
  }

  void hold() {
    for (std::size_t i = 0; i < modes_.size(); ++i) values_[loop_.relations[i].mode] = modes_[i];
  }

  solve::Solved place_followed() {
    std::vector<double> residuals(start_.size());
    following_.evaluate(x_, residuals.data());
    place_all(loop_, x_, values_);
    hold();
    return solve::Solved::Good;
  }

  bool is_other(const std::vector<double>& found) const {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double size = std::max(std::abs(found[i]), std::abs(x_[i]));
      const double nominal = settings_.nominals != nullptr ? settings_.nominals[i] : 1;
      if (std::abs(found[i] - x_[i]) > kSame * size + kSameNearZero * nominal) return true;
    }
    return false;
  }

  const Loop& loop_;
  solve::Residuals& held_;
  FollowingResiduals following_;
  double* values_;
  double* x_;
  const std::vector<double> start_;
  solve::NonlinearSolver& solver_;
  solve::NonlinearSettings settings_;
  std::vector<double> modes_;  ///< as held, by relation
};

}  // namespace

void add_relations(const Shape& shape, TermTapes& tapes, const EvaluationPart& part,
                   const std::unordered_set<At>& later, Loop& loop, Evaluation& evaluation, At& size) {
  std::unordered_set<At> unknowns(part.tears.begin(), part.tears.end());
  for (const EvaluationPart::Step& step : part.steps) unknowns.insert(step.unknown);
  code::Graph graph;
  std::vector<At> inputs, places;
  std::vector<NodeId> outputs;
  std::unordered_map<At, NodeId> nodes;
  const auto node_of = [&](At place) {
    const auto [entry, added] = nodes.try_emplace(place, code::kNoNode);
    if (added) {
      entry->second = graph.operand(static_cast<std::uint32_t>(inputs.size()));
      inputs.push_back(place);
    }
    return entry->second;
  };
  for (const std::uint32_t number : loop.equations) {
    const ShapeEquation& equation = shape.equations[number];
    for (std::uint32_t i = equation.first_mode; i < equation.first_mode + equation.modes; ++i) {
      const ShapeMode& mode = shape.modes[i];
      if (mode.kind != ModeKind::NotNegative && mode.kind != ModeKind::Positive) continue;
      const Term& term = tapes.terms()[mode.term];
      const std::vector<std::uint32_t> reads = term.graph.operands_of_node(mode.g);
      const auto reads_any = [&](const std::unordered_set<At>& set) {
        return std::any_of(reads.begin(), reads.end(),
                           [&](std::uint32_t operand) { return set.contains(equation.operands[operand]); });
      };
      if (!reads_any(unknowns) || reads_any(later)) continue;
      unknowns.insert(mode.value);
      std::vector<NodeId> operands;
      for (const At place : equation.operands) operands.push_back(node_of(place));
      outputs.push_back(graph.import(term.graph, mode.g, operands));
      places.push_back(size);
      loop.relations.push_back({size++, mode.value, mode.kind == ModeKind::Positive});
    }
  }
  if (outputs.empty()) return;
  code::Binder binder(size);
  binder.append(code::record_tape(graph, outputs, static_cast<std::uint32_t>(inputs.size())), inputs, places);
  size = std::max(size, binder.size());
  evaluation.constants.insert(evaluation.constants.end(), binder.constants().begin(), binder.constants().end());
  loop.relate = binder.finish();
}

solve::Solved solve_related(const Loop& loop, solve::Residuals& held, double* values, double* x,
                            solve::NonlinearSolver& solver, const solve::NonlinearSettings& settings) {
  constexpr std::size_t kSmall = 32;
  double small[kSmall];
  std::vector<double> large;
  const std::size_t size = held.size();
  if (size > kSmall) large.assign(x, x + size);
  double* const start = size > kSmall ? large.data() : small;
  std::copy_n(x, size, start);
  solve::NonlinearSettings local = settings;
  local.is_local = true;
  const solve::Solved solved = solver.solve(held, x, local);
  if (solved == solve::Solved::Good) {
    place_all(loop, x, values);
    if (held.linear() || agrees(loop, values)) return solved;
  }
  Attempts attempts(loop, held, values, x, std::vector<double>(start, start + size), solver, settings);
  if (solved != solve::Solved::Good) return attempts.go_on();
  attempts.look_for_other();
  return solved;
}

}  // namespace hyla::engine
