#include "engine/blame.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/run_trouble.h"

namespace hyla::engine {
namespace {

constexpr std::size_t kMostClusters = 16;  ///< that are looked at in detail
constexpr std::size_t kMostEntries = 5;

/// The variable of the cluster's own shape that a state is, or is a derivative of.
std::uint32_t own_variable(const Cluster& cluster, std::uint32_t variable) {
  const std::vector<ShapeVariable>& variables = shape_of(cluster).variables;
  while (variables[variable].derivative_of != kNone) variable = variables[variable].derivative_of;
  return variable;
}

template <class Visit>
void visit_islands(const Cluster& cluster, Visit visit) {
  for (const std::vector<std::unique_ptr<Island>>* list : {&cluster.islands, &cluster.idle}) {
    for (const std::unique_ptr<Island>& island : *list) {
      if (island->integrator && island->blame.looks > 0) visit(*island);
    }
  }
}

/// The clusters with the most evaluations, those first.
std::vector<const Cluster*> dearest_clusters(const Run& run, Blame& blame) {
  std::vector<std::pair<std::uint64_t, const Cluster*>> costs;
  for (const std::unique_ptr<Cluster>& cluster : run.world.clusters) {
    if (!cluster) continue;
    std::uint64_t evaluations = 0;
    visit_islands(*cluster, [&](const Island& island) {
      evaluations += island.integrator->work().evaluations;
      blame.looks += island.blame.looks;
      blame.seconds += island.blame.seconds;
    });
    if (evaluations > 0) costs.emplace_back(evaluations, cluster.get());
  }
  const std::size_t count = std::min(kMostClusters, costs.size());
  std::partial_sort(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(count), costs.end(),
                    [](const auto& one, const auto& other) {
                      return one.first != other.first ? one.first > other.first
                                                      : one.second->number < other.second->number;
                    });
  std::vector<const Cluster*> clusters;
  for (std::size_t i = 0; i < count; ++i) clusters.push_back(costs[i].second);
  return clusters;
}

void add_island(const Run& run, const Island& island, std::map<std::string, IslandCost>& costs) {
  const solve::Work& work = island.integrator->work();
  const std::string name = name_of(run, island.cluster, island.blame.limits.front().first);
  IslandCost& cost = costs[name];
  cost.variable = name;
  cost.states = std::max(cost.states, island.plan->states.size());
  cost.steps += work.steps;
  cost.rejected += work.rejected;
  cost.evaluations += work.evaluations;
  cost.seconds += island.blame.seconds * static_cast<double>(kBlameInterval);
}

/// The largest entries by a figure; those with equal ones by name.
template <class Entry, class Figure>
std::vector<Entry> largest(const std::map<std::string, Entry>& all, Figure figure) {
  std::vector<Entry> result;
  for (const auto& [name, entry] : all) result.push_back(entry);
  std::stable_sort(result.begin(), result.end(),
                   [&](const Entry& one, const Entry& other) { return figure(one) > figure(other); });
  if (result.size() > kMostEntries) result.resize(kMostEntries);
  return result;
}

}  // namespace

void note_limit(Island& island) {
  IslandBlame& blame = island.blame;
  ++blame.looks;
  const std::vector<std::uint32_t>& states = island.plan->states;
  if (blame.limits.empty()) blame.limits.emplace_back(own_variable(island.cluster, states.front()), 0U);
  double share = 0;
  const std::size_t worst = std::min(island.integrator->worst_variable(share), states.size() - 1);
  if (!(share > 0)) return;  // a method without control of its error
  const std::uint32_t variable = own_variable(island.cluster, states[worst]);
  const auto entry =
      std::find_if(blame.limits.begin(), blame.limits.end(), [&](const auto& one) { return one.first == variable; });
  if (entry != blame.limits.end()) {
    ++entry->second;
  } else {
    blame.limits.emplace_back(variable, 1U);
  }
}

Blame find_blame(const Run& run) {
  Blame blame;
  std::map<std::string, LimitCount> limits;
  std::map<std::string, IslandCost> costs;
  for (const Cluster* cluster : dearest_clusters(run, blame)) {
    visit_islands(*cluster, [&](const Island& island) {
      add_island(run, island, costs);
      for (const auto& [variable, count] : island.blame.limits) {
        const std::string name = name_of(run, *cluster, variable);
        limits[name] = {name, limits[name].count + count};
      }
    });
  }
  blame.limits = largest(limits, [](const LimitCount& one) { return one.count; });
  std::erase_if(blame.limits, [](const LimitCount& one) { return one.count == 0; });
  blame.islands = largest(costs, [](const IslandCost& one) { return one.evaluations; });
  blame.seconds *= static_cast<double>(kBlameInterval);
  return blame;
}

}  // namespace hyla::engine
