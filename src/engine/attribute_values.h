// The attributes `min`, `max` and `nominal` of a variable, for one object: they may be computed from its parameters.
#pragma once

#include <optional>

#include "code/machine.h"
#include "engine/world.h"

namespace hyla::engine {

/// None, with a reason, where the attribute cannot be computed.
std::optional<double> attribute_value(World& world, ObjectRef object, model::ExprId expr, code::Failure& reason);

}  // namespace hyla::engine
