#include "solve/conformance.h"

namespace hyla::solve {
namespace {

Candidate own(Candidate candidate) {
  const Method method = candidate.method;
  candidate.make = [method] { return make_integrator(method); };
  return candidate;
}

INSTANTIATE_TEST_SUITE_P(
    Own, Conformance,
    testing::Values(
        own({.method = Method::Auto, .order = 5, .interpolant_order = 4, .stiff = true, .algebraic = true}),
        own({.method = Method::Rk45, .order = 5, .interpolant_order = 4}),
        own({.method = Method::Rk8, .order = 8, .interpolant_order = 7, .spread = 1000}),
        own({.method = Method::Rosenbrock, .order = 5, .interpolant_order = 4, .stiff = true, .algebraic = true}),
        own({.method = Method::Euler, .order = 1, .interpolant_order = 1, .fixed_step = true}),
        own({.method = Method::Rk4, .order = 4, .interpolant_order = 3, .fixed_step = true})),
    candidate_name);

}  // namespace
}  // namespace hyla::solve
