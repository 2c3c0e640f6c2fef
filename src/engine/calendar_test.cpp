// The calendar against the obvious one: a std::multimap from times to events, under a million random operations.
#include "engine/calendar.h"

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace hyla::engine {
namespace {

/// A calendar and its model side by side; every operation is done on both and compared.
class Pair {
 public:
  void schedule(double time) {
    const std::uint32_t event = calendar_.take();
    ASSERT_FALSE(places_.contains(event)) << "the number is in use";
    calendar_.schedule(time, event);
    handles_.push_back(calendar_.handle(event));
    places_.emplace(event, times_.emplace(time, handles_.back()));
    compare();
  }

  void cancel(std::size_t choice) {
    const EventHandle handle = take_handle(choice);
    ASSERT_TRUE(calendar_.is_alive(handle));
    forget(Calendar::event_of(handle));
    calendar_.cancel(handle);
    ASSERT_FALSE(calendar_.is_alive(handle));
    compare();
  }

  /// The first event leaves and is released, or comes back at another time under its number.
  void pop(bool again, double delay) {
    const double time = calendar_.next_time();
    const std::uint32_t event = calendar_.pop();
    const auto place = places_.find(event);
    ASSERT_NE(place, places_.end()) << "the event was cancelled or never scheduled";
    ASSERT_EQ(place->second->first, time);
    ASSERT_GE(time, now_);
    now_ = time;
    const EventHandle handle = place->second->second;
    ASSERT_TRUE(calendar_.is_alive(handle)) << "its number stays taken";
    forget(event);
    if (again) {
      calendar_.schedule(time + delay, event);
      ASSERT_EQ(calendar_.handle(event), handle);
      places_.emplace(event, times_.emplace(time + delay, handle));
    } else {
      calendar_.release(event);
      ASSERT_FALSE(calendar_.is_alive(handle));
    }
    compare();
  }

  double now() const { return now_; }
  std::size_t size() const { return times_.size(); }
  std::size_t handles() const { return handles_.size(); }
  std::size_t capacity() const { return calendar_.capacity(); }

 private:
  /// Removes handles of events that are over until a live one is found.
  EventHandle take_handle(std::size_t choice) {
    for (;;) {
      const std::size_t place = choice % handles_.size();
      const EventHandle handle = handles_[place];
      handles_[place] = handles_.back();
      handles_.pop_back();
      const auto found = places_.find(Calendar::event_of(handle));
      const bool lives = found != places_.end() && found->second->second == handle;
      EXPECT_EQ(calendar_.is_alive(handle), lives);
      if (lives) return handle;
    }
  }
  void forget(std::uint32_t event) {
    const auto place = places_.find(event);
    times_.erase(place->second);
    places_.erase(place);
  }
  void compare() {
    ASSERT_EQ(calendar_.size(), times_.size());
    ASSERT_EQ(calendar_.empty(), times_.empty());
    ASSERT_EQ(calendar_.next_time(), times_.empty() ? std::numeric_limits<double>::infinity() : times_.begin()->first);
  }

  using Times = std::multimap<double, EventHandle>;
  Calendar calendar_;
  Times times_;
  std::map<std::uint32_t, Times::iterator> places_;  ///< of scheduled events
  std::vector<EventHandle> handles_;                 ///< of all that were scheduled and not cancelled
  double now_ = 0;
};

/// How often what is done, of 100, and how coarse times are: coarse ones give many events of one time.
struct Mix {
  std::uint32_t schedules;
  std::uint32_t cancels;
  double grain;
  std::uint32_t longest;
};

void run_mix(const Mix& mix, std::uint32_t seed, int operations) {
  std::mt19937 random(seed);
  Pair pair;
  const auto delay = [&] { return mix.grain * static_cast<double>(random() % mix.longest); };
  for (int i = 0; i < operations; ++i) {
    const std::uint64_t dice = random() % 100;
    if (pair.size() == 0 || dice < mix.schedules) {
      pair.schedule(pair.now() + delay());
    } else if (dice < mix.schedules + mix.cancels) {
      pair.cancel(random());
    } else {
      pair.pop(random() % 4 == 0, delay());
    }
    if (::testing::Test::HasFatalFailure()) FAIL() << "operation " << i << " of seed " << seed;
  }
  while (pair.size() > 0) {
    pair.pop(false, 0);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Calendar, BehavesAsAMultimap) {
  run_mix({40, 20, 1, 10}, 1, 250'000);                // stays small, many equal times
  run_mix({50, 30, 0.001, 1'000'000}, 2, 250'000);     // grows slowly
  run_mix({52, 46, 1e-9, 1'000'000'000}, 3, 250'000);  // nearly all are cancelled: the heap is swept
  run_mix({60, 10, 1, 100'000}, 4, 250'000);           // grows large
}

TEST(Calendar, NumbersOfEventsAreUsedAgain) {
  Calendar calendar;
  std::vector<EventHandle> old;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t event = calendar.take();
    calendar.schedule(i, event);
    old.push_back(calendar.handle(event));
    calendar.cancel(old.back());
  }
  EXPECT_EQ(calendar.capacity(), 1u);
  for (const EventHandle handle : old) EXPECT_FALSE(calendar.is_alive(handle));
  EXPECT_TRUE(calendar.empty());
}

TEST(Calendar, NoneIsNeverAlive) {
  Calendar calendar;
  calendar.schedule(1, calendar.take());
  EXPECT_FALSE(calendar.is_alive(0));
  EXPECT_FALSE(calendar.is_alive((EventHandle{1} << 32) | 7));
}

TEST(Calendar, ACancelledEventDoesNotSetTheNextTime) {
  Calendar calendar;
  const std::uint32_t first = calendar.take();
  const std::uint32_t second = calendar.take();
  calendar.schedule(1, first);
  calendar.schedule(2, second);
  calendar.cancel(calendar.handle(first));
  EXPECT_EQ(calendar.next_time(), 2);
  EXPECT_EQ(calendar.pop(), second);
  EXPECT_EQ(calendar.next_time(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace hyla::engine
