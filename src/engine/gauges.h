// How far the conditions of requirements are from changing, while time passes.
//
// The margin of a condition is a function of the quantities in it: of a relation the distance of its sides, of `and`
// the smallest, of `or` the largest. It is computed at the settled values of instants, and on the interpolants of the
// steps between them: at the quarters of each step, and near an extremum between those by parabolas.
#pragma once

#include <memory>

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

struct GaugePlan {
  struct Gauge {
    std::uint32_t condition = 0;   ///< into Shape::conditions
    std::uint32_t island = kNone;  ///< where it varies
    At margin = kNowhere;
  };
  std::vector<Gauge> gauges;
  code::Code margins;  ///< of all, in place

  /// The margins of an island as functions of its states.
  struct Course {
    std::vector<std::uint32_t> gauges;
    bool direct = true;  ///< no loop has to be solved on the way
    code::Tape tape;     ///< direct: one output for each gauge
    std::vector<At> inputs;
    std::vector<std::uint32_t> state_inputs;  ///< by input: number of the state in the island, kNone for other places
  };
  std::vector<Course> courses;  ///< by island
};

/// Adds the gauges of the conditions of requirements among those that the plan watches, if there are any.
void plan_gauges(const Shape& shape, TermTapes& tapes, const Configuration& configuration, GuardPlan& guards);

/// The island has come to a time: what it has passed since it was last looked at is measured.
void measure_passed(Run& run, Island& island, double until);
inline void measure(Run& run, Island& island, double until) {
  if (island.cluster.guards != nullptr && island.cluster.guards->gauges) measure_passed(run, island, until);
}

/// By the values that the cluster has now.
double cluster_margin(Run& run, Object& object, Index watch);

}  // namespace hyla::engine
