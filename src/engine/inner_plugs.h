// Plugs of containers, whose flows come from what is joined to them inside.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"

namespace hyla::engine {

/// By plug: whether a connection in the text of its own model, in a state or in an action too, joins it inside, and no
/// equation of that model is about its flows. While nothing is joined there it is a dead end.
std::vector<std::uint8_t> find_inner_plugs(const model::Model& model);

}  // namespace hyla::engine
