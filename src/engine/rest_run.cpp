#include "engine/rest_run.h"

#include <algorithm>
#include <cmath>

#include "engine/context.h"
#include "engine/islands.h"
#include "engine/modes.h"
#include "engine/write_out.h"

namespace hyla::engine {
namespace {

class Rest final : public Constraint {
 public:
  Rest(Cluster& cluster, Island& island, RestParts parts)
      : cluster_(cluster), island_(island), parts_(std::move(parts)) {}

  Evaluated place(double t, const double* y) override {
    cluster_.values[kTime] = t;
    put(y, 0);
    double change = 0;  // of g' along the direction
    const bool known = rate_along(y, change);
    put(y, 0);
    double series[kHighestRate + 1] = {};
    if (known) expand_guard(cluster_, island_, *parts_.search, parts_.relation, series);
    const Evaluated evaluated = evaluate(island_.plan->evaluation, cluster_.values.data(), cluster_.solver);
    if (!evaluated.good()) return evaluated;
    parts_.push = known && change != 0 ? -2 * series[2] / change : std::nan("");
    for (std::size_t i = 0; i < parts_.direction.size(); ++i) {
      if (parts_.direction[i] != 0) cluster_.values[variable(i).derivative] += parts_.push * parts_.direction[i];
    }
    return {};
  }

  std::size_t watched() const override { return 1; }
  double watched_value(std::size_t) const override { return parts_.push; }
  bool is_on_surface(std::uint32_t mode) const override { return mode == parts_.mode; }
  bool refresh(const Cluster&) override { return true; }
  void leave(Cluster&) override {}
  RestParts* rest() override { return &parts_; }

  /// Derivative of g' along the direction, by differences: g' is nearly always linear in velocities.
  bool rate_along(const double* y, double& change) {
    constexpr double kStep = 1.0 / 1024;
    double rates[2] = {};
    for (const int side : {0, 1}) {
      put(y, side == 0 ? -kStep : kStep);
      double series[kHighestRate + 1] = {};
      if (!expand_guard(cluster_, island_, *parts_.search, parts_.relation, series)) return false;
      rates[side] = series[1];
    }
    change = (rates[1] - rates[0]) / (2 * kStep);
    return true;
  }

 private:
  const ShapeVariable& variable(std::size_t state) const {
    return shape_of(cluster_).variables[island_.plan->states[state]];
  }
  void put(const double* y, double distance) {
    for (std::size_t i = 0; i < parts_.direction.size(); ++i) {
      cluster_.values[variable(i).value] = y[i] + distance * parts_.direction[i];
    }
  }

  Cluster& cluster_;
  Island& island_;
  RestParts parts_;
};

/// The jump of an island's states at the last event, as a direction; empty if none has jumped.
std::vector<double> jump_of(const Cluster& cluster, const Island& island, const std::vector<double>& before) {
  std::vector<double> jump;
  double size = 0;
  for (const std::uint32_t state : island.plan->states) {
    const At place = shape_of(cluster).variables[state].value;
    jump.push_back(cluster.values[place] - before[place]);
    size = std::max(size, std::abs(jump.back()));
  }
  if (!(size > 0)) return {};
  for (double& one : jump) one /= size;
  return jump;
}

/// Moves the states along the direction until g' = 0.
void move_to_limit(Run& run, Cluster& cluster, const Island& island, const std::vector<double>& direction,
                   double distance) {
  for (std::size_t i = 0; i < direction.size(); ++i) {
    if (direction[i] == 0) continue;
    const std::uint32_t state = island.plan->states[i];
    cluster.values[shape_of(cluster).variables[state].value] += distance * direction[i];
    publish_value(run, cluster, state);
  }
}

}  // namespace

std::unique_ptr<Constraint> make_rest(Cluster& cluster, Island& island, RestParts parts) {
  return std::make_unique<Rest>(cluster, island, std::move(parts));
}

std::unique_ptr<Constraint> make_rest(Run& run, Cluster& cluster, const EventTrack& track, Island*& island,
                                      std::string& reason) {
  const Object& object = run.world.objects[track.last_kind >> 32];
  const auto watch = static_cast<Index>(track.last_kind & UINT32_MAX);
  if (!object.watches[watch].active || track.before.empty()) {
    reason = "the event changes the active states";
    return nullptr;
  }
  const ShapeCondition& condition = cluster.shape->conditions[object.watches[watch].condition];
  reason = "no surface is known on which it could rest";
  for (std::size_t number = 0; number < cluster.guards->guards.size(); ++number) {
    const GuardPlan::Guard& guard = cluster.guards->guards[number];
    if (guard.mode - condition.first_mode >= condition.modes || guard.island == kNone) continue;
    Island& candidate = *cluster.islands[guard.island];
    if (candidate.constraint) {
      reason = "it is on another surface already";
      continue;
    }
    const std::vector<double> direction = jump_of(cluster, candidate, track.before);
    const GuardPlan::Search& search = cluster.guards->searches[guard.island];
    const auto place = std::find(search.guards.begin(), search.guards.end(), number) - search.guards.begin();
    const auto relation = static_cast<std::size_t>(place);
    double series[kHighestRate + 1] = {}, change = 0;
    if (direction.empty() || !expand_guard(cluster, candidate, search, relation, series)) continue;
    auto rest = std::make_unique<Rest>(cluster, candidate, RestParts{&search, relation, guard.mode, direction, 0});
    std::vector<double> y;
    for (const std::uint32_t state : candidate.plan->states) {
      y.push_back(cluster.values[shape_of(cluster).variables[state].value]);
    }
    const bool known = rest->rate_along(y.data(), change);
    for (std::size_t i = 0; i < y.size(); ++i) {
      cluster.values[shape_of(cluster).variables[candidate.plan->states[i]].value] = y[i];
    }
    // A relation that the jump itself changes (`v < 0`) is none of a surface.
    const double moved = track.before.size() > guard.g ? cluster.values[guard.g] - track.before[guard.g] : 0;
    if (!known || std::abs(change) < 1e-9 || std::abs(moved) > 1e-9 * std::abs(change)) continue;
    move_to_limit(run, cluster, candidate, direction, -series[1] / change);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = cluster.values[shape_of(cluster).variables[candidate.plan->states[i]].value];
    }
    if (!rest->place(run.now, y.data()).good() || !(rest->watched_value(0) >= 0)) {
      reason = "at the limit nothing keeps it on the surface";
      continue;
    }
    for (std::uint32_t k = 0; k < condition.modes; ++k) rest->modes.push_back(condition.first_mode + k);
    island = &candidate;
    return rest;
  }
  return nullptr;
}

}  // namespace hyla::engine
