#include "solve_sundials/sundials.h"

#include "solve/conformance.h"

namespace hyla::solve {
namespace {

Candidate sundials(Candidate candidate) {
  const Method method = candidate.method;
  candidate.make = [method] { return solve_sundials::make_sundials_integrator(method); };
  candidate.allocates = true;
  return candidate;
}

INSTANTIATE_TEST_SUITE_P(
    Sundials, Conformance,
    testing::Values(sundials({.method = Method::CvodeAdams, .error_factor = 100, .keeps_step = false}),
                    sundials({.method = Method::CvodeBdf, .stiff = true, .error_factor = 120, .keeps_step = false})),
    candidate_name);

}  // namespace
}  // namespace hyla::solve
