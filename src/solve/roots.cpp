#include "solve/roots.h"

#include <algorithm>

#include "solve/isolation.h"

namespace hyla::solve {

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

  const std::size_t first = crossings.size();
  double horizon = search.end;
  for (std::size_t relation = 0; relation < relations; ++relation) {
    const double* samples = values_.data() + relation * number;
    if (fit_is_clear(table, samples)) continue;
    Isolation isolation(course, relation, search, table, pieces_, crossings, horizon);
    isolation.run(samples);
    horizon = isolation.horizon();
    uncleared_ += isolation.uncleared();
    samples_ += isolation.evaluations();
  }
  if (crossings.size() - first < 2) return;
  std::sort(crossings.begin() + static_cast<std::ptrdiff_t>(first), crossings.end(),
            [](const Crossing& a, const Crossing& b) { return a.at != b.at ? a.at < b.at : a.relation < b.relation; });
}

}  // namespace hyla::solve
