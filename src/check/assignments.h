// Which variables a block assigns.
#pragma once

#include <vector>

#include "model/model.h"

namespace hyla::check {

struct AssignedTarget {
  model::VariableId variable;
  diag::Span span;
};

/// All assignments to variables of the object, anywhere in the block.
std::vector<AssignedTarget> assigned_targets(const model::Model& model, model::BlockId block);

/// The block assigns the variable on every way through it. A loop counts as run; elements of an array count for the
/// whole.
bool always_assigns(const model::Model& model, model::BlockId block, model::VariableId variable);

}  // namespace hyla::check
