// Whether variables stay inside their `min` and `max` while the model runs.
//
// A range changes no value and no time step. Values are looked at where the run comes to them anyway: in settled
// instants, at the ends of time steps, in rows that are recorded. Where one is outside that was inside before, the time
// at which it left is located on the interpolant. It is told at the end of the run, once for each declared variable: of
// the object that was first, since islands do not step together.
//
// To know what an island computes at the end of a time step, its equations may have to be evaluated there. That leaves
// no trace: the values from which loops are iterated are put back, and another solver is used.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

/// Which variables with a range are computed under a configuration, and where: numbers into ClusterRanges::ranges.
struct RangePlan {
  struct Island {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> states;  ///< range, number of the state in the island
    std::vector<std::uint32_t> computed;
  };
  std::vector<Island> islands;
  std::vector<std::uint32_t> held;
};

/// The ranges of a cluster's variables, in the order of its shape.
struct ClusterRanges {
  struct Range {
    std::uint32_t variable = 0;
    double least = 0, most = 0;      ///< infinite: no such limit
    double lowest = 0, highest = 0;  ///< the same, widened by the tolerance
  };
  std::vector<Range> ranges;
  solve::NonlinearSolver solver;
};

/// None if no variable has a range.
ClusterRanges* ranges_of(Run& run, Cluster& cluster);

/// The instant has settled.
void look_at_settled(Run& run, Cluster& cluster);
/// The island has used its time step up.
void look_at_end(Run& run, Island& island);
/// Before and after the cluster gets the values of the present time.
void look_at_passed(Run& run, Cluster& cluster);
void look_at_present(Run& run, Cluster& cluster);
/// The slot of an object, which a formula, a connection or an assignment to elements has changed, is looked at when the
/// instant has settled.
void note_ranged(Run& run, const Object& object, std::uint32_t slot);
void look_at_noted(Run& run);

/// Whether a value is beyond a limit of the variable, for this object, by more than the tolerance.
bool is_beyond(Run& run, const Object& object, model::VariableId variable, double value, double limit);
/// A variable has such a value now.
void note_departure(Run& run, const Object& object, model::VariableId variable, const std::string& element,
                    double value, double limit);
/// At the end of the run.
void tell_departures(Run& run);

}  // namespace hyla::engine
