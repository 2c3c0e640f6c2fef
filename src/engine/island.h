// A cluster and its islands while the model runs.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "base/archive.h"
#include "engine/cluster.h"
#include "engine/constraint.h"
#include "engine/jacobian.h"
#include "engine/place_claims.h"
#include "engine/zeno.h"
#include "solve/integrator.h"
#include "solve/roots.h"

namespace hyla::engine {

struct Cluster;
struct ClusterRanges;
struct Commutation;
struct FoundStart;
class TermTapes;

/// An event as reports name it: a reaction, a process, an atomic model's transition, or the switch of a relation.
struct Happening {
  double time = std::numeric_limits<double>::quiet_NaN();  ///< NaN: none
  ObjectRef object;
  model::ReactionId reaction;
  model::ProcessId process;
  model::ClassId atomic;
  diag::Span relation;    ///< the equation whose relation has switched
  Sequence sequence = 0;  ///< of its occurrence; of a relation: of what happened before
};

/// The equations of an island as an integrator sees them.
class IslandSystem final : public solve::System {
 public:
  IslandSystem(Cluster& cluster, IslandPlan& plan) : cluster_(cluster), plan_(&plan) {}

  std::size_t size() const override { return plan_->states.size(); }
  solve::Evaluation evaluate(double t, const double* y, double* f) override;
  solve::Evaluation jacobian(double t, const double* y, double* entries, double* df_dt) override;
  const solve::Pattern& pattern() const override;

  /// Other equations of the same states.
  void rebind(IslandPlan& plan);
  /// What changes the field, if anything does; owned by the island.
  void constrain(Constraint* constraint) { constraint_ = constraint; }
  /// Puts the states and the time in place and computes all that follows from them.
  Evaluated place(double t, const double* y);

  /// The last point that an integrator asked for, if the equations gave no number there.
  struct Undefined {
    bool is_last = false;  ///< no good evaluation came after it
    double time = 0;
    std::vector<double> state;
    Evaluated evaluated;  ///< a loop without solution, if that was the reason
  };
  const Undefined& undefined() const { return undefined_; }

 private:
  void move_on(double t);
  solve::Evaluation note_undefined(double t, const double* y, const Evaluated& evaluated);

  const JacobianPlan& plan() const;

  Cluster& cluster_;
  IslandPlan* plan_;
  JacobianWork work_;
  Constraint* constraint_ = nullptr;
  Undefined undefined_;
};

/// What steps that were looked at have shown: see blame.h.
struct IslandBlame {
  std::uint64_t looks = 0;
  /// Variables of the cluster's own shape, and how often the error of each was the largest.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> limits;
  double seconds = 0;  ///< that timed steps took

  void transfer(base::Archive& archive) { archive(looks, limits); }
};

struct Island {
  Island(Cluster& its_cluster, std::uint32_t its_number, IslandPlan& its_plan)
      : cluster(its_cluster), number(its_number), plan(&its_plan), system(its_cluster, its_plan) {}

  Cluster& cluster;
  std::uint32_t number = 0;  ///< in its configuration
  IslandPlan* plan;
  IslandSystem system;
  std::unique_ptr<Constraint> constraint;         ///< that keeps it on a surface; mostly none
  std::unique_ptr<solve::Integrator> integrator;  ///< none if it has no states

  bool has_begun = false;        ///< its integrator, if it has states, has started in the present configuration
  double begin = 0, end = 0;     ///< of its step; equal if it has none
  bool unproven = false;         ///< relations near zero were decided at its start, and no step has shown them right
  bool restart = true;           ///< values or equations have changed: its step is over
  bool is_other_system = false;  ///< the integrator was made for one with or without a constraint
  bool search = true;            ///< relations to watch have changed
  bool reselect = false;         ///< other variables should be integrated from the end of its step on
  std::vector<solve::Crossing> crossings;  ///< of its step, in order; `relation` into GuardPlan::Search::guards
  std::size_t passed = 0;                  ///< so many of them have been applied
  std::size_t due = 0;                     ///< so many will have been applied once the next event has come
  double next =
      std::numeric_limits<double>::infinity();  ///< its entry in the calendar: an event, or the end of the step
  bool next_is_event = false;
  std::uint32_t seat = kNone;  ///< in the calendar of islands
  double time_scale = 0;       ///< length of its last steps
  double idle_step = 0;        ///< without states: length of the steps in which relations over time are searched
  double measured = -std::numeric_limits<double>::infinity();  ///< up to here margins of requirements are known
  double looked = -std::numeric_limits<double>::infinity();    ///< here ranges of variables were looked at last
  IslandBlame blame;
};

struct Cluster {
  Shape* shape = nullptr;
  TermTapes* tapes = nullptr;
  std::vector<ObjectRef> objects;
  std::uint32_t number = 0;
  std::vector<double> values;
  Configuration* configuration = nullptr;
  GuardPlan* guards = nullptr;
  const StartPlan* start = nullptr;                               ///< by which its last start was found, or sought
  std::uint32_t failed_loop = kNone;                              ///< of it: the loop that was not solved
  std::vector<std::uint8_t> active_equations, active_conditions;  ///< by equation, by condition
  std::vector<std::uint8_t> fresh_modes;                          ///< by mode: to be decided anew, as on entry
  std::vector<std::uint8_t> changed_places;                       ///< by place: since the last refresh
  std::vector<std::int8_t> reached;                               ///< by mode: sign behind a boundary taken early
  std::vector<std::uint8_t> held_modes;                           ///< by mode: on a surface; empty: none
  IslandGroups united;                                            ///< for the time of motions along surfaces
  std::unique_ptr<EventTrack> events;                             ///< none before the first
  std::shared_ptr<Commutation> commutation;                       ///< likewise; of this instant
  std::shared_ptr<FoundStart> found_start;                        ///< of this instant, if it can be found again
  std::vector<double> bands;                                      ///< by mode: location error at the last crossing
  std::vector<double> arrivals;  ///< by mode: its value behind a crossing of this instant; NaN if there was none
  std::vector<std::uint32_t> momentary;  ///< modes that hold only at this instant
  std::vector<std::unique_ptr<Island>> islands;
  std::vector<std::unique_ptr<Island>> idle;  ///< of other configurations, to be used again with their integrators
  std::vector<std::uint32_t> waiting;         ///< processes that wait for a condition over its quantities
  std::uint32_t watcher = kNone;              ///< told of changes in objects that are not its own
  solve::NonlinearSolver solver;
  std::vector<std::unique_ptr<Cluster>>* pool = nullptr;  ///< where it goes when it is taken apart; null: nowhere
  std::shared_ptr<ClusterRanges> ranges;                  ///< none if no variable has a range
  bool ranges_are_known = false;

  double synchronised = std::numeric_limits<double>::quiet_NaN();  ///< values and slots are those of this time
  bool is_new = true;                                              ///< its values were not loaded yet
  bool restructure = true;                                         ///< states with equations were entered or left
  bool rewatch = true;                                             ///< conditions were activated or deactivated
  bool touched = true;                                             ///< something that it reads was changed
  bool only_crossed = false;  ///< all that touched it is crossings of relations in conditions
  int rounds = 0;             ///< of deciding relations, in the present refresh
  bool undecided = true;      ///< its conditions are to be looked at
  bool in_touched_list = false;
  Happening since;            ///< the last event that touched it
  std::vector<Claim> claims;  ///< by variable, in this instant
  bool reselect = false;      ///< other variables should be integrated
};

/// To which the numbers of the present configuration refer; the cluster's own numbers are the first ones.
inline const Shape& shape_of(const Cluster& cluster) {
  return cluster.configuration == nullptr ? *cluster.shape : *cluster.configuration->shape;
}

}  // namespace hyla::engine
