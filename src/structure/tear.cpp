#include "structure/tear.h"

#include <algorithm>
#include <array>
#include <bit>
#include <queue>

namespace hyla::structure {
namespace {

/// A loop with its own numbers: equation i and unknown i are the block's i-th, and were matched with each other.
struct Loop {
  std::size_t size = 0;
  std::vector<std::uint32_t> row_starts{0}, row_unknowns;
  std::vector<std::uint8_t> row_explicit;
  std::vector<std::uint32_t> column_starts, column_equations;
  std::vector<std::uint8_t> column_explicit;
  std::vector<std::uint8_t> preferred;  ///< empty: none
};

Loop cut_out(const Incidence& incidence, const Block& block, std::vector<std::uint32_t>& place) {
  Loop loop;
  loop.size = block.unknowns.size();
  for (const std::uint32_t unknown : block.unknowns) {
    if (!incidence.preferred.empty()) loop.preferred.push_back(incidence.preferred[unknown]);
  }
  for (std::uint32_t i = 0; i < loop.size; ++i) place[block.unknowns[i]] = i;
  loop.column_starts.assign(loop.size + 1, 0);
  for (const std::uint32_t equation : block.equations) {
    for (std::uint32_t k = incidence.starts[equation]; k < incidence.starts[equation + 1]; ++k) {
      const std::uint32_t unknown = place[incidence.columns[k]];
      if (unknown == kNothing) continue;
      loop.row_unknowns.push_back(unknown);
      loop.row_explicit.push_back(incidence.explicit_for[k]);
      ++loop.column_starts[unknown + 1];
    }
    loop.row_starts.push_back(static_cast<std::uint32_t>(loop.row_unknowns.size()));
  }
  for (const std::uint32_t unknown : block.unknowns) place[unknown] = kNothing;

  for (std::size_t u = 0; u < loop.size; ++u) loop.column_starts[u + 1] += loop.column_starts[u];
  loop.column_equations.resize(loop.row_unknowns.size());
  loop.column_explicit.resize(loop.row_unknowns.size());
  std::vector<std::uint32_t> next(loop.column_starts.begin(), loop.column_starts.end() - 1);
  for (std::uint32_t e = 0; e < loop.size; ++e) {
    for (std::uint32_t k = loop.row_starts[e]; k < loop.row_starts[e + 1]; ++k) {
      const std::uint32_t slot = next[loop.row_unknowns[k]]++;
      loop.column_equations[slot] = e;
      loop.column_explicit[slot] = loop.row_explicit[k];
    }
  }
  return loop;
}

/// Unknowns that no equation gives: tears in any case.
std::vector<std::uint32_t> without_formula(const Loop& loop) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t u = 0; u < loop.size; ++u) {
    const auto begin = loop.column_explicit.begin();
    const auto explicit_ones = std::count_if(begin + loop.column_starts[u], begin + loop.column_starts[u + 1],
                                             [](std::uint8_t is_explicit) { return is_explicit != 0; });
    if (explicit_ones == 0) result.push_back(u);
  }
  return result;
}

/// What promises most when an unknown must be guessed.
enum class Taste : std::uint8_t {
  Gain,        ///< the number of equations that give another unknown at once, then the number of equations around it
  Neighbours,  ///< the other way round
  Preferred,   ///< what is preferred, then as Gain
};

/// Knows some unknowns and computes what follows from them.
class Tearing {
 public:
  explicit Tearing(const Loop& loop);

  void tear_all(Taste taste);
  /// Makes an unknown known without an equation, and then what follows.
  void guess(std::uint32_t unknown);

  std::vector<Block::Step> steps;
  std::vector<std::uint32_t> tears;

 private:
  struct Candidate {
    std::uint64_t score = 0;
    std::uint32_t unknown = 0;
    bool operator<(const Candidate& other) const {
      return score != other.score ? score < other.score : unknown > other.unknown;
    }
  };

  void take_steps();
  void know(std::uint32_t unknown);
  /// `gave`: the equation is explicit for the unknown that is known now.
  void count_down(std::uint32_t equation, bool gave);
  void count_gains(std::uint32_t equation);
  /// The entry of the first unknown that is not known and is not `other`.
  std::uint32_t first_left(std::uint32_t equation, std::uint32_t other = kNothing) const;
  bool is_ready(std::uint32_t equation) const;
  std::uint64_t score(std::uint32_t unknown) const;

  const Loop& loop_;
  Taste taste_ = Taste::Gain;
  std::vector<std::uint8_t> known_;
  std::vector<std::uint32_t> left_;        // by equation: unknowns that are not known
  std::vector<std::uint32_t> neighbours_;  // by unknown: equations with other unknowns left
  std::vector<std::uint32_t> gains_;       // by unknown: equations that give another one as soon as this is known
  std::vector<std::uint32_t> ready_;       // equations that had one unknown left at some time
  std::size_t next_ready_ = 0;
  std::priority_queue<Candidate> candidates_;
};

Tearing::Tearing(const Loop& loop)
    : loop_(loop), known_(loop.size, 0), left_(loop.size, 0), neighbours_(loop.size, 0), gains_(loop.size, 0) {
  for (std::uint32_t u = 0; u < loop.size; ++u) {
    neighbours_[u] = loop.column_starts[u + 1] - loop.column_starts[u];
  }
  for (std::uint32_t e = 0; e < loop.size; ++e) {
    left_[e] = loop.row_starts[e + 1] - loop.row_starts[e];
    if (left_[e] == 1) ready_.push_back(e);
    if (left_[e] == 2) count_gains(e);
  }
  take_steps();
}

void Tearing::tear_all(Taste taste) {
  taste_ = taste;
  for (const std::uint32_t unknown : without_formula(loop_)) guess(unknown);
  for (std::uint32_t u = 0; u < loop_.size; ++u) candidates_.push({score(u), u});
  while (!candidates_.empty()) {
    const Candidate best = candidates_.top();
    candidates_.pop();
    // Scores change while others become known; every change has put a new candidate into the queue.
    if (known_[best.unknown] == 0 && best.score == score(best.unknown)) guess(best.unknown);
  }
}

void Tearing::guess(std::uint32_t unknown) {
  if (known_[unknown] != 0) return;
  tears.push_back(unknown);
  know(unknown);
  take_steps();
}

void Tearing::take_steps() {
  while (next_ready_ < ready_.size()) {
    const std::uint32_t equation = ready_[next_ready_++];
    if (!is_ready(equation)) continue;
    const std::uint32_t unknown = loop_.row_unknowns[first_left(equation)];
    // The unknown's own equation goes first if it could give it as well.
    steps.push_back({is_ready(unknown) ? unknown : equation, unknown});
    know(unknown);
  }
}

void Tearing::know(std::uint32_t unknown) {
  known_[unknown] = 1;
  for (std::uint32_t k = loop_.column_starts[unknown]; k < loop_.column_starts[unknown + 1]; ++k) {
    count_down(loop_.column_equations[k], loop_.column_explicit[k] != 0);
  }
}

void Tearing::count_down(std::uint32_t equation, bool gave) {
  const std::uint32_t left = --left_[equation];
  if (left == 2) {
    count_gains(equation);
  } else if (left == 1) {
    ready_.push_back(equation);
    const std::uint32_t unknown = loop_.row_unknowns[first_left(equation)];
    --neighbours_[unknown];
    if (gave) --gains_[unknown];
    candidates_.push({score(unknown), unknown});
  }
}

/// Two unknowns are left: each gives the other one, if the equation is explicit for that.
void Tearing::count_gains(std::uint32_t equation) {
  const std::uint32_t one = first_left(equation);
  const std::uint32_t other = first_left(equation, loop_.row_unknowns[one]);
  for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)}) {
    const std::uint32_t unknown = loop_.row_unknowns[from];
    if (loop_.row_explicit[to] != 0) ++gains_[unknown];
    candidates_.push({score(unknown), unknown});
  }
}

std::uint32_t Tearing::first_left(std::uint32_t equation, std::uint32_t other) const {
  for (std::uint32_t k = loop_.row_starts[equation]; k < loop_.row_starts[equation + 1]; ++k) {
    if (known_[loop_.row_unknowns[k]] == 0 && loop_.row_unknowns[k] != other) return k;
  }
  return kNothing;
}

bool Tearing::is_ready(std::uint32_t equation) const {
  return left_[equation] == 1 && loop_.row_explicit[first_left(equation)] != 0;
}

std::uint64_t Tearing::score(std::uint32_t unknown) const {
  const std::uint64_t gain = gains_[unknown], neighbours = neighbours_[unknown];
  if (taste_ == Taste::Neighbours) return neighbours << 32 | gain;
  const bool goes_first = taste_ == Taste::Preferred && loop_.preferred[unknown] != 0;
  return (goes_first ? std::uint64_t{1} << 63 : 0) | gain << 32 | neighbours;
}

std::size_t preferred_among(const Loop& loop, const std::vector<std::uint32_t>& tears) {
  return static_cast<std::size_t>(
      std::count_if(tears.begin(), tears.end(), [&](std::uint32_t tear) { return loop.preferred[tear] != 0; }));
}

/// The smallest set of unknowns from which all others follow, if it is smaller than `limit`; else nothing. Of several
/// the first with most that are preferred.
std::vector<std::uint32_t> search(const Loop& loop, std::size_t limit) {
  std::array<std::uint32_t, kSearchedLoop> rows{}, formulas{};
  std::uint32_t must = 0;
  for (const std::uint32_t unknown : without_formula(loop)) must |= 1U << unknown;
  for (std::size_t e = 0; e < loop.size; ++e) {
    for (std::uint32_t k = loop.row_starts[e]; k < loop.row_starts[e + 1]; ++k) {
      rows[e] |= 1U << loop.row_unknowns[k];
      if (loop.row_explicit[k] != 0) formulas[e] |= 1U << loop.row_unknowns[k];
    }
  }
  const std::uint32_t all = (1U << loop.size) - 1;
  const auto gives_all = [&](std::uint32_t known) {
    for (std::uint32_t before = ~known; before != known;) {
      before = known;
      for (std::size_t e = 0; e < loop.size; ++e) {
        const std::uint32_t left = rows[e] & ~known;
        if (std::has_single_bit(left)) known |= left & formulas[e];
      }
    }
    return known == all;
  };
  std::uint32_t preferred = 0;
  for (std::size_t u = 0; u < loop.preferred.size(); ++u) preferred |= std::uint32_t{loop.preferred[u]} << u;
  std::uint32_t best = 0;
  for (std::size_t size = 1; size < limit && best == 0; ++size) {
    for (std::uint32_t tears = 1; tears <= all; ++tears) {
      if (static_cast<std::size_t>(std::popcount(tears)) != size || (must & ~tears) != 0) continue;
      if (best != 0 && std::popcount(tears & preferred) <= std::popcount(best & preferred)) continue;
      if (gives_all(tears)) best = tears;
    }
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t u = 0; u < loop.size; ++u) {
    if ((best >> u & 1U) != 0) found.push_back(u);
  }
  return found;
}

Tearing best_tearing(const Loop& loop) {
  Tearing best(loop);
  best.tear_all(Taste::Gain);
  const std::size_t fewest = std::max<std::size_t>(1, without_formula(loop).size());
  if (best.tears.size() <= fewest) return best;
  if (loop.size > kSearchedLoop) {
    Tearing other(loop);
    other.tear_all(Taste::Neighbours);
    return other.tears.size() < best.tears.size() ? other : best;
  }
  const std::vector<std::uint32_t> tears = search(loop, best.tears.size());
  if (tears.empty()) return best;
  Tearing smallest(loop);
  for (const std::uint32_t unknown : tears) smallest.guess(unknown);
  return smallest;
}

/// As few tears as that, but more of what is preferred, if there are such.
Tearing with_preferred(const Loop& loop, const Tearing& best) {
  Tearing other(loop);
  if (loop.size <= kSearchedLoop) {
    for (const std::uint32_t unknown : search(loop, best.tears.size() + 1)) other.guess(unknown);
  } else {
    other.tear_all(Taste::Preferred);
  }
  const bool is_better =
      other.tears.size() <= best.tears.size() && preferred_among(loop, other.tears) > preferred_among(loop, best.tears);
  return is_better ? other : best;
}

}  // namespace

void tear(const Incidence& incidence, Block& block, std::vector<std::uint32_t>& place) {
  const Loop loop = cut_out(incidence, block, place);
  const Tearing best = best_tearing(loop);
  const Tearing tearing = loop.preferred.empty() ? best : with_preferred(loop, best);
  std::vector<std::uint8_t> used(loop.size, 0);
  for (const Block::Step& step : tearing.steps) {
    used[step.equation] = 1;
    block.inner.push_back({block.equations[step.equation], block.unknowns[step.unknown]});
  }
  for (const std::uint32_t unknown : tearing.tears) block.tears.push_back(block.unknowns[unknown]);
  for (std::size_t e = 0; e < loop.size; ++e) {
    if (used[e] == 0) block.residuals.push_back(block.equations[e]);
  }
}

}  // namespace hyla::structure
