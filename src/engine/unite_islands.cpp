#include "engine/unite_islands.h"

#include <algorithm>
#include <cmath>

#include "engine/configure.h"
#include "engine/islands.h"
#include "engine/reconfigure.h"

namespace hyla::engine {
namespace {

bool differ(double a, double b) { return a != b && !(std::isnan(a) && std::isnan(b)); }

/// By variable of the cluster's own shape, and by variable of any configuration: whether it is in the group.
class Members {
 public:
  explicit Members(const Cluster& cluster) : is_member_(cluster.shape->variables.size()) {}

  bool touches(const IslandPlan& plan) const {
    return std::any_of(plan.outputs.begin(), plan.outputs.end(),
                       [this](std::uint32_t variable) { return variable < is_member_.size() && is_member_[variable]; });
  }
  /// False: all of it were members before.
  bool add(const IslandPlan& plan) {
    bool any = false;
    for (const std::uint32_t variable : plan.outputs) {
      if (variable >= is_member_.size() || is_member_[variable]) continue;
      is_member_[variable] = true;
      any = true;
    }
    return any;
  }
  bool operator[](std::size_t variable) const { return is_member_[variable]; }

 private:
  std::vector<bool> is_member_;
};

/// Whether an island reads something that the other side has otherwise, or has other equations there.
bool depends(const IslandPlan& plan, const ClusterSnapshot& here, const ClusterSnapshot& there) {
  const auto is_other = [&](At place) {
    return place >= there.values.size() || differ(here.values[place], there.values[place]);
  };
  if (std::any_of(plan.reads.begin(), plan.reads.end(), is_other)) return true;
  const std::vector<IslandPlan>& islands = there.configuration->islands;
  return std::none_of(islands.begin(), islands.end(), [&](const IslandPlan& other) {
    return other.reduced == plan.reduced && other.equations == plan.equations && other.states == plan.states;
  });
}

std::size_t count_touched(const Members& members, const Configuration& configuration) {
  return static_cast<std::size_t>(std::count_if(configuration.islands.begin(), configuration.islands.end(),
                                                [&](const IslandPlan& plan) { return members.touches(plan); }));
}

}  // namespace

IslandGroups find_united(const Cluster& cluster, SideOfCluster here, SideOfCluster there) {
  Members members(cluster);
  for (const auto& [side, other] : {std::pair(&here, &there), std::pair(&there, &here)}) {
    const std::vector<IslandPlan>& islands = side->snapshot.configuration->islands;
    members.add(islands[side->island]);
    for (const IslandPlan& plan : islands) {
      if (depends(plan, side->snapshot, other->snapshot)) members.add(plan);
    }
  }
  // What is one island on the one side may be several on the other.
  for (bool again = true; again;) {
    again = false;
    for (const SideOfCluster* side : {&here, &there}) {
      for (const IslandPlan& plan : side->snapshot.configuration->islands) {
        if (members.touches(plan) && members.add(plan)) again = true;
      }
    }
  }
  if (count_touched(members, *here.snapshot.configuration) < 2 &&
      count_touched(members, *there.snapshot.configuration) < 2) {
    return {};
  }
  IslandGroups united = cluster.united;
  united.resize(cluster.shape->variables.size());
  const auto group = static_cast<std::uint8_t>(1 + *std::max_element(united.begin(), united.end()));
  for (std::size_t i = 0; i < united.size(); ++i) {
    if (members[i]) united[i] = group;
  }
  return united;
}

ClusterSnapshot unite(Run& run, Cluster& cluster, const ClusterSnapshot& side, const IslandGroups& united) {
  Shape& shape = *cluster.shape;
  ClusterSnapshot result = side;
  result.configuration = unite(shape, run.world.tapes, *side.configuration, united);
  const Configuration& configuration = *result.configuration;
  std::vector<std::uint8_t> equations =
      shape.configurations.flags_of([&](const Configuration& one) { return &one == side.configuration; });
  equations.resize(shape.equations.size());
  const std::vector<std::uint8_t> conditions =
      side.configuration->guards.flags_of([&](const GuardPlan& one) { return &one == side.guards; });
  result.guards = result.configuration->guards.find(conditions);
  if (result.guards == nullptr) {
    result.guards = result.configuration->guards.add(
        conditions, plan_guards(*configuration.shape, run.world.tapes, configuration, equations, conditions));
  }
  result.values.resize(std::max<std::size_t>({result.values.size(), configuration.size, result.guards->size}));
  load_constants(result.values, configuration);
  load_constants(result.values, result.guards->constants);
  code::run(result.guards->relations, result.values.data());
  return result;
}

void unite_islands(Run& run, Cluster& cluster, const IslandGroups& united) {
  cluster.united = united;
  reconfigure(run, cluster, true);
  choose_guards(run, cluster);
  code::run(cluster.guards->relations, cluster.values.data());
  for (const code::Code& sizes : cluster.guards->sizes) code::run(sizes, cluster.values.data());
}

std::string find_foreign_reader(const Run& run, const Cluster& cluster) {
  for (const std::unique_ptr<Cluster>& other : run.world.clusters) {
    if (!other || other.get() == &cluster || other->configuration == nullptr) continue;
    if (other->since.time != run.now || other->since.sequence != cluster.since.sequence) continue;
    const auto is_read = [&](At place) {
      return std::any_of(other->islands.begin(), other->islands.end(), [&](const std::unique_ptr<Island>& island) {
        const std::vector<At>& reads = island->plan->reads;
        return std::find(reads.begin(), reads.end(), place) != reads.end();
      });
    };
    // It may have taken the change over already.
    bool depends = std::any_of(other->islands.begin(), other->islands.end(),
                               [](const std::unique_ptr<Island>& island) { return island->restart; });
    for (std::uint32_t i = 0; i < other->shape->variables.size() && !depends; ++i) {
      const At place = other->shape->variables[i].value;
      depends = differ(value_in_slot(run, *other, i), other->values[place]) && is_read(place);
    }
    if (depends) return run.world.path(other->objects.front());
  }
  return "";
}

}  // namespace hyla::engine
