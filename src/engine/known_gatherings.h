// Gatherings that were met before: a change of structure back to what was there, with the same objects or others like
// them, costs a look-up.
//
// What comes of gathering some objects depends on their plans, on how they are linked and joined, on where references
// lead that their equations follow, and of some objects on their parameters. This is written down as a key, with the
// numbers of the objects in the order of their creation in place of the objects. Objects whose equations depend on more
// than that stand for themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/world.h"

namespace hyla::engine {

struct Shape;
struct GatheringMemory;
class Gatherer;

/// What the equations and conditions of an object read of others, and the slots through which they find them.
struct ReadNotes {
  struct Read {
    ObjectRef source;
    std::uint32_t slot = 0;
    friend bool operator==(const Read&, const Read&) = default;
  };
  std::vector<Read> reads;
  std::vector<std::uint64_t> structural;  ///< object << 32 | slot

  friend bool operator==(const ReadNotes&, const ReadNotes&) = default;
};

/// Objects that are gathered together, in the order of their creation, and what the outcome depends on.
struct GatheringGroup {
  std::vector<ObjectRef> objects;
  std::vector<std::uint32_t> links;  ///< in the order of the key
  std::vector<std::uint64_t> key;
  bool is_known = false;  ///< all that the key depends on is known
};

struct KnownGathering {
  /// A cluster.
  struct Piece {
    Shape* shape = nullptr;
    std::vector<std::uint32_t> objects;          ///< by number; numbers behind the group's are those of outsiders
    std::uint32_t members = 0;                   ///< so many of them belong to it
    bool reads_others = false;                   ///< something that can change
    std::vector<std::unique_ptr<Cluster>> idle;  ///< that were made of it before, to be used again
  };
  /// A watch that a cluster looks at.
  struct Mark {
    std::uint32_t object = 0;
    Index watch = kNone;
    std::uint32_t condition = 0;
  };
  struct Notes {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reads, structural;  ///< object by number, slot
  };

  /// Those of one object, as they are to be noted now.
  ReadNotes notes_of(const GatheringGroup& group, std::size_t object) const;
  ObjectRef object(const GatheringGroup& group, std::uint32_t number) const {
    return number < group.objects.size() ? group.objects[number] : outsiders[number - group.objects.size()];
  }

  std::vector<std::uint64_t> key;
  std::vector<ObjectRef> outsiders;  ///< that are read
  std::vector<Piece> pieces;
  std::vector<Mark> marks;
  std::vector<std::uint8_t> links;  ///< whether a cluster looks at them
  std::vector<Notes> notes;         ///< by object
};

class KnownGatherings {
 public:
  /// Adds whoever is in a cluster or joined with the objects, and writes the key.
  void describe(World& world, const std::vector<ObjectRef>& objects, GatheringGroup& group);
  /// Null: it was not met, or something outside has changed.
  KnownGathering* find(World& world, const GatheringGroup& group);
  /// Keeps what has come of gathering a group, if nobody else was taken in.
  void keep(World& world, const Gatherer& gatherer, GatheringGroup& group);

  /// So many numbers are kept as keys; with 0 nothing is.
  void limit(std::size_t words) { most_words_ = words; }

  template <class Visit>
  void each_idle(Visit&& visit) const {
    for (const auto& [hash, list] : known_) {
      for (const std::unique_ptr<KnownGathering>& one : list) {
        for (const KnownGathering::Piece& piece : one->pieces) {
          for (const std::unique_ptr<Cluster>& cluster : piece.idle) visit(*cluster);
        }
      }
    }
  }

 private:
  /// What is known of the objects of a plan.
  enum class Nature : std::uint8_t { Unknown, General, Individual };

  void close(const World& world, const std::vector<ObjectRef>& objects, GatheringGroup& group);
  void take_in(const World& world, ObjectRef object, GatheringGroup& group);
  std::uint64_t number_of(ObjectRef object) const;
  bool is_inside(ObjectRef object) const;
  void write_objects(World& world, GatheringGroup& group);
  void write_structural(World& world, ObjectRef reader, GatheringGroup& group) const;
  void write_links(World& world, GatheringGroup& group) const;
  void write_joins(const World& world, GatheringGroup& group);
  Nature& nature_of(const Object& object);
  void learn(World& world, const Gatherer& gatherer);

  std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<KnownGathering>>> known_;
  std::size_t words_ = 0;  ///< of all keys
  std::size_t most_words_ = std::size_t{1} << 22;
  std::vector<Nature> natures_;  ///< by plan
  /// By object: the group that it was last in, and its number there.
  struct Seat {
    std::uint32_t stamp = 0, number = 0;
  };
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> clusters_;  ///< by cluster: the stamp of the group that it was last in
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> edges_;
};

}  // namespace hyla::engine
