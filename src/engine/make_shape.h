// Makes a cluster of the equations and conditions of its objects, with the shape that it shares with others like it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cluster.h"

namespace hyla::engine {

struct Cluster;

struct ClusterParts {
  std::vector<ObjectRef> objects;  ///< in the order of creation
  std::vector<const EquationInstance*> equations;
  std::vector<const ConditionInstance*> conditions;
  std::function<bool(const Place&)> varies;  ///< whether a variable can vary
};

/// A typical size that cannot be computed is reported, and counts as 1.
std::unique_ptr<Cluster> make_cluster(World& world, const ClusterParts& parts, diag::Sink& sink);

/// The variable that has a slot; none for other members.
model::VariableId variable_at(World& world, model::ClassId object_class, std::uint32_t slot);
/// Whether a place holds a variable that an equation can determine: no parameter, input, or discrete value.
bool can_be_unknown(World& world, const Place& place);
/// Whether it holds a parameter or constant.
bool is_parameter(World& world, const Place& place);
/// Whether a slot holds a reference, an exchangeable part or a population: what is reached through it can be another
/// object later.
bool is_structural(World& world, ObjectRef object, std::uint32_t slot);

}  // namespace hyla::engine
