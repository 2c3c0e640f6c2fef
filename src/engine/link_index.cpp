#include "engine/link_index.h"

#include <utility>

namespace hyla::engine {

void index_links(World& world) {
  if (std::exchange(world.links_are_indexed, true)) return;
  for (std::uint32_t i = 0; i < world.links.size(); ++i) {
    if (world.links[i].exists) index_link(world, i);
  }
}

void index_link(World& world, std::uint32_t number) {
  if (!world.links_are_indexed) return;
  const Link& link = world.links[number];
  world.links_of[link.scope.index].push_back(number);
  if (link.target && link.target.index != link.scope.index) world.links_of[link.target.index].push_back(number);
}

void forget_link(World& world, std::uint32_t number, ObjectRef object) {
  if (!object) return;
  const auto found = world.links_of.find(object.index);
  if (found == world.links_of.end()) return;
  std::erase(found->second, number);
}

}  // namespace hyla::engine
