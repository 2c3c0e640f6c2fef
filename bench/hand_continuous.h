// Continuous and hybrid programs as one writes them by hand in C++, with DOPRI5 or Rodas4 and events located on the
// dense output: what the engine is measured against. Each does the work of one model and can do nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dopri5.h"

namespace hyla::bench {

struct HandRun {
  std::vector<double> event_times;  ///< of programs with one object
  std::uint64_t events = 0;
  std::uint64_t steps = 0, evaluations = 0;
  std::vector<double> state;  ///< at the end
};

/// ARGESIM C5, examples/c5_two_state.hyla: Rodas4, the triangular Jacobian solved directly. State: y1, y2.
HandRun hand_two_state(double tolerance);

/// examples/pwm_servo.hyla up to 9.95 s: DOPRI5. The guard is the smooth one of the present mode, not that with `abs`,
/// whose double crossings a test at the ends of steps would miss. State: omega, phi, saw.
HandRun hand_servo(double tolerance);

/// ARGESIM C7, examples/c7_constrained_pendulum.hyla: DOPRI5. State: phi, omega.
HandRun hand_pendulum(double tolerance);

/// bench/models/thermostats.hyla: each room has its own DOPRI5; a heap puts the events of all of them in order. State:
/// the time of the last event of each.
HandRun hand_thermostats(std::size_t count, double stop, double tolerance);
/// The same from the logarithms of the closed form: the truth.
HandRun exact_thermostats(std::size_t count, double stop);

/// bench/models/balls.hyla, in the same way.
HandRun hand_balls(std::size_t count, double stop, double tolerance);

/// bench/models/oscillators.hyla: DOPRI5. State: positions, then velocities.
HandRun hand_oscillators(std::size_t count, double stop, double tolerance);

/// bench/models/brusselator.hyla: Rodas4 with a block-tridiagonal elimination. State: u and v of the cells in turn.
HandRun hand_brusselator(std::size_t cells, double stop, double tolerance);

/// The same with CVODE (BDF) and KLU, as SUNDIALS comes with the system.
HandRun cvode_brusselator(std::size_t cells, double stop, double tolerance);

/// What a model's class would be given: fractions of multiples of an irrational number, spread evenly over [0, 1).
double spread(std::size_t index, double factor);

}  // namespace hyla::bench
