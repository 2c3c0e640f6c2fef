// Notices when events accumulate: infinitely many in a finite time (Zeno), or two modes that alternate without time
// passing (chattering).
//
// The events of one kind, for instance the bounces of one ball, accumulate if the intervals between them shrink like a
// geometric series: d, d r, d r^2, ... The ratio r is taken over the last twenty intervals (over fewer, if they have
// shrunk to a millionth) and must be steady: it may vary only by a small part of 1 - r, beyond what rounding of the
// times explains. So intervals that shrink like 1/k, whose sum is infinite, do not count; nor do periodic events, even
// if pulses between them shrink to nothing, because intervals are taken between events of the same kind. The limit is
// then known long before it is reached: last + d_last * r / (1 - r).
//
// Chattering: so many events in a row, of at most two kinds, each after the last but within the resolution of time.
// Where both fields are known, motion_on_surface() of sliding.h says the same at the first crossing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hyla::solve {

struct AccumulationSettings {
  double tolerance = 0;     ///< an accumulation is reached when the time left is no more than this, or not resolved
  double resolution = 0;    ///< intervals up to this, or up to a few units in the last place, are no time at all
  double steadiness = 0.1;  ///< by what part of 1 - r the ratio may vary
  int chattering_events = 50;
};

class Accumulation {
 public:
  enum class State : std::uint8_t {
    None,
    Shrinking,   ///< a geometric series has been recognised; limit() and remaining() tell where it leads
    Reached,     ///< and the time left is below the tolerance or below what can be resolved
    Chattering,  ///< time no longer passes
  };

  explicit Accumulation(const AccumulationSettings& settings = {}) : settings_(settings) {}

  /// An event of a kind at a time; times do not decrease. Returns the state of its kind.
  State add(double t, std::uint64_t kind);
  /// After an event of another sort that ends whatever went on.
  void reset();

  State state() const { return state_; }
  /// Of the kind added last, if its state is Shrinking or Reached.
  double limit() const { return limit_; }
  double ratio() const { return ratio_; }
  double remaining() const { return limit_ - last_time_; }
  /// Of chattering: the two kinds that alternate (the same twice if there is one).
  std::uint64_t first_kind() const { return chattering_kinds_[0]; }
  std::uint64_t second_kind() const { return chattering_kinds_[1]; }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(settings_.tolerance, settings_.resolution, settings_.steadiness, settings_.chattering_events);
    archive(state_, limit_, ratio_, last_time_, tracks_, quick_events_, chattering_kinds_);
    archive.expect(tracks_.size() <= kMostKinds);
  }

 private:
  static constexpr int kIntervals = 20;
  static constexpr std::size_t kMostKinds = 16;

  struct Track {
    std::uint64_t kind = 0;
    int intervals = 0;  ///< how many of the last ones are known
    int next = 0;       ///< place of the next one in the ring
    double last_time = 0;
    std::array<double, kIntervals> ring{};

    template <class Archive>
    void transfer(Archive& archive) {
      archive(kind, intervals, next, last_time, ring);
      archive.expect(intervals >= 0 && intervals <= kIntervals && next >= 0 && next < kIntervals);
    }
  };

  Track& track_of(std::uint64_t kind, double t);
  void add_interval(Track& track, double t);
  bool is_shrinking(const Track& track);
  bool is_chattering(double t, std::uint64_t kind);
  double resolution_at(double t) const;

  AccumulationSettings settings_;
  State state_ = State::None;
  double limit_ = 0, ratio_ = 0, last_time_ = 0;
  std::vector<Track> tracks_;  ///< of the kinds seen last
  int quick_events_ = 0;       ///< in a row, without time between
  std::array<std::uint64_t, 2> chattering_kinds_{};
};

}  // namespace hyla::solve
