#include "solve/one_sided.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hyla::solve {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Value of a relation, positive inside.
double inside(const ConditionTree& tree, ConditionTree::Node node, const double* values) {
  const double value = values[tree.relation(node)];
  return tree.negated(node) ? -value : value;
}

/// Like ConditionTree::holds, but relations that did not hold before count as holding.
bool still_holds(const ConditionTree& tree, ConditionTree::Node node, const double* before, const double* after) {
  const auto operand_holds = [&](ConditionTree::Node operand) { return still_holds(tree, operand, before, after); };
  const std::span<const ConditionTree::Node> below = tree.operands(node);
  switch (tree.kind(node)) {
    case ConditionTree::Kind::Relation:
      return inside(tree, node, after) >= 0 || !(inside(tree, node, before) >= 0);
    case ConditionTree::Kind::And:
      return std::all_of(below.begin(), below.end(), operand_holds);
    default:
      return std::any_of(below.begin(), below.end(), operand_holds);
  }
}

}  // namespace

double OneSided::longest_step(const ConditionTree& staying, const double* values, const double* rates) const {
  return limit(staying, staying.root(), values, rates).step;
}

bool OneSided::is_outside(const ConditionTree& staying, const double* before, const double* after) const {
  if (staying.holds(after)) return false;
  return staying.holds(before) || !still_holds(staying, staying.root(), before, after);
}

OneSided::Place OneSided::place(const ConditionTree& staying, const double* values, const double* rates,
                                double t) const {
  return longest_step(staying, values, rates) <= least_step_at(t) ? Place::Arrived : Place::Inside;
}

void OneSided::at_boundary(const ConditionTree& staying, const double* values, const double* rates, double t,
                           std::vector<std::uint32_t>& relations) const {
  for (ConditionTree::Node node = 0; node < staying.size(); ++node) {
    if (staying.kind(node) != ConditionTree::Kind::Relation) continue;
    if (limit(staying, node, values, rates).step > least_step_at(t)) continue;
    const std::uint32_t relation = staying.relation(node);
    if (std::find(relations.begin(), relations.end(), relation) == relations.end()) relations.push_back(relation);
  }
}

/// Algorithm 3, with algorithm 2 at the relations.
OneSided::Limit OneSided::limit(const ConditionTree& staying, ConditionTree::Node node, const double* values,
                                const double* rates) const {
  if (staying.kind(node) == ConditionTree::Kind::Relation) {
    const double value = inside(staying, node, values), rate = inside(staying, node, rates);
    if (!(value >= 0)) return {kNoLimit, false};
    return {rate < 0 ? (settings_.gamma - 1) * value / rate : kNoLimit, true};
  }
  // make_staying leaves no `not`.
  const bool all = staying.kind(node) == ConditionTree::Kind::And;
  double least = kNoLimit, largest = 0;
  bool all_hold = true, one_holds = false;
  for (const ConditionTree::Node operand : staying.operands(node)) {
    const Limit part = limit(staying, operand, values, rates);
    least = std::min(least, part.step);
    if (part.holds) largest = std::max(largest, part.step);
    all_hold = all_hold && part.holds;
    one_holds = one_holds || part.holds;
  }
  if (all) return {least, all_hold};
  return {one_holds ? largest : kNoLimit, one_holds};
}

double OneSided::least_step_at(double t) const {
  return std::max(settings_.least_step, 4 * std::numeric_limits<double>::epsilon() * std::fabs(t));
}

}  // namespace hyla::solve
