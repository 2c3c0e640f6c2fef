// Sliding: two fields that point at the surface between them, and the motion along it (Filippov 1988).
//
// The fields are those of two values of a relation in an equation, or those of two states whose transitions lead to
// each other at the same surface. Each side is kept as a copy of the cluster's values with the equations that are
// active there, so that what is computed on one side does not disturb the other. While the motion slides, everything
// that varies is the mean of both sides, with the weight that keeps g' = 0; what is held between events, the active
// state among it, stays as it was.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cluster.h"
#include "engine/constraint.h"

namespace hyla::engine {

/// Relations of an island and how fast they change in a given direction.
class RelationRates {
 public:
  explicit RelationRates(const GuardPlan::Search& search) : search_(&search) {}

  /// At the states y, moving with the velocity `direction`, time passing with `time_rate`.
  void compute(const double* values, const double* y, const double* direction, double time_rate);
  double value(std::size_t relation) const { return coefficient(relation, 0); }
  double rate(std::size_t relation) const { return coefficient(relation, 1); }
  /// Derivatives of one relation by the states and by time.
  std::vector<double> gradient(const double* values, const double* y, std::size_t states, std::size_t relation);

 private:
  double coefficient(std::size_t relation, std::size_t order) const;

  const GuardPlan::Search* search_;
  std::vector<double> registers_;
};

/// One side of a surface.
struct SurfaceSide {
  IslandPlan* plan = nullptr;
  const GuardPlan::Search* search = nullptr;
  std::size_t relation = 0;    ///< of the search: the one at whose zero the side is left
  std::uint32_t mode = kNone;  ///< of that relation
  std::vector<double> values;
  std::vector<double> field;
  double rate = 0;  ///< of the relation of the present side
};

/// What a motion along a surface consists of.
struct SlideParts {
  SurfaceSide negative, positive;
  const GuardPlan::Search* search = nullptr;
  std::size_t relation = 0;             ///< of the search: zero on the surface
  std::vector<std::uint32_t> outputs;   ///< variables that are means of both sides
  std::vector<std::uint32_t> switched;  ///< modes of equations that differ between the sides
};

/// How the fields of two sides meet.
struct Meeting {
  bool known = false;          ///< the rates are
  std::string reason;          ///< why they are not
  double here = 0, there = 0;  ///< rates of g along the fields of the present and the other side
  bool slides() const { return known && here * there < 0; }
};

/// `here` is the side on which the cluster is now.
Meeting meet(Cluster& cluster, SurfaceSide& here, SurfaceSide& there);
/// The constraint to slide; the sides must meet. `switched`: relations of equations that differ between the sides.
std::unique_ptr<Constraint> make_slide(Cluster& cluster, Island& island, SurfaceSide here, SurfaceSide there,
                                       const std::vector<std::uint32_t>& switched);
std::unique_ptr<Constraint> make_slide(Cluster& cluster, SlideParts parts);

}  // namespace hyla::engine
