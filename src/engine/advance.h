// Islands between events: steps, the search for crossings in them, and the calendar of what comes next.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/island.h"

namespace hyla::engine {

struct Run;

/// When islands need something: a four-ary heap of entries, one for each island, that knows the place of every island.
/// Of equal times the smaller number of cluster and island comes first, so that the order is always the same.
///
/// An island that is popped mostly comes back soon: its place at the top stays free until then.
class IslandCalendar {
 public:
  /// The island comes at its `next`; if it is here already, its entry moves.
  void put(Island& island);
  /// Null if there is none.
  Island* first() const;
  double next_time() const;
  void pop();
  /// The island goes away.
  void retire(Island& island);

 private:
  struct Entry {
    double time = 0;
    std::uint32_t seat = 0;
  };
  struct Seat {
    Island* island = nullptr;
    std::uint64_t order = 0;      ///< numbers of cluster and island when it was put here
    std::uint32_t place = kNone;  ///< in the heap; kNone: not in it
  };
  static constexpr std::size_t kArity = 4;

  bool is_before(const Entry& a, const Entry& b) const;
  std::size_t least_child(std::size_t place) const;
  /// The place of the first entry; the size of the heap if there is none.
  std::size_t first_place() const;
  void store(std::size_t place, const Entry& entry);
  void sift_up(std::size_t place, const Entry& entry);
  void sift_down(std::size_t place, const Entry& entry);
  void fill_top();
  void remove(std::size_t place);

  std::vector<Entry> heap_;
  bool top_is_free_ = false;
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> free_seats_;
};

}  // namespace hyla::engine
