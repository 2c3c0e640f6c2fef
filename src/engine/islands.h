// Clusters at events: their values are brought to the present time, changes are taken over, equations are rebuilt, and
// conditions decided; then their islands go on.
#pragma once

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

/// Whether its equations are computed one after the other: to do it again with the same values changes no bit.
bool is_straight(const Cluster& cluster);

/// Something that the cluster of the object reads may have changed.
void touch(Run& run, std::uint32_t cluster);
/// A state with equations was entered or left; a condition was activated or deactivated.
void restructure(Run& run, std::uint32_t cluster);
void rewatch(Run& run, std::uint32_t cluster);

/// A new cluster is told of changes in objects that are not its own.
void watch_foreign_reads(Run& run, Cluster& cluster);

/// The cluster is about to be taken apart: notes which of its values are as it has left them, so that they may jump
/// where others would contradict them.
void hand_on(Run& run, const Cluster& cluster);

/// Finds the clusters that the recorder reads.
void find_recorded(Run& run);

/// Values and slots of the cluster become those of the present time.
void synchronise(Run& run, Cluster& cluster);
/// The same without regard to crossings, for any time of the present steps.
void place_islands(Run& run, Cluster& cluster);

/// Puts the value that the cluster has for a variable into its slot; those who read it are told if that is wanted.
void publish_value(Run& run, Cluster& cluster, std::uint32_t variable, bool telling = false);

/// What stands in the slot of a variable of the cluster's own shape.
double value_in_slot(const Run& run, const Cluster& cluster, std::uint32_t variable);

/// Between event steps: takes changes over in all touched clusters; conditions that hold raise events. With `settled`,
/// equations that cannot be solved end the run; before that they are left alone, since the instant may go on.
void refresh_clusters(Run& run, bool settled);
/// Whether the condition of a watch holds.
bool cluster_condition_holds(Run& run, Object& object, Index watch);

/// Conditions that do not hold are armed.
void rearm_conditions(Run& run, Cluster& cluster);
/// The island goes away with its configuration; its integrator may be used again.
void lay_aside(Run& run, Island& island);

/// When an instant has settled: islands that were changed start again.
void resume_islands(Run& run);
/// Takes all steps that end before `limit`, up to the first event in one of them. False: there is more to do.
bool advance_islands(Run& run, double limit);
/// At the end: what solving took.
void count_work(Run& run);
/// Crossings that are due at run.now take effect.
void arrive(Run& run);

}  // namespace hyla::engine
