// Writes the members of JSON objects one after the other, by hand.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace hyla::service {

class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }

  std::string& key(std::string_view name) {
    if (!is_first_) out_ += ", ";
    is_first_ = false;
    base::append_json_string(out_, name);
    return out_ += ": ";
  }
  Members& text(std::string_view name, std::string_view value) {
    base::append_json_string(key(name), value);
    return *this;
  }
  Members& count(std::string_view name, std::uint64_t value) {
    key(name) += std::to_string(value);
    return *this;
  }
  Members& flag(std::string_view name, bool value) {
    key(name) += value ? "true" : "false";
    return *this;
  }
  /// A figure that is not known is null.
  Members& number(std::string_view name, double value) {
    if (std::isnan(value)) {
      key(name) += "null";
    } else {
      base::append_json_number(key(name), value);
    }
    return *this;
  }
  template <class Items, class Append>
  Members& array(std::string_view name, const Items& items, Append append) {
    key(name) += '[';
    bool is_first = true;
    for (const auto& item : items) {
      if (!is_first) out_ += ",\n  ";
      is_first = false;
      append(out_, item);
    }
    out_ += ']';
    return *this;
  }
  Members& texts(std::string_view name, const std::vector<std::string>& values) {
    return array(name, values,
                 [](std::string& out, const std::string& value) { base::append_json_string(out, value); });
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool is_first_ = true;
};

}  // namespace hyla::service
