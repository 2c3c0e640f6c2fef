// What is wrong when equations and unknowns do not match one to one.
//
// An alternating path goes from an equation to any unknown in it, and from an unknown to the equation that it is
// matched with. From an unmatched equation it reaches the equations that contradict each other; the other way round,
// from an unmatched unknown, it reaches the unknowns that too few equations determine (Dulmage and Mendelsohn 1958). If
// the matching is maximum, no path leads from the one to the other.
#include <algorithm>

#include "base/check.h"
#include "structure/structure.h"

namespace hyla::structure {
namespace {

/// The incidence by unknown: the equations that contain it.
struct Transposed {
  std::vector<std::uint32_t> starts, equations;
};

Transposed transpose(const Incidence& incidence) {
  Transposed result;
  result.starts.assign(incidence.unknowns + 1, 0);
  result.equations.resize(incidence.columns.size());
  for (const std::uint32_t unknown : incidence.columns) ++result.starts[unknown + 1];
  for (std::size_t u = 0; u < incidence.unknowns; ++u) result.starts[u + 1] += result.starts[u];
  std::vector<std::uint32_t> next(result.starts.begin(), result.starts.end() - 1);
  for (std::uint32_t e = 0; e < incidence.equations(); ++e) {
    for (std::uint32_t k = incidence.starts[e]; k < incidence.starts[e + 1]; ++k) {
      result.equations[next[incidence.columns[k]]++] = e;
    }
  }
  return result;
}

/// Nodes reached from `nodes` by going over `neighbours` to their partners. Appends the new ones to `nodes`, the
/// neighbours passed to `passed`; `from` says by node where it was reached from, itself for the first ones.
void walk(const std::vector<std::uint32_t>& starts, const std::vector<std::uint32_t>& neighbours,
          const std::vector<std::uint32_t>& partners, std::vector<std::uint32_t>& nodes,
          std::vector<std::uint32_t>& passed, std::vector<std::uint32_t>& from) {
  std::vector<std::uint8_t> seen(partners.size(), 0);
  for (const std::uint32_t node : nodes) from[node] = node;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::uint32_t k = starts[nodes[i]]; k < starts[nodes[i] + 1]; ++k) {
      const std::uint32_t neighbour = neighbours[k];
      if (seen[neighbour] != 0) continue;
      seen[neighbour] = 1;
      passed.push_back(neighbour);
      const std::uint32_t partner = partners[neighbour];
      HYLA_CHECK(partner != kNothing, "the matching is maximum");
      if (from[partner] != kNothing) continue;
      from[partner] = nodes[i];
      nodes.push_back(partner);
    }
  }
}

std::vector<std::uint32_t> without_partner(const std::vector<std::uint32_t>& partners) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == kNothing) result.push_back(i);
  }
  return result;
}

struct Reached {
  std::vector<std::uint32_t> equations, from;
};

Reached reach(const Incidence& incidence, const Matching& matching, std::uint32_t equation) {
  Reached result{{equation}, std::vector<std::uint32_t>(incidence.equations(), kNothing)};
  std::vector<std::uint32_t> unknowns;
  walk(incidence.starts, incidence.columns, matching.equation_of_unknown, result.equations, unknowns, result.from);
  return result;
}

/// Matches the equation from which everything was reached instead of `leaving`.
Matching exchange(const Matching& matching, const Reached& reached, std::uint32_t leaving) {
  Matching result = matching;
  result.unknown_of_equation[leaving] = kNothing;
  for (std::uint32_t e = leaving; reached.from[e] != e; e = reached.from[e]) {
    const std::uint32_t unknown = matching.unknown_of_equation[e];
    result.unknown_of_equation[reached.from[e]] = unknown;
    result.equation_of_unknown[unknown] = reached.from[e];
  }
  return result;
}

/// Where several equations are unmatched, the set depends on which ones are. So many other choices are tried.
constexpr int kMostExchanges = 64;

/// A choice of matched equations with which fewer are reached; false if none was found.
bool find_smaller(const Incidence& incidence, std::uint32_t equation, Matching& matching, Reached& best, int& tries) {
  for (const std::uint32_t other : without_partner(matching.unknown_of_equation)) {
    if (other == equation) continue;
    if (tries++ >= kMostExchanges) return false;
    const Reached around = reach(incidence, matching, other);
    for (const std::uint32_t leaving : best.equations) {
      if (leaving == equation || around.from[leaving] == kNothing) continue;
      if (tries++ >= kMostExchanges) return false;
      Matching changed = exchange(matching, around, leaving);
      Reached smaller = reach(incidence, changed, equation);
      if (smaller.equations.size() >= best.equations.size()) continue;
      matching = std::move(changed);
      best = std::move(smaller);
      return true;
    }
  }
  return false;
}

}  // namespace

Misfit misfit(const Incidence& incidence, const Matching& matching) {
  Misfit result;
  std::vector<std::uint32_t> from(incidence.equations(), kNothing);
  result.over_equations = without_partner(matching.unknown_of_equation);
  walk(incidence.starts, incidence.columns, matching.equation_of_unknown, result.over_equations, result.over_unknowns,
       from);

  const Transposed transposed = transpose(incidence);
  from.assign(incidence.unknowns, kNothing);
  result.under_unknowns = without_partner(matching.equation_of_unknown);
  walk(transposed.starts, transposed.equations, matching.unknown_of_equation, result.under_unknowns,
       result.under_equations, from);

  for (auto* part : {&result.over_equations, &result.over_unknowns, &result.under_equations, &result.under_unknowns}) {
    std::sort(part->begin(), part->end());
  }
  return result;
}

std::vector<std::uint32_t> contradicting(const Incidence& incidence, const Matching& matching, std::uint32_t equation) {
  HYLA_CHECK(matching.unknown_of_equation[equation] == kNothing, "a matched equation contradicts nothing");
  Matching now = matching;
  Reached best = reach(incidence, now, equation);
  for (int tries = 0; find_smaller(incidence, equation, now, best, tries);) {
  }
  std::sort(best.equations.begin(), best.equations.end());
  return best.equations;
}

}  // namespace hyla::structure
