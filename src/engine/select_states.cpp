#include "engine/select_states.h"

#include <algorithm>
#include <cmath>

#include "engine/collect.h"
#include "engine/compose.h"
#include "engine/configure.h"
#include "engine/reduce.h"

namespace hyla::engine {
namespace {

/// Others are selected when exchanging two variables would make the matrix of those that are computed better by this
/// factor. A new selection has 1.2 at most, so there is a gap between changing to and fro.
constexpr double kMuchBetter = 2;
/// An assigned variable, or one that begins, is integrated even if others would be better by this factor.
constexpr double kAssigned = 1e-3;
/// By so many times the tolerance of the integrator a kept value may miss a constraint.
constexpr double kSlack = 10;

/// What is given to an algebraic variable, or assigned, is a guess.
bool claims(const Cluster& cluster, const Candidate& candidate, Claim least) {
  return !candidate.is_derivative && !candidate.is_algebraic && cluster.claims[candidate.variable] >= least;
}

/// Whether it depends on algebraic variables who is integrated.
bool asks_algebraic(const Reduction& reduction) {
  return std::any_of(reduction.groups.begin(), reduction.groups.end(), [&](const ConstraintGroup& group) {
    return group.varies && std::any_of(group.columns.begin(), group.columns.end(), [&](const auto& column) {
             return reduction.candidates[column.first].is_algebraic;
           });
  });
}

/// Computes algebraic variables from what is differentiated, or not unknown, as far as formulas go: where equations
/// have just become active or values were assigned, they do not fit yet.
class AlgebraicValues {
 public:
  AlgebraicValues(Cluster& cluster, const Reduction& reduction) : cluster_(cluster), shape_(*cluster.shape) {
    is_open_.assign(reduction.shape.size, 0);
    for (const At place : reduction.unknowns) is_open_[place] = 1;
    for (const Candidate& candidate : reduction.candidates) {
      if (candidate.is_derivative || candidate.is_algebraic) continue;
      is_open_[shape_.variables[candidate.variable].value] = 0;
    }
  }

  void compute(const std::vector<std::uint8_t>& active) {
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t i = 0; i < active.size(); ++i) {
        if (active[i] != 0 && !shape_.equations[i].hold && compute_by(i)) again = true;
      }
    }
  }

 private:
  /// True: the equation has given a value.
  bool compute_by(std::uint32_t number) {
    const ShapeEquation& equation = shape_.equations[number];
    const Term& term = cluster_.tapes->terms()[equation.term];
    const At own = own_place(shape_, equation);
    At unknown = own != kNowhere && is_open_[own] != 0 ? own : kNowhere;
    bool is_explicit = unknown != kNowhere;
    for (const std::uint32_t k : term.graph.operands_of_node(term.value)) {
      const At place = equation.operands[k];
      if (is_open_[place] == 0) continue;
      if (unknown != kNowhere) return false;
      unknown = place;
      is_explicit = equation.solvable[k] != 0;
    }
    if (!is_explicit) return false;
    const ExplicitEquation form = explicit_form(shape_, *cluster_.tapes, {number, unknown});
    std::vector<At> index = form.operands;
    index.push_back(unknown);
    const double before = cluster_.values[unknown];
    code::run((*cluster_.tapes)[form.term], cluster_.values.data(), index.data(), 1, {});
    if (!std::isfinite(cluster_.values[unknown])) cluster_.values[unknown] = before;
    is_open_[unknown] = 0;
    return true;
  }

  Cluster& cluster_;
  const Shape& shape_;
  std::vector<std::uint8_t> is_open_;  ///< by place
};

/// Equations that depend on each other, with what is in them.
Misfit dependent_equations(const Reduction& reduction, const SelectionStage& stage) {
  Misfit result;
  result.kind = Misfit::Kind::Dependent;
  for (const std::uint32_t row : stage.rows) result.equations.push_back(stage.group->rows[row].equation);
  for (const std::uint32_t candidate : stage.candidates) {
    const ShapeVariable& record = reduction.shape.variables[reduction.candidates[candidate].variable];
    const std::uint32_t variable =
        record.derivative_of == kNone ? reduction.candidates[candidate].variable : record.derivative_of;
    if (std::find(result.variables.begin(), result.variables.end(), variable) == result.variables.end()) {
      result.variables.push_back(variable);
    }
  }
  return result;
}

bool is_near(const Run& run, double before, double after) {
  constexpr double kLeast = 1e-11;  // loops are not solved better
  const double size = std::max(std::abs(before), std::abs(after));
  const double relative = std::max(run.options.continuous.relative_tolerance, kLeast);
  const double absolute = std::max(run.options.continuous.absolute_tolerance, kLeast);
  return std::abs(after - before) <= kSlack * (relative * size + absolute);
}

}  // namespace

void note_given(const Run& run, Cluster& cluster) {
  const bool is_start = run.now <= run.options.start_time;
  cluster.claims.assign(cluster.shape->variables.size(), Claim::Open);
  for (std::size_t i = 0; i < cluster.claims.size(); ++i) {
    const ShapeVariable& variable = cluster.shape->variables[i];
    if (!variable.id) continue;
    const model::Variable& record = run.world.model.variables[variable.id];
    const Place place{cluster.objects[variable.object], variable.slot, variable.element};
    const bool is_written = record.initial || variable.start == StartRole::Fixed ||
                            cluster.values[variable.value] != 0 || run.world.starts->is_written(place);
    const Claim told = run.world.gathering->claims[place];
    if (told != Claim::Open) {
      cluster.claims[i] = told;
    } else if (is_written && variable.start != StartRole::Free) {
      cluster.claims[i] = is_start ? Claim::Assigned : Claim::Begins;
    }
  }
}

Configuration* select_states(Run& run, Cluster& cluster, const Configuration& open,
                             const std::vector<std::uint8_t>& active, bool settled) {
  const Reduction& reduction = *open.reduction;
  if (&shape_of(cluster) != &reduction.shape) {
    cluster.values.resize(std::max<std::size_t>(cluster.values.size(), reduction.shape.size));
    std::fill(cluster.values.begin() + cluster.shape->size, cluster.values.begin() + reduction.shape.size, 0.0);
  }
  const bool is_other_view = cluster.reselect && !cluster.restructure;  // of values that fit
  if (!is_other_view && asks_algebraic(reduction)) AlgebraicValues(cluster, reduction).compute(active);
  std::vector<double> weights = plain_weights(reduction);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (claims(cluster, reduction.candidates[i], Claim::Begins)) weights[i] = kAssigned;
  }
  Demoted demoted;
  for (const SelectionStage& stage : select(reduction, cluster.values.data(), weights, demoted)) {
    if (stage.good) continue;
    if (settled) report_misfit(run, cluster, dependent_equations(reduction, stage));
    return nullptr;
  }
  for (std::size_t i = 0; i < demoted.size(); ++i) {
    const Candidate& candidate = reduction.candidates[i];
    if (demoted[i] != 0 || !candidate.is_derivative) continue;
    cluster.values[reduction.shape.variables[candidate.variable].value] = cluster.values[candidate.own];
  }
  std::vector<std::uint8_t> key = active;
  key.insert(key.end(), demoted.begin(), demoted.end());
  Configuration* known = cluster.shape->configurations.find(key);
  if (known == nullptr) {
    known = cluster.shape->configurations.add(key, configure(open.reduction, run.world.tapes, demoted));
  }
  return known;
}

bool wants_selection(const Cluster& cluster) {
  if (cluster.reselect) return true;
  if (cluster.configuration == nullptr || !cluster.configuration->reduction) return false;
  const std::vector<Candidate>& candidates = cluster.configuration->reduction->candidates;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].is_derivative) continue;
    if (cluster.changed_places[cluster.shape->variables[candidates[i].variable].value] != 0) return true;
  }
  return false;
}

void watch_selection(Island& island) {
  if (island.plan->constraints.empty() || island.reselect) return;
  Cluster& cluster = island.cluster;
  const Configuration& configuration = *cluster.configuration;
  if (!island.system.place(island.end, island.integrator->state()).good()) return;
  const std::vector<double> weights = plain_weights(*configuration.reduction);
  for (const std::uint32_t number : island.plan->constraints) {
    const ConstraintGroup& group = configuration.reduction->groups[number];
    for (const SelectionStage& stage : review(group, cluster.values.data(), weights, configuration.demoted)) {
      if (!stage.good || stage.elimination.worst() > kMuchBetter) island.reselect = true;
    }
  }
}

void plan_selection(const Run& run, Island& island) {
  if (!island.reselect || island.next_is_event || island.end >= run.options.stop_time) return;
  island.next_is_event = true;
  island.due = island.passed;
}

namespace {

/// Whether a variable follows from others that were assigned, or from such that begin with it, without a jump.
bool follows(const Cluster& cluster, const Reduction& reduction, const SelectionStage& stage, std::size_t row) {
  constexpr double kNothing = 1e-9;
  const solve::Elimination::Row& factors = stage.elimination.row(row);
  const std::uint32_t own = stage.elimination.column_of(row);
  const Candidate& candidate = reduction.candidates[stage.candidates[own]];
  if (claims(cluster, candidate, Claim::Begins)) return false;
  const Claim needed = claims(cluster, candidate, Claim::Kept) ? Claim::Assigned : Claim::Begins;
  return std::all_of(factors.begin(), factors.end(), [&](const solve::Elimination::Entry& entry) {
    return entry.column == own || std::abs(entry.value) < kNothing ||
           claims(cluster, reduction.candidates[stage.candidates[entry.column]], needed);
  });
}

Contradiction contradiction_of(const Configuration& configuration, const SelectionStage& stage,
                               std::uint32_t variable) {
  Contradiction result;
  result.variable = variable;
  for (const std::uint32_t number : stage.candidates) {
    const Candidate& candidate = configuration.reduction->candidates[number];
    if (configuration.demoted[number] == 0 && !candidate.is_derivative) result.others.push_back(candidate.variable);
  }
  for (const std::uint32_t number : stage.rows) result.equations.push_back(stage.group->rows[number].equation);
  return result;
}

}  // namespace

std::optional<Contradiction> find_contradiction(const Run& run, Cluster& cluster, const std::vector<double>& before,
                                                bool is_start) {
  const Configuration& configuration = *cluster.configuration;
  const Reduction& reduction = *configuration.reduction;
  const std::vector<double> weights = plain_weights(reduction);
  std::optional<Contradiction> first;
  for (const ConstraintGroup& group : reduction.groups) {
    for (const SelectionStage& stage : review(group, cluster.values.data(), weights, configuration.demoted)) {
      for (std::size_t row = 0; row < stage.elimination.rows(); ++row) {
        const std::uint32_t number = stage.candidates[stage.elimination.column_of(row)];
        const Candidate& candidate = reduction.candidates[number];
        const At place = reduction.shape.variables[candidate.variable].value;
        const bool is_kept = !candidate.is_derivative && !candidate.is_algebraic;
        if (!is_kept || is_near(run, before[place], cluster.values[place])) continue;
        const bool can_jump =
            number + 1 == reduction.candidates.size() || !reduction.candidates[number + 1].is_derivative;
        const bool is_alone = stage.elimination.row(row).size() == 1;
        const bool must_jump = is_alone && can_jump && !is_start;
        if (!must_jump && follows(cluster, reduction, stage, row)) continue;
        Contradiction found = contradiction_of(configuration, stage, candidate.variable);
        found.kept = before[place];
        found.needed = cluster.values[place] + 0.0;  // no zero with a sign
        found.can_jump = can_jump;
        if (!found.can_jump) return found;
        if (!first) first = std::move(found);
      }
    }
  }
  return first;
}

}  // namespace hyla::engine
