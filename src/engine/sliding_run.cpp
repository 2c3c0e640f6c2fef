#include "engine/sliding_run.h"

#include <algorithm>
#include <cmath>

#include "engine/island.h"
#include "engine/modes.h"
#include "solve/sliding.h"

namespace hyla::engine {
namespace {

/// Relations are on the same surface if they are zero there within this part of the size of the states,
constexpr double kNear = 1e-7;
/// and if their gradients differ in direction by no more than this.
constexpr double kParallel = 1e-7;

std::vector<double> states_of(const Cluster& cluster, const IslandPlan& plan, const std::vector<double>& values) {
  std::vector<double> y;
  for (const std::uint32_t state : plan.states) y.push_back(values[shape_of(cluster).variables[state].value]);
  return y;
}

double length(const std::vector<double>& vector) {
  double sum = 0;
  for (const double one : vector) sum += one * one;
  return std::sqrt(sum);
}

bool are_parallel(const std::vector<double>& a, const std::vector<double>& b) {
  const double sizes = length(a) * length(b);
  if (!(sizes > 0)) return false;
  double product = 0;
  for (std::size_t i = 0; i < a.size(); ++i) product += a[i] * b[i];
  return std::abs(std::abs(product) - sizes) <= kParallel * sizes;
}

Evaluated evaluate_side(Cluster& cluster, SurfaceSide& side, double t, const double* y) {
  double* values = side.values.data();
  const std::vector<std::uint32_t>& states = side.plan->states;
  values[kTime] = t;
  for (std::size_t i = 0; i < states.size(); ++i) values[shape_of(cluster).variables[states[i]].value] = y[i];
  const Evaluated evaluated = evaluate(side.plan->evaluation, values, cluster.solver);
  side.field.resize(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    side.field[i] = values[shape_of(cluster).variables[states[i]].derivative];
  }
  return evaluated;
}

class Slide final : public Constraint {
 public:
  Slide(Cluster& cluster, SlideParts parts) : cluster_(cluster), parts_(std::move(parts)), rates_(*parts_.search) {}

  Evaluated place(double t, const double* y) override {
    for (SurfaceSide* side : {&parts_.negative, &parts_.positive}) {
      const Evaluated evaluated = evaluate_side(cluster_, *side, t, y);
      if (!evaluated.good()) return evaluated;
      rates_.compute(side->values.data(), y, side->field.data(), 1);
      side->rate = rates_.rate(parts_.relation);
    }
    const double weight = solve::sliding_weight(parts_.negative.rate, parts_.positive.rate);
    std::vector<double>& values = cluster_.values;
    const auto mix = [&](At place) {
      if (place != kNowhere)
        solve::mix_fields(&parts_.negative.values[place], &parts_.positive.values[place], weight, 1, &values[place]);
    };
    values[kTime] = t;
    for (const std::uint32_t variable : parts_.outputs) {
      mix(shape_of(cluster_).variables[variable].value);
      mix(shape_of(cluster_).variables[variable].derivative);
    }
    // A mean of two equal numbers may differ from them by rounding.
    const std::vector<std::uint32_t>& states = parts_.negative.plan->states;
    for (std::size_t i = 0; i < states.size(); ++i) values[shape_of(cluster_).variables[states[i]].value] = y[i];
    return {};
  }

  std::size_t watched() const override { return 2; }
  double watched_value(std::size_t number) const override {
    return number == 0 ? parts_.negative.rate : -parts_.positive.rate;
  }

  bool is_on_surface(std::uint32_t) const override { return true; }
  bool refresh(const Cluster& cluster) override {
    for (const At place : parts_.negative.plan->reads) {
      if (cluster.changed_places[place] == 0) continue;
      if (parts_.negative.values[place] != parts_.positive.values[place]) return false;
      parts_.negative.values[place] = parts_.positive.values[place] = cluster.values[place];
    }
    return true;
  }
  void leave(Cluster& cluster) override {
    const bool up = solve::motion_after_sliding(parts_.negative.rate, parts_.positive.rate) == solve::SurfaceMotion::Up;
    const SurfaceSide& side = up ? parts_.positive : parts_.negative;
    for (const std::uint32_t mode : parts_.switched) {
      const At place = cluster.shape->modes[mode].value;
      cluster.values[place] = side.values[place];
    }
  }

  SlideParts* slide() override { return &parts_; }

 private:
  Cluster& cluster_;
  SlideParts parts_;
  RelationRates rates_;
};

/// All relations of the island that are zero on the surface.
std::vector<std::uint32_t> modes_on_surface(const Cluster& cluster, const Island& island, const SurfaceSide& side) {
  const GuardPlan::Search& search = cluster.guards->searches[island.number];
  const std::vector<double> y = states_of(cluster, *side.plan, side.values);
  RelationRates rates(search);
  const std::vector<double> normal = rates.gradient(side.values.data(), y.data(), y.size(), side.relation);
  const double nearness = kNear * std::max(1.0, length(y));
  std::vector<std::uint32_t> modes;
  for (std::size_t k = 0; k < search.guards.size(); ++k) {
    const ShapeMode& mode = cluster.shape->modes[cluster.guards->guards[search.guards[k]].mode];
    if (mode.kind != ModeKind::NotNegative && mode.kind != ModeKind::Positive) continue;
    const std::vector<double> other = rates.gradient(side.values.data(), y.data(), y.size(), k);
    if (!are_parallel(normal, other) || std::abs(rates.value(k)) > nearness * length(other)) continue;
    modes.push_back(cluster.guards->guards[search.guards[k]].mode);
  }
  return modes;
}

}  // namespace

void RelationRates::compute(const double* values, const double* y, const double* direction, double time_rate) {
  registers_.assign(std::size_t{search_->tape.registers} * 2, 0.0);
  for (std::size_t k = 0; k < search_->inputs.size(); ++k) {
    const std::uint32_t state = search_->state_inputs[k];
    registers_[2 * k] = state != kNone ? y[state] : values[search_->inputs[k]];
    registers_[2 * k + 1] = state != kNone ? direction[state] : search_->inputs[k] == kTime ? time_rate : 0.0;
  }
  code::run_jets(search_->tape, registers_.data(), 1);
}

double RelationRates::coefficient(std::size_t relation, std::size_t order) const {
  const auto [function, negated] = function_of(*search_, relation);
  const double found = registers_[2 * search_->tape.outputs[function] + order];
  return negated ? -found : found;
}

std::vector<double> RelationRates::gradient(const double* values, const double* y, std::size_t states,
                                            std::size_t relation) {
  std::vector<double> direction(states, 0.0), result(states + 1);
  for (std::size_t i = 0; i < states; ++i) {
    direction[i] = 1;
    compute(values, y, direction.data(), 0);
    result[i] = rate(relation);
    direction[i] = 0;
  }
  compute(values, y, direction.data(), 1);
  result[states] = rate(relation);
  return result;
}

Meeting meet(Cluster& cluster, SurfaceSide& here, SurfaceSide& there) {
  Meeting meeting;
  if (here.plan->states != there.plan->states || here.plan->states.empty()) {
    meeting.reason = "the two sides differ in what is differentiated";
    return meeting;
  }
  if (!here.search->direct || !there.search->direct) {
    meeting.reason = "what is compared follows from a loop of equations";
    return meeting;
  }
  if (here.plan->evaluation.loops.size() != there.plan->evaluation.loops.size()) {
    meeting.reason = "the two sides have different loops of equations";
    return meeting;
  }
  const std::vector<double> y = states_of(cluster, *here.plan, here.values);
  const double t = here.values[kTime];
  RelationRates rates(*here.search), other_rates(*there.search);
  const std::vector<double> normal = rates.gradient(here.values.data(), y.data(), y.size(), here.relation);
  const std::vector<double> other = other_rates.gradient(there.values.data(), y.data(), y.size(), there.relation);
  const double nearness = kNear * std::max(1.0, length(y));
  const bool near = std::abs(rates.value(here.relation)) <= nearness * length(normal) &&
                    std::abs(other_rates.value(there.relation)) <= nearness * length(other);
  if (!near || !are_parallel(normal, other)) {
    meeting.reason = "the two conditions are not the two sides of one surface";
    return meeting;
  }
  for (SurfaceSide* side : {&here, &there}) {
    if (!evaluate_side(cluster, *side, t, y.data()).good()) {
      meeting.reason = "a loop of equations has no solution";
      return meeting;
    }
    rates.compute(side->values.data(), y.data(), side->field.data(), 1);
    side->rate = rates.rate(here.relation);
  }
  meeting.known = std::isfinite(here.rate) && std::isfinite(there.rate);
  meeting.here = here.rate;
  meeting.there = there.rate;
  if (!meeting.known) meeting.reason = "the equations give no number";
  return meeting;
}

std::unique_ptr<Constraint> make_slide(Cluster& cluster, Island& island, SurfaceSide here, SurfaceSide there,
                                       const std::vector<std::uint32_t>& switched) {
  SlideParts parts;
  parts.search = here.search;
  parts.relation = here.relation;
  parts.outputs = island.plan->outputs;
  parts.switched = switched;
  std::vector<std::uint32_t> modes = modes_on_surface(cluster, island, here);
  std::vector<std::uint32_t> more = switched;
  more.push_back(there.mode);
  for (const std::uint32_t mode : more) {
    if (std::find(modes.begin(), modes.end(), mode) == modes.end()) modes.push_back(mode);
  }
  const bool below = here.rate > 0;
  parts.negative = below ? std::move(here) : std::move(there);
  parts.positive = below ? std::move(there) : std::move(here);
  std::unique_ptr<Constraint> slide = make_slide(cluster, std::move(parts));
  slide->modes = std::move(modes);
  return slide;
}

std::unique_ptr<Constraint> make_slide(Cluster& cluster, SlideParts parts) {
  return std::make_unique<Slide>(cluster, std::move(parts));
}

}  // namespace hyla::engine
