#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace hyla::base {
namespace {

void print_failure(const CheckFailure& failure) {
  std::fprintf(
      stderr,
      "internal error: %.*s (%.*s) at %.*s:%d\nThis is a defect of Hyla, not of your model; please report it.\n",
      static_cast<int>(failure.explanation.size()), failure.explanation.data(),
      static_cast<int>(failure.condition.size()), failure.condition.data(), static_cast<int>(failure.file.size()),
      failure.file.data(), failure.line);
}

CheckHandler current_handler = print_failure;

}  // namespace

CheckHandler set_check_handler(CheckHandler handler) {
  CheckHandler former = current_handler;
  current_handler = handler;
  return former;
}

void check_failed(const CheckFailure& failure) {
  current_handler(failure);
  std::abort();
}

}  // namespace hyla::base
