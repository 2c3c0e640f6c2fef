// A hash table from numbers to numbers in one piece of memory, for the many small look-ups of graphs and tapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hyla::code {

class NumberMap {
 public:
  /// The value of a key, or null. Valid until the next `insert`.
  std::uint32_t* find(std::uint64_t key) {
    if (entries_.empty()) return nullptr;
    Entry& entry = entry_of(key);
    return entry.key == key ? &entry.value : nullptr;
  }
  /// Whether the key is new, and its value, which is kept if the key was there. The key must not be UINT64_MAX.
  std::pair<std::uint32_t*, bool> insert(std::uint64_t key, std::uint32_t value) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    Entry& entry = entry_of(key);
    const bool is_new = entry.key != key;
    if (is_new) {
      entry = {key, value};
      ++size_;
    }
    return {&entry.value, is_new};
  }
  void clear() {
    entries_.clear();
    size_ = 0;
  }

 private:
  static constexpr std::uint64_t kEmpty = UINT64_MAX;
  struct Entry {
    std::uint64_t key = kEmpty;
    std::uint32_t value = 0;
  };

  /// Where the key is, or the empty entry where it would be put.
  Entry& entry_of(std::uint64_t key) {
    const std::size_t mask = entries_.size() - 1;
    const std::uint64_t product = key * 0x9E3779B97F4A7C15U;
    std::size_t at = static_cast<std::size_t>(product ^ (product >> 32)) & mask;
    while (entries_[at].key != key && entries_[at].key != kEmpty) at = (at + 1) & mask;
    return entries_[at];
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.key != kEmpty) entry_of(entry.key) = entry;
    }
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace hyla::code
