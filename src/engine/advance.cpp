#include "engine/advance.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "engine/island_errors.h"
#include "engine/islands.h"
#include "engine/jacobian.h"
#include "engine/modes.h"
#include "engine/one_sided_run.h"
#include "engine/until.h"
#include "engine/watch.h"

namespace hyla::engine {

// --- calendar -------------------------------------------------------------------------------------

void IslandCalendar::put(Island& island) {
  if (island.seat == kNone) {
    if (free_seats_.empty()) {
      free_seats_.push_back(static_cast<std::uint32_t>(seats_.size()));
      seats_.emplace_back();
    }
    island.seat = free_seats_.back();
    free_seats_.pop_back();
  }
  const std::uint64_t order = std::uint64_t{island.cluster.number} << 32 | island.number;
  heap_.push_back({island.next, order, island.seat, ++seats_[island.seat].stamp, &island});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

const IslandCalendar::Entry* IslandCalendar::first() {
  while (!heap_.empty() && seats_[heap_.front().seat].stamp != heap_.front().stamp) pop();
  return heap_.empty() ? nullptr : &heap_.front();
}

void IslandCalendar::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  heap_.pop_back();
}

void IslandCalendar::retire(Island& island) {
  if (island.seat == kNone) return;
  ++seats_[island.seat].stamp;
  free_seats_.push_back(island.seat);
  island.seat = kNone;
}

void retire(Run& run, Island& island) {
  run.islands.retire(island);
  release(island);
  if (island.integrator) add_work(run.outcome.continuous, *island.integrator);
}

void count_work(Run& run) {
  ContinuousWork& work = run.outcome.continuous;
  std::uint64_t islands = 0;
  for (const std::unique_ptr<Cluster>& cluster : run.world.clusters) {
    islands += cluster->islands.size();
    work.loops += cluster->solver.work().solutions;
    work.iterations += cluster->solver.work().iterations;
    for (const std::unique_ptr<Island>& island : cluster->islands) {
      if (island->integrator) add_work(work, *island->integrator);
    }
  }
  work.islands = std::max(work.islands, islands);
  work.uncleared = run.isolator.uncleared();
}

namespace {

// --- relations over a step ------------------------------------------------------------------------

class IslandCourse final : public solve::Course {
 public:
  IslandCourse(Island& island, const GuardPlan::Search& search)
      : island_(island), cluster_(island.cluster), search_(search) {}

  std::size_t count() const override { return search_.functions.size(); }

  void sample(const double* times, std::size_t number, double* values) override {
    if (search_.direct) {
      sample_directly(times, number);
      const double* registers = cluster_.search_registers.data();
      for (std::size_t r = 0; r < count(); ++r) {
        std::copy_n(registers + search_.tape.outputs[r] * number, number, values + r * number);
      }
    } else {
      for (std::size_t k = 0; k < number; ++k) {
        evaluate(times[k]);
        for (std::size_t r = 0; r < count(); ++r) values[r * number + k] = cluster_.values[guard(r).g];
      }
    }
    for (std::size_t r = 0; r < count(); ++r) {
      if (!is_rounding(mode(r).kind)) continue;
      for (std::size_t k = 0; k < number; ++k) values[r * number + k] = switching_of(r, values[r * number + k]);
    }
  }

  double value(std::size_t function, double t) override {
    if (search_.direct) return switching_of(function, single(function, t));
    evaluate(t);
    return switching_of(function, cluster_.values[guard(function).g]);
  }

 private:
  static bool is_rounding(ModeKind kind) { return kind >= ModeKind::Floor && kind <= ModeKind::Truncate; }
  /// The first guard that uses a function.
  const GuardPlan::Guard& guard(std::size_t function) const {
    return cluster_.guards->guards[search_.guards[search_.functions[function][0].guard]];
  }
  const ShapeMode& mode(std::size_t function) const { return cluster_.shape->modes[guard(function).mode]; }
  double switching_of(std::size_t function, double g) const {
    const ShapeMode& record = mode(function);
    return is_rounding(record.kind) ? switching(record.kind, cluster_.values[record.value], g) : g;
  }

  void sample_directly(const double* times, std::size_t number) {
    const std::size_t states = island_.plan->states.size();
    std::vector<double>& registers = cluster_.search_registers;
    const std::size_t needed = (search_.tape.registers + states) * number;
    if (registers.size() < needed) registers.resize(needed);
    double* y = registers.data() + search_.tape.registers * number;
    if (states > 0) island_.integrator->interpolate(times, number, y);
    for (std::size_t k = 0; k < search_.inputs.size(); ++k) {
      double* input = registers.data() + k * number;
      if (search_.state_inputs[k] != kNone) {
        std::copy_n(y + search_.state_inputs[k] * number, number, input);
      } else if (search_.inputs[k] == kTime) {
        std::copy_n(times, number, input);
      } else {
        std::fill_n(input, number, cluster_.values[search_.inputs[k]]);
      }
    }
    code::load_constants(search_.tape, registers.data(), number);
    code::run(search_.tape, registers.data(), number);
  }

  double single(std::size_t relation, double t) {
    const GuardPlan::Search::Single& guard = search_.singles[relation];
    const std::size_t states = island_.plan->states.size(), size = search_.single_size;
    std::vector<double>& registers = cluster_.search_registers;
    if (registers.size() < size + states) registers.resize(size + states);
    double* values = registers.data();
    double* y = values + size;
    if (states > 0) island_.integrator->interpolate(t, y);
    for (const std::uint32_t input : guard.inputs) {
      const std::uint32_t state = search_.state_inputs[input];
      const At place = search_.inputs[input];
      values[input] = state != kNone ? y[state] : place == kTime ? t : cluster_.values[place];
    }
    for (const auto& [place, value] : guard.constants) values[place] = value;
    code::run(guard.code, values);
    return values[search_.inputs.size()];
  }

  void evaluate(double t) {
    cluster_.search_registers.resize(std::max(cluster_.search_registers.size(), island_.plan->states.size()));
    double* y = cluster_.search_registers.data();
    if (island_.integrator) island_.integrator->interpolate(t, y);
    island_.system.place(t, y);
    code::run(cluster_.guards->relations, cluster_.values.data());
  }

  Island& island_;
  Cluster& cluster_;
  const GuardPlan::Search& search_;
};

/// Crossings whose brackets touch belong to one instant: the place behind the last of the group that begins at `first`.
std::size_t end_of_group(const std::vector<solve::Crossing>& crossings, std::size_t first) {
  double at = crossings[first].at;
  std::size_t end = first + 1;
  while (end < crossings.size()) {
    double reach = at;
    for (int i = 0; i < 8; ++i) reach = std::nextafter(reach, std::numeric_limits<double>::infinity());
    if (crossings[end].at > reach) break;
    at = std::max(at, crossings[end].at);
    ++end;
  }
  return end;
}

/// What a search finds changes modes for the time being; they are put back when it is over.
class TentativeModes {
 public:
  explicit TentativeModes(Island& island) : island_(island), cluster_(island.cluster), guards_(*cluster_.guards) {
    for (const std::uint32_t condition : guards_.conditions) {
      truths_.push_back(cluster_.values[cluster_.shape->conditions[condition].value]);
    }
  }
  ~TentativeModes() {
    put_back(before_);
    for (std::size_t i = 0; i < truths_.size(); ++i) {
      cluster_.values[cluster_.shape->conditions[guards_.conditions[i]].value] = truths_[i];
    }
  }
  TentativeModes(const TentativeModes&) = delete;
  TentativeModes& operator=(const TentativeModes&) = delete;

  /// Whether crossings of one instant switch an equation or change a condition.
  bool matter(std::size_t begin, std::size_t end) {
    const GuardPlan::Search& search = guards_.searches[island_.number];
    bool result = false, changes = false;
    momentary_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const solve::Crossing& crossing = island_.crossings[i];
      if (crossing.relation >= search.guards.size()) return true;  // a surface is left
      const ShapeMode& mode = cluster_.shape->modes[guards_.guards[search.guards[crossing.relation]].mode];
      double& value = cluster_.values[mode.value];
      const double after = mode_after(mode.kind, value, crossing, value + 1);
      if (after == value) continue;
      (is_momentary(mode.kind, crossing) ? momentary_ : before_).emplace_back(mode.value, value);
      value = after;
      changes = true;
      result = result || mode.equation != kNone;
    }
    if (changes && !result) {
      code::run(guards_.truths, cluster_.values.data());
      for (std::size_t i = 0; i < truths_.size(); ++i) {
        result = result || cluster_.values[cluster_.shape->conditions[guards_.conditions[i]].value] != truths_[i];
      }
    }
    put_back(momentary_);
    return result;
  }

 private:
  void put_back(const std::vector<std::pair<At, double>>& list) {
    for (std::size_t i = list.size(); i-- > 0;) cluster_.values[list[i].first] = list[i].second;
  }

  Island& island_;
  Cluster& cluster_;
  const GuardPlan& guards_;
  std::vector<double> truths_;
  std::vector<std::pair<At, double>> before_, momentary_;
};

/// Adds the crossings of functions as crossings of the guards that use them.
void find_crossings(Run& run, solve::Course& course, const solve::Search& request, const Island& island,
                    std::vector<solve::Crossing>& crossings) {
  if (island.constraint) {
    run.isolator.find(course, request, crossings);
    return;
  }
  const GuardPlan::Search& plan = island.cluster.guards->searches[island.number];
  run.function_crossings.clear();
  run.isolator.find(course, request, run.function_crossings);
  for (const solve::Crossing& crossing : run.function_crossings) {
    for (const GuardPlan::Search::Use& use : plan.functions[crossing.relation]) {
      solve::Crossing& added = crossings.emplace_back(crossing);
      added.relation = use.guard;
      if (use.negated) added.rising = !crossing.rising;
    }
  }
}

/// Rounding error of a relation, in units of the size of its sides.
constexpr double kNoise = 4 * std::numeric_limits<double>::epsilon();

/// Relations that were near zero at the start have been decided by little. The first step shows on which side they are;
/// one that is not where its mode says crosses right at the start.
void prove_modes(Run& run, Island& island, const GuardPlan::Search& plan, solve::Course& course, double begin) {
  constexpr double kNear = 1e-9;
  const Cluster& cluster = island.cluster;
  std::vector<solve::Crossing> added;
  for (std::uint32_t f = 0; f < plan.functions.size(); ++f) {
    const GuardPlan::Guard& first = cluster.guards->guards[plan.guards[plan.functions[f][0].guard]];
    const double size = cluster.values[first.noise == kNowhere ? first.size : first.noise];
    if (!(std::abs(cluster.values[first.g]) <= kNear * size)) continue;
    const auto crossing = std::find_if(run.function_crossings.begin(), run.function_crossings.end(),
                                       [&](const solve::Crossing& one) { return one.relation == f && !one.touch; });
    const double later = crossing == run.function_crossings.end() ? course.value(f, island.end)
                         : crossing->rising                       ? -1
                                                                  : 1;
    if (later == 0 || std::isnan(later)) continue;
    for (const GuardPlan::Search::Use& use : plan.functions[f]) {
      const ShapeMode& mode = cluster.shape->modes[cluster.guards->guards[plan.guards[use.guard]].mode];
      const bool positive = (later > 0) != use.negated;
      const bool is_relation = mode.kind == ModeKind::NotNegative || mode.kind == ModeKind::Positive;
      if (!is_relation || (cluster.values[mode.value] != 0) == positive) continue;
      added.push_back({use.guard, positive, false, begin, std::nextafter(begin, island.end)});
    }
  }
  island.crossings.insert(island.crossings.begin(), added.begin(), added.end());
}

/// Looks for the first crossing behind `begin` that matters; those before it are kept to be passed.
void search_relations(Run& run, Island& island, const GuardPlan::Search& plan, double begin) {
  IslandCourse free_course(island, plan);
  const std::unique_ptr<solve::Course> constrained = island.constraint ? make_constrained_course(island) : nullptr;
  solve::Course& course = constrained ? *constrained : free_course;
  solve::Search request;
  request.begin = begin;
  request.end = island.end;
  request.degree = island.integrator ? island.integrator->degree() : 6;
  request.only_first = true;
  std::vector<double>& bands = run.band_buffer;
  bands.clear();
  for (const std::vector<GuardPlan::Search::Use>& uses : plan.functions) {
    const GuardPlan::Guard& guard = island.cluster.guards->guards[plan.guards[uses[0].guard]];
    bands.push_back(guard.noise == kNowhere ? 0 : kNoise * island.cluster.values[guard.noise]);
  }
  if (!constrained) request.bands = bands.data();
  find_crossings(run, course, request, island, island.crossings);
  if (island.unproven && !constrained) prove_modes(run, island, plan, course, begin);
  island.unproven = false;
  if (island.crossings.empty()) return;
  TentativeModes modes(island);
  std::size_t first = 0;
  while (true) {
    const std::size_t end = end_of_group(island.crossings, first);
    island.crossings.resize(end);
    ++run.outcome.continuous.crossings;
    double at = island.crossings[first].at;
    for (std::size_t i = first; i < end; ++i) at = std::max(at, island.crossings[i].at);
    if (modes.matter(first, end)) {
      island.due = end;
      island.next = at;
      island.next_is_event = true;
      return;
    }
    first = end;
    request.begin = at;
    if (!(at < island.end)) return;
    find_crossings(run, course, request, island, island.crossings);
    if (island.crossings.size() == first) return;
  }
}

void search(Run& run, Island& island, double begin) {
  island.crossings.clear();
  island.passed = 0;
  island.search = false;
  island.next = island.end;
  island.next_is_event = false;
  const GuardPlan::Search& plan = island.cluster.guards->searches[island.number];
  if ((!plan.guards.empty() || island.constraint) && island.end > begin) search_relations(run, island, plan, begin);
  if (!island.cluster.waiting.empty()) search_untils(run, island, begin);
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
  const bool again = island.integrator != nullptr;
  if (!again) {
    island.integrator = run.options.continuous.make_integrator(run.options.continuous.method);
    island.absolute_tolerances.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      island.absolute_tolerances[i] = run.options.continuous.absolute_tolerance * island.plan->nominals[i];
    }
  }
  run.state_buffer.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    run.state_buffer[i] = cluster.values[cluster.shape->variables[island.plan->states[i]].value];
  }
  solve::Settings settings;
  settings.relative_tolerance = run.options.continuous.relative_tolerance;
  settings.absolute_tolerances = island.absolute_tolerances.data();
  settings.fixed_step = run.options.continuous.fixed_step;
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
void prepare(Island& island) {
  island.cluster.synchronised = std::numeric_limits<double>::quiet_NaN();
  pass_crossings(island, island.end);
}

void step(Run& run, Island& island) {
  const double stop = run.options.stop_time;
  prepare(island);
  if (island.integrator) {
    if (run.options.continuous.one_sided) {
      step_one_sided(run, island);
    } else if (integrate(run, island, stop)) {
      search(run, island, island.begin);
    }
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

/// Crossings that are no further behind a scheduled event, in units of the last place, belong to its instant.
constexpr double kReach = 16;

/// Modes take the values of the crossings that are due.
void apply_due(Run& run, Island& island) {
  Cluster& cluster = island.cluster;
  const GuardPlan::Search& plan = cluster.guards->searches[island.number];
  code::run(cluster.guards->relations, cluster.values.data());
  for (; island.passed < island.due; ++island.passed) {
    const solve::Crossing& crossing = island.crossings[island.passed];
    if (crossing.relation >= plan.guards.size()) {
      leave_surface(island);
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
    if (is_momentary(mode.kind, crossing)) {
      cluster.momentary.push_back(guard.mode);
    } else if (mode.equation != kNone) {
      cluster.changed_places[mode.value] = 1;
      island.restart = true;
      note_switch(run, cluster, guard.mode);
      const ShapeEquation& equation = cluster.shape->equations[mode.equation];
      cluster.since = {run.now, cluster.objects[equation.object], {}, {}, {}, equation.span};
    }
  }
  touch(run, cluster.number);
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
  for (const std::uint32_t number : run.touched_clusters) {
    Cluster& cluster = *run.world.clusters[number];
    cluster.in_touched_list = false;
    if (cluster.configuration == nullptr) continue;
    if (!values_are_numbers(run, cluster)) return;
    if (!cluster.momentary.empty()) {
      end_momentary(cluster);
      rearm_conditions(run, cluster);
    }
    std::fill(cluster.bands.begin(), cluster.bands.end(), 0);
    std::fill(cluster.arrivals.begin(), cluster.arrivals.end(), std::numeric_limits<double>::quiet_NaN());
    for (const std::unique_ptr<Island>& island : cluster.islands) {
      if (island->restart) {
        start(run, *island);
      } else if (island->search || island->next_is_event) {
        search(run, *island, run.now);
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
  while (const IslandCalendar::Entry* entry = run.islands.first()) {
    Island& island = *entry->island;
    const bool takes_part = entry->time == time && !island.next_is_event && island.integrator && time < limit &&
                            island.end < run.options.stop_time;
    if (!takes_part) break;
    together.push_back(&island);
    run.islands.pop();
  }
  const bool enough = together.size() >= kWorthwhile;
  if (enough) {
    std::vector<solve::StepStatus> outcomes(together.size());
    for (Island* island : together) prepare(*island);
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
    }
  }
  for (Island* island : together) run.islands.put(*island);
  return enough;
}

}  // namespace

bool advance_islands(Run& run, double limit) {
  constexpr int kTurns = 1000;
  for (int turn = 0; turn < kTurns && !run.over; ++turn) {
    if (run.options.threads > 1 && step_together(run, limit)) continue;
    const IslandCalendar::Entry* entry = run.islands.first();
    if (entry == nullptr || entry->island->next_is_event) return true;
    Island& island = *entry->island;
    if (island.end >= run.options.stop_time || island.next >= limit) return true;
    run.islands.pop();
    step(run, island);
    run.islands.put(island);
  }
  return run.over;
}

/// A crossing is located to a few units in the last place of time: one just behind a scheduled event cannot be told
/// from one just before it, and crossings come before time-outs.
void arrive(Run& run) {
  const double reach = run.now + kReach * std::numeric_limits<double>::epsilon() * std::abs(run.now);
  while (const IslandCalendar::Entry* entry = run.islands.first()) {
    if (entry->time > reach || !entry->island->next_is_event) return;
    Island& island = *entry->island;
    run.islands.pop();
    synchronise(run, island.cluster);
    if (run.over) return;
    apply_due(run, island);
  }
}

}  // namespace hyla::engine
