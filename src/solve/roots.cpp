#include "solve/roots.h"

#include <algorithm>
#include <tuple>

#include "solve/isolation.h"

namespace hyla::solve {

namespace {

/// In units of the resolution of time.
constexpr double kSameTime = 64;

}  // namespace

void RootIsolator::find(Course& course, const Search& search, std::vector<Crossing>& crossings) {
  const FitTable& table = fit_table(search.degree);
  const std::size_t relations = course.count();
  const auto number = static_cast<std::size_t>(table.samples);
  const double width = search.end - search.begin;
  if (relations == 0 || !(width > 0)) return;

  times_.resize(number);
  for (std::size_t k = 0; k < number; ++k) times_[k] = search.begin + table.nodes[k] * width;
  times_[static_cast<std::size_t>(table.degree)] = search.end;
  values_.resize(relations * number);
  course.sample(times_.data(), number, values_.data());
  samples_ += number * relations;

  find_candidates(table, search, relations);
  const std::size_t first = crossings.size();
  double horizon = search.end;
  for (const Candidate& candidate : candidates_) {
    // What crosses at the same time as the first one is found too.
    if (search.only_first && candidate.from > horizon + kSameTime * time_resolution(horizon, width)) break;
    Isolation isolation(course, candidate.relation, search, table, pieces_, crossings, horizon);
    isolation.run(values_.data() + candidate.relation * number, candidate.form);
    horizon = isolation.horizon();
    uncleared_ += isolation.uncleared();
    samples_ += isolation.evaluations();
  }
  if (crossings.size() - first < 2) return;
  std::sort(crossings.begin() + static_cast<std::ptrdiff_t>(first), crossings.end(),
            [](const Crossing& a, const Crossing& b) { return a.at != b.at ? a.at < b.at : a.relation < b.relation; });
}

/// If only the first crossing is wanted, they come in the order of their first possible zeros.
void RootIsolator::find_candidates(const FitTable& table, const Search& search, std::size_t relations) {
  const double width = search.end - search.begin;
  Rounding rounding{0, time_resolution(search.end, width) / width};
  candidates_.clear();
  for (std::size_t relation = 0; relation < relations; ++relation) {
    const double* samples = values_.data() + relation * static_cast<std::size_t>(table.samples);
    if (search.bands != nullptr) rounding.band = search.bands[relation];
    if (fit_is_clear(table, samples, rounding)) continue;
    Candidate& candidate = candidates_.emplace_back();
    candidate.relation = relation;
    fit(table, samples, candidate.form);
    candidate.from = search.begin + free_of_zeros(candidate.form) * width;
  }
  if (!search.only_first || candidates_.size() < 2) return;
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.from, a.relation) < std::tie(b.from, b.relation);
  });
}

}  // namespace hyla::solve
