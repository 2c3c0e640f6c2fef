// Rest: what follows the limit of jumps that accumulate, such as the bounces of a ball.
//
// The jumps act in one direction d in the space of states (of a ball: its velocity), at a surface g = 0 (its height).
// They stop when g' = 0, so the state is moved along d until that holds: this is the limit of the jumps. From then on
// the surface pushes back instead of striking: y' = f + mu d, where mu >= 0 keeps g'' = 0. So a ball lies still, rides
// on a moving floor, or rolls along a slope. The motion leaves the surface when mu becomes negative: when the
// field by itself leads away from it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cluster.h"
#include "engine/constraint.h"
#include "engine/zeno.h"

namespace hyla::engine {

/// What a rest consists of.
struct RestParts {
  const GuardPlan::Search* search = nullptr;
  std::size_t relation = 0;       ///< of the search: zero on the surface
  std::uint32_t mode = 0;         ///< of that relation
  std::vector<double> direction;  ///< of the jumps, by state
  double push = 0;
};
std::unique_ptr<Constraint> make_rest(Cluster& cluster, Island& island, RestParts parts);

/// Null: the jumps of the event do not lead to such a rest, and `reason` says why. States are moved to the limit.
std::unique_ptr<Constraint> make_rest(Run& run, Cluster& cluster, const EventTrack& track, Island*& island,
                                      std::string& reason);

}  // namespace hyla::engine
