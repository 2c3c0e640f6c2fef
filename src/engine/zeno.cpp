#include "engine/zeno.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/context.h"
#include "engine/islands.h"
#include "engine/modes.h"
#include "engine/rest_run.h"
#include "engine/sliding_run.h"
#include "engine/unite_islands.h"

namespace hyla::engine {
namespace {

/// Part of a series of events that may be left when its limit counts as reached.
constexpr double kPartLeft = 1e-7;
/// The series is recognised over so many intervals: see Accumulation.
constexpr double kIntervals = 20;
/// Events closer together than this part of the time, or of the length of the run, have no time between.
constexpr double kResolution = 1e-12;
/// What follows them begins with a step that is this much smaller each time.
constexpr double kSmaller = 1.0 / 64;
/// So many of them in a row are chattering, whatever the reason.
constexpr std::uint32_t kMostStalled = 100;
/// So many events of one kind in a row, without time between, are at their limit.
constexpr int kMostRepeated = 50;
/// Kinds of switches of relations in equations have this bit; those of conditions are object and watch.
constexpr std::uint64_t kSwitchBit = std::uint64_t{1} << 63;

std::uint64_t kind_of(const Object& object, std::uint32_t watch) {
  return std::uint64_t{object.self.index} << 32 | watch;
}

double resolution_of(const Run& run) {
  const double span = run.options.stop_time - run.options.start_time;
  return kResolution * std::max(std::abs(run.now), std::isfinite(span) ? span : 1.0);
}

/// Counts events without time between, and remembers the two kinds that alternate.
void count_quick(const Run& run, EventTrack& track, std::uint64_t kind) {
  const double gap = run.now - track.last_time;
  if (!(gap <= resolution_of(run))) {
    track.quick = 0;
    track.stalled = 0;
    for (ClusterSnapshot& snapshot : track.snapshots) snapshot.configuration = nullptr;
  } else if (run.outcome.instants != track.last_instant) {
    ++track.stalled;
  }
  track.last_instant = run.outcome.instants;
  if (track.quick == 0) {
    track.kinds = {kind, kind};
  } else if (kind != track.kinds[0] && kind != track.kinds[1]) {
    if (track.kinds[0] != track.kinds[1]) track.quick = 1;
    track.kinds = {track.last_kind, kind};
  }
  ++track.quick;
}

void add_event(Run& run, Cluster& cluster, std::uint64_t kind) {
  if (!cluster.events) cluster.events = std::make_unique<EventTrack>();
  EventTrack& track = *cluster.events;
  count_quick(run, track, kind);
  const solve::Accumulation::State state = track.accumulation.add(run.now, kind);
  track.finding = track.quick >= 2 ? EventTrack::Finding::Suspicious : EventTrack::Finding::None;
  if (state == solve::Accumulation::State::Shrinking || state == solve::Accumulation::State::Reached) {
    track.limit = track.accumulation.limit();
    track.ratio = track.accumulation.ratio();
    const double left = track.accumulation.remaining();
    if (track.shrinking_kind != kind || track.tolerance == 0) {
      track.shrinking_kind = kind;
      track.tolerance = kPartLeft * left / std::pow(track.ratio, kIntervals);
    }
    const double tolerance = run.options.continuous.zeno == Zeno::Continue ? resolution_of(run) : track.tolerance;
    if (left <= tolerance || state == solve::Accumulation::State::Reached) {
      track.finding = EventTrack::Finding::Accumulating;
    }
  } else if (track.shrinking_kind == kind) {
    track.tolerance = 0;
  }
  if (track.quick >= kMostRepeated && track.kinds[0] == track.kinds[1] && run.now > track.last_time) {
    track.finding = EventTrack::Finding::Accumulating;
    track.limit = run.now;
    track.ratio = 0;
  }
  if (track.finding == EventTrack::Finding::Accumulating) track.before = cluster.values;
  track.last_time = run.now;
  track.last_kind = kind;
  track.fresh = true;
}

// --- reports --------------------------------------------------------------------------------------

void end_run(Run& run) {
  run.over = true;
  run.outcome.ending = Ending::Failed;
}

/// Who an event or switch belongs to, and where it stands.
struct Culprit {
  const Object* object = nullptr;
  diag::Span span;
  std::string label;
};

Culprit culprit_of(const Run& run, const Cluster& cluster, std::uint64_t kind) {
  Culprit culprit;
  if ((kind & kSwitchBit) != 0) {
    const ShapeEquation& equation = cluster.shape->equations[cluster.shape->modes[kind & UINT32_MAX].equation];
    culprit.object = &run.world.objects[cluster.objects[equation.object].index];
    culprit.span = equation.span;
    return culprit;
  }
  culprit.object = &run.world.objects[kind >> 32];
  const Plan& plan = *culprit.object->plan;
  const model::Reaction& reaction = run.world.model.reactions[plan.reactions[plan.watches[kind & UINT32_MAX].owner].id];
  culprit.span = reaction.span;
  if (reaction.label) culprit.label = fmt::format("`{}`", run.world.model.name(reaction.label));
  return culprit;
}

/// The last digits of a located time say nothing.
double rounded(double time) { return std::strtod(fmt::format("{:.9g}", time).c_str(), nullptr); }

void report_zeno(Run& run, const Cluster& cluster, const std::string& reason) {
  const EventTrack& track = *cluster.events;
  const double time = run.now;
  const Culprit culprit = culprit_of(run, cluster, track.last_kind);
  std::string message = fmt::format("events accumulate at t = {:.9g}", track.limit);
  if (!culprit.label.empty()) message = fmt::format("events {} accumulate at t = {:.9g}", culprit.label, track.limit);
  if (track.ratio > 0) message += fmt::format(": each interval is {:.3g} times the one before", track.ratio);
  diag::Sink::Entry entry = run.sink.report(diag::Kind::Zeno, culprit.span, message);
  entry.text(circumstances(run, *culprit.object, rounded(time)) +
             (reason.empty() ? "" : "; it cannot rest there: " + reason));
  entry.hint(reason.empty() ? "add a state in which it rests, or run with `--zeno slide`"
                            : "add a state in which it rests");
  end_run(run);
}

void report_chattering(Run& run, const Cluster& cluster, std::uint64_t first, std::uint64_t second,
                       const Meeting& meeting) {
  const double time = run.now;
  const Culprit culprit = culprit_of(run, cluster, first);
  diag::Sink::Entry entry = run.sink.report(
      diag::Kind::Chattering, culprit.span,
      fmt::format("the motion chatters at t = {:.9g}: it switches to and fro, and time does not pass", run.now));
  std::string here = circumstances(run, *culprit.object, rounded(time)), there = "switches back";
  if (meeting.known) {
    here += fmt::format("; here what is compared changes by {:.6g} per unit of time", meeting.here);
    there += fmt::format("; there it changes by {:.6g}", meeting.there);
  } else if (!meeting.reason.empty()) {
    here += "; it cannot slide: " + meeting.reason;
  }
  if (meeting.known && first == second) here += fmt::format(", on the other side by {:.6g}", meeting.there);
  entry.text(here);
  if (first != second) entry.label(culprit_of(run, cluster, second).span, there);
  entry.hint(meeting.slides() ? "keep the two switching points apart, or run with `--zeno slide`"
                              : "keep the two switching points apart");
  end_run(run);
}

// --- states that alternate ------------------------------------------------------------------------

/// The side of a surface that a snapshot is on; it is left by an event of the kind.
bool find_side(const Run& run, Cluster& cluster, const ClusterSnapshot& snapshot, std::uint64_t kind, SurfaceSide& side,
               std::uint32_t& island) {
  if ((kind & kSwitchBit) != 0) return false;
  const Object& object = run.world.objects[kind >> 32];
  const ShapeCondition& condition = cluster.shape->conditions[object.watches[kind & UINT32_MAX].condition];
  double nearest = std::numeric_limits<double>::infinity();
  for (std::uint32_t number = 0; number < snapshot.guards->guards.size(); ++number) {
    const GuardPlan::Guard& guard = snapshot.guards->guards[number];
    if (guard.mode - condition.first_mode >= condition.modes || guard.island == kNone) continue;
    const double distance = std::abs(snapshot.values[guard.g]);
    if (!(distance < nearest)) continue;
    nearest = distance;
    island = guard.island;
    side.mode = guard.mode;
    side.plan = &snapshot.configuration->islands[guard.island];
    side.search = &snapshot.guards->searches[guard.island];
    const std::vector<std::uint32_t>& guards = side.search->guards;
    side.relation = static_cast<std::size_t>(std::find(guards.begin(), guards.end(), number) - guards.begin());
  }
  side.values = snapshot.values;
  return side.plan != nullptr;
}

/// Constraints are not combined.
Meeting second_surface() {
  Meeting meeting;
  meeting.reason = "it is on another surface already";
  return meeting;
}

/// The condition that leads to the other side does not hold while the motion slides.
void silence(const Run& run, Cluster& cluster, std::uint64_t kind, const Constraint& constraint) {
  const Object& object = run.world.objects[kind >> 32];
  const ShapeCondition& condition = cluster.shape->conditions[object.watches[kind & UINT32_MAX].condition];
  for (const std::uint32_t mode : constraint.modes) {
    if (cluster.values[condition.value] == 0) return;
    double& value = cluster.values[cluster.shape->modes[mode].value];
    if (mode - condition.first_mode >= condition.modes) continue;
    value = 1 - value;
    code::run(cluster.guards->truths, cluster.values.data());
    if (cluster.values[condition.value] != 0) value = 1 - value;
  }
}

/// Two sides between which states alternate, with the islands in which the surface is.
struct Alternation {
  SurfaceSide here, there;
  std::uint32_t island = kNone, other_island = kNone;
};

Meeting meet(const Run& run, Cluster& cluster, const ClusterSnapshot& here, std::uint64_t next,
             const ClusterSnapshot& there, Alternation& found) {
  found = {};
  if (find_side(run, cluster, here, next, found.here, found.island) &&
      find_side(run, cluster, there, there.next_kind, found.there, found.other_island)) {
    return meet(cluster, found.here, found.there);
  }
  Meeting meeting;
  meeting.reason = "no surface is known between the two sides";
  return meeting;
}

/// Islands that depend on what switches slide together.
Meeting unite_dependents(Run& run, Cluster& cluster, std::uint64_t next, const Meeting& meeting, Alternation& found) {
  const EventTrack& track = *cluster.events;
  const std::string reader = find_foreign_reader(run, cluster);
  if (!reader.empty()) {
    Meeting none;
    none.reason = fmt::format("the equations of `{}` depend on what switches, and on nothing else of it", reader);
    return none;
  }
  const IslandGroups united =
      find_united(cluster, {track.snapshots[1], found.island}, {track.snapshots[0], found.other_island});
  if (united.empty()) return meeting;
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    if (!island->constraint) continue;
    for (const std::uint32_t variable : island->plan->outputs) {
      const bool is_in = variable < united.size() && united[variable] == united[found.here.plan->outputs.front()];
      if (is_in) return second_surface();
    }
  }
  const ClusterSnapshot here = unite(run, cluster, track.snapshots[1], united);
  const ClusterSnapshot there = unite(run, cluster, track.snapshots[0], united);
  const Meeting all = meet(run, cluster, here, next, there, found);
  if (all.slides()) unite_islands(run, cluster, united);
  return all;
}

void look_at_alternation(Run& run, Cluster& cluster) {
  EventTrack& track = *cluster.events;
  std::swap(track.snapshots[0], track.snapshots[1]);
  track.snapshots[0].next_kind = track.last_kind;
  track.snapshots[1] = {cluster.configuration, cluster.guards, cluster.values, 0};
  const std::uint64_t next = track.last_kind == track.kinds[0] ? track.kinds[1] : track.kinds[0];
  const bool given_up = track.stalled > kMostStalled;
  if (track.snapshots[0].configuration == nullptr || next == track.last_kind) return;
  Alternation found;
  Meeting meeting = meet(run, cluster, track.snapshots[1], next, track.snapshots[0], found);
  if (!meeting.slides()) {
    if (given_up) report_chattering(run, cluster, next, track.last_kind, meeting);
    return;
  }
  const bool stops = run.options.continuous.zeno == Zeno::Stop;
  if (cluster.islands[found.island]->constraint != nullptr) {
    meeting = second_surface();
  } else if (!stops) {
    meeting = unite_dependents(run, cluster, next, meeting, found);
  }
  if (stops || !meeting.slides()) {
    report_chattering(run, cluster, next, track.last_kind, meeting);
    return;
  }
  Island& island = *cluster.islands[found.island];
  std::unique_ptr<Constraint> slide = make_slide(cluster, island, std::move(found.here), std::move(found.there), {});
  silence(run, cluster, next, *slide);
  constrain(cluster, island, std::move(slide));
  track.quick = 0;
}

void look_at_accumulation(Run& run, Cluster& cluster) {
  EventTrack& track = *cluster.events;
  std::string reason;
  if (run.options.continuous.zeno == Zeno::Slide) {
    Island* island = nullptr;
    std::unique_ptr<Constraint> rest;
    if ((track.last_kind & kSwitchBit) == 0) rest = make_rest(run, cluster, track, island, reason);
    if (rest) {
      constrain(cluster, *island, std::move(rest));
      track.accumulation.reset();
      track.tolerance = 0;
      track.quick = 0;
      return;
    }
    if (reason.empty()) reason = "it does not come from jumps";
  }
  report_zeno(run, cluster, reason);
}

// --- relations in equations -----------------------------------------------------------------------

/// Everything computed with the present modes.
bool compute_side(Run& run, Cluster& cluster) {
  double* values = cluster.values.data();
  values[kTime] = run.now;
  if (!evaluate(cluster.configuration->held, values, cluster.solver).good()) return false;
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    if (!island->constraint && !evaluate(island->plan->evaluation, values, cluster.solver).good()) return false;
  }
  code::run(cluster.guards->relations, values);
  return true;
}

SurfaceSide side_of(const Cluster& cluster, std::uint32_t guard_number, const std::vector<double>& values) {
  const GuardPlan::Guard& guard = cluster.guards->guards[guard_number];
  SurfaceSide side;
  side.mode = guard.mode;
  side.plan = cluster.islands[guard.island]->plan;
  side.search = &cluster.guards->searches[guard.island];
  const std::vector<std::uint32_t>& guards = side.search->guards;
  side.relation = static_cast<std::size_t>(std::find(guards.begin(), guards.end(), guard_number) - guards.begin());
  side.values = values;
  return side;
}

/// Relations that switch where they are not zero deny themselves: that is no motion to and fro.
bool are_at_zero(const Cluster& cluster, const std::vector<std::uint32_t>& switched) {
  const auto is_at_zero = [&](std::uint32_t number) {
    const GuardPlan::Guard& guard = cluster.guards->guards[number];
    const double size = std::max(1.0, cluster.values[guard.size]);
    return std::abs(cluster.values[guard.g]) <= std::max(1e-6 * size, cluster.bands[guard.mode]);
  };
  return !switched.empty() && std::all_of(switched.begin(), switched.end(), is_at_zero);
}

/// Guards whose relations differ between two sides; all of one island, or none.
std::vector<std::uint32_t> find_switched(const Cluster& cluster, const std::vector<double>& first,
                                         const std::vector<double>& second) {
  std::vector<std::uint32_t> switched;
  for (std::uint32_t i = 0; i < cluster.guards->guards.size(); ++i) {
    const GuardPlan::Guard& guard = cluster.guards->guards[i];
    const ShapeMode& mode = cluster.shape->modes[guard.mode];
    if (mode.equation == kNone || first[mode.value] == second[mode.value]) continue;
    const bool is_relation = mode.kind == ModeKind::NotNegative || mode.kind == ModeKind::Positive;
    if (guard.island == kNone || !is_relation) return {};
    if (!switched.empty() && cluster.guards->guards[switched.front()].island != guard.island) return {};
    switched.push_back(i);
  }
  return switched;
}

/// How the two sides between which the equations alternate meet; all switched relations must be of one surface.
Meeting meet_all(Cluster& cluster, const std::vector<std::uint32_t>& switched, const std::vector<double>& first,
                 const std::vector<double>& second, SurfaceSide& here, SurfaceSide& there) {
  here = side_of(cluster, switched.front(), first);
  for (std::size_t i = switched.size(); i-- > 0;) {
    there = side_of(cluster, switched[i], second);
    const Meeting meeting = meet(cluster, here, there);
    if (!meeting.known || i == 0) return meeting;
  }
  return {};
}

}  // namespace

void note_event(Run& run, Object& object, std::uint32_t watch) {
  add_event(run, *run.world.clusters[object.cluster], kind_of(object, watch));
}

void note_switch(Run& run, Cluster& cluster, std::uint32_t mode) { add_event(run, cluster, kSwitchBit | mode); }

void look_at_recurrence(Run& run, Cluster& cluster) {
  if (!cluster.events || !cluster.events->fresh) return;
  EventTrack& track = *cluster.events;
  track.fresh = false;
  if (track.finding == EventTrack::Finding::Accumulating) {
    look_at_accumulation(run, cluster);
  } else if (run.options.continuous.zeno == Zeno::Continue) {
    if (track.stalled > run.options.step_limit) report_chattering(run, cluster, track.kinds[0], track.kinds[1], {});
  } else if (track.finding == EventTrack::Finding::Suspicious) {
    look_at_alternation(run, cluster);
  }
}

double first_step_after(const Run& run, const Cluster& cluster) {
  constexpr std::uint32_t kFew = 4;
  if (!cluster.events || cluster.events->stalled <= kFew || cluster.events->last_time != run.now) return 0;
  const double least = resolution_of(run);
  if (run.now <= run.options.start_time + least) return 0;  // no transient is known there yet
  return std::max(least, least / kResolution * std::pow(kSmaller, cluster.events->stalled - kFew));
}

bool settle_relations(Run& run, Cluster& cluster, bool settled) {
  Meeting meeting;
  meeting.reason = "more than one relation switches";
  std::vector<std::uint32_t> switched;
  SurfaceSide here, there;
  if (compute_side(run, cluster)) {
    const std::vector<double> first = cluster.values;
    decide_modes(run, cluster);
    if (compute_side(run, cluster)) {
      const std::vector<double> second = cluster.values;
      decide_modes(run, cluster);
      switched = find_switched(cluster, first, second);
      if (!switched.empty() && find_switched(cluster, first, cluster.values).empty()) {
        meeting = meet_all(cluster, switched, first, second, here, there);
        if (cluster.islands[cluster.guards->guards[switched.front()].island]->constraint) meeting = second_surface();
      }
    }
  }
  if (!meeting.slides() || run.options.continuous.zeno != Zeno::Slide) {
    if (!settled || !are_at_zero(cluster, switched)) return false;
    const std::uint32_t mode = cluster.guards->guards[switched.front()].mode;
    report_chattering(run, cluster, kSwitchBit | mode, kSwitchBit | mode, meeting);
    return false;
  }
  std::vector<std::uint32_t> modes;
  for (const std::uint32_t guard : switched) modes.push_back(cluster.guards->guards[guard].mode);
  Island& island = *cluster.islands[cluster.guards->guards[switched.front()].island];
  constrain(cluster, island, make_slide(cluster, island, std::move(here), std::move(there), modes));
  std::vector<double> y;
  for (const std::uint32_t state : island.plan->states)
    y.push_back(cluster.values[shape_of(cluster).variables[state].value]);
  island.system.place(run.now, y.data());
  code::run(cluster.guards->relations, cluster.values.data());
  code::run(cluster.guards->truths, cluster.values.data());
  return true;
}

}  // namespace hyla::engine
