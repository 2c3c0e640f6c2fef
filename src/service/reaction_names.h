// The transitions and reactions of all objects of a world by their paths: `Room.lamp.Off->Lit`, `Room.lamp.press`.
#pragma once

#include <string>
#include <vector>

#include "engine/world.h"
#include "service/run_names.h"

namespace hyla::service {

struct NamedReaction {
  std::string name;   ///< with the arrow if it has a target
  std::string label;  ///< `Room.lamp.press`: by its label, or by its trigger and line
  std::string object;
  engine::ObjectRef ref;
  model::ReactionId reaction;
  model::StateId state;                 ///< from which it leads; none in a model's body
  std::vector<model::StateId> targets;  ///< states to which it leads
};

/// In the order of objects and of their texts. A transition from several states stands there for each of them.
std::vector<NamedReaction> named_reactions(const engine::World& world, RunNames& names);

/// Those that a path stands for: see path_fits.
std::vector<NamedReaction> find_reactions(const std::vector<NamedReaction>& all, std::string_view path);

}  // namespace hyla::service
