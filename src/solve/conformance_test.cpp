#include "solve/conformance.h"

namespace hyla::solve {
namespace {

Candidate own(Candidate candidate) {
  const Method method = candidate.method;
  candidate.make = [method] { return make_integrator(method); };
  return candidate;
}

INSTANTIATE_TEST_SUITE_P(Own, Conformance,
                         testing::Values(own({.method = Method::Rk45, .order = 5, .interpolant_order = 4})),
                         candidate_name);

}  // namespace
}  // namespace hyla::solve
