// The calendar of scheduled events: a four-ary heap over times, smallest first, that knows the place of every event.
//
// The calendar gives out the numbers of events. Scheduling, cancelling and taking the first cost O(log n): a cancelled
// event leaves the heap at once, so nothing dead is carried along. Events of one time come out in any order: the agenda
// of an event step sorts them.
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
    if (event >= places_.size()) places_.resize(generations_.size());
    heap_.push_back({});
    sift_up(heap_.size() - 1, {time, event});
    return handle(event);
  }
  /// Takes a scheduled event back and releases it.
  void cancel(EventHandle handle) {
    const std::uint32_t event = event_of(handle);
    remove(places_[event]);
    release(event);
  }

  bool empty() const { return heap_.empty(); }
  /// Events that are scheduled.
  std::size_t size() const { return heap_.size(); }
  /// Infinity if empty.
  double next_time() const { return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_[0].time; }

  /// The first event; not if empty.
  std::uint32_t next_event() const { return heap_[0].event; }

  /// Writes everything, or gets what was written.
  template <class Archive>
  void transfer(Archive& archive) {
    archive(heap_, generations_, free_);
    for (const Entry& entry : heap_) archive.expect(entry.event < capacity());
    for (const std::uint32_t event : free_) archive.expect(event < capacity());
    if (archive.failed()) heap_.clear();
    places_.resize(capacity());
    for (std::size_t i = 0; i < heap_.size(); ++i) places_[heap_[i].event] = static_cast<std::uint32_t>(i);
  }

  /// Removes the first event from the heap; its number stays taken.
  std::uint32_t pop() {
    const std::uint32_t event = heap_[0].event;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(0, last);
    return event;
  }

 private:
  struct Entry {
    double time;
    std::uint32_t event;

    template <class Archive>
    void transfer(Archive& archive) {
      archive(time, event);
    }
  };
  static constexpr std::size_t kArity = 4;

  void put(std::size_t place, const Entry& entry) {
    heap_[place] = entry;
    places_[entry.event] = static_cast<std::uint32_t>(place);
  }
  void sift_up(std::size_t place, Entry entry) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / kArity;
      if (heap_[parent].time <= entry.time) break;
      put(place, heap_[parent]);
      place = parent;
    }
    put(place, entry);
  }
  void sift_down(std::size_t place, Entry entry) {
    const std::size_t size = heap_.size();
    for (;;) {
      const std::size_t first = place * kArity + 1;
      if (first >= size) break;
      std::size_t least = first;
      if (first + kArity <= size) {
        least += least_of_four(&heap_[first]);
      } else {
        for (std::size_t child = first + 1; child < size; ++child) {
          if (heap_[child].time < heap_[least].time) least = child;
        }
      }
      if (heap_[least].time >= entry.time) break;
      put(place, heap_[least]);
      place = least;
    }
    put(place, entry);
  }
  /// Which of four siblings comes first; of equal ones the first.
  static std::size_t least_of_four(const Entry* siblings) {
    const std::size_t left = siblings[1].time < siblings[0].time ? 1 : 0;
    const std::size_t right = siblings[3].time < siblings[2].time ? 3 : 2;
    return siblings[right].time < siblings[left].time ? right : left;
  }
  void remove(std::size_t place) {
    const Entry last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size()) return;
    if (place > 0 && heap_[(place - 1) / kArity].time > last.time) {
      sift_up(place, last);
    } else {
      sift_down(place, last);
    }
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> generations_;  ///< by event; changes when it is released
  std::vector<std::uint32_t> places_;       ///< by event: in the heap, while it is scheduled
  std::vector<std::uint32_t> free_;
};

}  // namespace hyla::engine
