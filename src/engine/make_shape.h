// Makes a cluster of the equations and conditions of its objects, with the shape that it shares with others like it.
#pragma once

#include <memory>
#include <vector>

#include "engine/cluster.h"

namespace hyla::engine {

struct Cluster;

struct ClusterParts {
  std::vector<ObjectRef> objects;  ///< in the order of creation
  std::vector<const EquationInstance*> equations;
  std::vector<const ConditionInstance*> conditions;
};

std::unique_ptr<Cluster> make_cluster(World& world, const ClusterParts& parts);

/// The variable that has a slot; none for other members.
model::VariableId variable_at(World& world, model::ClassId object_class, std::uint32_t slot);
/// Whether a place holds a variable that an equation can determine: no parameter, input, or discrete value.
bool can_be_unknown(World& world, const Place& place);

}  // namespace hyla::engine
