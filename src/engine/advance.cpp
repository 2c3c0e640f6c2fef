#include "engine/advance.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "engine/blame.h"
#include "engine/collect.h"
#include "engine/commutation.h"
#include "engine/follow.h"
#include "engine/gauges.h"
#include "engine/island_errors.h"
#include "engine/islands.h"
#include "engine/jacobian.h"
#include "engine/modes.h"
#include "engine/one_sided_run.h"
#include "engine/ranges.h"
#include "engine/search.h"
#include "engine/select_states.h"
#include "engine/tolerances.h"
#include "engine/until.h"
#include "engine/watch.h"
#include "engine/zeno.h"

namespace hyla::engine {

namespace {

/// With many islands the time goes into fetching memory: what the event of an island will need is fetched while the one
/// before it still runs.
void prefetch(const void* memory, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(static_cast<const char*>(memory) + i);
}

/// From the island itself, fetched by `arrive`, to what it refers to.
void prefetch_surroundings(const Island& island) {
  prefetch(&island.cluster, sizeof(Cluster));
  prefetch(island.integrator.get(), sizeof(solve::Integrator));
}

void prefetch_values(const Run& run, const Cluster& cluster) {
  constexpr std::size_t kMost = 512;
  prefetch(cluster.values.data(), std::min(kMost, cluster.values.size() * sizeof(double)));
  const Object& object = run.world.objects[cluster.objects.front().index];
  prefetch(&object, sizeof(Object));
}

void start(Run& run, Island& island) {
  const Cluster& cluster = island.cluster;
  const std::size_t size = island.plan->states.size();
  island.begin = island.end = run.now;
  island.restart = false;
  island.search = false;
  island.unproven = true;
  island.crossings.clear();
  island.passed = 0;
  island.next_is_event = false;
  island.next = run.now;
  if (size == 0) return;
  if (island.is_other_system && island.integrator) {
    add_work(run.outcome.continuous, *island.integrator);
    island.integrator.reset();
  }
  island.is_other_system = false;
  if (!island.integrator) {
    island.has_begun = false;
    island.integrator = run.options.continuous.make_integrator(run.options.continuous.method);
  }
  const bool again = std::exchange(island.has_begun, true);
  run.state_buffer.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    run.state_buffer[i] = cluster.values[shape_of(cluster).variables[island.plan->states[i]].value];
  }
  solve::Settings settings;
  settings.relative_tolerance = run.options.continuous.relative_tolerance;
  settings.absolute_tolerances = absolute_tolerances(run.options.continuous, *island.plan);
  settings.fixed_step = run.options.continuous.fixed_step;
  settings.first_step = first_step_after(run, cluster);
  settings.watched = !cluster.guards->searches[island.number].guards.empty();
  island.integrator->start(island.system, run.now, run.state_buffer.data(), settings, again);
}

/// Native code is asked for when so many instructions have been interpreted: about as long as loading the compiler
/// takes.
constexpr std::uint64_t kHot = 20'000'000;

void look_for_heat(const Run& run, IslandPlan& plan) {
  code::NativeCompiler* compiler = run.options.continuous.native;
  if (compiler == nullptr || plan.evaluation.is_native) return;
  const bool at_once = run.options.continuous.jit == Jit::On;
  if (!at_once && plan.evaluation.heat < kHot) return;
  make_native(plan.evaluation, *compiler);
  if (plan.jacobian) make_native(plan.jacobian->partials, *compiler);
  if (at_once) compiler->wait();
}

/// The outcome of an integrator's step is taken over.
bool take_step(Run& run, Island& island, solve::StepStatus status) {
  constexpr std::uint64_t kEvaluations = 8;  // of a step, about
  island.plan->evaluation.heat += kEvaluations * island.plan->evaluation.cost;
  look_for_heat(run, *island.plan);
  if (status != solve::StepStatus::Good) {
    report_step(run, island, status);
    return false;
  }
  island.begin = island.integrator->begin();
  island.end = island.integrator->end();
  island.time_scale = island.end - island.begin;
  look_at_step(island);
  watch_selection(island);
  return true;
}

bool integrate(Run& run, Island& island, double limit) {
  return take_step(run, island, island.integrator->step(limit));
}

/// One step that does not cross a boundary, or the event at the boundary.
void step_one_sided(Run& run, Island& island) {
  double limit = run.options.stop_time;
  if (arrive_one_sided(run, island, limit)) return;
  while (integrate(run, island, limit)) {
    search(run, island, island.begin);
    if (!island.next_is_event) return;
    limit = shorten_one_sided(run, island, island.begin);
    if (std::isnan(limit)) return;
    island.integrator->cut(island.begin);
  }
}

/// One step, and what it crosses.
void prepare(Run& run, Island& island) {
  measure(run, island, island.end);
  if (!island.cluster.ranges_are_known || island.cluster.ranges) look_at_end(run, island);
  island.cluster.synchronised = std::numeric_limits<double>::quiet_NaN();
  pass_crossings(island, island.end);
}

void step_untimed(Run& run, Island& island) {
  const double stop = run.options.stop_time;
  prepare(run, island);
  if (island.integrator) {
    if (run.options.continuous.one_sided) {
      step_one_sided(run, island);
    } else if (integrate(run, island, stop)) {
      search(run, island, island.begin);
    }
    plan_selection(run, island);
    return;
  }
  island.begin = island.end;
  if (island.idle_step == 0) {
    const double span = stop - run.options.start_time;
    island.idle_step = std::isfinite(span) ? span / 100 : 1;
  }
  const bool watches = !island.cluster.guards->searches[island.number].guards.empty();
  island.end = watches ? std::min(stop, island.begin + island.idle_step) : stop;
  search(run, island, island.begin);
}

void step(Run& run, Island& island) {
  if (!is_timed(island)) [[likely]] {
    step_untimed(run, island);
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  step_untimed(run, island);
  island.blame.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Crossings that are no further behind a scheduled event, in units of the last place, belong to its instant.
constexpr double kReach = 16;

/// Modes take the values of the crossings that are due.
void apply_due(Run& run, Island& island) {
  Cluster& cluster = island.cluster;
  const GuardPlan::Search& plan = cluster.guards->searches[island.number];
  run.cause = cluster.since.sequence;
  code::run(cluster.guards->relations, cluster.values.data());
  bool only_crossed = cluster.only_crossed || !cluster.touched;
  for (; island.passed < island.due; ++island.passed) {
    const solve::Crossing& crossing = island.crossings[island.passed];
    if (crossing.relation >= plan.guards.size()) {
      leave_surface(island);
      only_crossed = false;
      continue;
    }
    const GuardPlan::Guard& guard = cluster.guards->guards[plan.guards[crossing.relation]];
    const ShapeMode& mode = cluster.shape->modes[guard.mode];
    double& value = cluster.values[mode.value];
    const double g = cluster.values[guard.g];
    const double after = mode_after(mode.kind, value, crossing, g);
    const bool is_now =
        island.next - crossing.at <= 64 * std::numeric_limits<double>::epsilon() * std::abs(island.next);
    if (is_now) widen_bands(cluster, guard, 4 * std::abs(switching(mode.kind, value, g)));
    if (is_now && !is_momentary(mode.kind, crossing)) cluster.arrivals[guard.mode] = after;
    if (after == value) continue;
    value = after;
    only_crossed = only_crossed && mode.equation == kNone && !mode.inner;
    if (is_momentary(mode.kind, crossing)) {
      cluster.momentary.push_back(guard.mode);
    } else if (mode.equation != kNone) {
      cluster.changed_places[mode.value] = 1;
      island.restart = true;
      note_switch(run, cluster, guard.mode);
      const ShapeEquation& equation = cluster.shape->equations[mode.equation];
      cluster.since = {run.now, cluster.objects[equation.object], {}, {}, {}, equation.span, cluster.since.sequence};
    }
  }
  if (island.reselect && run.now >= island.end) {
    cluster.reselect = true;
    only_crossed = false;
  }
  touch(run, cluster.number);
  cluster.only_crossed = only_crossed;
  wake_waiting(run, cluster);
}

void end_momentary(Cluster& cluster) {
  if (cluster.momentary.empty()) return;
  for (const std::uint32_t mode : cluster.momentary) cluster.values[cluster.shape->modes[mode].value] = 0;
  cluster.momentary.clear();
  code::run(cluster.guards->truths, cluster.values.data());
}

}  // namespace

void resume_islands(Run& run) {
  if (run.world.gathering) run.world.gathering->claims.clear();
  if (const Island* next = run.islands.first()) prefetch_surroundings(*next);
  for (const std::uint32_t number : run.touched_clusters) {
    Cluster& cluster = *run.world.clusters[number];
    cluster.in_touched_list = false;
    if (cluster.configuration == nullptr) continue;
    if (!values_are_numbers(run, cluster)) return;
    look_at_settled(run, cluster);
    if (run.over) return;
    if (!cluster.momentary.empty()) {
      end_momentary(cluster);
      rearm_conditions(run, cluster);
    }
    if (cluster.commutation && !cluster.commutation->is_clear()) cluster.commutation->clear();
    if (cluster.found_start) cluster.found_start.reset();
    std::fill(cluster.bands.begin(), cluster.bands.end(), 0);
    std::fill(cluster.claims.begin(), cluster.claims.end(), Claim::Kept);
    std::fill(cluster.arrivals.begin(), cluster.arrivals.end(), std::numeric_limits<double>::quiet_NaN());
    for (const std::unique_ptr<Island>& island : cluster.islands) {
      if (island->restart) {
        start(run, *island);
      } else if (island->search || island->next_is_event) {
        // The crossing of another relation at the same time was not found beside this one.
        island->unproven = island->unproven || island->next_is_event;
        search(run, *island, run.now);
        plan_selection(run, *island);
      }
      run.islands.put(*island);
    }
  }
  run.touched_clusters.clear();
}

namespace {

/// Islands whose steps begin at one time take them on several threads: each touches its own cluster only. What follows
/// from a step is done in order, so nothing depends on the number of threads. False: there are too few.
bool step_together(Run& run, double limit) {
  constexpr std::size_t kWorthwhile = 64;
  if (run.options.threads < 2 || run.options.continuous.one_sided) return false;
  std::vector<Island*> together;
  const double time = run.islands.next_time();
  while (Island* next = run.islands.first()) {
    Island& island = *next;
    const bool takes_part = island.next == time && !island.next_is_event && island.integrator && time < limit &&
                            island.end < run.options.stop_time;
    if (!takes_part) break;
    together.push_back(&island);
    run.islands.pop();
  }
  const bool enough = together.size() >= kWorthwhile;
  if (enough) {
    std::vector<solve::StepStatus> outcomes(together.size());
    for (Island* island : together) prepare(run, *island);
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < run.options.threads; ++k) {
      threads.emplace_back([&, k] {
        for (std::size_t i = 0; i < together.size(); ++i) {
          if (together[i]->cluster.number % run.options.threads != k) continue;
          outcomes[i] = together[i]->integrator->step(run.options.stop_time);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < together.size() && !run.over; ++i) {
      if (take_step(run, *together[i], outcomes[i])) search(run, *together[i], together[i]->begin);
      plan_selection(run, *together[i]);
    }
  }
  for (Island* island : together) run.islands.put(*island);
  return enough;
}

}  // namespace

namespace {

/// Up to the end of the step that ends first every island has a step.
void follow_steps(Run& run, double limit) {
  const Island* first = run.islands.first();
  if (first != nullptr && !first->next_is_event) follow_to(run, std::min(first->next, limit));
}

}  // namespace

bool advance_islands(Run& run, double limit) {
  for (int turn = 0; turn < run.turns && !run.over; ++turn) {
    if (run.following) follow_steps(run, limit);
    if (run.options.threads > 1 && step_together(run, limit)) continue;
    Island* first = run.islands.first();
    if (first == nullptr || first->next_is_event) return true;
    Island& island = *first;
    if (island.end >= run.options.stop_time || island.next >= limit) return true;
    run.islands.pop();
    if (const Island* next = run.islands.first()) prefetch_values(run, next->cluster);
    step(run, island);
    run.islands.put(island);
  }
  return run.over;
}

/// A crossing is located to a few units in the last place of time: one just behind a scheduled event cannot be told
/// from one just before it, and crossings come before time-outs.
void arrive(Run& run) {
  const double reach = run.now + kReach * std::numeric_limits<double>::epsilon() * std::abs(run.now);
  while (Island* island = run.islands.first()) {
    if (island->next > reach || !island->next_is_event) {
      prefetch(island, sizeof(Island));
      return;
    }
    run.islands.pop();
    synchronise(run, island->cluster);
    if (run.over) return;
    apply_due(run, *island);
  }
}

}  // namespace hyla::engine
