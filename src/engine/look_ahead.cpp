#include "engine/look_ahead.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hyla::engine {
namespace {

/// By how much of themselves values are changed to see how exactly a relation is known.
constexpr double kDisturbance = 8 * std::numeric_limits<double>::epsilon();
/// Combinations of signs with which they are. The worst may not be among them, and what solving a loop loses is seen as
/// if it were one of the disturbances.
constexpr std::uint32_t kPatterns = 4;
constexpr double kMissed = 8;
/// How far ahead relations are looked at, in units of the time scale.
constexpr double kDistances[] = {0x1p-30, 0x1p-22, 0x1p-16, 0x1p-12, 0x1p-8};

/// Puts the values of a cluster back at the end.
class Kept {
 public:
  explicit Kept(Cluster& cluster) : cluster_(cluster), values_(cluster.values) {}
  ~Kept() { cluster_.values = values_; }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  double operator[](At place) const { return values_[place]; }
  void restore() { std::copy(values_.begin(), values_.end(), cluster_.values.begin()); }

 private:
  Cluster& cluster_;
  std::vector<double> values_;
};

/// What the island is computed from: its states and the real numbers that it reads.
std::vector<At> sources_of(const Island& island) {
  const Shape& shape = shape_of(island.cluster);
  std::vector<At> result, reals;
  for (const ShapeVariable& variable : shape.variables) {
    if (variable.type == model::TypeKind::Real) reals.push_back(variable.value);
  }
  std::sort(reals.begin(), reals.end());
  for (const auto& [value, derivative] : island.plan->places) result.push_back(value);
  for (const At place : island.plan->reads) {
    if (std::binary_search(reals.begin(), reals.end(), place)) result.push_back(place);
  }
  return result;
}

bool is_negative(std::size_t source, std::uint32_t pattern) {
  const std::uint32_t mixed = static_cast<std::uint32_t>(source + 1) * 2654435761U;
  return (mixed >> (24 + pattern) & 1) != 0;
}

double disturbance(std::size_t source, std::uint32_t pattern) {
  return is_negative(source, pattern) ? -kDisturbance : kDisturbance;
}

/// Loops are solved from slightly different points, too: what a residual of large terms cannot resolve is the same for
/// all sources that are close together, and shows in this way only.
void disturb_iterates(Island& island, std::uint32_t pattern) {
  std::size_t number = 0;
  for (const Loop& loop : island.plan->evaluation.loops) {
    for (const At place : loop.unknowns) {
      double& value = island.cluster.values[place];
      value += disturbance(number++, pattern) * (std::abs(value) + 1);
    }
  }
}

}  // namespace

double time_scale_of(const Run& run, const Island& island) {
  if (island.time_scale > 0) return island.time_scale;
  double least = std::numeric_limits<double>::infinity();
  for (const auto* islands : {&island.cluster.islands, &island.cluster.idle}) {
    for (const std::unique_ptr<Island>& other : *islands) {
      if (other && other->time_scale > 0) least = std::min(least, other->time_scale);
    }
  }
  if (std::isfinite(least)) return least;
  const double span = run.options.stop_time - run.options.start_time;
  return std::isfinite(span) && span > 0 ? span / 100 : 1.0;
}

void estimate_sizes(const Run& run, Island& island) {
  Cluster& cluster = island.cluster;
  const GuardPlan::Search& search = cluster.guards->searches[island.number];
  if (search.direct || search.guards.empty() || island.constraint) return;
  const auto guard_of = [&](std::uint32_t number) { return cluster.guards->guards[number]; };
  const std::vector<At> sources = sources_of(island);
  const double time_size = std::max(std::abs(run.now), time_scale_of(run, island));
  std::vector<double> sizes;
  for (const std::uint32_t number : search.guards) sizes.push_back(cluster.values[guard_of(number).size]);
  {
    Kept kept(cluster);
    for (std::uint32_t pattern = 0; pattern < kPatterns; ++pattern) {
      kept.restore();
      cluster.values[kTime] += disturbance(0, pattern) * time_size;
      for (std::size_t i = 0; i < sources.size(); ++i) cluster.values[sources[i]] *= 1 + disturbance(i + 1, pattern);
      disturb_iterates(island, pattern);
      if (!evaluate(island.plan->evaluation, cluster.values.data(), cluster.solver).good()) continue;
      code::run(cluster.guards->relations, cluster.values.data());
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const At g = guard_of(search.guards[i]).g;
        const double size = kMissed * std::abs(cluster.values[g] - kept[g]) / kDisturbance;
        if (std::isfinite(size)) sizes[i] = std::max(sizes[i], size);
      }
    }
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) cluster.values[guard_of(search.guards[i]).noise] = sizes[i];
}

LookAhead::LookAhead(const Run& run, Island& island) : island_(island) {
  Cluster& cluster = island.cluster;
  const GuardPlan::Search& search = cluster.guards->searches[island.number];
  if (island.constraint) return;
  const std::size_t states = island.plan->states.size();
  for (std::vector<double>& rates : rates_) rates.resize(states);
  state_.resize(states);
  for (const auto& [value, derivative] : island.plan->places) start_.push_back(cluster.values[value]);
  const double scale = time_scale_of(run, island);
  Kept kept(cluster);
  for (const double distance : kDistances) {
    kept.restore();
    if (!advance(run.now, distance * scale)) return;
    code::run(cluster.guards->relations, cluster.values.data());
    std::vector<double>& values = later_.emplace_back();
    for (const std::uint32_t guard : search.guards) values.push_back(cluster.values[cluster.guards->guards[guard].g]);
  }
}

/// One step of the classical method of order four; the island's values are then those at its end.
bool LookAhead::advance(double time, double span) {
  IslandSystem& system = island_.system;
  const std::size_t states = start_.size();
  constexpr double kParts[] = {0, 0.5, 0.5, 1};
  for (std::size_t stage = 0; stage < 4 && states > 0; ++stage) {
    for (std::size_t i = 0; i < states; ++i) {
      state_[i] = start_[i] + (stage == 0 ? 0 : kParts[stage] * span * rates_[stage - 1][i]);
    }
    const double at = time + kParts[stage] * span;
    if (system.evaluate(at, state_.data(), rates_[stage].data()) != solve::Evaluation::Good) return false;
  }
  for (std::size_t i = 0; i < states; ++i) {
    state_[i] = start_[i] + span / 6 * (rates_[0][i] + 2 * (rates_[1][i] + rates_[2][i]) + rates_[3][i]);
  }
  return system.place(time + span, state_.data()).good();
}

int LookAhead::sign_soon(std::size_t relation) const {
  constexpr std::size_t kSoon = 2;
  if (later_.size() <= kSoon || later_[kSoon][relation] == 0) return 0;
  return later_[kSoon][relation] > 0 ? 1 : -1;
}

int LookAhead::direction(std::size_t relation, double band) const {
  for (const std::vector<double>& values : later_) {
    if (std::abs(values[relation]) > band) return values[relation] > 0 ? 1 : -1;
  }
  return 0;
}

}  // namespace hyla::engine
