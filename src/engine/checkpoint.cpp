#include "engine/checkpoint.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/builder.h"
#include "engine/create.h"
#include "engine/island.h"
#include "engine/islands.h"
#include "engine/keeper.h"

namespace hyla::engine {
namespace {

std::string obstacle_of(Island& island) {
  if (!island.integrator) return "";
  base::Archive archive;
  if (island.integrator->transfer(archive)) return "";
  return fmt::format("the state of the solver `{}` cannot be kept", solve::name_of(island.integrator->method()));
}

std::string obstacle_of(const World& world, Cluster& cluster) {
  const std::string object = world.path(cluster.objects.front());
  for (const auto* islands : {&cluster.islands, &cluster.idle}) {
    for (const std::unique_ptr<Island>& island : *islands) {
      const std::string obstacle = obstacle_of(*island);
      if (!obstacle.empty()) return fmt::format("around `{}`, {}", object, obstacle);
    }
  }
  return "";
}

/// Something that an instant leaves behind only if it has not settled.
bool is_unsettled(const Run& run) {
  return !run.next.empty() || !run.completions.empty() || !run.starting.empty() || !run.doomed.empty() ||
         !run.left_parts.empty() || !run.announcements.empty() || !run.dirty_settled.empty() ||
         !run.fresh_definitions.empty() || !run.changed_structure.empty();
}

/// `Plant.filter`: the first object of an external library that there is; empty if there is none.
std::string find_external(const World& world) {
  if (world.model.external_objects.size() == 0) return "";
  const std::vector<std::uint8_t> is_free = world.builder->free_objects();
  for (const Object& object : world.objects) {
    if (is_free[object.self.index] != 0) continue;
    for (const PlanBody& body : object.plan->bodies) {
      for (const model::PartId part : world.model.bodies[body.id].parts) {
        if (!world.model.parts[part].external) continue;
        return fmt::format("{}.{}", world.path(object.self), world.model.name(world.model.parts[part].name));
      }
    }
  }
  return "";
}

}  // namespace

std::string find_obstacle(Run& run) {
  const World& world = run.world;
  const std::string external = find_external(world);
  if (!external.empty()) return fmt::format("the state of `{}` is known to its library only", external);
  if (is_unsettled(run)) return "the instant has not settled";
  for (const std::unique_ptr<Cluster>& cluster : world.clusters) {
    if (!cluster) continue;
    std::string obstacle = obstacle_of(world, *cluster);
    if (!obstacle.empty()) return obstacle;
  }
  return "";
}

void take_checkpoint(Run& run, Checkpointing& wanted) {
  base::Archive archive;
  Sequence told = wanted.last_told ? std::max(wanted.last_told(), wanted.told) : run.sequence;
  archive(wanted.at, told);
  Keeper keeper(run, archive);
  keeper.keep_world();
  keeper.keep_run();
  keeper.keep_clusters();
  wanted.taken = archive.bytes();
}

bool resume_checkpoint(Run& run, Checkpointing& kept) {
  base::Archive archive(kept.resume);
  double time = 0;
  archive(time, kept.told);
  Keeper keeper(run, archive);
  keeper.keep_world();
  keeper.keep_run();
  keeper.keep_clusters();
  if (!archive.at_end()) return false;
  for (std::uint32_t port = 0; port < run.world.ports.size(); ++port) update_port_head(run, port);
  for (const Object& object : run.world.objects) update_head(run, object);
  find_recorded(run);
  if (run.recorder != nullptr) run.recorder->resume(run.world, time);
  find_recorded(run);
  return true;
}

}  // namespace hyla::engine
