// Notices events that accumulate: infinitely many in a finite time (Zeno), or two that alternate while time does not
// pass (chattering); and decides what follows.
//
// Every event of a condition, and every switch of a relation in an equation, is told to its cluster's track. Events of
// one kind whose intervals shrink like a geometric series have a limit that is known long before it is reached. It
// counts as reached when no more than a ten-millionth of the whole series is left: later bounces of a ball would be
// smaller than the rounding errors of its height.
//
// Events that alternate within the resolution of time are suspected of chattering. The suspicion is confirmed by the
// fields: those of both sides point at the surface between them (sliding_run.h). What cannot be confirmed goes on, and
// ends at the latest when ten thousand events have brought no progress of time.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "solve/accumulation.h"

namespace hyla::engine {

struct Cluster;
struct Configuration;
struct GuardPlan;
struct Object;
struct Run;

/// What a cluster was like between two events.
struct ClusterSnapshot {
  Configuration* configuration = nullptr;
  GuardPlan* guards = nullptr;
  std::vector<double> values;
  std::uint64_t next_kind = 0;  ///< of the event that ended it
};

/// The events of one cluster.
struct EventTrack {
  enum class Finding : std::uint8_t { None, Suspicious, Accumulating };

  solve::Accumulation accumulation;
  Finding finding = Finding::None;
  double last_time = -std::numeric_limits<double>::infinity();
  std::uint64_t last_kind = 0;
  std::array<std::uint64_t, 2> kinds{};  ///< the last two that differ, of events without time between
  int quick = 0;                         ///< events in a row without time between, of at most two kinds
  std::uint32_t stalled = 0;             ///< instants in a row though time has hardly passed
  std::uint64_t last_instant = 0;        ///< number of the instant of the last event
  bool fresh = false;                    ///< an event has happened since the values were looked at

  std::uint64_t shrinking_kind = 0;  ///< a series has been recognised in events of this kind
  double tolerance = 0;              ///< of the time left in it
  double limit = 0, ratio = 0;
  std::vector<double> before;                ///< values just before the last event
  std::array<ClusterSnapshot, 2> snapshots;  ///< after the last two events, the older first
};

/// The event of a condition is about to run.
void note_event(Run& run, Object& object, std::uint32_t watch);
/// Relations of equations have switched; `mode` is one of them.
void note_switch(Run& run, Cluster& cluster, std::uint32_t mode);

/// The cluster's values are those after its events: if events accumulate, the run ends, or the motion goes on
/// otherwise.
void look_at_recurrence(Run& run, Cluster& cluster);
/// The first step of an island that begins anew: 0, unless events follow each other without time between. A step that
/// is good enough for the states may pass over a quick transient that decides what happens next, where a condition
/// depends on them as steeply as a voltage on the current of a choke that nearly nothing conducts; so these begin
/// smaller and smaller.
double first_step_after(const Run& run, const Cluster& cluster);
/// Relations in equations switch each other without end. True: they have been settled. With `settled` the run ends if
/// they switch at a surface and cannot be settled.
bool settle_relations(Run& run, Cluster& cluster, bool settled);

}  // namespace hyla::engine
