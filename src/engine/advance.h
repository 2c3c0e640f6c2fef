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
    std::uint32_t cluster = 0, number = 0;  ///< decide where times are equal, so that the order is always the same
    std::uint64_t stamp = 0;
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
  static bool later(const Entry& a, const Entry& b);
  std::vector<Entry> heap_;
  std::uint64_t stamps_ = 0;
};

}  // namespace hyla::engine
