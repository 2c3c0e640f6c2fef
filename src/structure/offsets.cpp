// How often to differentiate: the signature method of Pryce (2001). It gives the numbers that Pantelides (1988) finds
// by differentiating step by step.
//
// Of all complete matchings one with as many derivatives as possible is taken (with orders 0 and 1 this is what `match`
// finds if derivatives are called explicit). With c for equations, d for unknowns and s for the order of an entry, the
// smallest numbers are wanted with d >= c + s everywhere, and d = c + s where equation and unknown are matched. They
// are raised from zero until nothing is violated; this ends because no other matching has more derivatives.
#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "structure/structure.h"

namespace hyla::structure {
namespace {

/// The order with which an equation contains the unknown that it is matched with.
std::vector<std::uint32_t> matched_orders(const Signature& signature, const Matching& matching) {
  const Incidence& incidence = signature.incidence;
  std::vector<std::uint32_t> result(incidence.equations(), 0);
  for (std::uint32_t e = 0; e < incidence.equations(); ++e) {
    for (std::uint32_t k = incidence.starts[e]; k < incidence.starts[e + 1]; ++k) {
      if (incidence.columns[k] == matching.unknown_of_equation[e]) result[e] = signature.orders[k];
    }
  }
  return result;
}

}  // namespace

std::size_t Offsets::freedom() const {
  return std::accumulate(unknowns.begin(), unknowns.end(), std::size_t{0}) -
         std::accumulate(equations.begin(), equations.end(), std::size_t{0});
}

Offsets offsets(const Signature& signature) {
  Incidence incidence = signature.incidence;
  HYLA_CHECK(signature.orders.size() == incidence.columns.size(), "every entry has an order");
  incidence.explicit_for = signature.orders;
  Offsets result;
  if (incidence.equations() != incidence.unknowns) return result;
  const Matching matching = match(incidence);
  if (matching.size != incidence.unknowns) return result;
  result.exist = true;
  result.equations.assign(incidence.equations(), 0);
  result.unknowns.assign(incidence.unknowns, 0);
  const std::vector<std::uint32_t> own = matched_orders(signature, matching);

  std::vector<std::uint32_t> raised(incidence.equations());
  std::vector<std::uint8_t> waiting(incidence.equations(), 1);
  std::iota(raised.begin(), raised.end(), 0U);
  for (std::size_t i = 0; i < raised.size(); ++i) {
    const std::uint32_t equation = raised[i];
    waiting[equation] = 0;
    for (std::uint32_t k = incidence.starts[equation]; k < incidence.starts[equation + 1]; ++k) {
      const std::uint32_t unknown = incidence.columns[k];
      const std::uint32_t needed = result.equations[equation] + signature.orders[k];
      if (needed <= result.unknowns[unknown]) continue;
      result.unknowns[unknown] = needed;
      const std::uint32_t partner = matching.equation_of_unknown[unknown];
      result.equations[partner] = needed - own[partner];
      if (partner == equation || waiting[partner] != 0) continue;
      waiting[partner] = 1;
      raised.push_back(partner);
    }
  }
  return result;
}

bool is_leading(const Signature& signature, const Offsets& offsets, std::uint32_t equation, std::uint32_t entry) {
  const std::uint32_t unknown = signature.incidence.columns[entry];
  return offsets.unknowns[unknown] == offsets.equations[equation] + signature.orders[entry];
}

std::vector<Group> constraint_groups(const Signature& signature, const Offsets& offsets) {
  const Incidence& incidence = signature.incidence;
  const auto equations = static_cast<std::uint32_t>(incidence.equations());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t e = 0; e < equations; ++e) {
    if (offsets.equations[e] == 0) continue;
    for (std::uint32_t k = incidence.starts[e]; k < incidence.starts[e + 1]; ++k) {
      if (is_leading(signature, offsets, e, k)) edges.emplace_back(e, equations + incidence.columns[k]);
    }
  }
  const std::vector<std::uint32_t> component = components(equations + incidence.unknowns, edges);
  std::vector<std::uint32_t> group_of(component.size(), kNothing);
  std::vector<Group> result;
  for (std::uint32_t e = 0; e < equations; ++e) {
    if (offsets.equations[e] == 0) continue;
    std::uint32_t& group = group_of[component[e]];
    if (group == kNothing) {
      group = static_cast<std::uint32_t>(result.size());
      result.emplace_back();
    }
    result[group].equations.push_back(e);
  }
  for (std::uint32_t u = 0; u < incidence.unknowns; ++u) {
    const std::uint32_t group = group_of[component[equations + u]];
    if (group != kNothing) result[group].unknowns.push_back(u);
  }
  return result;
}

}  // namespace hyla::structure
