// The checker: from parsed modules to the checked model.
#pragma once

#include "check/forest.h"
#include "diag/diagnostic.h"
#include "model/model.h"

namespace hyla::check {

/// Checks all modules of a program. Never fails: what is wrong is in the sink, and the model is fit for use only if it
/// has no errors.
model::Model check(const Forest& forest, diag::Sink& sink);

}  // namespace hyla::check
