// What happened, told to whoever wants to know: recorders, tracers, debuggers. The engine owns this role; others fill
// it.
//
// An Occurrence is told when its event has run to completion. Nothing in it outlives the call. Without an observer
// nothing of it is put together.
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
  Require,    ///< a requirement is violated
  Terminate,  ///< an action ended the run
  Stop,       ///< the run reached its end
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
  std::string_view text;  ///< of Require and Terminate
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

}  // namespace hyla::engine
