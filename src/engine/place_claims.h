// Where the values of differential variables come from in an instant. Where constraints contradict them, it decides who
// follows whom, and who jumps.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/terms.h"

namespace hyla::engine {

enum class Claim : std::uint8_t {
  Open,      ///< of something that begins in this instant, and nobody has said what it begins with
  Kept,      ///< the value of before
  Begins,    ///< the start value of an object that was made in this instant, or of a state that was entered
  Assigned,  ///< by an action in this instant, or given at the start of the run
};

/// Claims of some places, for sets that are filled and cleared at every change of structure: open addressing, no
/// allocation per entry, cleared at once.
class PlaceClaims {
 public:
  void set(const Place& place, Claim claim) {
    if (2 * (size_ + 1) > mask_) grow();
    const Key key = key_of(place);
    Entry& entry = entries_[seat_of(key)];
    if (entry.stamp != stamp_) ++size_;
    entry = {key, stamp_, claim};
  }
  /// Open as well for places that were never set.
  Claim operator[](const Place& place) const {
    if (size_ == 0) return Claim::Open;
    const Entry& entry = entries_[seat_of(key_of(place))];
    return entry.stamp == stamp_ ? entry.claim : Claim::Open;
  }
  bool empty() const { return size_ == 0; }
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
    std::uint32_t stamp = 0;  ///< that of the claims: it is in use
    Claim claim = Claim::Open;
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
