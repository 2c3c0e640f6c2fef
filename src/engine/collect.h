// The equations and conditions of some objects in scalar form, and who reads what. The first half of gathering.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/cluster.h"
#include "engine/initial_gather.h"
#include "engine/known_gatherings.h"
#include "engine/place_claims.h"
#include "engine/plug_sets.h"
#include "engine/scalarise.h"

namespace hyla::engine {

/// Whether an object has not gone. One declared in a state is there while the state is not active, too.
inline bool is_there(const World& world, ObjectRef object) { return object && world.object(object).self == object; }

/// What an object gives that has to do with nobody else: the same for all objects of its plan.
struct Lone {
  struct Watch {
    Index watch = kNone;
    std::uint32_t condition = 0;  ///< its number in the cluster; of a formula: unused
  };
  Shape* shape = nullptr;
  std::vector<Watch> watches;                  ///< those that the cluster looks at
  std::vector<std::unique_ptr<Cluster>> idle;  ///< of objects that have gone, to be used again
};

/// What the world remembers between two gatherings.
struct GatheringMemory {
  /// Notes what an object reads, instead of what was noted before.
  void note(ObjectRef reader, ReadNotes fresh);
  void forget(ObjectRef reader);
  bool has_notes(ObjectRef reader) const {
    const auto found = notes.find(reader.index);
    return found != notes.end() && !(found->second == ReadNotes());
  }

  /// A slot of an object that another object's equations or conditions read.
  struct ForeignRead {
    std::uint32_t slot = 0;
    ObjectRef reader;
  };
  std::unique_ptr<Scalariser> scalariser;
  std::unordered_map<std::uint32_t, std::vector<ForeignRead>> readers;  ///< by object that is read
  std::unordered_map<std::uint32_t, ReadNotes> notes;                   ///< by reader
  PlugMemory plugs;
  std::unordered_map<const Plan*, Lone> lone;
  /// The first object of a plan in the gathering with the number `stamp`.
  struct FirstOfPlan {
    ObjectRef object;
    std::uint32_t stamp = 0;
    bool was_sent = false;  ///< it was gathered ahead of the others, once for each plan
  };
  std::vector<FirstOfPlan> firsts;  ///< by plan
  KnownGatherings known;
  std::uint64_t unknown = 0;  ///< gatherings while the model ran that were not known
  GatheringGroup group;       ///< that is gathered now, kept for its memory
  /// Of this instant: what clusters that were taken apart have handed on, and what cannot be seen by comparing values.
  /// Of arrays in states the claim stands with the whole.
  PlaceClaims claims;
  /// Of the gathering under way, for their memory.
  std::vector<ObjectRef> marked, objects;
  std::vector<std::uint64_t> stamps;  ///< by object: number of the gathering for which it was last marked, generation
  std::uint32_t stamp = 0;
  std::vector<std::uint32_t> waiting;  ///< processes
  bool is_complete = false;            ///< all objects have been looked at; false while nothing is continuous
};

class Collection {
 public:
  Collection(World& world, GatheringMemory& memory, diag::Sink& sink);

  /// Takes up the equations of objects, and the links from or to them, each once.
  void add_equations(const std::vector<ObjectRef>& objects);
  /// Takes up their conditions. `varies` tells of a place whether it can vary.
  template <class Varies>
  void add_conditions(const std::vector<ObjectRef>& objects, const Varies& varies);

  std::vector<EquationInstance> equations;
  std::vector<ConditionInstance> conditions;
  std::unordered_map<Place, std::vector<std::uint32_t>, PlaceHash> readers;  ///< equations, by what they read
  std::unordered_set<std::uint32_t> special;     ///< objects whose equations depend on more than their class
  std::unordered_set<std::uint32_t> individual;  ///< of those: on more than what they are linked and joined with

 private:
  void add_plug_equations(const std::vector<ObjectRef>& objects);
  void add_equation(const Object& object, const PlanEquation& equation);
  void add_link(std::uint32_t number);
  template <class Write>
  void add_all(const EquationInstance& pattern, bool continued, Write&& write);
  bool add_condition(const Object& object, Index index, const PlanWatch& watch, ConditionInstance& instance);
  void refuse_number(const Object& object, const PlanWatch& watch);
  void add(EquationInstance instance);
  void note_reads(ObjectRef reader, const std::vector<Leaf>& operands);
  void note_structural(ObjectRef reader);
  template <class Visit>
  void each_link(ObjectRef object, Visit&& visit) const;
  bool is_number(model::Type type) const;

  World& world_;
  const model::Model& model_;
  GatheringMemory& memory_;
  diag::Sink& sink_;
  InitialEquations initial_;
  Homotopies homotopies_;
  std::vector<ScalarEquation> found_;
  std::vector<std::uint8_t> seen_links_;
  std::unique_ptr<PlugSets> plug_sets_;
};

/// Whether an operand is something that can vary.
template <class Varies>
bool can_vary(const std::vector<Leaf>& operands, const Varies& varies) {
  for (const Leaf& leaf : operands) {
    if (leaf.kind == Leaf::Kind::Derivative || (leaf.kind == Leaf::Kind::Value && varies(leaf.place))) return true;
  }
  return false;
}

template <class Varies>
void Collection::add_conditions(const std::vector<ObjectRef>& objects, const Varies& varies) {
  for (const ObjectRef ref : objects) {
    const Object& object = world_.object(ref);
    memory_.scalariser->is_general() = true;
    for (Index i = 0; i < object.plan->watches.size(); ++i) {
      const PlanWatch& watch = object.plan->watches[i];
      if (watch.kind == PlanWatch::Kind::Formula) continue;
      ConditionInstance instance;
      if (!add_condition(object, i, watch, instance)) continue;
      const bool is_continuous = can_vary(instance.scalar.operands, varies);
      if (watch.kind == PlanWatch::Kind::When || watch.kind == PlanWatch::Kind::Require) {
        if (is_continuous || watch.program == nullptr) conditions.push_back(std::move(instance));
      } else if (is_continuous) {
        refuse_number(object, watch);
      }
    }
    if (!memory_.scalariser->is_general()) {
      special.insert(ref.index);
      individual.insert(ref.index);
    }
    note_structural(ref);
  }
}

}  // namespace hyla::engine
