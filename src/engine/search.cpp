// Relations are functions of time over the step. They are sampled on the interpolant: directly, as functions of the
// states written out, or, behind a loop, by evaluating the island.
#include "engine/search.h"

#include <algorithm>
#include <cmath>

#include "engine/islands.h"
#include "engine/modes.h"
#include "engine/one_sided_run.h"
#include "engine/until.h"

namespace hyla::engine {
namespace {

/// Rounding error of a relation, in units of the size of its terms.
constexpr double kNoise = 4 * std::numeric_limits<double>::epsilon();

bool is_relation(ModeKind kind) { return kind == ModeKind::NotNegative || kind == ModeKind::Positive; }

class IslandCourse final : public solve::Course {
 public:
  IslandCourse(Island& island, const GuardPlan::Search& search)
      : island_(island), cluster_(island.cluster), search_(search) {}

  std::size_t count() const override { return search_.functions.size(); }

  void sample(const double* times, std::size_t number, double* values) override {
    if (search_.direct) {
      sample_directly(times, number);
      const double* registers = cluster_.shape->scratch.search_registers.data();
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
    for (std::size_t r = 0; r < silences_.size(); ++r) {
      for (std::size_t k = 0; k < number; ++k) {
        if (is_silent(r, times[k])) values[r * number + k] = silences_[r].value;
      }
    }
  }

  double value(std::size_t function, double t) override {
    if (is_silent(function, t)) return silences_[function].value;
    return own_value(function, t);
  }

  /// Relations that were near zero at the start of the island are not known well enough to cross anything before they
  /// have left the band of their rounding errors. Until then they are on the side on which they leave it.
  void silence_near_zero(double begin, double end) {
    if (!search_.direct) {  // evaluating changes the values
      evaluate(begin);
      for (std::uint32_t f = 0; f < count(); ++f) near_.push_back(is_near_zero(f));
    }
    for (std::uint32_t f = 0; f < count(); ++f) {
      const double band = kNoise * cluster_.values[guard(f).noise];
      if (!is_relation(mode(f).kind) || !was_near_zero(f)) continue;
      const double g = own_value(f, begin);
      const Silence silence = std::abs(g) > band ? find_delay(f, begin, end, g) : find_silence(f, begin, end, band);
      if (silence.value == 0) continue;
      silences_.resize(count());
      silences_[f] = silence;
    }
  }

  /// Whether a relation near zero has left its band in the step that was looked at.
  bool is_known(std::size_t function) const { return silences_.empty() || !silences_[function].lasts; }

  /// At the start, after silence_near_zero().
  bool was_near_zero(std::size_t function) const { return search_.direct ? is_near_zero(function) : near_[function]; }

 private:
  bool is_near_zero(std::size_t function) const {
    constexpr double kNear = 1e-9;
    return std::abs(cluster_.values[guard(function).g]) <= kNear * cluster_.values[guard(function).noise];
  }

  struct Silence {
    double until = -std::numeric_limits<double>::infinity();
    double value = 0;    ///< up to then
    bool lasts = false;  ///< to the end of the step
  };

  Silence find_silence(std::size_t function, double begin, double end, double band) {
    constexpr int kTimes = 17;
    for (int k = kTimes; k-- > 0;) {
      const double t = begin + (end - begin) * std::ldexp(1.0, -3 * k);
      const double g = own_value(function, t);
      if (t > begin && std::abs(g) > band) return {t, std::copysign(band, g), false};
    }
    return {std::nextafter(end, std::numeric_limits<double>::infinity()), is_positive(function) ? band : -band, true};
  }

  /// A relation that was decided as it will be in a moment is there from the start.
  Silence find_delay(std::size_t function, double begin, double end, double g) {
    constexpr int kFirst = 17, kLast = 4;
    const bool positive = is_positive(function);
    for (int k = kFirst; k-- > kLast && (g > 0) != positive;) {
      const double t = begin + (end - begin) * std::ldexp(1.0, -3 * k);
      const double later = own_value(function, t);
      if ((later > 0) == positive) return {t, later, false};
    }
    return {};
  }

  /// As its mode says.
  bool is_positive(std::size_t function) const {
    return (cluster_.values[mode(function).value] != 0) != search_.functions[function][0].negated;
  }

  bool is_silent(std::size_t function, double t) const { return !silences_.empty() && t < silences_[function].until; }

  double own_value(std::size_t function, double t) {
    if (search_.direct) return switching_of(function, single(function, t));
    evaluate(t);
    return switching_of(function, cluster_.values[guard(function).g]);
  }

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
    std::vector<double>& registers = cluster_.shape->scratch.search_registers;
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
    std::vector<double>& registers = cluster_.shape->scratch.search_registers;
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
    cluster_.shape->scratch.search_registers.resize(
        std::max(cluster_.shape->scratch.search_registers.size(), island_.plan->states.size()));
    double* y = cluster_.shape->scratch.search_registers.data();
    if (island_.integrator) island_.integrator->interpolate(t, y);
    island_.system.place(t, y);
    code::run(cluster_.guards->relations, cluster_.values.data());
  }

  Island& island_;
  Cluster& cluster_;
  const GuardPlan::Search& search_;
  std::vector<Silence> silences_;  ///< by function; empty: none
  std::vector<bool> near_;         ///< by function behind a loop: near zero at the start
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
    truths_.clear();
    before_.clear();
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
  std::vector<double>& truths_ = cluster_.shape->scratch.truths;
  std::vector<std::pair<At, double>>& before_ = cluster_.shape->scratch.modes_before;
  std::vector<std::pair<At, double>>& momentary_ = cluster_.shape->scratch.momentary_before;
};

/// One-sided location has taken the event of a boundary before it was passed. The first crossing of the next step is
/// the same event.
bool was_taken(const Island& island, const GuardPlan::Search& plan, const solve::Crossing& crossing) {
  const Cluster& cluster = island.cluster;
  if (cluster.reached.empty()) return false;
  return cluster.reached[cluster.guards->guards[plan.guards[crossing.relation]].mode] == (crossing.rising ? 1 : -1);
}

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
  const bool is_first = request.begin == island.begin;
  for (const solve::Crossing& crossing : run.function_crossings) {
    for (const GuardPlan::Search::Use& use : plan.functions[crossing.relation]) {
      solve::Crossing own = crossing;
      own.relation = use.guard;
      if (use.negated) own.rising = !crossing.rising;
      if (!is_first || !was_taken(island, plan, own)) crossings.push_back(own);
    }
  }
}

/// Relations that were near zero at the start have been decided by little. The first step shows on which side they are,
/// up to the first crossing: one that is not where its mode says crosses right at the start. False: one of them is
/// still too close to zero.
bool prove_modes(Run& run, Island& island, const GuardPlan::Search& plan, IslandCourse& course, double begin) {
  const Cluster& cluster = island.cluster;
  const auto change = std::find_if(run.function_crossings.begin(), run.function_crossings.end(),
                                   [](const solve::Crossing& one) { return !one.touch; });
  const double until = change == run.function_crossings.end() ? island.end : change->before;
  bool proven = true;
  std::vector<solve::Crossing> added;
  for (std::uint32_t f = 0; f < plan.functions.size(); ++f) {
    const GuardPlan::Guard& first = cluster.guards->guards[plan.guards[plan.functions[f][0].guard]];
    const double size = cluster.values[first.noise];
    if (!course.was_near_zero(f)) continue;
    const auto crossing = std::find_if(run.function_crossings.begin(), run.function_crossings.end(),
                                       [&](const solve::Crossing& one) { return one.relation == f && !one.touch; });
    const bool crosses = crossing != run.function_crossings.end();
    if (crosses && course.value(f, crossing->before) == 0) continue;  // it leaves zero there, and has no side before
    const double later = !crosses ? course.value(f, until) : crossing->rising ? -1 : 1;
    if (!course.is_known(f) || (!crosses && !(std::abs(later) > kNoise * size))) {
      proven = false;
      continue;
    }
    for (const GuardPlan::Search::Use& use : plan.functions[f]) {
      const ShapeMode& mode = cluster.shape->modes[cluster.guards->guards[plan.guards[use.guard]].mode];
      const bool positive = (later > 0) != use.negated;
      if (!is_relation(mode.kind) || (cluster.values[mode.value] != 0) == positive) continue;
      added.push_back({use.guard, positive, false, begin, std::nextafter(begin, island.end)});
    }
  }
  island.crossings.insert(island.crossings.begin(), added.begin(), added.end());
  return proven;
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
    bands.push_back(kNoise * island.cluster.values[guard.noise]);
  }
  if (!constrained) request.bands = bands.data();
  if (island.unproven && !constrained) free_course.silence_near_zero(begin, island.end);
  find_crossings(run, course, request, island, island.crossings);
  island.unproven = island.unproven && !constrained && !prove_modes(run, island, plan, free_course, begin);
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

}  // namespace

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

}  // namespace hyla::engine
