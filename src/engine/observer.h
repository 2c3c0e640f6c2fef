// What happened, told to whoever wants to know: recorders, tracers, debuggers. The engine owns this role; others fill
// it.
//
// An Occurrence is told when its event has run to completion. Nothing in it outlives the call. Without an observer
// nothing of it is put together.
//
// A Recorder takes the values of variables at times that it names, and before and after each instant with events.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "code/slot.h"
#include "diag/source.h"
#include "model/model.h"

namespace hyla::engine {

class World;

enum class OccurrenceKind : std::uint8_t {
  Start,       ///< the charts of an object were entered
  Transition,  ///< a chart changed its state
  Reaction,    ///< an internal reaction to a condition, message or signal
  Timeout,     ///< an internal reaction to a time
  Message,     ///< a message was put into a mailbox
  Unhandled,   ///< nobody took a message
  Deferred,    ///< a message was kept for later
  Process,     ///< a process went on
  Output,      ///< an atomic model sent its output
  Internal,    ///< transitions of an atomic model
  External,
  Confluent,
  Create,      ///< an object was made by an action
  Delete,      ///< an object has gone
  Connect,     ///< a connection was made by an action
  Disconnect,  ///< and taken back
  Skipped,     ///< the receiver of a message has gone
  Require,     ///< a requirement is violated
  Terminate,   ///< an action ended the run
  Stop,        ///< the run reached its end
};
std::string_view name_of(OccurrenceKind kind);

/// One piece of what an event did, in order.
struct TraceStep {
  enum class Kind : std::uint8_t { Exit, Reaction, Choice, Entry, Final, Print };
  Kind kind = Kind::Reaction;
  model::StateId state;    ///< Exit, Entry
  model::ChoiceId choice;  ///< Choice
  model::ChartId chart;    ///< Final
  std::string text;        ///< Print
};

/// Running number of an occurrence, from 1; 0 for none. Also used as the cause of later ones.
using Sequence = std::uint64_t;

struct Occurrence {
  OccurrenceKind kind = OccurrenceKind::Start;
  Sequence sequence = 0;
  Sequence cause = 0;  ///< what sent the message, started the time-out, or changed what the condition reads
  double time = 0;
  std::uint32_t step = 0;  ///< number of the event step in its instant; 0 for the start
  code::ObjectRef object;
  model::ReactionId reaction;  ///< of transitions, reactions and time-outs
  model::ProcessId process;
  model::StateId state;                                     ///< the state whose reaction it is; none in a model's body
  model::EntityKind source_kind = model::EntityKind::None;  ///< Port, Mailbox or Signal: where a message came in
  std::uint32_t source = UINT32_MAX;                        ///< PortId, MailboxId or SignalId
  const code::Box* message = nullptr;
  code::ObjectRef sender;
  std::span<const TraceStep> steps;
  std::string_view text;  ///< of Require, Terminate, Connect and Disconnect
  diag::Span span;        ///< the place in the source that speaks
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void occurred(const World& world, const Occurrence& occurrence) = 0;
  /// Time is about to pass, or the run to end; at most about a hundred times a second of computing. False asks the run
  /// to end in order (Ctrl-C).
  virtual bool progress(const World& world, double time, std::uint64_t events) = 0;
  /// An action has printed something.
  virtual void printed(const World& world, double time, code::ObjectRef object, std::string_view text) = 0;
  /// Whether occurrences are wanted.
  virtual bool wants_occurrences() const = 0;
};

/// Why values are recorded.
enum class RowKind : std::uint8_t {
  Start,        ///< after the charts were entered and the start values found
  Output,       ///< a time that the recorder has asked for
  BeforeEvent,  ///< at the time of an instant, before its first event: the limits from the left
  AfterEvent,   ///< when the instant has settled
  End,          ///< at the end of the run; not if an instant failed half-way
};

/// Where a recorded value lies.
struct RecordedPlace {
  static constexpr std::uint32_t kScalar = UINT32_MAX;
  code::ObjectRef object;
  std::uint32_t slot = 0;
  std::uint32_t element = kScalar;  ///< of an array or record, from 0; kScalar: the slot itself
};

/// The role of trajectories. Between two rows nothing is asked of it, so it costs nothing where nothing is recorded.
///
/// In a call of row() the slots of places() hold their values at `time`; other slots may still hold older ones. Times
/// never decrease. An output time that is also the time of an instant gets no row of its own: the rows before and after
/// the events stand for it, and the recorder moves on to its next time.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// The next time at which an Output row is wanted; infinity if there is none. It changes only in row().
  virtual double next_output() const = 0;
  /// What is read. It may become more in row() and resume().
  virtual std::span<const RecordedPlace> places() const = 0;
  virtual void row(const World& world, double time, RowKind kind) = 0;
  /// A run is taken up again behind this time: rows up to there have been written.
  virtual void resume(const World& /*world*/, double /*time*/) {}
};

}  // namespace hyla::engine
