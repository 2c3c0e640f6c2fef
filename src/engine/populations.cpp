#include "engine/populations.h"

namespace hyla::engine {
namespace {

/// Drops the places of those that have gone.
void close_gaps(PopulationInstance& population, World& world) {
  std::size_t next = 0;
  for (std::size_t i = population.first; i < population.members.size(); ++i) {
    const ObjectRef member = population.members[i];
    if (!member) continue;
    world.object(member).member = static_cast<std::uint32_t>(next);
    population.members[next++] = member;
  }
  population.members.resize(next);
  population.first = 0;
}

}  // namespace

ObjectRef member_at(PopulationInstance& population, std::size_t place, World& world) {
  if (population.size != population.members.size() - population.first) close_gaps(population, world);
  return place < population.size ? population.members[population.first + place] : ObjectRef{};
}

void add_member(World& world, std::uint32_t number, ObjectRef object) {
  PopulationInstance& population = world.populations[number];
  if (population.members.size() > 16 && population.size < population.members.size() / 2) close_gaps(population, world);
  world.object(object).population = number;
  world.object(object).member = static_cast<std::uint32_t>(population.members.size());
  population.members.push_back(object);
  ++population.size;
}

void remove_member(World& world, ObjectRef ref) {
  const Object& object = world.object(ref);
  PopulationInstance& population = world.populations[object.population];
  population.members[object.member] = {};
  --population.size;
  while (population.first < population.members.size() && !population.members[population.first]) ++population.first;
  if (population.size > 0) return;
  population.members.clear();
  population.first = 0;
}

}  // namespace hyla::engine
