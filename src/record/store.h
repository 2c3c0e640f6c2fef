// A file that is written at any place and read back: bytes by their places. Whoever touches files fills this role.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "record/input.h"

namespace hyla::record {

class Store : public Input {
 public:
  /// Takes all of the bytes; behind the end the store grows. False if that failed; the store then knows why.
  virtual bool write(std::uint64_t place, std::string_view bytes) = 0;
};

/// In memory, with room for so many bytes.
class MemoryStore : public Store {
 public:
  explicit MemoryStore(std::uint64_t room = UINT64_MAX) : room_(room) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read(std::uint64_t place, std::span<char> piece) override {
    return MemoryInput(bytes_).read(place, piece);
  }
  bool write(std::uint64_t place, std::string_view bytes) override {
    if (place + bytes.size() > room_) return false;
    if (place + bytes.size() > bytes_.size()) bytes_.resize(place + bytes.size());
    bytes_.replace(place, bytes.size(), bytes);
    return true;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::uint64_t room_;
  std::string bytes_;
};

}  // namespace hyla::record
