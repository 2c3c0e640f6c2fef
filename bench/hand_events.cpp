#include "hand_events.h"

#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace hyla::bench {
namespace {

constexpr double kArrivalMean = 1 / 0.9;
constexpr double kServiceMean = 1;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// xoshiro256+ of D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators" (2021): about as quick as
/// a good generator can be.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15;
      word = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9;
    }
  }
  std::uint64_t bits() {
    const std::uint64_t result = state_[0] + state_[3];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = (state_[3] << 45) | (state_[3] >> 19);
    return result;
  }
  double exponential(double mean) { return -mean * std::log(1 - static_cast<double>(bits() >> 11) * 0x1p-53); }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((bits() >> 32) * bound) >> 32); }

 private:
  std::array<std::uint64_t, 4> state_{};
};

/// A calendar of actions; equal times in the order of scheduling.
class ActionCalendar {
 public:
  double now() const { return now_; }
  void schedule(double delay, std::function<void()> action) {
    queue_.push({now_ + delay, number_++, std::move(action)});
  }
  void run() {
    while (!queue_.empty()) {
      Entry entry = std::move(const_cast<Entry&>(queue_.top()));
      queue_.pop();
      now_ = entry.time;
      entry.action();
    }
  }

 private:
  struct Entry {
    double time;
    std::uint64_t number;
    std::function<void()> action;
    bool operator<(const Entry& other) const { return time != other.time ? time > other.time : number > other.number; }
  };
  std::priority_queue<Entry> queue_;
  double now_ = 0;
  std::uint64_t number_ = 0;
};

class Station {
 public:
  explicit Station(std::uint64_t customers) : customers_(customers) {}

  double mean_time_in_system() {
    calendar_.schedule(random_.exponential(kArrivalMean), [this] { arrive(); });
    calendar_.run();
    return sum_ / static_cast<double>(customers_);
  }

 private:
  void arrive() {
    queue_.push_back(calendar_.now());
    if (queue_.size() == 1) begin_service();
    if (++arrived_ < customers_) calendar_.schedule(random_.exponential(kArrivalMean), [this] { arrive(); });
  }
  void begin_service() {
    calendar_.schedule(random_.exponential(kServiceMean), [this] { depart(); });
  }
  void depart() {
    sum_ += calendar_.now() - queue_.front();
    queue_.pop_front();
    if (!queue_.empty()) begin_service();
  }

  const std::uint64_t customers_;
  Random random_{3};
  ActionCalendar calendar_;
  std::deque<double> queue_;  ///< times of arrival; the first is being served
  std::uint64_t arrived_ = 0;
  double sum_ = 0;
};

struct Hop {
  double time;
  std::uint32_t process;
};

/// An implicit heap in which each entry has `kArity` children.
template <std::size_t kArity>
class HopHeap {
 public:
  explicit HopHeap(std::size_t size) { hops_.reserve(size); }
  const Hop& first() const { return hops_.front(); }

  void add(Hop hop) {
    std::size_t place = hops_.size();
    hops_.push_back(hop);
    for (; place > 0; place = (place - 1) / kArity) {
      const Hop& parent = hops_[(place - 1) / kArity];
      if (parent.time <= hop.time) break;
      hops_[place] = parent;
    }
    hops_[place] = hop;
  }
  /// A hold operation: the first entry goes, another comes.
  void replace_first(Hop hop) {
    std::size_t place = 0;
    for (;;) {
      const std::size_t begin = place * kArity + 1;
      if (begin >= hops_.size()) break;
      const std::size_t end = std::min(begin + kArity, hops_.size());
      std::size_t least = begin;
      for (std::size_t child = begin + 1; child < end; ++child) {
        if (hops_[child].time < hops_[least].time) least = child;
      }
      if (hops_[least].time >= hop.time) break;
      hops_[place] = hops_[least];
      place = least;
    }
    hops_[place] = hop;
  }

 private:
  std::vector<Hop> hops_;
};

template <std::size_t kArity>
double phold(std::uint32_t processes, std::uint64_t events) {
  Random random(7);
  HopHeap<kArity> heap(processes);
  std::vector<std::uint64_t> counts(processes);
  for (std::uint32_t process = 0; process < processes; ++process) heap.add({random.exponential(1), process});
  double now = 0;
  for (std::uint64_t event = 0; event < events; ++event) {
    now = heap.first().time;
    ++counts[heap.first().process];
    const double next = now + random.exponential(1);
    heap.replace_first({next, random.below(processes)});
  }
  return counts[0] > events ? 0 : now;
}

}  // namespace

double mm1_calendar(std::uint64_t customers) { return Station(customers).mean_time_in_system(); }

double mm1_two_clocks(std::uint64_t customers) {
  Random random(3);
  std::deque<double> queue;
  double arrival = random.exponential(kArrivalMean);
  double departure = kNever;
  double sum = 0;
  for (std::uint64_t arrived = 0, served = 0; served < customers;) {
    if (arrival < departure) {
      if (queue.empty()) departure = arrival + random.exponential(kServiceMean);
      queue.push_back(arrival);
      arrival = ++arrived < customers ? arrival + random.exponential(kArrivalMean) : kNever;
    } else {
      sum += departure - queue.front();
      queue.pop_front();
      ++served;
      departure = queue.empty() ? kNever : departure + random.exponential(kServiceMean);
    }
  }
  return sum / static_cast<double>(customers);
}

double phold_binary(std::uint32_t processes, std::uint64_t events) { return phold<2>(processes, events); }
double phold_four_ary(std::uint32_t processes, std::uint64_t events) { return phold<4>(processes, events); }

}  // namespace hyla::bench
