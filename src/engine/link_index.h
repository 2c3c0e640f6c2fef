// Links by their objects.
#pragma once

#include "engine/world.h"

namespace hyla::engine {

/// Fills World::links_of, unless that was done before.
void index_links(World& world);
/// A link was made, or leads to another target.
void index_link(World& world, std::uint32_t number);
/// An object is no longer the scope or target of a link.
void forget_link(World& world, std::uint32_t number, ObjectRef object);

}  // namespace hyla::engine
