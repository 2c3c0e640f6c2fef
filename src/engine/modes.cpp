#include "engine/modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "engine/commutation.h"
#include "engine/configure.h"
#include "engine/look_ahead.h"
#include "engine/one_sided_run.h"
#include "engine/write_out.h"

namespace hyla::engine {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Rounding error of a relation, in units of the size of its sides, and of all terms that it consists of.
constexpr double kRounding = 64 * kEpsilon;
constexpr double kNoise = 4 * kEpsilon;
/// A derivative counts if it moves the relation by so much of its size within the time scale of the island.
constexpr int kPatience = 8;  ///< rounds of deciding, before noise is left alone
constexpr double kClear = 1e-9;

}  // namespace

double by_value(ModeKind kind, double g) {
  switch (kind) {
    case ModeKind::NotNegative:
      return g >= 0 ? 1 : 0;
    case ModeKind::Positive:
      return g > 0 ? 1 : 0;
    case ModeKind::Floor:
      return std::floor(g);
    case ModeKind::Ceil:
      return std::ceil(g);
    case ModeKind::Round:
      return std::round(g);
    case ModeKind::Truncate:
      return std::trunc(g);
    case ModeKind::Crosses:
    case ModeKind::Rises:
    case ModeKind::Falls:
      return 0;
  }
  return 0;
}

namespace {

bool is_relation(ModeKind kind) { return kind == ModeKind::NotNegative || kind == ModeKind::Positive; }
bool is_momentary(ModeKind kind) {
  return kind == ModeKind::Crosses || kind == ModeKind::Rises || kind == ModeKind::Falls;
}

/// Decides the relations of a cluster one after the other, all from the same values.
class Decider {
 public:
  Decider(Run& run, Cluster& cluster) : run_(run), cluster_(cluster) {}

  /// What a mode should be that was `before`.
  double decide(std::size_t guard, double before);

 private:
  int direction(std::size_t guard_number, double size, double band);
  bool is_within_reach(std::size_t guard_number, double g);
  bool changes_soon(std::size_t guard_number, double g);
  const LookAhead& ahead(std::uint32_t island);
  std::size_t place_of(const GuardPlan::Search& search, std::size_t guard_number) const;

  Run& run_;
  Cluster& cluster_;
  std::vector<std::unique_ptr<LookAhead>> ahead_;  ///< by island; made when first needed
};

std::size_t Decider::place_of(const GuardPlan::Search& search, std::size_t guard_number) const {
  const auto found = std::find(search.guards.begin(), search.guards.end(), guard_number);
  return static_cast<std::size_t>(found - search.guards.begin());
}

/// The direction in which a relation near zero goes: 1, -1, or 0 if nothing is clear.
int Decider::direction(std::size_t guard_number, double size, double band) {
  const GuardPlan::Guard& guard = cluster_.guards->guards[guard_number];
  Island& island = *cluster_.islands[guard.island];
  const GuardPlan::Search& search = cluster_.guards->searches[guard.island];
  const std::size_t place = place_of(search, guard_number);
  double coefficients[kHighestRate + 1] = {};
  if (!expand_guard(cluster_, island, search, place, coefficients)) {
    return ahead(guard.island).direction(place, 4 * band);
  }
  const double scale = time_scale_of(run_, island);
  double power = 1;
  for (int k = 1; k <= kHighestRate; ++k) {
    power *= scale;
    const double moved = coefficients[k] * power;
    if (std::abs(moved) > kClear * std::max(size, std::numeric_limits<double>::min())) return moved > 0 ? 1 : -1;
  }
  return 0;
}

const LookAhead& Decider::ahead(std::uint32_t island) {
  ahead_.resize(cluster_.islands.size());
  if (!ahead_[island]) ahead_[island] = std::make_unique<LookAhead>(run_, *cluster_.islands[island]);
  return *ahead_[island];
}

/// Events come a little too early or too late where what is located is not known well. Relations that go round because
/// of that are decided as they will be in a moment.
bool Decider::changes_soon(std::size_t guard_number, double g) {
  const GuardPlan::Guard& guard = cluster_.guards->guards[guard_number];
  if (!is_one_by_one(cluster_) || !is_relation(cluster_.shape->modes[guard.mode].kind)) return false;
  const int sign = ahead(guard.island).sign_soon(place_of(cluster_.guards->searches[guard.island], guard_number));
  return sign != 0 && (sign > 0) != (g > 0);
}

/// With one-sided location events come a little too early: a relation that becomes zero in that time counts as zero.
bool Decider::is_within_reach(std::size_t guard_number, double g) {
  if (!run_.options.continuous.one_sided) return false;
  const GuardPlan::Guard& guard = cluster_.guards->guards[guard_number];
  const GuardPlan::Search& search = cluster_.guards->searches[guard.island];
  double series[kHighestRate + 1] = {};
  return is_relation(cluster_.shape->modes[guard.mode].kind) &&
         expand_guard(cluster_, *cluster_.islands[guard.island], search, place_of(search, guard_number), series) &&
         std::abs(g) <= 10 * one_sided_reach(run_) * std::abs(series[1]);
}

double Decider::decide(std::size_t number, double before) {
  const GuardPlan::Guard& guard = cluster_.guards->guards[number];
  const ModeKind kind = cluster_.shape->modes[guard.mode].kind;
  const double g = cluster_.values[guard.g];
  if (guard.island == kNone) return by_value(kind, g);
  const double size = cluster_.values[guard.size], noise = cluster_.values[guard.noise];
  const bool fresh = cluster_.fresh_modes[guard.mode] != 0 || cluster_.islands[guard.island]->restart;
  const double nearest = is_relation(kind) ? 0 : std::round(kind == ModeKind::Round ? g - 0.5 : g);
  const double offset = is_relation(kind) ? g : (kind == ModeKind::Round ? g - 0.5 : g) - nearest;
  const double band = std::max({kRounding * size, kNoise * noise, cluster_.bands[guard.mode]});
  if (!(std::abs(offset) <= band) && !(fresh && is_within_reach(number, g))) {
    return by_value(kind, fresh && changes_soon(number, g) ? -g : g);
  }
  if (!fresh) return before;
  const int way = direction(number, std::max(size, noise), band);
  if (way == 0 && !std::isnan(cluster_.arrivals[guard.mode])) return cluster_.arrivals[guard.mode];
  // What neither is clear of its rounding error nor becomes so is zero; one that goes to and fro stays as it is.
  if (way == 0) return cluster_.rounds > kPatience ? before : by_value(kind, g - offset);
  return by_value(kind, is_relation(kind) ? way : g - offset + way * 0.25);
}

}  // namespace

std::pair<std::size_t, bool> function_of(const GuardPlan::Search& search, std::size_t relation) {
  for (std::size_t i = 0; i < search.functions.size(); ++i) {
    for (const GuardPlan::Search::Use& use : search.functions[i]) {
      if (use.guard == relation) return {i, use.negated};
    }
  }
  return {0, false};
}

bool expand_guard(const Cluster& cluster, Island& island, const GuardPlan::Search& search, std::size_t relation,
                  double (&coefficients)[kHighestRate + 1]) {
  const Flow& flow = flow_of(shape_of(cluster), *cluster.tapes, *island.plan);
  if (!flow.direct || !search.direct) return false;
  constexpr int kTerms = kHighestRate + 1;
  const std::size_t states = island.plan->states.size();
  std::vector<double>& series = cluster.shape->scratch.series;
  series.assign(states * kTerms, 0.0);
  for (std::size_t i = 0; i < states; ++i) {
    series[i * kTerms] = cluster.values[shape_of(cluster).variables[island.plan->states[i]].value];
  }
  const auto run = [&](const code::Tape& tape, const std::vector<At>& inputs, const std::vector<std::uint32_t>& numbers,
                       int order, std::vector<double>& registers) {
    const auto terms_used = static_cast<std::size_t>(order + 1);
    registers.assign(tape.registers * terms_used, 0.0);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      double* input = registers.data() + k * terms_used;
      if (numbers[k] != kNone) {
        std::copy_n(series.data() + numbers[k] * kTerms, terms_used, input);
      } else {
        input[0] = cluster.values[inputs[k]];
        if (inputs[k] == kTime && order > 0) input[1] = 1;
      }
    }
    for (std::size_t k = 0; k < tape.constants.size(); ++k) {
      registers[(tape.inputs + k) * terms_used] = tape.constants[k];
    }
    code::run_jets(tape, registers.data(), order);
  };
  std::vector<double>& registers = cluster.shape->scratch.jets;
  for (int order = 0; order < kHighestRate; ++order) {
    run(flow.tape, flow.inputs, flow.state_inputs, order, registers);
    for (std::size_t i = 0; i < states; ++i) {
      const auto place = static_cast<std::size_t>(flow.tape.outputs[i]) * static_cast<std::size_t>(order + 1);
      series[i * kTerms + static_cast<std::size_t>(order) + 1] =
          registers[place + static_cast<std::size_t>(order)] / (order + 1);
    }
  }
  run(search.tape, search.inputs, search.state_inputs, kHighestRate, registers);
  const auto [function, negated] = function_of(search, relation);
  const double* found = registers.data() + static_cast<std::size_t>(search.tape.outputs[function]) * kTerms;
  for (int k = 0; k < kTerms; ++k) coefficients[k] = negated ? -found[k] : found[k];
  return true;
}

void widen_bands(Cluster& cluster, const GuardPlan::Guard& located, double band) {
  const double distance = std::abs(cluster.values[located.g]);
  cluster.bands[located.mode] = band;
  for (const GuardPlan::Guard& guard : cluster.guards->guards) {
    const bool same = guard.island == located.island && std::abs(cluster.values[guard.g]) == distance;
    if (same && is_relation(cluster.shape->modes[guard.mode].kind)) {
      cluster.bands[guard.mode] = std::max(cluster.bands[guard.mode], band);
    }
  }
}

double switching(ModeKind kind, double value, double g) {
  switch (kind) {
    case ModeKind::Floor:
      return (g - value) * (value + 1 - g);
    case ModeKind::Ceil:
      return (g - (value - 1)) * (value - g);
    case ModeKind::Round:
      return (g - (value - 0.5)) * (value + 0.5 - g);
    case ModeKind::Truncate:
      return (g - (value > 0 ? value : value - 1)) * ((value < 0 ? value : value + 1) - g);
    default:
      return g;
  }
}

double mode_after(ModeKind kind, double value, const solve::Crossing& crossing, double g) {
  switch (kind) {
    case ModeKind::NotNegative:
      return crossing.rising || crossing.touch ? 1 : 0;
    case ModeKind::Positive:
      return crossing.touch ? value : crossing.rising ? 1 : 0;
    case ModeKind::Crosses:
      return crossing.touch ? 0 : 1;
    case ModeKind::Rises:
      return crossing.rising && !crossing.touch ? 1 : 0;
    case ModeKind::Falls:
      return !crossing.rising && !crossing.touch ? 1 : 0;
    case ModeKind::Floor:
    case ModeKind::Ceil:
    case ModeKind::Round:
    case ModeKind::Truncate:
      break;
  }
  if (crossing.touch || crossing.rising) return value;
  const double middle = kind == ModeKind::Floor ? value + 0.5 : kind == ModeKind::Ceil ? value - 0.5 : value;
  return g > middle ? value + 1 : value - 1;
}

bool is_momentary(ModeKind kind, const solve::Crossing& crossing) { return crossing.touch || is_momentary(kind); }

bool decide_modes(Run& run, Cluster& cluster) {
  bool again = false;
  const std::vector<GuardPlan::Guard>& guards = cluster.guards->guards;
  // All are decided before one is changed: directions depend on the modes.
  std::vector<std::pair<std::uint32_t, double>>& changes = run.mode_buffer;
  changes.clear();
  Decider decider(run, cluster);
  for (std::size_t i = 0; i < guards.size(); ++i) {
    const ShapeMode& mode = cluster.shape->modes[guards[i].mode];
    const bool is_held = !cluster.held_modes.empty() && cluster.held_modes[guards[i].mode] != 0;
    if (is_momentary(mode.kind) || is_held) continue;
    const double value = cluster.values[mode.value];
    const double decided = decider.decide(i, value);
    if (decided != value) changes.emplace_back(guards[i].mode, decided);
  }
  for (const auto& [number, value] : changes) {
    const ShapeMode& mode = cluster.shape->modes[number];
    cluster.values[mode.value] = value;
    again = again || mode.inner;
    if (mode.equation == kNone) continue;
    again = true;
    cluster.changed_places[mode.value] = 1;
  }
  if (!again) {
    for (const GuardPlan::Guard& guard : cluster.guards->guards) cluster.fresh_modes[guard.mode] = 0;
  }
  return again;
}

void pass_crossings(Island& island, double time) {
  Cluster& cluster = island.cluster;
  if (island.passed == island.crossings.size() || (island.next_is_event && time >= island.next)) return;
  const GuardPlan::Search& search = cluster.guards->searches[island.number];
  while (island.passed < island.crossings.size() && island.crossings[island.passed].at <= time) {
    const solve::Crossing& crossing = island.crossings[island.passed++];
    const ShapeMode& mode = cluster.shape->modes[cluster.guards->guards[search.guards[crossing.relation]].mode];
    double& value = cluster.values[mode.value];
    if (!is_momentary(mode.kind, crossing)) value = mode_after(mode.kind, value, crossing, value);
  }
}

}  // namespace hyla::engine
