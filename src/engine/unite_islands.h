// Islands that move together while a motion slides.
//
// Which part of both sides makes up the motion is found by the island on whose surface it slides; it varies with time.
// Other islands that depend on what switches there, on `u` in der(x) = u; der(y) = u; with another u on each side, move
// by the same part. So they are one island for that time: a configuration under the same equations in which they are
// united.
#pragma once

#include <string>

#include "engine/cluster.h"
#include "engine/zeno.h"

namespace hyla::engine {

/// A cluster on one side of a surface, and the island that has reached it.
struct SideOfCluster {
  const ClusterSnapshot& snapshot;
  std::uint32_t island = kNone;
};

/// Which islands must be one to slide, with those that are already; empty: no other island depends on what switches.
IslandGroups find_united(const Cluster& cluster, SideOfCluster here, SideOfCluster there);
/// The same side with these islands as one.
ClusterSnapshot unite(Run& run, Cluster& cluster, const ClusterSnapshot& side, const IslandGroups& united);
/// Makes them one in the cluster itself, from now on.
void unite_islands(Run& run, Cluster& cluster, const IslandGroups& united);

/// An object of another cluster whose equations depend on what the last event of this one has switched; empty: none
/// do.
std::string find_foreign_reader(const Run& run, const Cluster& cluster);

}  // namespace hyla::engine
