// A confidence interval for the long-run mean, from one run.
//
// Observations of one run depend on each other, and the first ones depend on how the run began. Taking them for
// independent gives intervals that are far too narrow. The method has three parts, each measured in
// docs/adr/0016-intervals-from-one-run.md:
//
// 1. Warm-up. MSER (White, Marginal standard error rules, 1997) proposes to cut where the standard error of the rest is
//    least. On its own it also cuts large but ordinary excursions off, and so biases the mean of a queue. A cut is
//    therefore made only if what is cut is plainly different from the rest and most different at its beginning; then
//    twice the proposed length goes. Else MSER is asked again for a cut of at most half that length.
// 2. Batch means. The rest is divided into 20 equal batches, or fewer and longer ones while von Neumann's test finds
// that
//    neighbours are alike, down to 8.
// 3. What correlation remains between neighbours widens the interval, as in a first-order autoregressive process.
//
// Cost: some passes over at most 1024 means and one quantile, about 20 microseconds.
#pragma once

#include <cstddef>
#include <span>

#include "statistics/batches.h"
#include "statistics/moments.h"

namespace hyla::statistics {

struct SteadyState {
  double warm_up = 0;            // weight at the beginning that is left out: observations or time
  double mean = kUnknown;        // of all after the warm-up; the middle of the interval
  double half_width = kUnknown;  // NaN if there are too few batches
  std::size_t batches = 0;       // that the interval rests on
  double independent = 0;        // how many independent observations would give such an interval
  bool reliable = false;         // long enough for the promised confidence
};

/// The interval of this confidence for a run with these batches and these moments of all its values. A run of fewer
/// than 8 complete batches has none. A run in which nothing varied has width 0 and is not reliable.
SteadyState steady_state(const Batches& batches, const Moments& all, double confidence = 0.95);

/// The number of means that a warm-up comprises, at most half of them: part 1.
std::size_t warm_up_length(std::span<const double> means);

/// Where MSER cuts: the index, `last` at most, for which sum (x - mean)^2 / n^2 of the rest is least.
std::size_t marginal_standard_error_cut(std::span<const double> means, std::size_t last);

/// Von Neumann's statistic: about standard normal for independent values, positive if neighbours are alike.
double von_neumann_statistic(std::span<const double> values);

/// Correlation of neighbours, corrected for its bias of -1/n. 0 if nothing varies.
double neighbour_correlation(std::span<const double> values);

}  // namespace hyla::statistics
