#include "solve_sundials/sundials.h"

#include "solve_sundials/arkode.h"
#include "solve_sundials/cvode.h"
#include "solve_sundials/ida.h"

namespace hyla::solve_sundials {

std::unique_ptr<solve::Integrator> make_sundials_integrator(solve::Method method) {
  switch (method) {
    case solve::Method::Auto:
    case solve::Method::Rk45:
    case solve::Method::Rk8:
    case solve::Method::Rosenbrock:
    case solve::Method::Euler:
    case solve::Method::Rk4:
      break;
    case solve::Method::CvodeAdams:
    case solve::Method::CvodeBdf:
      return std::make_unique<CvodeIntegrator>(method);
    case solve::Method::ArkodeErk:
    case solve::Method::ArkodeDirk:
      return std::make_unique<ArkodeIntegrator>(method);
    case solve::Method::Ida:
      return std::make_unique<IdaIntegrator>();
  }
  return nullptr;
}

}  // namespace hyla::solve_sundials
