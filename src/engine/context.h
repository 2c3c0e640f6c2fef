// What all parts of a run share: the world, the time, the agenda of the present instant, and who is told what happened.
//
// The parts are functions over this context, in files named after what they do: watch (conditions and formulas),
// charts, messages, mailboxes, processes, devs, timers. The loop that calls them is run.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "code/machine.h"
#include "engine/advance.h"
#include "engine/calendar.h"
#include "engine/observer.h"
#include "engine/run.h"
#include "engine/world.h"

namespace hyla::engine {

enum class EventKind : std::uint8_t {
  Condition,       ///< index: watch
  Timeout,         ///< index: reaction
  ProcessTime,     ///< index: process; object: its owner
  ProcessUntil,    ///< index: process: a condition that it waits for may hold
  Message,         ///< index: port
  Signal,          ///< index: signal
  MailboxMessage,  ///< index: mailbox: a message is delivered into it
  Arrival,         ///< index: mailbox: a message was put into it
  Output,          ///< of an atomic model
  Devs,            ///< transition of an atomic model
  Settled,         ///< index: watch: a requirement over `time` is to be looked at
  Requirement,     ///< index: requirement: a time of it has come; branch: 0 of `for`, 1 of `within`
  Begin,           ///< a new object's charts are entered
};

/// The order of kinds in an event step: new objects, crossings, time-outs, messages.
enum class Rank : std::uint8_t { Begin, Crossing, Timeout, Message };

struct alignas(64) Event {
  EventKind kind{};
  Rank rank = Rank::Crossing;
  bool in_calendar = false;
  bool for_atomic = false;  ///< Message: the receiver is an atomic model
  std::uint16_t priority_rank = 0;
  std::uint16_t branch = 0;  ///< ProcessTime: of its wait; Condition: 1 if it was scheduled for a time
  std::uint32_t place = 0;
  ObjectRef object;
  std::uint32_t index = 0;
  std::uint32_t extra = 0;   ///< of a process: its generation; of a message: the incarnation of its receiver
  std::uint32_t number = 0;  ///< in the order of scheduling
  Box* message = nullptr;
  ObjectRef sender;
  Sequence cause = 0;
  EventHandle next = 0;  ///< further deliveries of the same sending
};

struct AgendaEntry {
  std::uint64_t key = 0;  ///< its place in the order of the step; set when there are several
  std::uint32_t event = 0;
  std::uint32_t generation = 0;
  std::uint32_t number = 0;  ///< of the event: the order of scheduling decides where keys are equal
};

/// Something that was changed and is to be looked at.
struct Dirty {
  ObjectRef object;         ///< of a watch
  std::uint32_t index = 0;  ///< of the watch, link or process
  Sequence cause = 0;
};

/// States whose automatic transitions or `done` are to be tried.
struct Completion {
  ObjectRef object;
  Index state = kNone;
  bool done = false;
};

/// What sending needs of a port, close together: with many objects the time goes into fetching memory.
struct PortHead {
  ObjectRef owner;
  std::uint32_t number = 0;  ///< in the owner's class
  bool atomic_owner = false;
  bool is_end = false;  ///< what is sent directly to it goes nowhere else
};

/// Who takes a message.
struct Selected {
  Index reaction = kNone;
  Index state = kNone;  ///< whose reaction it is; none in a model's body
  const Pattern* pattern = nullptr;
  std::uint32_t process = kNone;  ///< instead of a reaction
  std::uint32_t branch = 0;       ///< of the process's wait
  std::uint32_t place = 0;        ///< order of the text
};

struct Choice {
  std::vector<Selected> selected;
  Index deferring_chart = kNone;  ///< a state of this chart keeps the message

  void clear() {
    selected.clear();
    deferring_chart = kNone;
  }
};

/// A process that begins when the present event has run to completion.
struct Starting {
  std::uint32_t process = 0;
  std::uint32_t generation = 0;
  Sequence cause = 0;
};

/// A requirement that was open when its state was left: whether it is met is seen when the instant has settled.
struct LeftRequirement {
  ObjectRef object;
  Index index = kNone;
  RequirementState state;
  Sequence cause = 0;
};

/// An object to be deleted at the end of the event step.
struct Doomed {
  ObjectRef object;
  bool with_exit = false;
  Sequence cause = 0;
};

/// Something to be told when the present event has run to completion.
struct Announcement {
  OccurrenceKind kind{};
  ObjectRef object;
  Sequence cause = 0;
  diag::Span span;
  std::string text;
};

/// The first time at which a variable has left its range.
struct Departure {
  double time = 0;
  std::string message, where;
};

class Following;

struct Run {
  Run(World& the_world, const RunOptions& the_options, Observer* the_observer, diag::Sink& the_sink,
      code::Host& host_of_run);

  World& world;
  const RunOptions& options;
  Observer* observer;                    ///< may be null
  Recorder* recorder = nullptr;          ///< may be null
  std::shared_ptr<Following> following;  ///< see follow.h; may be null
  diag::Sink& sink;
  code::Host& host;
  code::Machine machine;
  RunOutcome outcome;

  double now = 0;
  std::uint32_t step = 0;        ///< number in the instant
  std::uint64_t step_count = 1;  ///< running number of the event step
  std::uint64_t deferrals = 0;   ///< for DeferredMessage::age
  bool over = false;             ///< failed, terminated or interrupted: no further event
  bool terminating = false;      ///< at the end of the instant
  ObjectRef terminated_by;
  std::uint16_t default_priority = 0;  ///< rank of @priority(0)
  bool has_priorities = false;
  random::Stream order_stream;  ///< for `random_order`

  std::vector<PortHead> port_heads;            ///< by port
  std::vector<code::ObjectHead> object_heads;  ///< by object: what reading through references needs

  Calendar calendar;
  std::vector<Event> events;    ///< by their numbers in the calendar
  std::uint32_t scheduled = 0;  ///< events so far
  std::vector<AgendaEntry> current, next;

  // What happens now.
  Sequence sequence = 0;  ///< of the last occurrence
  Sequence cause = 0;     ///< what is happening now: the cause of what is sent and changed
  bool tells = false;     ///< somebody wants occurrences
  Happening happening;    ///< what acts now, or acted last
  std::vector<TraceStep> trace;
  ObjectRef leaving;               ///< whose states `left_states` are
  std::vector<Index> left_states;  ///< of the object whose event runs: states left since the event began
  std::vector<Completion> completions;
  std::vector<Starting> starting;
  Choice choice;  ///< of the message that arrives now

  // Objects that come and go.
  std::vector<Doomed> doomed;
  std::vector<ObjectRef> left_parts;  ///< declared in states that were left in this event step
  std::vector<Announcement> announcements;
  std::vector<std::uint32_t> free_joinings;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> joinings_of;  ///< by object: World::connected
  std::uint64_t living = 0;  ///< objects made while the model runs that exist now

  // What is to be looked at between steps, and when the instant has settled.
  bool dirty = false;  ///< one of the first four lists has something
  std::vector<Dirty> dirty_formulas, dirty_links, dirty_conditions, dirty_processes, dirty_settled;
  std::vector<Dirty> fresh_definitions;  ///< formulas that became active and may share their variable with others
  std::vector<std::uint64_t> observed;   ///< reads of the traced program that runs
  bool tracing_reads = false;
  std::vector<std::uint32_t> free_watchers, free_processes;
  std::vector<LeftRequirement> left_requirements;
  std::map<std::pair<std::uint32_t, Index>, std::uint32_t> shared_records;  ///< by plan and requirement

  // Starts to be found: initial_start.h.
  bool entering = false;       ///< objects are entered one after the other; then all starts are found together
  std::size_t starts_due = 0;  ///< objects with Object::start_due
  bool is_starting = false;    ///< since the start nothing has happened but transitions by conditions: found_start.h
  /// By their numbers: which of their states begin; kNone: the object itself.
  std::unordered_map<std::uint32_t, std::vector<Index>> entered;

  // Islands.
  IslandCalendar islands;
  solve::RootIsolator isolator;
  std::vector<std::uint32_t> touched_clusters;
  std::vector<std::uint32_t> restless_clusters;  ///< read what only the machine can compute: looked at in every step
  std::vector<double> state_buffer, band_buffer;
  std::vector<std::uint8_t> activity_buffer, flag_buffer;
  std::vector<std::unique_ptr<Island>> island_buffer;
  std::vector<std::pair<std::uint32_t, double>> mode_buffer;  ///< modes that change, with their values
  std::vector<solve::Crossing> function_crossings;
  int turns = 1000;                              ///< so many steps are taken before others get their turn
  std::vector<double> iterate_buffer;            ///< of loops, while a row is recorded
  std::vector<std::uint32_t> recorded_clusters;  ///< those that the recorder reads
  std::vector<ObjectRef> recorded_objects;       ///< of the recorder's places
  std::size_t recorded_places = 0;               ///< so many of them were looked at
  std::vector<ObjectRef> changed_structure;      ///< see regather.h

  // Ranges of variables: ranges.h.
  bool looks_at_ranges = true;                                    ///< false: values are only tried
  std::map<std::uint32_t, Departure> departures;                  ///< by variable
  std::vector<std::pair<ObjectRef, std::uint32_t>> noted_ranges;  ///< slots to be looked at in the settled instant

  Coverage* coverage = nullptr;  ///< null: nothing is counted
  std::vector<std::uint32_t> first_branches;
  std::vector<std::uint64_t> fired_reactions, fired_processes, fired_atomics;  ///< by id
  std::vector<ObjectRef> reactions_of, processes_of, atomics_of;               ///< by id: where it fired last

  Object& object(ObjectRef ref) { return world.objects[ref.index]; }
};

// --- events and agenda (agenda.cpp) ---------------------------------------------------------------

/// An event for the next step of this instant, or for a later time. Gives the handle by which it can be taken back.
EventHandle schedule(Run& run, double time, const Event& event);
EventHandle schedule_next(Run& run, const Event& event);
void cancel(Run& run, EventHandle handle);
/// Moves what is due into `current`, in the order of the step. `first` is out of the calendar already; kNone: none is.
void compose_step(Run& run, std::uint32_t first);

// --- telling (telling.cpp) ------------------------------------------------------------------------

/// Begins an occurrence: it gets its number, and what happens from now on is caused by it.
inline void begin(Run& run) {
  run.cause = ++run.sequence;
  run.trace.clear();
}
/// Tells the observer of it; sequence and time are filled in.
void tell(Run& run, Occurrence occurrence);
/// Adds to the occurrence; only if `run.tells`.
inline void trace(Run& run, TraceStep step) { run.trace.push_back(std::move(step)); }
/// "in `Plant.valve[2]` at t = 3.5 s, in state light.On".
std::string circumstances(const Run& run, const Object& object, double time);
/// A run-time failure at a place, in an object.
void fail(Run& run, diag::Kind kind, const Object& object, diag::Span span, const std::string& message,
          const std::string& hint = "");
/// The failure that the machine reports.
void fail_by_machine(Run& run, const Object& object);
void warn(Run& run, diag::Kind kind, const Object& object, diag::Span span, const std::string& message,
          const std::string& hint = "");

/// Runs a program of an object; a failure ends the run. False then.
inline bool execute(Run& run, Object& object, const code::Program* program, std::span<const Slot> inputs,
                    Slot* result = nullptr) {
  if (program == nullptr) return true;
  if (run.machine.run(*program, object.self, object.slots, inputs, result) == code::Status::Finished) [[likely]] {
    return !run.over;
  }
  fail_by_machine(run, object);
  return false;
}

}  // namespace hyla::engine
