#include "solve/integrator.h"

#include <array>

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

}  // namespace hyla::solve
