// Joined plugs as equations.
//
// A join names two places, whoever stands there. Plugs that are joined, directly or through others, form a set: its
// potentials are equal, its flows sum to zero. Flows count positive into the object; the container's own plug, joined
// in the container's body, counts with the opposite sign there. A plug that nobody joins from outside has flow zero,
// and so has that of a container to which nothing is joined inside. A set of such dead ends says nothing. The sets
// follow from the joins that hold now; whoever changes these has the equations of the objects concerned gathered again.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/cluster.h"
#include "engine/plug_edges.h"

namespace hyla::engine {

/// The plugs of a world as they are joined now. What it costs to ask for an object depends on its own sets.
class PlugSets {
 public:
  using Add = std::function<void(EquationInstance)>;

  PlugSets(World& world, const PlugMemory& memory);

  /// Gives the equations of the sets to which plugs of an object belong, unless they were given before, and of its open
  /// plugs. False: it has no plugs.
  bool give(const Object& object, const Add& add);

 private:
  template <class Visit>
  void each(std::span<const std::uint32_t> edges, Visit&& visit) const;
  bool is_joined(const PlugEnd& end) const;
  bool is_dead_end(PlugEnd end) const;
  std::vector<std::uint32_t> set_of(std::uint32_t edge);

  const std::vector<model::Field>& fields_of(const PlugEnd& end) const;
  std::vector<Place> places_of(const PlugEnd& end, std::size_t field) const;
  bool is_present(const Object& object) const;
  void give_set(const std::vector<std::uint32_t>& edges, const Add& add) const;
  void add_potentials(const PlugEdge& edge, const Add& add) const;
  void add_flows(const std::vector<PlugEnd>& ends, const PlugEdge& first, const Add& add) const;
  void add_open(const Object& object, model::PlugId plug, const Add& add) const;
  void add_sum(const std::vector<Place>& plus, const std::vector<Place>& minus, EquationInstance equation,
               const Add& add) const;

  World& world_;
  const model::Model& model_;
  const PlugEdges& edges_;
  const std::vector<std::uint8_t>& inner_;  ///< by plug: inner_plugs.h
  std::vector<std::uint8_t> given_;         ///< by edge
};

}  // namespace hyla::engine
