// A maximum matching with as many explicit entries as a maximum matching can have.
//
// Say that an explicit entry costs 0 and any other 1; wanted is the cheapest of the largest matchings. This is a flow
// of least cost, found by always extending the matching along a cheapest alternating path (Edmonds and Karp 1972).
// BTF's maximum transversal (Duff 1981) of the explicit entries alone costs nothing, so it is a cheapest matching of
// its size and may be the start. What it leaves over is matched in rounds:
//
//   - distances of all equations and unknowns from the unmatched equations, in entries that are not explicit.
//   Potentials
//     keep the costs from being negative where a path undoes a pair;
//   - in the subgraph of cheapest paths, as many disjoint paths as a depth-first search finds, until there is none
//     (Hopcroft and Karp 1973 without levels).
//
// Models are mostly formulas, so nearly everything is decided by the first step; the rounds cost one pass over all
// entries each, and a few do.
#include <algorithm>

#include <suitesparse/btf.h>

#include "base/check.h"
#include "structure/structure.h"

namespace hyla::structure {
namespace {

/// BTF may look at so many times all entries. Where that does not suffice, the rounds finish the work.
constexpr double kMostWork = 20;

std::vector<std::uint32_t> match_explicit(const Incidence& incidence) {
  const std::size_t equations = incidence.equations();
  std::vector<int> starts{0}, columns;
  starts.reserve(equations + 1);
  columns.reserve(incidence.columns.size());
  for (std::size_t e = 0; e < equations; ++e) {
    for (std::uint32_t k = incidence.starts[e]; k < incidence.starts[e + 1]; ++k) {
      if (incidence.explicit_for[k] != 0) columns.push_back(static_cast<int>(incidence.columns[k]));
    }
    starts.push_back(static_cast<int>(columns.size()));
  }
  // BTF takes columns; its columns are our equations, its rows our unknowns.
  std::vector<int> partners(incidence.unknowns, -1), work(5 * equations);
  double effort = 0;
  btf_maxtrans(static_cast<int>(incidence.unknowns), static_cast<int>(equations), starts.data(), columns.data(),
               kMostWork, &effort, partners.data(), work.data());
  std::vector<std::uint32_t> result(incidence.unknowns, kNothing);
  for (std::size_t u = 0; u < result.size(); ++u) {
    if (partners[u] >= 0) result[u] = static_cast<std::uint32_t>(partners[u]);
  }
  return result;
}

class Matcher {
 public:
  Matcher(const Incidence& incidence, Matching& matching)
      : incidence_(incidence),
        matching_(matching),
        equation_potentials_(incidence.equations(), 0),
        unknown_potentials_(incidence.unknowns, 0),
        seen_(incidence.equations(), 0),
        next_(incidence.equations(), 0) {}

  void run() {
    while (raise_potentials()) {
      while (augment_all()) {
      }
    }
  }

 private:
  static constexpr std::uint32_t kFar = UINT32_MAX;

  std::uint32_t begin(std::uint32_t equation) const { return incidence_.starts[equation]; }
  std::uint32_t end(std::uint32_t equation) const { return incidence_.starts[equation + 1]; }
  bool is_free(std::uint32_t unknown) const { return matching_.equation_of_unknown[unknown] == kNothing; }

  /// What it costs to go along an entry, measured by potentials: never negative, and 0 on cheapest paths.
  std::uint32_t cost(std::uint32_t equation, std::uint32_t entry) const {
    const std::uint32_t own = incidence_.explicit_for[entry] != 0 ? 0 : 1;
    return own + equation_potentials_[equation] - unknown_potentials_[incidence_.columns[entry]];
  }

  /// Distances from all unmatched equations, as far as the nearest free unknown (Dijkstra with a bucket per distance),
  /// added to the potentials. False: there is no path.
  bool raise_potentials();
  void reach(std::uint32_t equation, std::uint32_t distance);
  /// As many disjoint cheapest paths as one search finds; false if there was none.
  bool augment_all();
  bool augment(std::uint32_t root);
  std::uint32_t free_neighbour(std::uint32_t equation) const;
  void turn(std::uint32_t unknown);

  const Incidence& incidence_;
  Matching& matching_;
  std::vector<std::uint32_t> equation_potentials_, unknown_potentials_;
  std::vector<std::uint32_t> equation_distances_, unknown_distances_;
  std::vector<std::vector<std::uint32_t>> buckets_;
  std::uint32_t nearest_ = kFar;
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> next_, path_;
};

bool Matcher::raise_potentials() {
  equation_distances_.assign(incidence_.equations(), kFar);
  unknown_distances_.assign(incidence_.unknowns, kFar);
  buckets_.assign(1, {});
  nearest_ = kFar;
  for (std::uint32_t e = 0; e < incidence_.equations(); ++e) {
    if (matching_.unknown_of_equation[e] != kNothing) continue;
    equation_distances_[e] = 0;
    buckets_[0].push_back(e);
  }
  for (std::uint32_t distance = 0; distance < buckets_.size() && distance < nearest_; ++distance) {
    for (std::size_t i = 0; i < buckets_[distance].size(); ++i) {
      const std::uint32_t equation = buckets_[distance][i];
      if (equation_distances_[equation] == distance) reach(equation, distance);
    }
  }
  if (nearest_ == kFar) return false;
  for (std::size_t e = 0; e < equation_distances_.size(); ++e) {
    equation_potentials_[e] += std::min(equation_distances_[e], nearest_);
  }
  for (std::size_t u = 0; u < unknown_distances_.size(); ++u) {
    unknown_potentials_[u] += std::min(unknown_distances_[u], nearest_);
  }
  return true;
}

void Matcher::reach(std::uint32_t equation, std::uint32_t distance) {
  for (std::uint32_t k = begin(equation); k < end(equation); ++k) {
    const std::uint32_t unknown = incidence_.columns[k];
    const std::uint32_t partner = matching_.equation_of_unknown[unknown];
    if (partner == equation) continue;
    const std::uint32_t there = distance + cost(equation, k);
    if (there >= unknown_distances_[unknown] || there > nearest_) continue;
    unknown_distances_[unknown] = there;
    if (partner == kNothing) {
      nearest_ = there;
      continue;
    }
    // A pair that is there already costs nothing by potentials.
    equation_distances_[partner] = there;
    if (there >= buckets_.size()) buckets_.resize(there + 1);
    buckets_[there].push_back(partner);
  }
}

bool Matcher::augment_all() {
  std::fill(seen_.begin(), seen_.end(), std::uint8_t{0});
  bool found = false;
  for (std::uint32_t e = 0; e < incidence_.equations(); ++e) {
    if (matching_.unknown_of_equation[e] == kNothing && augment(e)) found = true;
  }
  return found;
}

bool Matcher::augment(std::uint32_t root) {
  path_.assign(1, root);
  seen_[root] = 1;
  next_[root] = begin(root);
  while (!path_.empty()) {
    const std::uint32_t equation = path_.back();
    if (next_[equation] == begin(equation)) {
      const std::uint32_t unknown = free_neighbour(equation);
      if (unknown != kNothing) {
        turn(unknown);
        return true;
      }
    }
    std::uint32_t deeper = kNothing;
    while (next_[equation] < end(equation) && deeper == kNothing) {
      const std::uint32_t k = next_[equation]++;
      const std::uint32_t partner = matching_.equation_of_unknown[incidence_.columns[k]];
      if (partner != kNothing && seen_[partner] == 0 && cost(equation, k) == 0) deeper = partner;
    }
    if (deeper == kNothing) {
      path_.pop_back();
    } else {
      seen_[deeper] = 1;
      next_[deeper] = begin(deeper);
      path_.push_back(deeper);
    }
  }
  return false;
}

std::uint32_t Matcher::free_neighbour(std::uint32_t equation) const {
  for (std::uint32_t k = begin(equation); k < end(equation); ++k) {
    if (is_free(incidence_.columns[k]) && cost(equation, k) == 0) return incidence_.columns[k];
  }
  return kNothing;
}

/// Matches along the path: each equation takes the unknown of the next one, the last one the free unknown.
void Matcher::turn(std::uint32_t unknown) {
  for (std::size_t i = path_.size(); i-- > 0;) {
    const std::uint32_t former = matching_.unknown_of_equation[path_[i]];
    matching_.unknown_of_equation[path_[i]] = unknown;
    matching_.equation_of_unknown[unknown] = path_[i];
    unknown = former;
  }
  ++matching_.size;
}

}  // namespace

Matching match(const Incidence& incidence) {
  HYLA_CHECK(incidence.explicit_for.size() == incidence.columns.size(), "every entry says whether it is explicit");
  Matching matching;
  matching.equation_of_unknown = match_explicit(incidence);
  matching.unknown_of_equation.assign(incidence.equations(), kNothing);
  for (std::uint32_t u = 0; u < incidence.unknowns; ++u) {
    if (matching.equation_of_unknown[u] == kNothing) continue;
    matching.unknown_of_equation[matching.equation_of_unknown[u]] = u;
    ++matching.size;
  }
  Matcher(incidence, matching).run();
  return matching;
}

}  // namespace hyla::structure
