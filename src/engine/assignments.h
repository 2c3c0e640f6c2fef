// Parameters and initial values from outside: `servers[2].mean=0.5`.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "engine/builder.h"

namespace hyla::engine {

/// Resolves the paths in the top class and reads the values by the types of what they name. False, with the reason in
/// `message`, at the first that is wrong. Whether an index exists is known only when the objects are built.
bool read_assignments(World& world, model::ClassId top, const std::vector<Assignment>& assignments,
                      std::deque<Override>& result, std::string& message);

/// Reads a value of the type: `0.5`, `true`, `Mode.idle` or `idle`, `"text"` or text, `[1, 2, 3]`. False with the
/// reason.
bool read_value(World& world, model::Type type, std::string_view text, Slot& result, std::string& message);

}  // namespace hyla::engine
