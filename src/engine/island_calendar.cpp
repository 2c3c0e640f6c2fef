// The calendar of islands, and what is left when an island goes.
#include <algorithm>

#include "engine/advance.h"
#include "engine/island_errors.h"
#include "engine/islands.h"

namespace hyla::engine {

void IslandCalendar::put(Island& island) {
  if (island.seat == kNone) {
    if (free_seats_.empty()) {
      free_seats_.push_back(static_cast<std::uint32_t>(seats_.size()));
      seats_.emplace_back();
    }
    island.seat = free_seats_.back();
    free_seats_.pop_back();
  }
  const std::uint64_t order = std::uint64_t{island.cluster.number} << 32 | island.number;
  heap_.push_back({island.next, order, island.seat, ++seats_[island.seat].stamp, &island});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

const IslandCalendar::Entry* IslandCalendar::first() {
  while (!heap_.empty() && seats_[heap_.front().seat].stamp != heap_.front().stamp) pop();
  return heap_.empty() ? nullptr : &heap_.front();
}

void IslandCalendar::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  heap_.pop_back();
}

void IslandCalendar::retire(Island& island) {
  if (island.seat == kNone) return;
  ++seats_[island.seat].stamp;
  free_seats_.push_back(island.seat);
  island.seat = kNone;
}

void retire(Run& run, Island& island) {
  run.islands.retire(island);
  release(island);
  if (island.integrator) add_work(run.outcome.continuous, *island.integrator);
}

void count_work(Run& run) {
  ContinuousWork& work = run.outcome.continuous;
  std::uint64_t islands = 0;
  for (const std::unique_ptr<Cluster>& cluster : run.world.clusters) {
    islands += cluster->islands.size();
    work.loops += cluster->solver.work().solutions;
    work.iterations += cluster->solver.work().iterations;
    for (const std::unique_ptr<Island>& island : cluster->islands) {
      if (island->integrator) add_work(work, *island->integrator);
    }
  }
  work.islands = std::max(work.islands, islands);
  work.uncleared = run.isolator.uncleared();
}

}  // namespace hyla::engine
