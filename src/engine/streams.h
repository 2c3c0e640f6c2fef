// The random streams of an object: one for each purpose, made when it first draws. The key of a stream is made of the
// seed, the object's path and the purpose, so that adding an object or a reaction shifts no other.
#pragma once

#include "engine/world.h"

namespace hyla::engine {

/// By the number of the purpose in the plan.
random::Stream& stream(World& world, Object& object, std::uint32_t purpose);
/// For the times of a `rate` reaction.
random::Stream& rate_stream(World& world, Object& object, Index reaction);

}  // namespace hyla::engine
