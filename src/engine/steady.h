// The point at which a held run would stay: all derivatives are zero, and the same states of charts are active.
#pragma once

#include <string>
#include <vector>

#include "engine/initial_choices.h"
#include "engine/run_loop.h"

namespace hyla::engine {

/// What came of the search.
struct SteadyOutcome {
  enum class Kind : std::uint8_t {
    Found,
    None,      ///< some derivatives cannot vanish: `remaining`
    NotFound,  ///< the search came to no end
    Left,      ///< the model leaves the active states when it is put there: `left`
  };
  Kind kind = Kind::Found;
  std::vector<StartName> open;                            ///< states whose values the equations do not determine
  std::vector<std::pair<StartName, double>> remaining;    ///< of None: states and the derivatives that they keep
  std::vector<std::pair<std::string, std::string>> left;  ///< of Left: states before and after, by object
  std::vector<StartName> demoted;                         ///< variables that follow from the states
};

/// Searches from the present values, and puts the run there; its time stays what it is.
SteadyOutcome find_steady(RunLoop& loop);

/// Active states of all objects with charts: `Plant.valve: travel.Closed`.
std::vector<std::pair<std::string, std::string>> active_configuration(const World& world);

}  // namespace hyla::engine
