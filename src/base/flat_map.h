// A hash table from 64-bit keys to 32-bit values for hot look-ups: open addressing, no erase, no allocation per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyla::base {

class FlatMap {
 public:
  static constexpr std::uint32_t kMissing = UINT32_MAX;

  std::uint32_t find(std::uint64_t key) const {
    if (slots_.empty()) return kMissing;
    for (std::size_t i = home(key);; i = (i + 1) & mask()) {
      if (slots_[i].value == kMissing) return kMissing;
      if (slots_[i].key == key) return slots_[i].value;
    }
  }

  /// Adds a key or replaces its value. `value` must not be kMissing.
  void put(std::uint64_t key, std::uint32_t value) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    for (std::size_t i = home(key);; i = (i + 1) & mask()) {
      if (slots_[i].value == kMissing) {
        slots_[i] = {key, value};
        ++size_;
        return;
      }
      if (slots_[i].key == key) {
        slots_[i].value = value;
        return;
      }
    }
  }

  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = kMissing;
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home(std::uint64_t key) const {
    // Fibonacci hashing spreads the small, regular keys that packed ids are.
    return static_cast<std::size_t>((key ^ (key >> 29)) * 0x9E3779B97F4A7C15ULL >> 32) & mask();
  }
  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : old.size() * 2, Slot{});
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.value != kMissing) put(slot.key, slot.value);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace hyla::base
