// Exceptions of the program's functions: they must not pass through the engine, and go on behind it.
#pragma once

#include <exception>
#include <utility>

namespace hyla::api {

class Thrown {
 public:
  /// Calls a function and keeps what it throws.
  template <class Call>
  void keep(const Call& call) noexcept {
    try {
      call();
    } catch (...) {
      exception_ = std::current_exception();
    }
  }
  explicit operator bool() const { return exception_ != nullptr; }
  /// Throws what has been kept.
  void go_on() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }

 private:
  std::exception_ptr exception_;
};

}  // namespace hyla::api
