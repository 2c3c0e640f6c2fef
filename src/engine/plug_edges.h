// Which plugs are joined now. Kept up to date: what a change costs does not depend on other connections.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/scalarise.h"
#include "engine/world.h"

namespace hyla::engine {

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

  friend bool operator==(const PlugEdge& one, const PlugEdge& other) {
    return one.a == other.a && one.b == other.b && one.rank == other.rank && one.scope == other.scope;
  }
};

/// Edges by what they join.
class PlugEdges {
 public:
  std::uint32_t add(const PlugEdge& edge);
  void remove(std::uint32_t number);
  /// All numbers are below it.
  std::size_t bound() const { return edges_.size(); }
  const PlugEdge& operator[](std::size_t number) const { return edges_[number]; }
  std::span<const std::uint32_t> of(ObjectRef object) const;
  std::span<const std::uint32_t> at(const PlugFace& face) const;

 private:
  std::vector<PlugEdge> edges_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_object_;
  std::unordered_map<PlugFace, std::vector<std::uint32_t>, PlugFaceHash> by_face_;
};

/// What is remembered of World::joins and World::connected between two gatherings.
struct PlugMemory {
  struct KnownJoin {
    bool is_active = false;
    std::uint64_t serial = 0;          ///< in the order in which joins were made
    std::vector<PlugEdge> found;       ///< when it was last active
    std::vector<std::uint64_t> reads;  ///< slots through which its ends were found: object << 32 | slot
    std::vector<std::uint32_t> edges;  ///< while it is active: their numbers
  };
  PlugEdges edges;
  std::vector<std::uint8_t> inner;  ///< by plug: inner_plugs.h; empty before the first use
  std::vector<KnownJoin> joins;     ///< by World::joins
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> changing;  ///< by scope: joins that can change
  std::vector<std::uint32_t> unfound;                                      ///< joins with an end that is none
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> made;      ///< by World::connected: edges
  std::vector<std::uint32_t> changed_made;                                 ///< of those: taken up by the next update
  bool has_all_made = false;                                               ///< all were looked at
  std::uint64_t serial = 0;
  std::size_t most = 64;  ///< from so many joins on those of objects that have gone are thrown away
};

/// Brings what is remembered up to date.
class PlugUpdate {
 public:
  PlugUpdate(World& world, Scalariser& scalariser, PlugMemory& memory)
      : world_(world), model_(world.model), scalariser_(scalariser), memory_(memory) {}

  /// Looks at joins in the bodies of the objects again, and at new ones. Adds the objects at whose plugs something has
  /// changed. False: an end cannot be found, told in the scalariser's sink.
  bool update(std::span<const ObjectRef> scopes, std::vector<ObjectRef>& concerned);

 private:
  void throw_away();
  void add_new(std::vector<ObjectRef>& concerned, bool& good);
  bool look_at(std::uint32_t number, std::vector<ObjectRef>& concerned);
  bool find_ends(const Join& join, PlugMemory::KnownJoin& known, std::vector<PlugEdge>& found);
  void remove_edges(PlugMemory::KnownJoin& known, std::vector<ObjectRef>* concerned);
  void take_made(std::uint32_t number, std::vector<ObjectRef>& concerned);
  PlugEdge edge_of(const PlugEnd& a, const PlugEnd& b, std::uint64_t rank, ObjectRef scope, diag::Span span) const;

  World& world_;
  const model::Model& model_;
  Scalariser& scalariser_;
  PlugMemory& memory_;
};

/// The slot of a field of the plug.
std::uint32_t plug_slot(const World& world, const PlugEnd& end, std::size_t field = 0);
PlugFace face_of(const World& world, const PlugEnd& end);
/// Whether both plugs and the object whose text joins them have not gone.
bool is_there(const World& world, const PlugEdge& edge);

}  // namespace hyla::engine
