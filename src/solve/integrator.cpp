#include "solve/integrator.h"

#include <array>

#include "solve/automatic.h"
#include "solve/explicit_pair.h"
#include "solve/fixed_step.h"
#include "solve/rosenbrock.h"

namespace hyla::solve {

namespace {

constexpr std::array<std::string_view, 11> kNames = {"auto",       "rk45",        "rk8",         "rosenbrock",
                                                     "euler",      "rk4",         "cvode-adams", "cvode-bdf",
                                                     "arkode-erk", "arkode-dirk", "ida"};

}  // namespace

std::string_view name_of(Method method) { return kNames[static_cast<std::size_t>(method)]; }

bool find_method(std::string_view name, Method& method) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] != name) continue;
    method = static_cast<Method>(i);
    return true;
  }
  return false;
}

std::unique_ptr<Integrator> make_integrator(Method method) {
  switch (method) {
    case Method::Auto:
      return std::make_unique<Automatic>();
    case Method::Rk45:
      return std::make_unique<Rk45>();
    case Method::Rk8:
      return std::make_unique<Rk8>();
    case Method::Rosenbrock:
      return std::make_unique<Rosenbrock>();
    case Method::Euler:
      return std::make_unique<FixedStep>(Method::Euler);
    case Method::Rk4:
      return std::make_unique<FixedStep>(Method::Rk4);
    case Method::CvodeAdams:
    case Method::CvodeBdf:
    case Method::ArkodeErk:
    case Method::ArkodeDirk:
    case Method::Ida:
      break;
  }
  return nullptr;
}

}  // namespace hyla::solve
