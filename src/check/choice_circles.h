// Choices that lead back to themselves.
#pragma once

#include <span>
#include <unordered_set>

#include "model/model.h"

namespace hyla::check {

/// The choices among those given from which branches lead back to the same choice without reaching a state. Takes time
/// in proportion to the number of branches.
std::unordered_set<model::ChoiceId> choices_on_circles(const model::Model& model,
                                                       std::span<const model::ChoiceId> choices);

}  // namespace hyla::check
