// What the conformance suite needs: candidates, runs with errors, and a count of allocations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solve/integrator.h"
#include "solve/test_systems.h"

namespace hyla::solve {

inline std::uint64_t number_of_allocations = 0;

}  // namespace hyla::solve

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++hyla::solve::number_of_allocations;
  void* memory = std::malloc(std::max<std::size_t>(size, 1));
  if (memory == nullptr) std::abort();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace hyla::solve {

/// An integrator to be tested, and what it promises.
struct Candidate {
  Method method = Method::Auto;
  std::function<std::unique_ptr<Integrator>()> make = nullptr;
  int order = 0;              ///< of convergence with steps of one size; 0: not tested
  int interpolant_order = 0;  ///< global order seen between the steps
  bool fixed_step = false;    ///< no error control
  bool stiff = false;         ///< copes with stiff systems
  bool algebraic = false;     ///< copes with algebraic variables
  double error_factor = 50;   ///< at the end of the test systems: most error / tolerance
  double spread = 100;        ///< by how much error / tolerance may vary from tolerance to tolerance
  bool allocates = false;     ///< in steps
  bool exact_restart = true;  ///< a restart without change does not change the result
  bool keeps_step = true;     ///< a step shortened by the limit does not shorten those after it
};

inline void PrintTo(const Candidate& candidate, std::ostream* out) { *out << name_of(candidate.method); }

inline std::string candidate_name(const testing::TestParamInfo<Candidate>& info) {
  std::string name(name_of(info.param.method));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Conformance : public testing::TestWithParam<Candidate> {
 protected:
  Conformance() : integrator(GetParam().make()) {}

  /// Settings that hold for the system; the tolerances live in the fixture.
  Settings with_tolerance(const TestSystem& system, double tolerance, double absolute = 1) {
    tolerances.assign(system.size(), tolerance * absolute);
    Settings settings;
    settings.relative_tolerance = tolerance;
    settings.absolute_tolerances = tolerances.data();
    settings.fixed_step = system.last_time / 2000;
    return settings;
  }

  /// Steps of one size: for methods with error control through tolerances that accept everything.
  Settings with_steps(const TestSystem& system, double h) {
    Settings settings = with_tolerance(system, 1e12);
    settings.first_step = settings.longest_step = settings.fixed_step = h;
    return settings;
  }

  /// Runs to the last time and returns the largest error there relative to |y| + scale; infinity if a step fails.
  double run(TestSystem& system, const Settings& settings, double scale = 1) {
    run_along(system, settings, [] {});
    return integrator->end() == system.last_time ? error(integrator->state(), system.end_state(), scale) : kInfinity;
  }

  /// Largest error at the ends of the steps of a run.
  double run_ends(TestSystem& system, const Settings& settings) {
    double most = 0;
    run_along(system, settings,
              [&] { most = std::max(most, error(integrator->state(), system.exact(integrator->end()))); });
    return integrator->end() == system.last_time ? most : kInfinity;
  }

  /// Largest error inside the steps of a run.
  double run_inside(TestSystem& system, const Settings& settings) {
    Vector y(system.size());
    double most = 0;
    run_along(system, settings, [&] {
      for (const double s : {0.1, 0.25, 0.4, 0.6, 0.77, 0.95}) {
        const double t = integrator->begin() + s * (integrator->end() - integrator->begin());
        integrator->interpolate(t, y.data());
        most = std::max(most, error(y.data(), system.exact(t)));
      }
    });
    return integrator->end() == system.last_time ? most : kInfinity;
  }

  void run_along(TestSystem& system, const Settings& settings, const std::function<void()>& after_step) {
    integrator->start(system, 0, system.start.data(), settings);
    while (integrator->end() < system.last_time && integrator->step(system.last_time) == StepStatus::Good) after_step();
  }

  static double error(const double* y, const Vector& exact, double scale = 1) {
    double most = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      most = std::max(most, std::fabs(y[i] - exact[i]) / (std::fabs(exact[i]) + scale));
    }
    return most;
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::unique_ptr<Integrator> integrator;
  Vector tolerances;
};

}  // namespace hyla::solve
