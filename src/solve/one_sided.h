// One-sided location: reaching the boundary of a mode from inside, without ever evaluating its equations beyond.
//
// After Shornikov, Dostovalov, Astapchuk, Ganelina and Timofeev (2024), algorithms 1 to 3, and Novikov and Shornikov
// (2019). The mode has a staying condition: `and` and `or` over relations with functions g, inside where g >= 0.
//
//     algorithm 1   make_staying(): the staying condition from the conditions for leaving
//     algorithm 2   one relation: if g falls (g' < 0), a step of at most h = (gamma - 1) g / g' keeps g, by its linear
//                   extrapolation, above gamma * g; if g does not fall, there is no limit
//     algorithm 3   the smallest of the limits under `and`, the largest under `or`
//
// A relation that does not hold now does not limit the step (the paper says so too). This is the rule just after an
// event: the state is still inside the mode that was left, by a hair, so that the relation that was reached has not
// changed its sign yet. Under `or`, beside one that holds, it is left out: if it counted as a limit of infinity, the
// last relation that carries the condition could be crossed.
//
// How the algorithm maps to the roles here. The engine asks before every step of an integrator how long it may be, and
// after every step whether it is there:
//
//     values, rates of all relations at the start of the step (rates by the equations of the mode)
//     place(values, rates)            Arrived: take the event here; otherwise
//     integrator.step(t + longest_step(values, rates))
//     values at the end of the step
//     is_outside(values, values at the end)
//                                     then integrator.cut(begin) and step again, no further than shortened(begin, end)
//
// The paper has no such check: linear extrapolation says nothing of a boundary that curves towards the trajectory, for
// instance if g rises at the start of a long step and falls later. Where the interpolant shows a crossing at time `at`
// inside the step, shortened(begin, at) is the better limit.
//
// Distances to the boundary shrink by the factor gamma with each step, so it is never reached. We are there when the
// limit has come down to the least step: the event is then at most about least_step / (1 - gamma) too early, and the
// state is inside, so the relations of `at_boundary` have to be taken as no longer holding.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/condition_tree.h"

namespace hyla::solve {

struct OneSidedSettings {
  double gamma = 0.6;        ///< between 0 and 1; closer to 1: more cautious
  double least_step = 1e-6;  ///< in units of time, as in the paper; not below the resolution of time
};

class OneSided {
 public:
  enum class Place : std::uint8_t { Inside, Arrived };

  explicit OneSided(const OneSidedSettings& settings = {}) : settings_(settings) {}

  /// `values` and `rates` by relation: g and its derivative with respect to time. Infinity: no limit.
  double longest_step(const ConditionTree& staying, const double* values, const double* rates) const;
  /// At a time t with the condition still holding.
  Place place(const ConditionTree& staying, const double* values, const double* rates, double t) const;
  /// After a step: the condition, or what held of it before, holds no longer.
  bool is_outside(const ConditionTree& staying, const double* before, const double* after) const;
  /// How far to go in the next attempt from `begin`, if `outside` is a time beyond the boundary.
  double shortened(double begin, double outside) const { return begin + (1 - settings_.gamma) * (outside - begin); }

  /// After arrival: the relations whose boundary has been reached.
  void at_boundary(const ConditionTree& staying, const double* values, const double* rates, double t,
                   std::vector<std::uint32_t>& relations) const;

 private:
  struct Limit {
    double step = 0;
    bool holds = false;
  };
  Limit limit(const ConditionTree& staying, ConditionTree::Node node, const double* values, const double* rates) const;
  double least_step_at(double t) const;

  OneSidedSettings settings_;
};

}  // namespace hyla::solve
