// Configurations, guards and islands as bytes: they are named by the flags of the equations and conditions that are
// active in them, and found or made again.
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/configure.h"
#include "engine/island.h"
#include "engine/keeper.h"
#include "engine/reconfigure.h"
#include "engine/reduce.h"
#include "engine/rest_run.h"

namespace hyla::engine {

void Keeper::keep_configuration(Cluster& cluster, Configuration*& configuration) {
  bool is_there = configuration != nullptr;
  std::vector<std::uint8_t> flags;
  if (is_there && !reads()) {
    flags = cluster.shape->configurations.flags_of([&](const Configuration& one) { return &one == configuration; });
  }
  archive_(is_there, flags);
  if (!reads()) return;
  configuration = is_there && !archive_.failed() ? find_configuration(cluster, flags) : nullptr;
  archive_.expect(!is_there || configuration != nullptr);
}

/// Behind the active equations stands which variables are computed instead of integrated, if they are reduced, and
/// which islands are one.
Configuration* Keeper::find_configuration(Cluster& cluster, const std::vector<std::uint8_t>& flags) {
  Shape& shape = *cluster.shape;
  const auto cut = [&](std::size_t from, std::size_t count) {
    const auto begin = flags.begin() + static_cast<std::ptrdiff_t>(std::min(from, flags.size()));
    return std::vector<std::uint8_t>(begin, begin + std::min<std::ptrdiff_t>(count, flags.end() - begin));
  };
  const std::size_t equations = shape.equations.size();
  if (flags.size() < equations) return nullptr;
  const std::vector<std::uint8_t> active = cut(0, equations);
  Configuration* found = shape.configurations.find(active);
  if (found == nullptr) found = shape.configurations.add(active, configure(shape, world_.tapes, active));
  const std::size_t candidates = found->is_open ? found->reduction->candidates.size() : 0;
  if (candidates > 0) {
    if (flags.size() < equations + candidates) return nullptr;
    const std::shared_ptr<Reduction> reduction = found->reduction;
    const std::vector<std::uint8_t> key = cut(0, equations + candidates);
    found = shape.configurations.find(key);
    if (found == nullptr) {
      found = shape.configurations.add(key, configure(reduction, world_.tapes, cut(equations, candidates)));
    }
  }
  if (found->is_open || found->misfit.kind != Misfit::Kind::None) return nullptr;
  const IslandGroups united = cut(equations + candidates, flags.size());
  if (!united.empty()) {
    if (united.size() != shape.variables.size()) return nullptr;
    found = unite(shape, world_.tapes, *found, united);
  }
  found->is_met = true;
  return found;
}

void Keeper::keep_guards(Cluster& cluster, Configuration* configuration, GuardPlan*& guards) {
  bool is_there = guards != nullptr;
  std::vector<std::uint8_t> flags;
  if (is_there && !reads()) {
    flags = configuration->guards.flags_of([&](const GuardPlan& one) { return &one == guards; });
  }
  archive_(is_there, flags);
  if (!reads()) return;
  guards = nullptr;
  archive_.expect(!is_there || (configuration != nullptr && flags.size() == cluster.shape->conditions.size()));
  if (!is_there || archive_.failed()) return;
  guards = configuration->guards.find(flags);
  if (guards != nullptr) return;
  std::vector<std::uint8_t> equations =
      cluster.shape->configurations.flags_of([&](const Configuration& one) { return &one == configuration; });
  equations.resize(cluster.shape->equations.size());
  guards = configuration->guards.add(
      flags, plan_guards(*configuration->shape, world_.tapes, *configuration, equations, flags));
}

void Keeper::keep_plan(Cluster& cluster, IslandPlan*& plan) {
  Configuration* configuration = nullptr;
  std::uint32_t number = 0;
  if (!reads()) {
    const auto has_plan = [&](const Configuration& one) {
      for (number = 0; number < one.islands.size(); ++number) {
        if (&one.islands[number] == plan) return true;
      }
      return false;
    };
    configuration = cluster.shape->configurations.find(cluster.shape->configurations.flags_of(has_plan));
  }
  archive_(number);
  keep_configuration(cluster, configuration);
  archive_.expect(configuration != nullptr && number < configuration->islands.size());
  if (reads()) plan = archive_.failed() ? nullptr : &configuration->islands[number];
}

void Keeper::keep_search(Cluster& cluster, const GuardPlan::Search*& search) {
  Configuration* configuration = nullptr;
  GuardPlan* guards = nullptr;
  std::uint32_t number = 0;
  if (!reads()) {
    const auto has_search = [&](const GuardPlan& one) {
      for (number = 0; number < one.searches.size(); ++number) {
        if (&one.searches[number] == search) return true;
      }
      return false;
    };
    const auto has_guards = [&](const Configuration& one) {
      if (guards == nullptr) guards = one.guards.find(one.guards.flags_of(has_search));
      return guards != nullptr;
    };
    configuration = cluster.shape->configurations.find(cluster.shape->configurations.flags_of(has_guards));
  }
  archive_(number);
  keep_configuration(cluster, configuration);
  keep_guards(cluster, configuration, guards);
  archive_.expect(guards != nullptr && number < guards->searches.size());
  if (reads()) search = archive_.failed() ? nullptr : &guards->searches[number];
}

// --- surfaces -------------------------------------------------------------------------------------

void Keeper::keep_side(Cluster& cluster, SurfaceSide& side) {
  keep_plan(cluster, side.plan);
  keep_search(cluster, side.search);
  archive_(side.relation, side.mode, side.values, side.field, side.rate);
  archive_.expect(side.search != nullptr && side.relation < side.search->guards.size() &&
                  side.values.size() >= cluster.shape->size);
}

void Keeper::keep_constraint(Island& island) {
  Cluster& cluster = island.cluster;
  SlideParts slide;
  RestParts rest;
  std::vector<std::uint32_t> modes;
  if (island.constraint) {
    if (island.constraint->slide() != nullptr) slide = *island.constraint->slide();
    if (island.constraint->rest() != nullptr) rest = *island.constraint->rest();
    modes = island.constraint->modes;
  }
  bool slides = slide.search != nullptr, rests = rest.search != nullptr;
  archive_(slides, rests, modes);
  for (const std::uint32_t mode : modes) archive_.expect(mode < cluster.shape->modes.size());
  if (slides) {
    keep_side(cluster, slide.negative);
    keep_side(cluster, slide.positive);
    keep_search(cluster, slide.search);
    archive_(slide.relation, slide.outputs, slide.switched);
    archive_.expect(slide.search != nullptr && slide.relation < slide.search->guards.size());
  }
  if (rests) {
    keep_search(cluster, rest.search);
    archive_(rest.relation, rest.mode, rest.direction, rest.push);
    archive_.expect(rest.search != nullptr && rest.relation < rest.search->guards.size() &&
                    rest.direction.size() == island.plan->states.size());
  }
  if (!reads() || archive_.failed() || !(slides || rests)) return;
  std::unique_ptr<Constraint> constraint =
      slides ? make_slide(cluster, std::move(slide)) : make_rest(cluster, island, std::move(rest));
  constraint->modes = std::move(modes);
  attach(island, std::move(constraint));
}

}  // namespace hyla::engine
