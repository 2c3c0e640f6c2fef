// Where numbers are taken out of the course of a run, and where out of several runs.
#pragma once

#include <cstdint>
#include <span>

#include "check/context.h"

namespace hyla::check {

enum class FoldPlace : std::uint8_t {
  Observation,  ///< `observe`: over time
  Runs,         ///< `minimize`, `maximize` and `replicate … until`: over runs, of what is observed
  Requirement,  ///< `require`: likewise, or without anything observed a condition that holds all the time
};

/// Reports folds in folds, and those that cannot be taken at their place.
void check_folds(Context& context, model::ExprId expr, std::span<const model::Observation> observed, FoldPlace place);

}  // namespace hyla::check
