// HYLA_CHECK guards against our own mistakes: no input may reach a failing check.
#pragma once

#include <string_view>

namespace hyla::base {

struct CheckFailure {
  std::string_view file;
  int line;
  std::string_view condition;
  std::string_view explanation;
};

using CheckHandler = void (*)(const CheckFailure&);

/// Replaces what happens when a check fails and returns the former handler. The default prints the failure and aborts;
/// a long-running host may report and unwind instead. A handler that returns leads to abort().
CheckHandler set_check_handler(CheckHandler handler);

[[noreturn]] void check_failed(const CheckFailure& failure);

}  // namespace hyla::base

#define HYLA_CHECK(condition, explanation)                                       \
  do {                                                                           \
    if (!(condition)) [[unlikely]] {                                             \
      ::hyla::base::check_failed({__FILE__, __LINE__, #condition, explanation}); \
    }                                                                            \
  } while (false)
