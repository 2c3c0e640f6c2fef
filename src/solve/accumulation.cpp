#include "solve/accumulation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hyla::solve {

namespace {

/// Located times are right to about so many units in the last place.
constexpr double kUnits = 8;
/// Series that shrink slower are not told apart from periodic events.
constexpr double kLargestRatio = 0.995;
/// Fewer intervals than all are enough if they have shrunk to so little.
constexpr double kShrunk = 1e-6;
constexpr int kFewestIntervals = 6;

}  // namespace

Accumulation::State Accumulation::add(double t, std::uint64_t kind) {
  const bool chattering = is_chattering(t, kind);
  last_time_ = t;
  Track& track = track_of(kind, t);
  add_interval(track, t);
  if (is_shrinking(track)) {
    const bool reached = remaining() <= std::max(settings_.tolerance, resolution_at(t));
    state_ = reached ? State::Reached : State::Shrinking;
  } else {
    state_ = chattering ? State::Chattering : State::None;
  }
  return state_;
}

void Accumulation::reset() {
  tracks_.clear();
  quick_events_ = 0;
  state_ = State::None;
}

/// The track of a kind; a new one takes the place of the one that has been quiet for the longest time.
Accumulation::Track& Accumulation::track_of(std::uint64_t kind, double t) {
  const auto same = [&](const Track& track) { return track.kind == kind; };
  const auto found = std::find_if(tracks_.begin(), tracks_.end(), same);
  if (found != tracks_.end()) return *found;
  Track track;
  track.kind = kind;
  track.intervals = -1;  // the first event begins the first interval
  track.last_time = t;
  if (tracks_.size() < kMostKinds) {
    tracks_.push_back(track);
    return tracks_.back();
  }
  const auto older = [](const Track& a, const Track& b) { return a.last_time < b.last_time; };
  Track& quiet = *std::min_element(tracks_.begin(), tracks_.end(), older);
  quiet = track;
  return quiet;
}

void Accumulation::add_interval(Track& track, double t) {
  if (track.intervals >= 0) {
    track.ring[static_cast<std::size_t>(track.next)] = t - track.last_time;
    track.next = (track.next + 1) % kIntervals;
  }
  track.intervals = std::min(track.intervals + 1, kIntervals);
  track.last_time = t;
}

/// Sets ratio and limit.
bool Accumulation::is_shrinking(const Track& track) {
  const int known = track.intervals;
  if (known < kFewestIntervals) return false;
  const int oldest = track.next - known + kIntervals;
  const auto interval = [&](int k) { return track.ring[static_cast<std::size_t>((oldest + k) % kIntervals)]; };
  const double first = interval(0), last = interval(known - 1);
  if (!(last > 0 && last < first)) return false;
  const double blur = kUnits * std::numeric_limits<double>::epsilon() * std::fabs(track.last_time);
  if (known < kIntervals && !(last <= kShrunk * first && last > 100 * blur)) return false;
  const double ratio = std::pow(last / first, 1.0 / (known - 1));
  if (ratio > kLargestRatio) return false;
  // The second bound keeps out intervals like 1/k, for which 1 - r shrinks too and looks steady after a while.
  const double variation = std::min(settings_.steadiness * (1 - ratio), 3 * (1 - ratio) * (1 - ratio));
  for (int k = 0; k + 1 < known; ++k) {
    const double allowed = variation * interval(k) + blur;
    if (!(std::fabs(interval(k + 1) - ratio * interval(k)) <= allowed)) return false;
  }
  ratio_ = ratio;
  limit_ = track.last_time + last * ratio / (1 - ratio);
  return true;
}

bool Accumulation::is_chattering(double t, std::uint64_t kind) {
  // Events of one instant are a chain of reactions, not a motion to and fro.
  if (quick_events_ > 0 && t == last_time_) return quick_events_ >= settings_.chattering_events;
  const bool quick = t - last_time_ <= resolution_at(t);
  const bool known = kind == chattering_kinds_[0] || kind == chattering_kinds_[1];
  if (!quick) {
    quick_events_ = 0;
  } else if (!known && quick_events_ > 1) {
    quick_events_ = 1;  // a third kind begins a new count, with the last event
  }
  if (quick_events_ <= 1) chattering_kinds_ = {quick_events_ == 0 ? kind : chattering_kinds_[1], kind};
  ++quick_events_;
  return quick_events_ >= settings_.chattering_events;
}

double Accumulation::resolution_at(double t) const {
  return std::max(settings_.resolution, kUnits * std::numeric_limits<double>::epsilon() * std::fabs(t));
}

}  // namespace hyla::solve
