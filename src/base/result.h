// Result<T>: a value, or the reason why there is none. For failures that are part of normal life (a file that cannot be
// read).
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace hyla::base {

struct Failure {
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}            // NOLINT(google-explicit-constructor): reads as a return
  Result(Failure failure) : content_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(content_); }
  const T& value() const& {
    HYLA_CHECK(ok(), "value of a failed result");
    return std::get<T>(content_);
  }
  T&& value() && {
    HYLA_CHECK(ok(), "value of a failed result");
    return std::get<T>(std::move(content_));
  }
  const std::string& message() const {
    HYLA_CHECK(!ok(), "message of a good result");
    return std::get<Failure>(content_).message;
  }

 private:
  std::variant<T, Failure> content_;
};

}  // namespace hyla::base
