// Islands between events: steps, the search for crossings in them, and the calendar of what comes next.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "engine/island.h"

namespace hyla::engine {

struct Run;

/// When islands need something: an entry each. Earlier entries of an island become void by its stamp.
class IslandCalendar {
 public:
  struct Entry {
    double time = 0;
    std::uint64_t order =
        0;  ///< cluster and island: decide where times are equal, so that the order is always the same
    std::uint32_t seat = 0;
    std::uint32_t stamp = 0;
    Island* island = nullptr;
  };

  void put(Island& island);
  /// The first entry that is not void; null if there is none.
  const Entry* first();
  void pop();
  /// The island goes away.
  void retire(Island& island);
  double next_time() {
    const Entry* entry = first();
    return entry == nullptr ? std::numeric_limits<double>::infinity() : entry->time;
  }

 private:
  /// Of an island: entries with an older stamp are void.
  struct Seat {
    std::uint32_t stamp = 0;
  };
  static bool later(const Entry& a, const Entry& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }
  std::vector<Entry> heap_;
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> free_seats_;
};

}  // namespace hyla::engine
