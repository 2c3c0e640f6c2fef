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
#include <limits>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/coverage.h"
#include "engine/observer.h"
#include "engine/world.h"
#include "solve/integrator.h"

namespace hyla::code {
class NativeCompiler;
}

namespace hyla::engine {

/// What follows when events accumulate at a point in time.
enum class Zeno : std::uint8_t { Stop, Slide, Continue };
/// Whether hot equations are compiled to machine code.
enum class Jit : std::uint8_t { Auto, On, Off };

/// How equations are solved over time.
struct ContinuousOptions {
  solve::Method method = solve::Method::Auto;
  double relative_tolerance = 1e-6;
  double absolute_tolerance = 1e-9;
  double fixed_step = 0;   ///< of methods with a fixed step; 0: the output interval
  bool one_sided = false;  ///< boundaries are approached from inside: for equations that are undefined beyond
  double gamma = 0.6;      ///< of one_sided: part of the distance to the boundary that a step leaves, 0 < gamma < 1
  Zeno zeno = Zeno::Stop;
  Jit jit = Jit::Auto;
  code::NativeCompiler* native = nullptr;  ///< makes machine code; null: there is none. Outlives the world
  /// Makes integrators, also those of other libraries; null for a method that is not there.
  std::unique_ptr<solve::Integrator> (*make_integrator)(solve::Method) = solve::make_integrator;
};

struct Checkpointing;
class Follower;

struct RunOptions {
  double start_time = 0;
  double stop_time = 10;
  bool random_order = false;                 ///< simultaneous events in an order drawn from the seed
  bool keep_going = false;                   ///< a violated requirement does not end the run
  std::uint32_t step_limit = 10000;          ///< event steps in one instant
  std::uint64_t event_limit = UINT64_MAX;    ///< ends the run in order
  std::uint64_t loop_limit = 1'000'000'000;  ///< turns of loops and calls of functions in one event
  std::uint64_t queue_limit = 1000000;     ///< messages in one mailbox, deferred by one object; processes of one object
  std::uint64_t object_limit = 1'000'000;  ///< objects made while the model runs that exist at one time
  bool coverage = false;                   ///< count what is reached: RunOutcome::coverage
  unsigned threads = 1;                    ///< that step islands; the results do not depend on it
  ContinuousOptions continuous;
  Checkpointing* checkpointing = nullptr;  ///< see checkpoint.h; null: the run goes from its start and is not kept
  Follower* follower = nullptr;            ///< see follow.h; may be null. Not with a checkpoint
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

enum class Verdict : std::uint8_t {
  NeverTested,  ///< its state was not entered, or its trigger has not come
  Held,
  Undecided,  ///< the run was over before it was met or broken
  Violated,
};

/// What came of a requirement of an object. Objects made while the model runs share one record.
struct RequirementRecord {
  model::RequirementId requirement;
  std::string object;   ///< path; of objects made while the model runs: empty
  std::string indices;  ///< of the families around it: `i = 2`
  Verdict verdict = Verdict::NeverTested;
  std::uint64_t tests = 0;  ///< how often it began to count
  std::uint64_t violations = 0;
  double violated_at = std::numeric_limits<double>::quiet_NaN();  ///< for the first time
  std::string violated_by;                                        ///< path of the object
  /// The smallest signed distance of its condition from being broken; if it was not met: of the nearest approach.
  /// Infinite if nothing was measured.
  double margin = std::numeric_limits<double>::infinity(), margin_at = std::numeric_limits<double>::quiet_NaN();
  /// The least time that was left when it was met in time (`within`), or mended (`for`). Infinite: never.
  double spare = std::numeric_limits<double>::infinity(), spare_at = std::numeric_limits<double>::quiet_NaN();
};

/// Whose error was the largest in how many of the steps that were looked at.
struct LimitCount {
  std::string variable;
  std::uint64_t count = 0;
};

/// What an island took, in all configurations in which it had the same first state.
struct IslandCost {
  std::string variable;    ///< its first state
  std::size_t states = 0;  ///< most at one time
  std::uint64_t steps = 0, rejected = 0, evaluations = 0;
  double seconds = 0;  ///< an estimate from timed steps
};

/// Who is to blame for the work: the first few of each, largest first.
struct Blame {
  std::uint64_t looks = 0;  ///< steps that were looked at
  std::vector<LimitCount> limits;
  std::vector<IslandCost> islands;
  double seconds = 0;  ///< of all islands
};

/// What solving the equations took, summed over all islands. All zero in a model without equations over time.
struct ContinuousWork {
  std::uint64_t islands = 0;         ///< most at one time
  std::uint64_t configurations = 0;  ///< different ones that were analysed
  std::uint64_t steps = 0, rejected = 0;
  std::uint64_t evaluations = 0, jacobians = 0, factorisations = 0;
  std::uint64_t to_stiff = 0, to_nonstiff = 0;  ///< switches of `auto`
  std::uint64_t crossings = 0;                  ///< of conditions, located
  std::uint64_t uncleared = 0;                  ///< pieces of steps in which a crossing could not be excluded
  std::uint64_t loops = 0, iterations = 0;      ///< algebraic loops solved, and what they took
  std::vector<solve::Method> methods;           ///< that took steps, each once, in their order
  unsigned threads = 1;
  Blame blame;
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
  std::vector<RequirementRecord> requirements;
  Coverage coverage;  ///< empty unless it was asked for
  ContinuousWork continuous;
};

/// Runs the world once. Failures and warnings go to the sink, with object, time, active states and place. `observer`
/// and `recorder` may be null.
RunOutcome run(World& world, const RunOptions& options, Observer* observer, diag::Sink& sink,
               Recorder* recorder = nullptr);

}  // namespace hyla::engine
