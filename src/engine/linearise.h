// The equations of a held run as a linear model around the present point: x' = A x + B u, y = C x + D u.
//
// States are the variables that are integrated now; with other active states of charts there can be others. Inputs are
// the probes that the world was built with. Relations keep the values that they have.
#pragma once

#include <string>
#include <vector>

#include "engine/context.h"
#include "engine/initial_choices.h"

namespace hyla::engine {

struct LinearQuantity {
  StartName name;
  double value = 0;
  double derivative = 0;  ///< of a state
  double drift = 0;       ///< of a state: how its derivative changes with time, all else held
};

struct LinearModel {
  std::vector<LinearQuantity> states, inputs, outputs;
  std::vector<double> a, b, c, d;  ///< row by row
};

inline constexpr std::size_t kMostLinearStates = 3000;  ///< the matrix is dense

/// All Real outputs of the top object.
std::vector<StartName> top_outputs(const World& world);

/// False: the message tells why not. The run is held.
bool linearise(Run& run, const std::vector<StartName>& outputs, LinearModel& result, std::string& message);

}  // namespace hyla::engine
