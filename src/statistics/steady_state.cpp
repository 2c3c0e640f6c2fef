#include "statistics/steady_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "statistics/quantiles.h"

namespace hyla::statistics {
namespace {

/// Numbers of batches, tried in this order.
constexpr std::array<std::size_t, 5> kBatchNumbers = {20, 16, 12, 10, 8};
/// Batches count as independent below this value of von Neumann's statistic: 4 in 5 independent sets pass.
constexpr double kAlike = 0.8;
/// The interval is not reliable if the last set tried is above this value: 1 in 20 independent sets is.
constexpr double kPlainlyAlike = 1.645;
/// Correlation beyond this is not corrected for; such a run is too short anyway.
constexpr double kLargestCorrelation = 0.8;
/// Fewer means are not searched for a warm-up.
constexpr std::size_t kFewestToCut = 40;
/// Standard errors by which a warm-up differs from the rest.
constexpr double kWarmUpErrors = 3;
/// The first half of a warm-up differs from the rest at least so many times as much as the second.
constexpr double kBeginning = 0.9;
/// Runs of queues that are worth fewer independent observations may cover the truth in fewer than 93 % of cases.
constexpr double kFewestIndependent = 400;

/// In two passes; the second also mends what rounding did to the mean.
Moments moments_of(std::span<const double> values) {
  if (values.empty()) {
    return {};
  }
  Moments moments;
  moments.weight = static_cast<double>(values.size());
  for (const double value : values) {
    moments.mean += value;
  }
  moments.mean /= moments.weight;
  double deviations = 0;
  for (const double value : values) {
    deviations += value - moments.mean;
    moments.squares += (value - moments.mean) * (value - moments.mean);
  }
  moments.mean += deviations / moments.weight;
  moments.squares = std::max(0.0, moments.squares - deviations * deviations / moments.weight);
  return moments;
}

/// Means of `number` equal groups of neighbours; what is left over is left out at the beginning.
std::vector<double> group(std::span<const double> means, std::size_t number) {
  const std::size_t length = means.size() / number;
  means = means.last(length * number);
  std::vector<double> groups(number);
  for (std::size_t i = 0; i < number; ++i) {
    groups[i] = moments_of(means.subspan(i * length, length)).mean;
  }
  return groups;
}

/// The grouping that the interval rests on: the finest whose groups pass as independent, or else the coarsest.
std::vector<double> independent_groups(std::span<const double> means) {
  std::vector<double> groups;
  for (const std::size_t number : kBatchNumbers) {
    if (number <= means.size()) {
      groups = group(means, number);
      if (von_neumann_statistic(groups) < kAlike) {
        break;
      }
    }
  }
  return groups;
}

/// By how much the variance of a mean exceeds that of independent values with this correlation of neighbours.
double correlation_factor(double correlation) {
  const double corrected = std::clamp(correlation, 0.0, kLargestCorrelation);
  return (1 + corrected) / (1 - corrected);
}

/// What is above rounding errors in values of this size.
bool varies(double variance, double mean) {
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::fabs(mean);
  return variance > rounding * rounding;
}

/// Variance of the values after the warm-up: within batches as everywhere, between batches as in those that are kept.
double kept_variance(const Moments& all, std::span<const double> means, std::span<const double> kept) {
  const double within = std::max(0.0, all.variance() - moments_of(means).variance());
  return within + moments_of(kept).variance();
}

/// Whether the first `cut` means are a warm-up, and not an excursion as there may be others: they differ from the rest
/// by more than chance allows, and their first half does so at least about as much as their second.
bool is_warm_up(std::span<const double> means, std::size_t cut) {
  const auto rest = means.subspan(cut);
  const std::size_t half = (cut + 1) / 2;
  const double rest_mean = moments_of(rest).mean;
  const double difference = moments_of(means.first(cut)).mean - rest_mean;
  const double begin = moments_of(means.first(half)).mean - rest_mean;
  const double end = cut > half ? moments_of(means.subspan(half, cut - half)).mean - rest_mean : 0;

  const std::size_t number = kBatchNumbers.front();
  const double variance = moments_of(group(rest, number)).sample_variance();
  const double per_mean = variance * static_cast<double>(rest.size() / number);
  const double error = std::sqrt(per_mean * (1 / static_cast<double>(cut) + 1 / static_cast<double>(rest.size())));
  const double sign = difference > 0 ? 1 : -1;
  return std::fabs(difference) > kWarmUpErrors * error && sign * begin >= sign * kBeginning * end;
}

}  // namespace

std::size_t marginal_standard_error_cut(std::span<const double> means, std::size_t last) {
  Moments rest;
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = means.size(); i-- > 0;) {
    rest.add(means[i], 1);
    const double error = rest.squares / (rest.weight * rest.weight);
    if (i <= last && error <= least) {
      least = error;
      best = i;
    }
  }
  return best;
}

std::size_t warm_up_length(std::span<const double> means) {
  if (means.size() < kFewestToCut) {
    return 0;
  }
  const std::size_t most = means.size() / 2;
  std::size_t cut = marginal_standard_error_cut(means, most);
  while (cut > 0 && !is_warm_up(means, cut)) {
    // A later excursion may hide a short warm-up.
    cut = marginal_standard_error_cut(means, cut / 2);
  }
  return std::min(2 * cut, most);
}

double von_neumann_statistic(std::span<const double> values) {
  const auto number = static_cast<double>(values.size());
  const double squares = moments_of(values).squares;
  if (values.size() < 3 || !(squares > 0)) {
    return 0;
  }
  double steps = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    steps += (values[i] - values[i - 1]) * (values[i] - values[i - 1]);
  }
  return (1 - steps / (2 * squares)) / std::sqrt((number - 2) / (number * number - 1));
}

double neighbour_correlation(std::span<const double> values) {
  const Moments moments = moments_of(values);
  if (!(moments.squares > 0)) {
    return 0;
  }
  double products = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    products += (values[i] - moments.mean) * (values[i - 1] - moments.mean);
  }
  return products / moments.squares + 1 / moments.weight;
}

SteadyState steady_state(const Batches& batches, const Moments& all, double confidence) {
  SteadyState result;
  result.mean = all.weight > 0 ? all.mean : kUnknown;
  const auto means = batches.means();
  if (means.size() < kBatchNumbers.back()) {
    return result;
  }
  const std::size_t cut = warm_up_length(means);
  const auto kept = means.subspan(cut);
  result.warm_up = static_cast<double>(cut) * batches.batch_weight();
  const double weight = all.weight - result.warm_up;
  const double cut_mean = moments_of(means.first(cut)).mean;
  result.mean = all.mean + (all.mean - cut_mean) * (result.warm_up / weight);

  const std::vector<double> groups = independent_groups(kept);
  result.batches = groups.size();
  const double degrees = static_cast<double>(groups.size()) - 1;
  const double group_weight = batches.batch_weight() * static_cast<double>(kept.size() / groups.size());
  // The variance of a mean over unit weight, if the run consisted of independent pieces of that weight.
  const double group_variance = moments_of(groups).sample_variance();
  const double unit_variance = group_variance * group_weight * correlation_factor(neighbour_correlation(groups));
  const double error = varies(group_variance, result.mean) ? std::sqrt(unit_variance / weight) : 0;
  result.half_width = two_sided_t(confidence, degrees) * error;

  const double variance = kept_variance(all, means, kept);
  if (varies(variance, result.mean)) {
    result.independent = variance / unit_variance * weight;
  }
  // Where a warm-up could not even be looked for, nothing is promised.
  const bool long_enough =
      result.independent >= kFewestIndependent && means.size() >= kFewestToCut && cut < means.size() / 2;
  result.reliable = long_enough && von_neumann_statistic(groups) < kPlainlyAlike;
  return result;
}

}  // namespace hyla::statistics
