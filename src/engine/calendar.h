// The calendar of scheduled events: a four-ary heap over (time, ticket), smallest time first.
//
// A cancelled entry stays in the heap until it comes to the top or until more than half of the heap is dead; then the
// heap is rebuilt. So scheduling, cancelling and re-scheduling cost O(log n) amortised, without a table of positions
// that every move would have to keep up to date. Entries of one time come out in any order: the agenda of an event step
// sorts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace hyla::engine {

/// Names an entry as long as it is in the calendar. 0 is none.
using Ticket = std::uint64_t;

class Calendar {
 public:
  /// `event` is handed back by pop().
  Ticket schedule(double time, std::uint32_t event) {
    const std::uint32_t slot = take_slot(event);
    const std::uint32_t generation = generations_[slot];
    push({time, slot, generation});
    ++live_;
    return (static_cast<Ticket>(generation) << 32) | slot;
  }

  /// Takes an entry back. False if it is no longer there.
  bool cancel(Ticket ticket) {
    const auto slot = static_cast<std::uint32_t>(ticket);
    if (ticket == 0 || slot >= generations_.size() || generations_[slot] != ticket >> 32) return false;
    free_slot(slot);
    if (heap_.size() > 64 && live_ * 2 < heap_.size()) sweep();
    drop_dead_top();
    return true;
  }

  /// The event of an entry that is still there; UINT32_MAX otherwise.
  std::uint32_t find(Ticket ticket) const {
    const auto slot = static_cast<std::uint32_t>(ticket);
    return ticket != 0 && slot < generations_.size() && generations_[slot] == ticket >> 32 ? events_[slot] : UINT32_MAX;
  }

  bool empty() const { return live_ == 0; }
  std::size_t size() const { return live_; }
  /// Infinity if empty.
  double next_time() const { return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_[0].time; }

  /// Removes the entry at the top and returns its event.
  std::uint32_t pop() {
    const std::uint32_t slot = heap_[0].slot;
    const std::uint32_t event = events_[slot];
    free_slot(slot);
    pop_top();
    drop_dead_top();
    return event;
  }

 private:
  struct Entry {
    double time;
    std::uint32_t slot;
    std::uint32_t generation;
  };
  static constexpr std::size_t kArity = 4;

  std::uint32_t take_slot(std::uint32_t event) {
    if (free_.empty()) {
      generations_.push_back(1);
      events_.push_back(event);
      return static_cast<std::uint32_t>(generations_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    events_[slot] = event;
    return slot;
  }
  void free_slot(std::uint32_t slot) {
    if (++generations_[slot] == 0) generations_[slot] = 1;
    free_.push_back(slot);
    --live_;
  }
  bool is_dead(const Entry& entry) const { return generations_[entry.slot] != entry.generation; }
  /// The top is always alive, so that next_time() need not look.
  void drop_dead_top() {
    while (!heap_.empty() && is_dead(heap_[0])) pop_top();
  }

  void push(Entry entry) {
    heap_.push_back(entry);
    sift_up(heap_.size() - 1, entry);
  }
  void sift_up(std::size_t place, Entry entry) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / kArity;
      if (heap_[parent].time <= entry.time) break;
      heap_[place] = heap_[parent];
      place = parent;
    }
    heap_[place] = entry;
  }
  void sift_down(std::size_t place, Entry entry) {
    const std::size_t size = heap_.size();
    for (;;) {
      const std::size_t first = place * kArity + 1;
      if (first >= size) break;
      const std::size_t last = first + kArity < size ? first + kArity : size;
      std::size_t least = first;
      for (std::size_t child = first + 1; child < last; ++child) {
        if (heap_[child].time < heap_[least].time) least = child;
      }
      if (heap_[least].time >= entry.time) break;
      heap_[place] = heap_[least];
      place = least;
    }
    heap_[place] = entry;
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
    for (std::size_t place = kept / kArity + 1; place-- > 0;) {
      if (place < kept) sift_down(place, heap_[place]);
    }
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> generations_;  ///< by slot; changes when the entry leaves the calendar
  std::vector<std::uint32_t> events_;       ///< by slot
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0;
};

}  // namespace hyla::engine
