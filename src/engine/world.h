// The world of a run as data: objects with their slots, ports, mailboxes, statistics, processes. Who changes what
// stands in the files named after what happens; the run loop is in run.cpp.
//
// Everything refers to everything by index. The world owns all values; destroying it releases them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/pages.h"
#include "code/functions.h"
#include "code/heap.h"
#include "code/layout.h"
#include "code/machine.h"
#include "engine/calendar.h"
#include "engine/message_queue.h"
#include "engine/observer.h"
#include "engine/plan.h"
#include "model/model.h"
#include "random/stream.h"
#include "statistics/tally.h"
#include "statistics/time_weighted.h"

namespace hyla::engine {

using code::Box;
using code::ObjectRef;
using code::Slot;

/// Of one PlanWatch of one object.
struct WatchState {
  bool active = false;            ///< its body is active
  bool armed = false;             ///< When: fires if it holds
  bool dirty = false;             ///< is in a list to be looked at
  bool pending = false;           ///< When: its event is on the agenda
  bool in_cluster = false;        ///< continuous: evaluated with its cluster
  bool was_in_cluster = false;    ///< before its object was gathered again
  std::uint32_t watcher = kNone;  ///< if it is traced: into World::watchers
  std::uint32_t condition = 0;    ///< if it is a condition in a cluster: its number there
};

/// Of one timed reaction of one object.
struct Timer {
  EventHandle event = 0;
  double period = 0;        ///< Every: as evaluated at its start; Rate: the rate
  double base = 0;          ///< Every: where counting starts
  std::uint64_t count = 0;  ///< Every: how often it has fired
  Sequence cause = 0;
};

/// Of one PlanRequirement of one object.
struct RequirementState {
  bool active = false;     ///< its body is active
  bool open = false;       ///< it counts: its body is active, and its trigger has come
  bool triggered = false;  ///< its trigger held when it was last looked at
  bool broken = false;     ///< its condition did not hold then
  bool told = false;       ///< that it is violated
  double since = 0;        ///< it is open
  double broken_since = 0;
  double allowed = 0;                                                         ///< `for`, of the present break
  double deadline = 0;                                                        ///< `within`; infinite: none
  double nearest = -std::numeric_limits<double>::infinity(), nearest_at = 0;  ///< to what is to come, since it is open
  std::uint32_t record = kNone;                                               ///< into RunOutcome::requirements
  /// Of a condition and a goal over `time`: when they were last looked at, then the sides' distance and its slope, by
  /// relation.
  std::vector<double> condition_sides, goal_sides;
};

/// A message or signal on its way or kept.
struct Delivery {
  model::EntityKind source_kind = model::EntityKind::None;  ///< Port or Signal
  std::uint32_t source = 0;                                 ///< into World::ports; number of the signal
  Box* message = nullptr;
  ObjectRef sender;
  Sequence cause = 0;
};

struct DeferredMessage {
  Delivery delivery;
  Index chart = kNone;    ///< whose state deferred it
  std::uint64_t age = 0;  ///< the smallest is the oldest
};

/// What few objects need.
struct ObjectExtras {
  std::vector<DeferredMessage> deferred;
  std::vector<std::uint32_t> processes;  ///< running ones, into World::processes, by start; kNone for ended ones
  std::size_t ended_processes = 0;       ///< among them
  // Atomic models.
  double last_event = 0;
  double next_internal = 0;       ///< when its output is due
  EventHandle internal = 0;       ///< the event of its output
  std::uint64_t imminent_at = 0;  ///< number of the event step in which the transition after an output is due
  std::uint64_t queued_at = 0;    ///< number of the event step for which its transition is on the agenda
  std::vector<Box*> bags[2];      ///< messages by parity of the step in which they arrive
  bool has_subscribers = false;
  std::uint32_t structure_watcher = kNone;     ///< if its equations follow references
  std::uint32_t made = kNone;                  ///< population of the objects that it has made for no population
  std::vector<RequirementState> requirements;  ///< by Plan::requirements; empty before the first becomes active
};

struct alignas(64) Object {
  const Plan* plan = nullptr;
  Slot* slots = nullptr;
  random::Stream* streams = nullptr;  ///< by Plan::streams
  std::unique_ptr<ObjectExtras> extras;
  WatchState* watches = nullptr;
  Timer* timers = nullptr;
  ObjectRef self, parent;
  std::int32_t* history = nullptr;  ///< by PlanChart::history: last active state, -1 before the first visit
  model::PartId part;               ///< of the parent's class; none for the top object
  std::int32_t place = -1;          ///< in an array of parts, from 0
  std::uint32_t order = 0;          ///< of creation
  model::ClassId object_class;
  std::uint32_t cluster = kNone;     ///< into World::clusters
  std::uint32_t cluster_member = 0;  ///< its number in the cluster
  Index host_state = kNone;          ///< of a part declared in a state: that state, in the parent's plan
  bool exists = true;                ///< false: it was deleted, or is declared in a state that is not active
  bool doomed = false;               ///< to be deleted at the end of the event step
  bool begun = false;                ///< its charts have been entered
  bool entering = false;             ///< of a part declared in a state: the state was entered, its charts are next
  std::uint32_t incarnation = 0;     ///< of a part declared in a state: how often the state was left
  std::uint32_t population = kNone;  ///< of a member: into World::populations
  std::uint32_t member = 0;          ///< its place there
  bool start_due = false;            ///< it begins, or a state with equations in `initial` does: initial_start.h
};

/// Where a message sent at a port goes.
struct Receiver {
  bool is_mailbox = false;
  bool from_inside = false;  ///< in a list of joins: joined in the body of the port's own object
  std::uint32_t index = 0;
};

struct PortInstance {
  ObjectRef owner;
  std::uint32_t number = 0;  ///< in the owner's class
  model::PortId id;
  std::vector<Receiver> outside;                 ///< joined in the owner's container
  std::vector<Receiver> inside;                  ///< joined in the owner's own body
  std::vector<Receiver> receivers;               ///< of what the owner sends here; found at the first use
  std::vector<Receiver> direct;                  ///< of what others send to this port without a connection; likewise
  std::uint64_t resolved_at = 0, direct_at = 0;  ///< World::joinings when they were found
  bool reported = false;                         ///< that nobody is joined to it
};

struct MailboxInstance {
  model::MailboxId id;
  ObjectRef owner;
  std::vector<std::pair<ObjectRef, std::uint32_t>> members;  ///< objects and slots that know it: one, more if joined
  MessageQueue messages;                                     ///< in the order of taking
  std::vector<double> keys;                                  ///< if it is ordered
  const code::Program* order = nullptr;
  std::vector<std::uint32_t> waiting;  ///< processes that wait for a message here, longest first
  std::vector<std::uint32_t> ports;    ///< joined to it
};

/// The members of a population, in the order of creation.
struct PopulationInstance {
  ObjectRef owner;
  model::PartId part;  ///< none: of objects that the owner has made for no population
  std::uint64_t made = 0;
  std::vector<ObjectRef> members;  ///< none where one has gone
  std::size_t first = 0;           ///< none before it
  std::size_t size = 0;
};

struct StatisticInstance {
  model::StatisticId id;
  ObjectRef owner;
  std::variant<statistics::Tally, statistics::TimeWeighted> figures;  ///< of `tally`, of `accumulate`
};

struct ProcessInstance {
  std::uint32_t number = 0;  ///< its place in World::processes
  std::uint32_t place = 0;   ///< PlanProcess::place
  ObjectRef owner;
  Index process = kNone;
  std::uint32_t generation = 1;
  std::uint32_t list_place = 0;  ///< in the list of its owner
  bool running = false;          ///< exists
  bool waiting = false;
  bool at_mailbox = false;  ///< it stands in the list of a mailbox
  bool advancing = false;   ///< its program runs now
  bool queued = false;      ///< an event that lets it go on is on the agenda
  bool stopping = false;    ///< stopped while it runs: ends at its next wait
  code::Frame frame;
  std::vector<EventHandle> timers;  ///< one per branch of its wait point; 0 where there is none
  std::uint32_t timed = 0;          ///< how many of them there are
  std::uint32_t watcher = kNone;    ///< if it waits for a condition
  Sequence cause = 0;
};

/// A value that goes from one object to another while its state is active: `connect a.y -> b.u`, `b: B(u = e)`.
struct Link {
  ObjectRef scope;  ///< whose text it is
  Inputs inputs;
  const code::Program* value = nullptr;  ///< traced
  ObjectRef target;
  std::uint32_t slot = 0;
  bool boxed = false;
  Index state = kNone;  ///< of the scope
  std::uint32_t watcher = kNone;
  model::ExprId expr;                  ///< what `value` computes, for islands
  std::vector<model::LocalId> locals;  ///< the indices whose values the inputs are
  diag::Span span;
  bool in_cluster = false;  ///< continuous: evaluated with its cluster
  bool exists = true;       ///< false: its scope or target has gone, or it was disconnected; its number is free
  bool can_break = false;   ///< it reads objects that can go
  bool suspended = false;   ///< what it reads has gone: the target keeps its last value
  const code::Program* place = nullptr;  ///< if the target is in a dynamic part: finds it, in the scope
  /// Feeds elements of an array: their places in it, and what finds them in the scope (null if an action has).
  bool is_partial = false;
  std::vector<std::uint32_t> elements;
  const code::Program* find_elements = nullptr;

  /// Whether it gives the variable or the element its value.
  bool feeds(ObjectRef object, std::uint32_t variable, std::uint32_t element) const {
    if (!exists || target != object || slot != variable) return false;
    return !is_partial || std::find(elements.begin(), elements.end(), element) != elements.end();
  }
};

/// A connection made by an action.
struct Joining {
  bool exists = false;
  std::uint32_t generation = 1;
  model::ConnectionId connection;
  ObjectRef scope;
  ObjectRef from, to;  ///< in which it ends
  /// What is joined to what: ports and mailboxes by their numbers, plugs by their places in arrays of plugs, 0 for a
  /// single one. Of a value: in the second places the elements of an input, none for the whole of it.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::uint32_t link = kNone;  ///< of a value
};

/// One plug of an object, or one element of an array of plugs.
struct PlugEnd {
  ObjectRef object;
  model::PlugId plug;
  std::uint32_t element = 0;  ///< row by row from 0; 0 for a single plug
  bool own = false;           ///< joined in the body of its own object

  friend bool operator==(const PlugEnd&, const PlugEnd&) = default;
};

/// Plugs that are joined by a connection in a body. Its ends are found anew whenever equations are gathered.
struct Join {
  ObjectRef scope;  ///< whose text it is
  diag::Span span;
  model::ConnectionId connection;
  Inputs inputs;
  std::vector<model::LocalId> locals;  ///< the indices whose values the inputs are
  Index state = kNone;                 ///< of the scope
};

/// The `select` of an object: the order of simultaneous events of its parts.
struct Selection {
  ObjectRef container;
  std::vector<ObjectRef> order;             ///< `select [a, b];`
  const code::Program* function = nullptr;  ///< `select(imminent) { … }`
  diag::Span span;
};

/// Something that is told about changes found by tracing.
struct Watcher {
  enum class Kind : std::uint8_t { Free, Watch, Process, Link, Cluster, Structure };
  Kind kind = Kind::Free;
  ObjectRef object;         ///< Watch, Structure
  std::uint32_t index = 0;  ///< of the watch in its plan, of the process, link or cluster
  bool dirty = false;
  std::vector<std::uint64_t> reads;  ///< object index << 32 | slot
};

struct Cluster;
struct Opaque;
struct GatheringMemory;
struct StartChoices;
class Terms;
class TermTapes;
class Builder;
class CompiledModel;

/// Who had the number of an object before it: for the names of those that have gone.
struct FormerObject {
  std::uint32_t generation = 0;  ///< 0: nobody had
  ObjectRef parent;
  model::PartId part;
  std::int32_t place = -1;
  std::int64_t columns = 0;  ///< of the array of parts that it was in, if it was a matrix
};

class World {
 public:
  World(std::shared_ptr<CompiledModel> compiled, std::uint64_t seed, std::uint64_t substream);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Object& object(ObjectRef ref) { return objects[ref.index]; }
  const Object& object(ObjectRef ref) const { return objects[ref.index]; }
  bool is_alive(ObjectRef ref) const {
    if (ref.generation == 0) return false;
    const Object& one = objects[ref.index];
    return one.self.generation == ref.generation && one.exists;
  }
  /// Whether it and everything around it is there: parts declared in states come and go with them.
  bool exists(ObjectRef ref) const {
    while (ref && object(ref).exists) ref = object(ref).parent;
    return !ref;
  }
  /// `Plant.valve[2]`; `none` if it has gone.
  std::string path(ObjectRef ref) const;
  /// The same, of one that has gone too, unless the one that took its number has gone as well.
  std::string former_path(ObjectRef ref) const;
  /// As whom the object would be remembered if it went now.
  FormerObject identity(const Object& object) const;
  /// `light.On.Green`: the path of a state in its object.
  std::string state_path(model::StateId state) const;
  /// Paths of the active simple states of an object, in the order of the text.
  std::vector<std::string> active_states(ObjectRef ref) const;

  const std::shared_ptr<CompiledModel> compiled;
  const model::Model& model;
  const std::uint64_t seed, substream;
  const code::Layout& layout;
  code::Functions& functions;
  code::Heap heap;
  const std::vector<std::unique_ptr<Plan>>& plans;
  base::Pages<Object> objects;       ///< the top object first
  std::vector<FormerObject> former;  ///< by number; as long as is needed
  std::vector<PortInstance> ports;
  std::vector<MailboxInstance> mailboxes;
  std::vector<StatisticInstance> statistics;
  std::vector<PopulationInstance> populations;
  std::vector<std::unique_ptr<ProcessInstance>> processes;  ///< they stay where they are while others start
  std::vector<Link> links;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> links_of;  ///< by object: as scope or target
  bool links_are_indexed = false;                                          ///< links_of is filled when first needed
  std::vector<Joining> connected;                                          ///< by actions
  std::uint64_t joinings = 1;                                              ///< changes when ports are joined or parted
  std::vector<Join> joins;
  std::vector<Selection> selections;  ///< inner objects first
  std::vector<Watcher> watchers;
  std::uint32_t creations = 0;                                        ///< of objects so far
  std::uint32_t built = 0;                                            ///< how many of them were there before the run
  std::uint32_t recycled = 0;                                         ///< objects that have gone for good
  std::uint64_t gatherings = 0;                                       ///< of clusters, while the model runs
  std::unordered_map<std::uint32_t, std::vector<Slot>> start_values;  ///< of the slots of objects in states, by index
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> subscribers;  ///< Watcher::reads to watchers

  // Continuous quantities.
  Terms& terms;
  TermTapes& tapes;
  std::vector<Opaque> opaques;                     ///< of the equations that are being gathered
  std::vector<std::unique_ptr<Cluster>> clusters;  ///< null where one has gone
  std::vector<std::uint32_t> free_clusters;
  std::unique_ptr<GatheringMemory> gathering;
  std::unique_ptr<StartChoices> starts;  ///< which values are given at the start

  /// A parameter that the start computes, in some object.
  bool is_freed(model::VariableId variable) const;

  std::unique_ptr<Builder> builder;  ///< makes further objects while the model runs

 private:
  friend class Builder;

  std::string name_in_container(const FormerObject& object, model::ClassId object_class) const;

  std::vector<std::unique_ptr<std::byte[]>> arenas_;
};

}  // namespace hyla::engine
