// A run: from the built world to its end.
//
//     initialise: enter the charts of all objects, bring formulas up to date
//     while the calendar has an entry at t <= stop
//         settle(t): event steps until nothing is due
//         observe:   statistics and requirements see the settled values
//
// An event step runs all events that are due, in their order, each to completion; what they send or raise belongs to
// the next step. Same world, same options: same trace, bit for bit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/observer.h"
#include "engine/world.h"

namespace hyla::engine {

struct RunOptions {
  double start_time = 0;
  double stop_time = 10;
  bool random_order = false;                 ///< simultaneous events in an order drawn from the seed
  bool keep_going = false;                   ///< a violated requirement does not end the run
  std::uint32_t step_limit = 10000;          ///< event steps in one instant
  std::uint64_t event_limit = UINT64_MAX;    ///< ends the run in order
  std::uint64_t loop_limit = 1'000'000'000;  ///< turns of loops and calls of functions in one event
  std::uint64_t queue_limit = 1000000;  ///< messages in one mailbox, deferred by one object; processes of one object
};

enum class Ending : std::uint8_t {
  StopTime,     ///< reached
  Exhausted,    ///< nothing more can happen; the statistics run on to the stop time
  Terminated,   ///< by an action
  Requirement,  ///< violated
  EventLimit,   ///< reached
  Interrupted,  ///< the observer asked for it
  Failed,       ///< see the sink
};

/// How often something fired.
struct FireCount {
  model::ReactionId reaction;  ///< or
  model::ProcessId process;    ///< or an atomic model's transitions:
  model::ClassId atomic;
  std::uint64_t count = 0;
};

struct RunOutcome {
  Ending ending = Ending::StopTime;
  double time = 0;               ///< the last good time
  double last_instant = 0;       ///< when something happened for the last time
  std::string reason;            ///< of Terminated
  std::uint64_t events = 0;      ///< run to completion
  std::uint64_t steps = 0;       ///< event steps
  std::uint64_t instants = 0;    ///< times at which something happened
  std::uint64_t messages = 0;    ///< delivered
  std::uint64_t unhandled = 0;   ///< messages
  std::uint64_t violations = 0;  ///< of requirements
  std::vector<FireCount> fired;  ///< most frequent first
};

/// Runs the world once. Failures and warnings go to the sink, with object, time, active states and place. `observer`
/// may be null.
RunOutcome run(World& world, const RunOptions& options, Observer* observer, diag::Sink& sink);

}  // namespace hyla::engine
