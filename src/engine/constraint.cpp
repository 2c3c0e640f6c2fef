#include "engine/constraint.h"

#include <algorithm>
#include <cmath>

#include "engine/island.h"
#include "engine/modes.h"

namespace hyla::engine {
namespace {

class ConstrainedCourse final : public solve::Course {
 public:
  explicit ConstrainedCourse(Island& island)
      : island_(island),
        cluster_(island.cluster),
        search_(cluster_.guards->searches[island.number]),
        kept_(cluster_.values),
        state_(island.plan->states.size()) {}
  ~ConstrainedCourse() override { cluster_.values = kept_; }
  ConstrainedCourse(const ConstrainedCourse&) = delete;
  ConstrainedCourse& operator=(const ConstrainedCourse&) = delete;

  std::size_t count() const override { return search_.guards.size() + island_.constraint->watched(); }
  void sample(const double* times, std::size_t number, double* values) override {
    for (std::size_t k = 0; k < number; ++k) {
      evaluate(times[k]);
      for (std::size_t r = 0; r < count(); ++r) values[r * number + k] = relation_value(r);
    }
  }
  double value(std::size_t relation, double t) override {
    evaluate(t);
    return relation_value(relation);
  }

 private:
  void evaluate(double t) {
    island_.integrator->interpolate(t, state_.data());
    island_.system.place(t, state_.data());
    code::run(cluster_.guards->relations, cluster_.values.data());
  }
  double relation_value(std::size_t relation) const {
    if (relation >= search_.guards.size()) {
      return island_.constraint->watched_value(relation - search_.guards.size());
    }
    const GuardPlan::Guard& guard = cluster_.guards->guards[search_.guards[relation]];
    if (cluster_.held_modes[guard.mode] != 0) return 1;
    const ShapeMode& mode = cluster_.shape->modes[guard.mode];
    return switching(mode.kind, cluster_.values[mode.value], cluster_.values[guard.g]);
  }

  Island& island_;
  Cluster& cluster_;
  const GuardPlan::Search& search_;
  const std::vector<double> kept_;  ///< searching puts other times into the values
  std::vector<double> state_;
};

solve::Pattern full_pattern(std::size_t size) {
  solve::Pattern pattern;
  pattern.size = size;
  for (std::size_t column = 0; column <= size; ++column) {
    pattern.starts.push_back(static_cast<std::int32_t>(column * size));
  }
  for (std::size_t i = 0; i < size * size; ++i) pattern.rows.push_back(static_cast<std::int32_t>(i % size));
  return pattern;
}

/// Islands that were one for the time of the motion become several again.
void part_islands(Island& island) {
  Cluster& cluster = island.cluster;
  std::uint8_t group = 0;
  for (const std::uint32_t variable : island.plan->outputs) {
    if (variable < cluster.united.size()) group = std::max(group, cluster.united[variable]);
  }
  if (group == 0) return;
  std::replace(cluster.united.begin(), cluster.united.end(), group, std::uint8_t{0});
  const bool any = std::any_of(cluster.united.begin(), cluster.united.end(), [](std::uint8_t one) { return one != 0; });
  if (!any) cluster.united.clear();
  cluster.restructure = true;
}

void begin_anew(Island& island) {
  island.restart = true;
  island.search = true;
  island.is_other_system = true;
}

}  // namespace

std::unique_ptr<solve::Course> make_constrained_course(Island& island) {
  return std::make_unique<ConstrainedCourse>(island);
}

void constrain(Cluster& cluster, Island& island, std::unique_ptr<Constraint> constraint) {
  if (cluster.held_modes.empty()) cluster.held_modes.assign(cluster.shape->modes.size() + 1, 0);
  for (const std::uint32_t mode : constraint->modes) {
    cluster.held_modes[mode] = 1;
    cluster.changed_places[cluster.shape->modes[mode].value] = 0;
  }
  attach(island, std::move(constraint));
  begin_anew(island);
}

void attach(Island& island, std::unique_ptr<Constraint> constraint) {
  constraint->pattern = full_pattern(island.plan->states.size());
  island.constraint = std::move(constraint);
  island.system.constrain(island.constraint.get());
}

void release(Island& island) {
  if (!island.constraint) return;
  Cluster& cluster = island.cluster;
  // The motion may have drifted off the surface by the error of the integrator.
  double drift = 0;
  for (const std::uint32_t mode : island.constraint->modes) {
    if (cluster.guards == nullptr) break;
    for (const GuardPlan::Guard& guard : cluster.guards->guards) {
      if (guard.mode == mode && island.constraint->is_on_surface(mode)) {
        drift = std::max(drift, std::abs(cluster.values[guard.g]));
      }
    }
  }
  for (const std::uint32_t mode : island.constraint->modes) {
    cluster.held_modes[mode] = 0;
    cluster.fresh_modes[mode] = 1;
    if (island.constraint->is_on_surface(mode)) cluster.bands[mode] = std::max(cluster.bands[mode], 16 * drift);
  }
  island.system.constrain(nullptr);
  island.constraint.reset();
  part_islands(island);
  begin_anew(island);
}

void release_changed(Cluster& cluster) {
  const auto is_changed = [&](At place) { return cluster.changed_places[place] != 0; };
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    if (!island->constraint) continue;
    const std::vector<std::uint32_t>& states = island->plan->states;
    std::vector<double> y;
    bool is_moved = false;
    for (const std::uint32_t state : states) {
      const At place = shape_of(cluster).variables[state].value;
      is_moved = is_moved || is_changed(place);
      y.push_back(cluster.values[place]);
    }
    const bool reads_changes = std::any_of(island->plan->reads.begin(), island->plan->reads.end(), is_changed);
    if (!is_moved && !reads_changes) continue;
    code::run(cluster.guards->relations, cluster.values.data());
    if (is_moved || !island->constraint->refresh(cluster)) {
      release(*island);
      continue;
    }
    const bool good = island->constraint->place(cluster.values[kTime], y.data()).good();
    bool stays = good;
    for (std::size_t k = 0; k < island->constraint->watched(); ++k) {
      stays = stays && island->constraint->watched_value(k) >= 0;
    }
    if (!stays) leave_surface(*island);
  }
}

void leave_surface(Island& island) {
  island.constraint->leave(island.cluster);
  release(island);
}

}  // namespace hyla::engine
