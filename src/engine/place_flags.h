// A flag for each of some places, for sets that are filled and cleared at every change of structure: open addressing,
// no allocation per entry, cleared at once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/terms.h"

namespace hyla::engine {

class PlaceFlags {
 public:
  void set(const Place& place, bool value) {
    if (2 * (size_ + 1) > mask_) grow();
    const Key key = key_of(place);
    Entry& entry = entries_[seat_of(key)];
    if (entry.stamp != stamp_) ++size_;
    entry = {key, stamp_, value};
  }
  /// False as well for places that were never set.
  bool operator[](const Place& place) const {
    if (size_ == 0) return false;
    const Entry& entry = entries_[seat_of(key_of(place))];
    return entry.stamp == stamp_ && entry.value;
  }
  void clear() {
    if (size_ == 0) return;
    size_ = 0;
    if (++stamp_ == 0) {
      entries_.assign(entries_.size(), {});
      stamp_ = 1;
    }
  }

 private:
  struct Key {
    std::uint64_t object = 0, member = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Entry {
    Key key;
    std::uint32_t stamp = 0;  ///< that of the flags: it is in use
    bool value = false;
  };

  static Key key_of(const Place& place) {
    return {std::uint64_t{place.object.index} << 32 | place.object.generation,
            std::uint64_t{place.slot} << 32 | place.element};
  }
  std::size_t seat_of(const Key& key) const {
    const std::uint64_t mixed = (key.object ^ key.member * 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
    std::size_t seat = (mixed >> 32) & mask_;
    while (entries_[seat].stamp == stamp_ && !(entries_[seat].key == key)) seat = (seat + 1) & mask_;
    return seat;
  }
  void grow() {
    const std::vector<Entry> before =
        std::exchange(entries_, std::vector<Entry>(entries_.empty() ? 64 : 2 * entries_.size()));
    mask_ = entries_.size() - 1;
    for (const Entry& entry : before) {
      if (entry.stamp == stamp_) entries_[seat_of(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_;  ///< a power of two, less than half in use
  std::size_t mask_ = 0;        ///< one less than so many
  std::size_t size_ = 0;
  std::uint32_t stamp_ = 1;
};

}  // namespace hyla::engine
