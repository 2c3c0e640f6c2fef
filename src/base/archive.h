// Values as bytes, to be read again: one description serves both ways, so that writing and reading cannot differ.
//
//     archive(a, b, c);      writes them, or gives them the values that were written
//
// A type says what it consists of by a member `transfer(archive)` or a function `transfer(archive, value)` beside it.
// Reading never goes beyond the bytes that are there: once something does not fit, the archive has failed, and
// everything that is read from then on is zero or empty.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace hyla::base {

class Archive {
 public:
  /// Writes.
  Archive() = default;
  /// Reads; the bytes outlive the archive.
  explicit Archive(std::string_view bytes) : rest_(bytes), is_writing_(false) {}

  bool is_writing() const { return is_writing_; }
  /// What is read is not what was written.
  bool failed() const { return failed_; }
  void fail() {
    failed_ = true;
    rest_ = {};
  }
  /// Something that must hold of what is read.
  void expect(bool holds) {
    if (!holds && !is_writing_) fail();
  }
  /// Everything has been read.
  bool at_end() const { return rest_.empty() && !failed_; }
  const std::string& bytes() const { return bytes_; }

  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }
  /// The size of something whose elements take at least a byte each; false: reading has failed.
  bool size(std::size_t& count) {
    auto number = static_cast<std::uint64_t>(count);
    raw(&number, sizeof number);
    expect(number <= rest_.size());
    count = failed_ ? 0 : static_cast<std::size_t>(number);
    return !failed_;
  }
  /// Numbers in a row, in the representation of the machine.
  void raw(void* memory, std::size_t count) {
    if (is_writing_) {
      bytes_.append(static_cast<const char*>(memory), count);
      return;
    }
    expect(count <= rest_.size());
    if (count == 0) return;
    if (failed_) {
      std::memset(memory, 0, count);
      return;
    }
    std::memcpy(memory, rest_.data(), count);
    rest_.remove_prefix(count);
  }

 private:
  template <class Value>
  void one(Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      std::uint8_t byte = value ? 1 : 0;
      raw(&byte, 1);
      value = byte != 0;
    } else if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      raw(&value, sizeof value);
    } else if constexpr (requires { value.transfer(*this); }) {
      value.transfer(*this);
    } else {
      transfer(*this, value);
    }
  }

  std::string bytes_;
  std::string_view rest_;
  bool is_writing_ = true;
  bool failed_ = false;
};

template <class Tag>
void transfer(Archive& archive, Id<Tag>& id) {
  archive(id.index);
}

template <class First, class Second>
void transfer(Archive& archive, std::pair<First, Second>& pair) {
  archive(pair.first, pair.second);
}

template <class Value, std::size_t kCount>
void transfer(Archive& archive, std::array<Value, kCount>& values) {
  for (Value& value : values) archive(value);
}

template <class Value>
void transfer(Archive& archive, std::vector<Value>& values) {
  std::size_t count = values.size();
  if (!archive.size(count)) {
    values.clear();
    return;
  }
  if (!archive.is_writing()) values.assign(count, Value());
  if constexpr (std::is_arithmetic_v<Value>) {
    archive.raw(values.data(), count * sizeof(Value));
  } else {
    for (Value& value : values) archive(value);
  }
}

inline void transfer(Archive& archive, std::string& text) {
  std::size_t count = text.size();
  if (!archive.size(count)) {
    text.clear();
    return;
  }
  text.resize(count);
  archive.raw(text.data(), count);
}

}  // namespace hyla::base
