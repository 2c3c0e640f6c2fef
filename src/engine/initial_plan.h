// The system of equations that is solved when objects or states begin: all active equations together with those of
// `initial`, for the derivatives, the algebraic variables and whatever is free.
//
// It is a configuration in which nothing varies: everything is computed at once, in blocks and torn loops as always.
#pragma once

#include <memory>
#include <vector>

#include "engine/configure.h"

namespace hyla::engine {

struct StartPlan {
  std::unique_ptr<Configuration> configuration;  ///< all is held; a misfit if there is no such system
  StartSystem system;
  std::unique_ptr<GuardPlan> guards;     ///< relations in the equations
  std::vector<std::uint8_t> active;      ///< by equation
  std::vector<std::uint8_t> unknown_at;  ///< by place of the configuration's shape
};

/// What begins in a cluster.
struct Beginnings {
  std::vector<std::uint8_t> objects;     ///< by object of the cluster: it begins
  std::vector<std::uint8_t> activities;  ///< by activity of the shape: its state is being entered
};

/// `running`: by equation, those that are active in the run that follows.
std::vector<std::uint8_t> start_equations(const Shape& shape, const std::vector<std::uint8_t>& running,
                                          const Beginnings& beginnings, bool continued);
/// Objects that begin take their roles from declarations and choices. Where only a state begins, what is free and
/// occurs in its equations of `initial` may be computed, and everything else keeps its value.
StartRoles start_roles(const Shape& shape, const std::vector<std::uint8_t>& equations, const Beginnings& beginnings);

/// Made at the first use, then found in the shape. `running`: the configuration that follows.
const StartPlan& start_plan(Shape& shape, const Configuration& running, TermTapes& tapes,
                            const std::vector<std::uint8_t>& equations, const StartRoles& roles);

}  // namespace hyla::engine
