// The calendar of islands, and what is left when an island goes.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/advance.h"
#include "engine/blame.h"
#include "engine/collect.h"
#include "engine/island_errors.h"
#include "engine/islands.h"

namespace hyla::engine {

bool IslandCalendar::is_before(const Entry& a, const Entry& b) const {
  return a.time != b.time ? a.time < b.time : seats_[a.seat].order < seats_[b.seat].order;
}

std::size_t IslandCalendar::least_child(std::size_t place) const {
  const std::size_t first = place * kArity + 1, end = heap_.size();
  if (first + kArity <= end) {
    const Entry* siblings = &heap_[first];
    const std::size_t left = is_before(siblings[1], siblings[0]) ? 1 : 0;
    const std::size_t right = is_before(siblings[3], siblings[2]) ? 3 : 2;
    return first + (is_before(siblings[right], siblings[left]) ? right : left);
  }
  std::size_t least = first;
  for (std::size_t child = first + 1; child < end; ++child) {
    if (is_before(heap_[child], heap_[least])) least = child;
  }
  return std::min(least, end);
}

std::size_t IslandCalendar::first_place() const { return top_is_free_ ? least_child(0) : 0; }

void IslandCalendar::store(std::size_t place, const Entry& entry) {
  heap_[place] = entry;
  seats_[entry.seat].place = static_cast<std::uint32_t>(place);
}

void IslandCalendar::sift_up(std::size_t place, const Entry& entry) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / kArity;
    if (!is_before(entry, heap_[parent])) break;
    store(place, heap_[parent]);
    place = parent;
  }
  store(place, entry);
}

void IslandCalendar::sift_down(std::size_t place, const Entry& entry) {
  for (;;) {
    const std::size_t least = least_child(place);
    if (least == heap_.size() || !is_before(heap_[least], entry)) break;
    store(place, heap_[least]);
    place = least;
  }
  store(place, entry);
}

void IslandCalendar::fill_top() {
  if (!std::exchange(top_is_free_, false)) return;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0, last);
}

void IslandCalendar::remove(std::size_t place) {
  const Entry last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  if (place > 0 && is_before(last, heap_[(place - 1) / kArity])) {
    sift_up(place, last);
  } else {
    sift_down(place, last);
  }
}

void IslandCalendar::put(Island& island) {
  if (island.seat == kNone) {
    if (free_seats_.empty()) {
      free_seats_.push_back(static_cast<std::uint32_t>(seats_.size()));
      seats_.emplace_back();
    }
    island.seat = free_seats_.back();
    free_seats_.pop_back();
    seats_[island.seat] = {&island, 0, kNone};
  }
  const Entry entry{island.next, island.seat};
  Seat& seat = seats_[island.seat];
  seat.order = std::uint64_t{island.cluster.number} << 32 | island.number;
  if (seat.place == kNone) {
    if (std::exchange(top_is_free_, false)) {
      sift_down(0, entry);
    } else {
      heap_.emplace_back();
      sift_up(heap_.size() - 1, entry);
    }
    return;
  }
  fill_top();
  const std::size_t place = seat.place;
  if (place > 0 && is_before(entry, heap_[(place - 1) / kArity])) {
    sift_up(place, entry);
  } else {
    sift_down(place, entry);
  }
}

Island* IslandCalendar::first() const {
  const std::size_t place = first_place();
  return place < heap_.size() ? seats_[heap_[place].seat].island : nullptr;
}

double IslandCalendar::next_time() const {
  const std::size_t place = first_place();
  return place < heap_.size() ? heap_[place].time : std::numeric_limits<double>::infinity();
}

void IslandCalendar::pop() {
  fill_top();
  seats_[heap_.front().seat].place = kNone;
  top_is_free_ = true;
}

void IslandCalendar::retire(Island& island) {
  if (island.seat == kNone) return;
  if (seats_[island.seat].place != kNone) {
    fill_top();
    remove(seats_[island.seat].place);
  }
  seats_[island.seat] = {};
  free_seats_.push_back(island.seat);
  island.seat = kNone;
}

void lay_aside(Run& run, Island& island) {
  run.islands.retire(island);
  release(island);
  island.crossings.clear();
  island.passed = 0;
  island.next_is_event = false;
}

namespace {

void count_work(const Cluster& cluster, ContinuousWork& work) {
  work.loops += cluster.solver.work().solutions;
  work.iterations += cluster.solver.work().iterations;
  for (const std::vector<std::unique_ptr<Island>>* list : {&cluster.islands, &cluster.idle}) {
    for (const std::unique_ptr<Island>& island : *list) {
      if (island->integrator) add_work(work, *island->integrator);
    }
  }
}

}  // namespace

void count_work(Run& run) {
  ContinuousWork& work = run.outcome.continuous;
  std::uint64_t islands = 0;
  for (const std::unique_ptr<Cluster>& cluster : run.world.clusters) {
    if (!cluster) continue;
    islands += cluster->islands.size();
    count_work(*cluster, work);
  }
  for (const auto& entry : run.world.gathering->lone) {
    for (const std::unique_ptr<Cluster>& cluster : entry.second.idle) count_work(*cluster, work);
  }
  run.world.gathering->known.each_idle([&](const Cluster& cluster) { count_work(cluster, work); });
  work.islands = std::max(work.islands, islands);
  work.uncleared = run.isolator.uncleared();
  work.blame = find_blame(run);
}

}  // namespace hyla::engine
