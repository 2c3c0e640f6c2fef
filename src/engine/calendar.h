// The calendar of scheduled events: a four-ary heap over times, smallest first.
//
// The calendar gives out the numbers of events. A cancelled event stays in the heap until it comes to the top or until
// more than half of the heap is dead; then the heap is rebuilt. So scheduling, cancelling and re-scheduling cost O(log
// n) amortised, without a table of positions that every move would have to keep up to date. Events of one time come out
// in any order: the agenda of an event step sorts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace hyla::engine {

/// Names an event as long as it exists. 0 is none.
using EventHandle = std::uint64_t;

class Calendar {
 public:
  /// The number of a new event, which is not scheduled yet.
  std::uint32_t take() {
    if (free_.empty()) {
      generations_.push_back(1);
      return static_cast<std::uint32_t>(generations_.size() - 1);
    }
    const std::uint32_t event = free_.back();
    free_.pop_back();
    return event;
  }
  /// The event has happened or is not wanted any more; it must not be in the heap (see cancel).
  void release(std::uint32_t event) {
    if (++generations_[event] == 0) generations_[event] = 1;
    free_.push_back(event);
  }

  EventHandle handle(std::uint32_t event) const {
    return (static_cast<EventHandle>(generations_[event]) << 32) | event;
  }
  std::uint32_t generation(std::uint32_t event) const { return generations_[event]; }
  bool is_alive(EventHandle handle) const {
    const auto event = static_cast<std::uint32_t>(handle);
    return handle != 0 && event < generations_.size() && generations_[event] == handle >> 32;
  }
  static std::uint32_t event_of(EventHandle handle) { return static_cast<std::uint32_t>(handle); }
  std::size_t capacity() const { return generations_.size(); }

  /// Gives its handle.
  EventHandle schedule(double time, std::uint32_t event) {
    const std::uint32_t generation = generations_[event];
    heap_.push_back({time, event, generation});
    sift_up(heap_.size() - 1);
    return (static_cast<EventHandle>(generation) << 32) | event;
  }
  /// Takes a scheduled event back and releases it.
  void cancel(EventHandle handle) {
    release(event_of(handle));
    ++dead_;
    if (heap_.size() > 64 && dead_ * 2 > heap_.size()) sweep();
    drop_dead_top();
  }

  bool empty() const { return heap_.empty(); }
  /// Live events that are scheduled.
  std::size_t size() const { return heap_.size() - dead_; }
  /// Infinity if empty.
  double next_time() const { return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_[0].time; }

  /// The first event; not if empty.
  std::uint32_t next_event() const { return heap_[0].event; }

  /// Removes the first event from the heap; its number stays taken.
  std::uint32_t pop() {
    const std::uint32_t event = heap_[0].event;
    pop_top();
    if (dead_ > 0) drop_dead_top();
    return event;
  }

 private:
  struct Entry {
    double time;
    std::uint32_t event;
    std::uint32_t generation;
  };
  static constexpr std::size_t kArity = 4;

  bool is_dead(const Entry& entry) const { return generations_[entry.event] != entry.generation; }
  /// The top is always alive, so that next_time() need not look.
  void drop_dead_top() {
    while (!heap_.empty() && is_dead(heap_[0])) {
      pop_top();
      --dead_;
    }
  }

  void sift_up(std::size_t place) {
    Entry* const heap = heap_.data();
    const Entry entry = heap[place];
    while (place > 0) {
      const std::size_t parent = (place - 1) / kArity;
      if (heap[parent].time <= entry.time) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = entry;
  }
  void sift_down(std::size_t place, Entry entry) {
    Entry* const heap = heap_.data();
    const std::size_t size = heap_.size();
    std::size_t first = place * kArity + 1;
    for (; first + kArity <= size; first = place * kArity + 1) {
      const std::size_t least = first + least_of_four(heap + first);
      if (heap[least].time >= entry.time) {
        heap[place] = entry;
        return;
      }
      heap[place] = heap[least];
      place = least;
    }
    std::size_t least = first;
    for (std::size_t child = first + 1; child < size; ++child) {
      if (heap[child].time < heap[least].time) least = child;
    }
    if (first < size && heap[least].time < entry.time) {
      heap[place] = heap[least];
      place = least;
    }
    heap[place] = entry;
  }
  /// Which of four siblings comes first; of equal ones the first.
  static std::size_t least_of_four(const Entry* siblings) {
    const std::size_t left = siblings[1].time < siblings[0].time ? 1 : 0;
    const std::size_t right = siblings[3].time < siblings[2].time ? 3 : 2;
    return siblings[right].time < siblings[left].time ? right : left;
  }
  void pop_top() {
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(0, last);
  }
  void sweep() {
    std::size_t kept = 0;
    for (const Entry& entry : heap_) {
      if (!is_dead(entry)) heap_[kept++] = entry;
    }
    heap_.resize(kept);
    dead_ = 0;
    for (std::size_t place = kept / kArity + 1; place-- > 0;) {
      if (place < kept) sift_down(place, heap_[place]);
    }
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> generations_;  ///< by event; changes when it is released
  std::vector<std::uint32_t> free_;
  std::size_t dead_ = 0;  ///< entries of the heap whose event was cancelled
};

}  // namespace hyla::engine
