// Incidences for the tests: by hand and random.
#pragma once

#include <initializer_list>
#include <random>
#include <vector>

#include "structure/structure.h"

namespace hyla::structure {

/// An unknown of an equation; `given` if the equation is a formula for it.
struct Entry {
  std::uint32_t unknown = 0;
  bool given = false;
};
inline Entry in(std::uint32_t unknown) { return {unknown, false}; }
inline Entry by_formula(std::uint32_t unknown) { return {unknown, true}; }

inline void add_equation(Incidence& incidence, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    incidence.columns.push_back(entry.unknown);
    incidence.explicit_for.push_back(entry.given ? 1 : 0);
  }
  incidence.starts.push_back(static_cast<std::uint32_t>(incidence.columns.size()));
}

inline Incidence make(std::size_t unknowns, std::initializer_list<std::vector<Entry>> equations) {
  Incidence incidence;
  incidence.unknowns = unknowns;
  for (const std::vector<Entry>& entries : equations) add_equation(incidence, entries);
  return incidence;
}

using Random = std::minstd_rand;

inline std::uint32_t draw(Random& random, std::uint32_t below) {
  return static_cast<std::uint32_t>(random() / 7 % below);
}

/// Each entry is there with probability density / 100, and explicit with probability formulas / 100.
inline Incidence draw_incidence(Random& random, std::uint32_t equations, std::uint32_t unknowns, std::uint32_t density,
                                std::uint32_t formulas) {
  Incidence incidence;
  incidence.unknowns = unknowns;
  for (std::uint32_t e = 0; e < equations; ++e) {
    std::vector<Entry> entries;
    for (std::uint32_t u = 0; u < unknowns; ++u) {
      if (draw(random, 100) < density) entries.push_back({u, draw(random, 100) < formulas});
    }
    add_equation(incidence, entries);
  }
  return incidence;
}

/// Position of an entry, or kNothing.
inline std::uint32_t find_entry(const Incidence& incidence, std::uint32_t equation, std::uint32_t unknown) {
  for (std::uint32_t k = incidence.starts[equation]; k < incidence.starts[equation + 1]; ++k) {
    if (incidence.columns[k] == unknown) return k;
  }
  return kNothing;
}

}  // namespace hyla::structure
