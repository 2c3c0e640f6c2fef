// A motion that is kept on a surface g = 0: the field of an island is changed so that it does not leave it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/evaluation.h"
#include "solve/roots.h"
#include "solve/system.h"

namespace hyla::engine {

struct Cluster;
struct Island;
struct GuardPlan;
struct RestParts;
struct SlideParts;
struct Run;

class Constraint {
 public:
  virtual ~Constraint() = default;

  /// Puts time and states in place and computes all that follows from them, with the changed field.
  virtual Evaluated place(double t, const double* y) = 0;
  /// Quantities that are positive while the motion stays on the surface; of the last place().
  virtual std::size_t watched() const = 0;
  virtual double watched_value(std::size_t number) const = 0;
  /// Whether a mode of `modes` is of a relation that is zero on the surface.
  virtual bool is_on_surface(std::uint32_t mode) const = 0;
  /// Something that the island reads has changed. False: it is not the same surface any longer.
  virtual bool refresh(const Cluster& cluster) = 0;
  /// The surface is left: relations take the values of the side to which the motion leaves.
  virtual void leave(Cluster& cluster) = 0;
  /// What it consists of, one way or the other: for checkpoints.
  virtual SlideParts* slide() { return nullptr; }
  virtual RestParts* rest() { return nullptr; }

  std::vector<std::uint32_t> modes;  ///< of relations that are not looked at while it lasts
  solve::Pattern pattern;            ///< of the Jacobian: full
};

/// The relations of a constrained island over a step; behind them what its constraint watches.
std::unique_ptr<solve::Course> make_constrained_course(Island& island);

void constrain(Cluster& cluster, Island& island, std::unique_ptr<Constraint> constraint);
/// The same for an island that has been constrained all the time.
void attach(Island& island, std::unique_ptr<Constraint> constraint);
/// Its relations are decided anew, by the direction in which they go.
void release(Island& island);
/// After changes: ends the constraints that do not hold any longer.
void release_changed(Cluster& cluster);
/// The motion leaves the surface.
void leave_surface(Island& island);

}  // namespace hyla::engine
