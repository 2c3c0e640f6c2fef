// Alternating paths from one unknown: equation and partner in turn, by breadth.
#include <algorithm>

#include "structure/structure.h"

namespace hyla::structure {

Exchange::Exchange(const Incidence& incidence) : incidence_(incidence), starts_(incidence.unknowns + 1) {
  for (const std::uint32_t column : incidence.columns) ++starts_[column + 1];
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  rows_.resize(incidence.columns.size());
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t row = 0; row < incidence.equations(); ++row) {
    for (std::uint32_t k = incidence.starts[row]; k < incidence.starts[row + 1]; ++k) {
      rows_[next[incidence.columns[k]]++] = row;
    }
  }
}

std::vector<std::uint32_t> Exchange::leaving_for(const Matching& matching, std::uint32_t entering) {
  from_.assign(incidence_.equations(), kNothing);
  by_.assign(incidence_.unknowns, kNothing);
  std::vector<std::uint32_t> found, pending = {entering};
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const std::uint32_t unknown = pending[i];
    for (std::uint32_t k = starts_[unknown]; k < starts_[unknown + 1]; ++k) {
      const std::uint32_t row = rows_[k];
      const std::uint32_t partner = matching.unknown_of_equation[row];
      if (from_[row] != kNothing || partner == kNothing || partner == unknown) continue;
      from_[row] = unknown;
      by_[partner] = row;
      found.push_back(partner);
      pending.push_back(partner);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::uint32_t> Exchange::entering_for(const Matching& matching, std::uint32_t leaving) const {
  std::vector<std::uint8_t> seen(incidence_.unknowns);
  std::vector<std::uint32_t> found, pending = {matching.equation_of_unknown[leaving]};
  seen[leaving] = 1;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    for (std::uint32_t k = incidence_.starts[pending[i]]; k < incidence_.starts[pending[i] + 1]; ++k) {
      const std::uint32_t unknown = incidence_.columns[k];
      if (seen[unknown] != 0) continue;
      seen[unknown] = 1;
      const std::uint32_t row = matching.equation_of_unknown[unknown];
      (row == kNothing ? found : pending).push_back(row == kNothing ? unknown : row);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void Exchange::carry_out(Matching& matching, std::uint32_t entering, std::uint32_t leaving) {
  leaving_for(matching, entering);
  matching.equation_of_unknown[leaving] = kNothing;
  for (std::uint32_t unknown = leaving; unknown != entering;) {
    const std::uint32_t row = by_[unknown];
    unknown = from_[row];
    matching.unknown_of_equation[row] = unknown;
    matching.equation_of_unknown[unknown] = row;
  }
}

}  // namespace hyla::structure
