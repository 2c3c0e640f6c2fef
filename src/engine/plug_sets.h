// Joined plugs as equations.
//
// A join names two places, whoever stands there. Plugs that are joined, directly or through others, form a set: its
// potentials are equal, its flows sum to zero. Flows count positive into the object; the container's own plug, joined
// in the container's body, counts with the opposite sign there. A plug that nobody joins from outside has flow zero.
// The sets follow from the joins that hold now; whoever changes these has the equations of the objects concerned
// gathered again.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/cluster.h"
#include "engine/scalarise.h"

namespace hyla::engine {

/// Slots through which the ends of joins were found, as object << 32 | slot, with the object whose text it is.
using FollowedPlaces = std::vector<std::pair<ObjectRef, std::uint64_t>>;

/// One side of a plug, or of an element of an array of plugs.
struct PlugFace {
  std::uint64_t plug = 0;  ///< object, slot, side
  std::uint32_t element = 0;
  friend bool operator==(const PlugFace&, const PlugFace&) = default;
};
struct PlugFaceHash {
  std::size_t operator()(const PlugFace& face) const {
    return std::hash<std::uint64_t>()(face.plug ^ std::uint64_t{face.element} * 0x9E3779B97F4A7C15U);
  }
};

/// Two plugs that are joined.
struct PlugEdge {
  PlugEnd a, b;
  PlugFace a_face, b_face;
  std::uint64_t rank = 0;  ///< in the order of all connections
  ObjectRef scope;         ///< whose text it is
  diag::Span span;
};

/// Edges by what they join.
class PlugEdges {
 public:
  void add(PlugEdge edge);
  void clear();
  std::size_t size() const { return edges_.size(); }
  const PlugEdge& operator[](std::size_t number) const { return edges_[number]; }
  std::span<const std::uint32_t> of(ObjectRef object) const;
  std::span<const std::uint32_t> at(const PlugFace& face) const;

 private:
  std::vector<PlugEdge> edges_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_object_;
  std::unordered_map<PlugFace, std::vector<std::uint32_t>, PlugFaceHash> by_face_;
};

/// What is remembered of World::joins between two gatherings.
struct PlugMemory {
  PlugEdges fixed;                      ///< of joins whose ends are the same as long as their scopes exist
  std::vector<std::uint32_t> variable;  ///< the other joins
  std::size_t seen = 0;                 ///< joins that are in one or the other
  std::size_t most = 64;                ///< from so many joins on those of objects that have gone are thrown away
};

/// The plugs of a world as they are joined now. What it costs to ask for an object depends on its own sets, and on
/// connections that can change.
class PlugSets {
 public:
  using Add = std::function<void(EquationInstance)>;

  PlugSets(World& world, Scalariser& scalariser, PlugMemory& memory);

  /// Finds the ends of joins. False: one cannot be found, told in the scalariser's sink.
  bool find(FollowedPlaces& followed);
  /// Gives the equations of the sets to which plugs of an object belong, unless they were given before, and of its open
  /// plugs. False: it has no plugs.
  bool give(const Object& object, const Add& add);

 private:
  bool find_ends(const Join& join, std::uint32_t number, PlugEdges& edges);
  bool find_new(FollowedPlaces& followed);
  void add_made();
  std::uint32_t slot_of(const PlugEnd& end, std::size_t field = 0) const;
  PlugFace face_of(const PlugEnd& end) const;
  PlugEdge edge_of(const PlugEnd& a, const PlugEnd& b, std::uint64_t rank, ObjectRef scope, diag::Span span) const;
  /// Fixed edges come first in the numbers of all.
  const PlugEdge& edge(std::size_t number) const;
  template <class Lookup, class Visit>
  void each(const Lookup& lookup, Visit&& visit) const;
  bool is_joined(const PlugFace& face) const;
  std::vector<std::size_t> set_of(std::size_t edge);

  const std::vector<model::Field>& fields_of(const PlugEnd& end) const;
  std::vector<Place> places_of(const PlugEnd& end, std::size_t field) const;
  bool is_present(const Object& object) const;
  void give_set(const std::vector<std::size_t>& edges, const Add& add) const;
  void add_potentials(const PlugEdge& edge, const Add& add) const;
  void add_flows(const std::vector<PlugEnd>& ends, const PlugEdge& first, const Add& add) const;
  void add_open(const Object& object, model::PlugId plug, const Add& add) const;
  void add_sum(const std::vector<Place>& plus, const std::vector<Place>& minus, EquationInstance equation,
               const Add& add) const;

  World& world_;
  const model::Model& model_;
  Scalariser& scalariser_;
  PlugMemory& memory_;
  PlugEdges others_;                 ///< of variable joins, and by actions
  std::vector<std::uint8_t> given_;  ///< by edge
};

}  // namespace hyla::engine
