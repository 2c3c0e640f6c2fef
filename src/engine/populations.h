// The members of populations: in the order of creation, reached by their place among those that are there.
#pragma once

#include "engine/world.h"

namespace hyla::engine {

/// The member at a place from 0, below the size.
ObjectRef member_at(PopulationInstance& population, std::size_t place, World& world);
void add_member(World& world, std::uint32_t population, ObjectRef object);
void remove_member(World& world, ObjectRef object);

}  // namespace hyla::engine
