// A flag for each of some places, for sets that are filled and cleared at every change of structure: open addressing,
// no allocation per entry, cleared at once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/initial_choices.h"

namespace hyla::engine {

class PlaceFlags {
 public:
  void set(const Place& place, bool value) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[seat_of(place)];
    if (entry.stamp != stamp_) ++size_;
    entry = {place, stamp_, value};
  }
  /// False as well for places that were never set.
  bool operator[](const Place& place) const {
    if (size_ == 0) return false;
    const Entry& entry = entries_[seat_of(place)];
    return entry.stamp == stamp_ && entry.value;
  }
  void clear() {
    if (size_ == 0) return;
    size_ = 0;
    if (++stamp_ == 0) {
      entries_.clear();
      stamp_ = 1;
    }
  }

 private:
  struct Entry {
    Place place;
    std::uint32_t stamp = 0;  ///< that of the flags: it is in use
    bool value = false;
  };

  std::size_t seat_of(const Place& place) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t seat = PlaceHash()(place) & mask;
    while (entries_[seat].stamp == stamp_ && !(entries_[seat].place == place)) seat = (seat + 1) & mask;
    return seat;
  }
  void grow() {
    const std::vector<Entry> before =
        std::exchange(entries_, std::vector<Entry>(entries_.empty() ? 64 : 2 * entries_.size()));
    for (const Entry& entry : before) {
      if (entry.stamp == stamp_) entries_[seat_of(entry.place)] = entry;
    }
  }

  std::vector<Entry> entries_;  ///< a power of two, less than half in use
  std::size_t size_ = 0;
  std::uint32_t stamp_ = 1;
};

}  // namespace hyla::engine
