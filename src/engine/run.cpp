// The loop, in the order of its specification:
//
//     begin:       bring formulas up to date, enter the charts of all objects in the order of creation (step 0);
//                  or take a checkpoint up
//     settle(t):   event steps until nothing is due; then structure that changed is gathered again and equations are
//                  solved, and if that makes a condition hold, the instant goes on
//     observe:     statistics and requirements see the settled values, islands start again
//     pass_time:   islands step to the first event, output or checkpoint
#include "engine/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "engine/begin_run.h"
#include "engine/checkpoint.h"
#include "engine/cycle.h"
#include "engine/definitions.h"
#include "engine/event_step.h"
#include "engine/finish_run.h"
#include "engine/follow.h"
#include "engine/islands.h"
#include "engine/ranges.h"
#include "engine/regather.h"
#include "engine/remove.h"
#include "engine/requirements.h"
#include "engine/run_loop.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- instants -------------------------------------------------------------------------------------

/// Event steps until nothing is due, then the settled values are observed.
void settle_instant(Run& run) {
  std::unique_ptr<CycleRecorder> cycle;
  while (!run.over) {
    if (run.dirty) {
      refresh(run);
      if (run.over) break;
    }
    if (run.next.empty() && run.calendar.next_time() > run.now) {
      if (!run.changed_structure.empty()) {
        regather(run, true);
        continue;
      }
      if (run.touched_clusters.empty()) break;
      refresh_clusters(run, true);
      if (run.next.empty() && !run.dirty) break;
      continue;
    }
    ++run.step;
    ++run.step_count;
    ++run.outcome.steps;
    if (run.step + CycleRecorder::kRemembered > run.options.step_limit) [[unlikely]] {
      if (!cycle) cycle = std::make_unique<CycleRecorder>(run);
      if (run.step > run.options.step_limit) {
        cycle->report(run);
        break;
      }
    }
    run_step(run);
    if (!run.doomed.empty() || !run.left_parts.empty()) remove_doomed(run);
  }
  if (!run.over && !run.fresh_definitions.empty()) check_definitions(run);
  if (!run.noted_ranges.empty()) look_at_noted(run);
  if (!run.over && (!run.dirty_settled.empty() || !run.left_requirements.empty())) settle(run);
  ++run.outcome.instants;
}

/// Tells how far the run is about a hundred times a second, without asking the clock at every instant, row or time
/// step: only as often as they take.
class ProgressMeter {
 public:
  explicit ProgressMeter(Run& run) : observer_(run.observer) {
    if (observer_ != nullptr) run.turns = 1;
  }

  void tick(Run& run) {
    if (observer_ == nullptr || ++ticks_ < stride_) return;
    ticks_ = 0;
    const auto now = Clock::now();
    const bool is_slow = now - std::exchange(asked_, now) >= kPause;
    if (is_slow) {
      run.turns = std::max(run.turns / 2, 1);
      stride_ = std::max(stride_ / 2, 1U);
    } else if (run.turns < kMostTurns) {
      run.turns *= 2;
    } else {
      stride_ = std::min(stride_ * 2, kMostTicks);
    }
    if (now - last_ < kPause) return;
    last_ = now;
    if (observer_->progress(run.world, run.now, run.outcome.events)) return;
    run.over = true;
    run.outcome.ending = Ending::Interrupted;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPause{10};
  static constexpr unsigned kMostTicks = 64;
  static constexpr int kMostTurns = 512;
  Observer* observer_;
  unsigned ticks_ = 0, stride_ = 1;
  Clock::time_point asked_ = Clock::now(), last_ = asked_;
};

// --- recording ------------------------------------------------------------------------------------

/// What loops of recorded clusters are iterated from. Computing a row changes it, so it is put back: who is told of a
/// run does not change it.
class KeptIterates {
 public:
  explicit KeptIterates(Run& run) : run_(run), clusters_(run.recorder == nullptr ? 0 : run.recorded_clusters.size()) {
    run.iterate_buffer.clear();
    each([&](Cluster&, double& value) { run.iterate_buffer.push_back(value); });
  }
  ~KeptIterates() { put_back(); }
  KeptIterates(const KeptIterates&) = delete;
  KeptIterates& operator=(const KeptIterates&) = delete;

  void put_back() {
    std::size_t next = 0;
    each([&](Cluster& cluster, double& value) {
      value = run_.iterate_buffer[next++];
      cluster.synchronised = std::numeric_limits<double>::quiet_NaN();
    });
    clusters_ = 0;
  }

 private:
  template <class Visit>
  void each(Visit&& visit) {
    for (std::size_t i = 0; i < clusters_; ++i) {
      Cluster* const cluster = run_.world.clusters[run_.recorded_clusters[i]].get();
      if (cluster == nullptr) continue;
      for (const std::unique_ptr<Island>& island : cluster->islands) {
        const IslandPlan& plan = *island->plan;
        for (const Loop& loop : plan.evaluation.loops) {
          for (const At place : loop.unknowns) visit(*cluster, cluster->values[place]);
        }
        if (plan.placed != kNowhere) visit(*cluster, cluster->values[plan.placed]);
        for (const auto& [value, derivative] : plan.moving) {
          visit(*cluster, cluster->values[value]);
          visit(*cluster, cluster->values[derivative]);
        }
      }
    }
  }

  Run& run_;
  std::size_t clusters_;
};

void record(Run& run, double time, RowKind kind, KeptIterates* kept = nullptr) {
  if (run.recorder == nullptr) return;
  const std::size_t places = run.recorder->places().size();
  run.recorder->row(run.world, time, kind);
  if (kept != nullptr) kept->put_back();
  if (run.recorder->places().size() != places) find_recorded(run);
}

// --- time -----------------------------------------------------------------------------------------

/// Time is `time` now, for everything that is recorded.
void bring(Run& run, double time) {
  follow_to(run, time);
  run.now = time;
  run.machine.time = time;
  for (const std::uint32_t number : run.recorded_clusters) {
    if (Cluster* cluster = run.world.clusters[number].get()) synchronise(run, *cluster);
  }
}

/// The first event that an island has found; infinity if there is none.
double next_crossing(Run& run) {
  const Island* island = run.islands.first();
  return island != nullptr && island->next_is_event ? island->next : kInfinity;
}

void reach_end(Run& run, bool exhausted) {
  run.outcome.ending = exhausted ? Ending::Exhausted : Ending::StopTime;
  run.step = 0;
  if (std::isinf(run.options.stop_time)) return;
  bring(run, std::max(run.now, run.options.stop_time));
  for (const std::unique_ptr<Cluster>& cluster : run.world.clusters) {
    if (cluster) synchronise(run, *cluster);
  }
}

/// A step has failed: everything up to its beginning is good.
void keep_last_values(Run& run) {
  bring(run, run.now);
  record(run, run.now, RowKind::End);
}

/// When the run is to be kept; infinity: it is not, or no longer.
double checkpoint_time(const Run& run) {
  const Checkpointing* wanted = run.options.checkpointing;
  return wanted != nullptr && wanted->taken.empty() && wanted->obstacle.empty() ? wanted->at : kInfinity;
}

/// Nothing is due any more up to the time of the checkpoint.
void keep_run(Run& run) {
  Checkpointing& wanted = *run.options.checkpointing;
  wanted.obstacle = find_obstacle(run);
  if (wanted.obstacle.empty()) take_checkpoint(run, wanted);
}

/// How far time has passed.
enum class Passed : std::uint8_t { ToInstant, ToHold, ToEnd };

/// Lets time pass up to the next instant, but not beyond `hold` nor beyond the end.
Passed pass_time(Run& run, ProgressMeter& meter, double hold) {
  while (!run.over) {
    const double scheduled = run.calendar.next_time();
    const double output = run.recorder != nullptr ? run.recorder->next_output() : kInfinity;
    const double kept = checkpoint_time(run);
    // What is due at the time of the checkpoint belongs into it, also what shows only when a step is to begin there.
    const double behind = std::nextafter(kept, kInfinity);
    while (!advance_islands(run, std::min({scheduled, output, run.options.stop_time, behind, hold}))) meter.tick(run);
    if (run.over) {
      if (run.outcome.ending == Ending::Failed) keep_last_values(run);
      return Passed::ToEnd;
    }
    const double next = std::min(scheduled, next_crossing(run));
    if (kept < std::min(next, output)) {
      keep_run(run);
      continue;
    }
    if (output < next && output <= run.options.stop_time) {
      {
        KeptIterates iterates(run);
        bring(run, output);
        if (!run.over) record(run, output, RowKind::Output, &iterates);
      }
      meter.tick(run);
      continue;
    }
    if (hold < std::min(next, run.options.stop_time)) {
      bring(run, hold);
      return run.over ? Passed::ToEnd : Passed::ToHold;
    }
    if (!(next <= run.options.stop_time) || std::isinf(next)) {
      reach_end(run, std::isinf(next) && run.world.clusters.empty());
      return Passed::ToEnd;
    }
    {
      KeptIterates iterates(run);
      bring(run, next);
      run.step = 0;
      if (run.over) return Passed::ToEnd;
      record(run, next, RowKind::BeforeEvent, &iterates);
    }
    arrive(run);
    return Passed::ToInstant;
  }
  return Passed::ToEnd;
}

/// Whether the run goes on from a checkpoint. If that does not fit, the run is over.
bool resume(Run& run) {
  Checkpointing* kept = run.options.checkpointing;
  if (kept == nullptr || kept->resume.empty()) return false;
  kept->fits = resume_checkpoint(run, *kept);
  run.over = !kept->fits;
  return true;
}

}  // namespace

struct RunLoop::State {
  State(World& world, const RunOptions& options, Observer* observer, diag::Sink& sink)
      : run(world, options, observer, sink, host), meter(run) {}

  RunHost host;
  Run run;
  ProgressMeter meter;
  RowKind kind = RowKind::Start;  ///< of the row after the next instant
  bool is_due = false;            ///< an instant is to be settled now
  bool has_ended = false;         ///< time has come to the end, or the run is over
};

RunLoop::RunLoop(World& world, const RunOptions& options, Observer* observer, diag::Sink& sink, Recorder* recorder)
    : state_(std::make_unique<State>(world, options, observer, sink)) {
  state_->run.recorder = recorder;
}

RunLoop::~RunLoop() { drop_pending(state_->run); }

Run& RunLoop::context() { return state_->run; }

bool RunLoop::start() {
  Run& run = state_->run;
  prepare_run(run, state_->host);
  if (resume(run)) {
    state_->kind = RowKind::AfterEvent;
    if (run.over) run.outcome.ending = Ending::Failed;
    is_good_ = !run.over;
  } else if (run.over) {
    state_->has_ended = true;
  } else {
    enter_objects(run);
    state_->is_due = true;
  }
  return is_good_;
}

void RunLoop::settle() {
  Run& run = state_->run;
  state_->is_due = false;
  settle_instant(run);
  if (!run.over) resume_islands(run);
  if (!run.over) record(run, run.now, std::exchange(state_->kind, RowKind::AfterEvent));
  follow_instant(run);
  state_->meter.tick(run);
  if (run.over || run.terminating) {
    state_->has_ended = true;
  } else {
    run.outcome.last_instant = run.now;
  }
}

bool RunLoop::step(double hold) {
  if (state_->is_due) {
    settle();
  } else if (!state_->has_ended) {
    const Passed passed = pass_time(state_->run, state_->meter, hold);
    state_->has_ended = passed == Passed::ToEnd;
    if (passed == Passed::ToHold) return false;
    if (passed == Passed::ToInstant) settle();
  }
  return !state_->has_ended;
}

bool RunLoop::has_ended() const { return state_->has_ended; }

void RunLoop::disturb() {
  Run& run = state_->run;
  run.step = 0;
  record(run, run.now, RowKind::BeforeEvent);
  state_->is_due = true;
}

RunOutcome RunLoop::finish() {
  Run& run = state_->run;
  if (is_good_) {
    if (run.terminating && !run.over) run.outcome.ending = Ending::Terminated;
    if (!state_->has_ended) run.outcome.ending = Ending::Interrupted;
    if (run.outcome.ending != Ending::Failed) record(run, run.now, RowKind::End);
    finish_run(run);
    end_following(run);
  }
  return std::move(run.outcome);
}

RunOutcome run(World& world, const RunOptions& options, Observer* observer, diag::Sink& sink, Recorder* recorder) {
  RunLoop loop(world, options, observer, sink, recorder);
  if (loop.start()) {
    while (loop.step(kInfinity)) {
    }
  }
  return loop.finish();
}

}  // namespace hyla::engine
