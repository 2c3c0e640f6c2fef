// Start values of parts in states: those that change are taken when the state is entered.
#pragma once

#include "model/model.h"

namespace hyla::model {

/// Something in an expression that can change during a run; none if nothing can.
ExprId changing_operand(const Model& model, ExprId id);

/// Whether an argument of a part is taken whenever the state is entered in which the part is declared: a start value,
/// a number, of something that changes.
bool is_given_at_entry(const Model& model, const Part& part, const Argument& argument);

}  // namespace hyla::model
