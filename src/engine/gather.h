// From built objects to clusters: which equations and conditions can vary with time, and who has to do with whom.
//
// Static: over all states together. A variable can vary if it is differentiated somewhere, occurs in an implicit
// equation, or has a formula that reads time or something that can vary. Formulas that cannot vary stay with the
// watches, unless they define each other in a circle, or what a constraint determines in another state. Objects that
// share what can vary, and conditions with what they read, form clusters.
//
// While the model runs, a few objects are gathered again. Whoever turns out to share something that varies with them is
// taken in, with the whole cluster to which it belonged.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "engine/collect.h"
#include "engine/world.h"

namespace hyla::engine {

/// Fills World::clusters and marks the watches and links that belong to them. False: the sink tells why.
bool gather_clusters(World& world, diag::Sink& sink);

class Gatherer {
 public:
  Gatherer(World& world, diag::Sink& sink);

  /// Collects the equations of the objects and of all that share with them what can vary. `dissolve` takes a cluster
  /// apart whose objects are gathered again. False: the sink tells why.
  bool collect(const std::vector<ObjectRef>& objects, const std::function<void(std::uint32_t)>& dissolve);
  /// Makes clusters of what was collected. False: the sink tells why.
  bool make();

  const std::vector<ObjectRef>& objects() const { return objects_; }        ///< all that were gathered
  const std::vector<std::uint32_t>& clusters() const { return clusters_; }  ///< those that were made
  const std::vector<EquationInstance>& equations() const { return collection_.equations; }
  /// Whether the equations of an object depend on more than its plan and whom it has to do with.
  bool is_individual(ObjectRef object) const { return collection_.individual.contains(object.index); }
  /// Whether conditions were looked at: they are not while nothing varies.
  bool has_conditions() const { return has_conditions_; }

 private:
  void take_in(ObjectRef object);
  bool is_inside(ObjectRef object) const { return numbers_.contains(object.index); }
  bool varies(const Place& place) const;
  void find_varying();
  template <class Vary>
  void find_circles(Vary&& vary);
  template <class Vary>
  void find_forces(Vary&& vary);
  void find_neighbours();
  void look_outside(const EquationInstance& equation);
  bool belongs(const EquationInstance& equation) const;
  ObjectRef anchor(const EquationInstance& equation) const;
  void mark(const EquationInstance& equation);
  void arrange();
  void make_clusters();
  void note_lone();

  World& world_;
  diag::Sink& sink_;
  GatheringMemory& memory_;
  Collection collection_;
  const std::function<void(std::uint32_t)>* dissolve_ = nullptr;
  std::vector<ObjectRef> objects_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  ///< by object: its place in objects_
  std::unordered_map<Place, bool, PlaceHash> varying_;
  std::vector<std::uint32_t> clusters_;
  bool has_conditions_ = false;
};

/// Whether objects of the plan may be clusters of their own, as far as the plan tells.
bool can_be_lone(const Plan& plan);

/// A place in World::clusters that is empty.
std::uint32_t take_cluster_number(World& world);

/// Whether there is anything that clusters could be needed for: most discrete models have no formula between numbers.
bool needs_clusters(const World& world);

}  // namespace hyla::engine
