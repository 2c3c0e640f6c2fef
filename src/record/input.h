// Where a stored record comes from: bytes of any number, read in pieces. Whoever touches files fills this role.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace hyla::record {

class Input {
 public:
  Input() = default;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  virtual ~Input() = default;

  /// How many bytes there are. They may become more while a run writes them.
  virtual std::uint64_t size() const = 0;
  /// Fills the piece with the bytes from `place` on and returns how many there were; fewer only at the end, or if
  /// reading failed.
  virtual std::size_t read(std::uint64_t place, std::span<char> piece) = 0;
};

/// Bytes in memory, which outlive this.
class MemoryInput : public Input {
 public:
  explicit MemoryInput(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read(std::uint64_t place, std::span<char> piece) override {
    return place < bytes_.size() ? bytes_.copy(piece.data(), piece.size(), place) : 0;
  }

 private:
  std::string_view bytes_;
};

}  // namespace hyla::record
