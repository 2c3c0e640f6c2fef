#include "engine/one_sided_run.h"

#include <algorithm>
#include <cmath>

#include "engine/sliding_run.h"
#include "solve/one_sided.h"

namespace hyla::engine {
namespace {

using code::NodeId;
using code::NodeOp;
using Tree = solve::ConditionTree;

/// The least step, as a part of the relative tolerance, in units of time (of the run's length, if it is shorter).
constexpr double kLeastStep = 1e-3;

solve::OneSidedSettings settings_of(const Run& run) {
  const double span = run.options.stop_time - run.options.start_time;
  solve::OneSidedSettings settings;
  settings.gamma = run.options.continuous.gamma;
  settings.least_step = kLeastStep * run.options.continuous.relative_tolerance * std::min(1.0, span);
  return settings;
}

/// The boundaries of an island in its present modes.
class Boundaries {
 public:
  Boundaries(Run& run, Island& island)
      : run_(run),
        island_(island),
        cluster_(island.cluster),
        guards_(*cluster_.guards),
        search_(guards_.searches[island.number]) {
    by_mode_.assign(cluster_.shape->modes.size(), kNone);
    for (std::uint32_t r = 0; r < search_.guards.size(); ++r) by_mode_[guards_.guards[search_.guards[r]].mode] = r;
  }

  /// Values and rates of all relations at the end of the last step.
  bool measure() {
    const double t = island_.end;
    const std::size_t states = island_.plan->states.size();
    std::vector<double> y(island_.integrator->state(), island_.integrator->state() + states), field(states);
    if (island_.system.evaluate(t, y.data(), field.data()) != solve::Evaluation::Good) return false;
    if (search_.direct) {
      RelationRates relations(search_);
      relations.compute(cluster_.values.data(), y.data(), field.data(), 1);
      for (std::size_t r = 0; r < search_.guards.size(); ++r) add(relations.value(r), relations.rate(r));
      return true;
    }
    // By differences, backwards: the other direction may lead across the boundary.
    code::run(guards_.relations, cluster_.values.data());
    std::vector<double> now;
    for (const std::uint32_t guard : search_.guards) now.push_back(cluster_.values[guards_.guards[guard].g]);
    const double step = 1e-7 * std::max(island_.time_scale, 1e-6);
    for (std::size_t i = 0; i < states; ++i) y[i] -= step * field[i];
    if (!island_.system.place(t - step, y.data()).good()) return false;
    code::run(guards_.relations, cluster_.values.data());
    for (std::size_t r = 0; r < now.size(); ++r) {
      add(now[r], (now[r] - cluster_.values[guards_.guards[search_.guards[r]].g]) / step);
    }
    return island_.system.place(t, island_.integrator->state()).good();
  }

  /// What holds for an instant leaves no trace in its mode once its event was taken. This is over when the boundary has
  /// been passed, or the motion goes elsewhere.
  void look_at_reached() {
    for (std::uint32_t r = 0; r < values_.size() && !cluster_.reached.empty(); ++r) {
      std::int8_t& side = cluster_.reached[guards_.guards[search_.guards[r]].mode];
      const bool has_passed = values_[r] * side > 0, turns = rates_[r] * side < 0;
      const bool is_far = std::abs(values_[r]) > 10 * one_sided_reach(run_) * std::abs(rates_[r]);
      if (has_passed || turns || is_far) side = 0;
    }
  }

  /// False: there is nothing to stay inside of.
  bool make_staying() {
    Tree tree;
    std::vector<Tree::Node> leaving;
    for (std::uint32_t r = 0; r < search_.guards.size(); ++r) {
      if (mode(r).equation != kNone) leaving.push_back(leaf(tree, r, !is_above(r)));
    }
    for (std::size_t i = 0; i < guards_.conditions.size(); ++i) {
      const ShapeCondition& condition = cluster_.shape->conditions[guards_.conditions[i]];
      if (guards_.condition_islands[i] != island_.number || cluster_.values[condition.value] != 0) continue;
      const Term& term = run_.world.terms[condition.term];
      const Part part = convert(tree, term, term.value, condition);
      if (!part.is_constant) leaving.push_back(part.node);
    }
    if (leaving.empty()) return false;
    staying_ = solve::make_staying(tree, leaving);
    return true;
  }

  const Tree& staying() const { return staying_; }
  const double* values() const { return values_.data(); }
  const double* rates() const { return rates_.data(); }

  /// The events of relations whose boundary has been reached.
  void cross(const std::vector<std::uint32_t>& relations) {
    island_.crossings.clear();
    for (const std::uint32_t r : relations) {
      solve::Crossing crossing;
      crossing.relation = r;
      crossing.rising = is_relation(r) && !is_above(r);
      crossing.before = island_.end;
      crossing.at = island_.end;
      island_.crossings.push_back(crossing);
      if (mode(r).kind < ModeKind::Crosses) continue;
      cluster_.reached.resize(cluster_.shape->modes.size());
      cluster_.reached[guards_.guards[search_.guards[r]].mode] = crossing.rising ? 1 : -1;
    }
  }

 private:
  struct Part {
    bool is_constant = false, holds = false;
    Tree::Node node = 0;
  };

  const ShapeMode& mode(std::uint32_t relation) const {
    return cluster_.shape->modes[guards_.guards[search_.guards[relation]].mode];
  }
  bool is_relation(std::uint32_t r) const {
    return mode(r).kind == ModeKind::NotNegative || mode(r).kind == ModeKind::Positive ||
           mode(r).kind >= ModeKind::Crosses;
  }
  /// On which side of zero a relation is by its mode; for those that have none the value decides, unless their event
  /// was taken before the boundary.
  bool is_above(std::uint32_t r) const {
    if (mode(r).kind >= ModeKind::Crosses) {
      const int side = cluster_.reached.empty() ? 0 : cluster_.reached[guards_.guards[search_.guards[r]].mode];
      return side != 0 ? side > 0 : values_[r] > 0;
    }
    return !is_relation(r) || cluster_.values[mode(r).value] != 0;
  }

  /// Roundings have two boundaries: the one that is approached counts.
  void add(double value, double rate) {
    const auto r = static_cast<std::uint32_t>(values_.size());
    values_.push_back(value);
    rates_.push_back(rate);
    if (is_relation(r)) return;
    const double held = cluster_.values[mode(r).value];
    const bool half = mode(r).kind == ModeKind::Round, down = mode(r).kind == ModeKind::Ceil;
    const double above = half ? held + 0.5 : down ? held : held + 1, below = above - 1;
    values_[r] = rate < 0 ? value - below : above - value;
    rates_[r] = -std::abs(rate);
  }

  static Tree::Node leaf(Tree& tree, std::uint32_t relation, bool holds_above) {
    return tree.add_relation(relation, !holds_above);
  }

  /// A node of a condition's term; operands that do not vary have the value that they have now.
  Part convert(Tree& tree, const Term& term, NodeId id, const ShapeCondition& condition) {
    const auto& node = term.graph[id];
    if (node.op == NodeOp::Not) {
      Part part = convert(tree, term, node.a, condition);
      if (part.is_constant) return {true, !part.holds, 0};
      part.node = tree.add_not(part.node);
      return part;
    }
    if (node.op == NodeOp::And || node.op == NodeOp::Or) {
      const Part a = convert(tree, term, node.a, condition), b = convert(tree, term, node.b, condition);
      const bool neutral = node.op == NodeOp::And;
      if (a.is_constant) return a.holds == neutral ? b : a;
      if (b.is_constant) return b.holds == neutral ? a : b;
      const Tree::Node both[] = {a.node, b.node};
      return {false, false, neutral ? tree.add_and(both) : tree.add_or(both)};
    }
    if (node.op == NodeOp::Constant) return {true, node.number != 0, 0};
    if (node.op == NodeOp::Operand) return convert_operand(tree, term, node.operand, condition);
    return convert_any(tree, term, id, condition);
  }

  Part convert_operand(Tree& tree, const Term& term, std::uint32_t operand, const ShapeCondition& condition) {
    for (std::size_t k = 0; k < term.modes.size(); ++k) {
      if (term.modes[k].operand != operand) continue;
      const std::uint32_t r = by_mode_[condition.first_mode + k];
      if (r == kNone) break;
      const bool changes = mode(r).kind >= ModeKind::Crosses || !is_relation(r);
      return {false, false, leaf(tree, r, changes ? !is_above(r) : true)};
    }
    return {true, cluster_.values[condition.operands[operand]] != 0, 0};
  }

  /// What is not made of `and`, `or` and `not`: any relation in it that changes its side may change it.
  Part convert_any(Tree& tree, const Term& term, NodeId id, const ShapeCondition& condition) {
    std::vector<Tree::Node> nodes;
    for (const std::uint32_t operand : term.graph.operands_of_node(id)) {
      for (std::size_t k = 0; k < term.modes.size(); ++k) {
        if (term.modes[k].operand != operand) continue;
        const std::uint32_t r = by_mode_[condition.first_mode + k];
        if (r != kNone) nodes.push_back(leaf(tree, r, !is_above(r)));
      }
    }
    if (nodes.empty()) return {true, false, 0};
    return {false, false, nodes.size() == 1 ? nodes.front() : tree.add_or(nodes)};
  }

  Run& run_;
  Island& island_;
  Cluster& cluster_;
  const GuardPlan& guards_;
  const GuardPlan::Search& search_;
  std::vector<std::uint32_t> by_mode_;  ///< relation of the search, by mode
  std::vector<double> values_, rates_;
  Tree staying_;
};

void make_due(Island& island) {
  island.passed = 0;
  island.due = island.crossings.size();
  island.next = island.end;
  island.next_is_event = true;
}

}  // namespace

double one_sided_reach(const Run& run) {
  const solve::OneSidedSettings settings = settings_of(run);
  return settings.least_step / (1 - settings.gamma);
}

bool arrive_one_sided(Run& run, Island& island, double& limit) {
  if (island.constraint || island.cluster.guards->searches[island.number].guards.empty()) return false;
  Boundaries boundaries(run, island);
  if (!boundaries.measure()) return false;
  boundaries.look_at_reached();
  if (!boundaries.make_staying()) return false;
  const solve::OneSided location(settings_of(run));
  const double t = island.end;
  if (location.place(boundaries.staying(), boundaries.values(), boundaries.rates(), t) ==
      solve::OneSided::Place::Arrived) {
    std::vector<std::uint32_t> relations;
    location.at_boundary(boundaries.staying(), boundaries.values(), boundaries.rates(), t, relations);
    boundaries.cross(relations);
    make_due(island);
    return true;
  }
  limit = std::min(limit, t + location.longest_step(boundaries.staying(), boundaries.values(), boundaries.rates()));
  return false;
}

double shorten_one_sided(Run& run, Island& island, double begin) {
  const solve::OneSidedSettings settings = settings_of(run);
  const double next = solve::OneSided(settings).shortened(begin, island.next);
  const double least = std::max(settings.least_step, 8 * std::numeric_limits<double>::epsilon() * std::abs(begin));
  if (next - begin <= least) return std::numeric_limits<double>::quiet_NaN();
  island.crossings.clear();
  island.next_is_event = false;
  island.passed = 0;
  return next;
}

}  // namespace hyla::engine
