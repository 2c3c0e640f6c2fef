// Variables that are equal at all times, or equal up to their sign: `y = x`, `y = -x`, connected values, joined plugs.
//
// Counted are equations over continuous time that hold throughout the run. In a model whose structure can change they
// might not, so it has no aliases but those inside one object that stays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/observer.h"
#include "engine/world.h"

namespace hyla::engine {

/// What a place is the same as.
struct Alias {
  std::size_t of = 0;  ///< into the places; itself if there is none before it
  bool is_negated = false;
};

/// For each place the first one that is the same. When the start has been found.
std::vector<Alias> find_aliases(const World& world, std::span<const RecordedPlace> places);

}  // namespace hyla::engine
