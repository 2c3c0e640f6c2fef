#include "service/reaction_names.h"

#include <algorithm>
#include <utility>

#include "service/why_event.h"

namespace hyla::service {
namespace {

using engine::kNone;

std::string target_text(const engine::World& world, const model::Reaction& reaction, model::StateId from) {
  const model::Model& model = world.model;
  switch (reaction.target.kind) {
    case model::TargetKind::None:
      return "";
    case model::TargetKind::Choice:
      return std::string(model.name(model.choices[reaction.target.choice].name));
    case model::TargetKind::Final:
      return "final";
    case model::TargetKind::Self:
      return from ? world.state_path(from) : "self";
    case model::TargetKind::State:
    case model::TargetKind::History:
    case model::TargetKind::DeepHistory:
    case model::TargetKind::Fork:
      break;
  }
  std::string text;
  for (const model::StateId state : reaction.target.states) {
    text += (text.empty() ? "" : ", ") + world.state_path(state);
  }
  return text;
}

/// The states from which it leads; none in a model's body.
std::vector<model::StateId> sources_of(const engine::Plan& plan, const engine::PlanReaction& reaction) {
  const auto ids_of = [&](const std::vector<engine::Index>& states) {
    std::vector<model::StateId> ids;
    for (const engine::Index state : states) ids.push_back(plan.states[state].id);
    return ids;
  };
  if (reaction.state != kNone) return {plan.states[reaction.state].id};
  if (reaction.chart == kNone) return {model::StateId()};
  return ids_of(reaction.from_any ? plan.charts[reaction.chart].states : reaction.from);
}

}  // namespace

std::vector<NamedReaction> named_reactions(const engine::World& world, RunNames& names) {
  std::vector<NamedReaction> all;
  for (std::size_t i = 0; i < world.objects.size(); ++i) {
    const engine::Object& object = world.objects[i];
    if (object.plan == nullptr) continue;
    const std::string path = world.path(object.self);
    for (const engine::PlanReaction& planned : object.plan->reactions) {
      const model::Reaction& reaction = world.model.reactions[planned.id];
      for (const model::StateId state : sources_of(*object.plan, planned)) {
        NamedReaction named{"",
                            path + '.' + std::string(names.reaction(planned.id)),
                            path,
                            object.self,
                            planned.id,
                            state,
                            reaction.target.states};
        const std::string target = target_text(world, reaction, state);
        const std::string from = state ? '.' + world.state_path(state) : "";
        named.name = target.empty() ? named.label : path + from + "->" + target;
        all.push_back(std::move(named));
      }
    }
  }
  return all;
}

std::vector<NamedReaction> find_reactions(const std::vector<NamedReaction>& all, std::string_view path) {
  std::vector<NamedReaction> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const NamedReaction& one) { return path_fits(path, one.name) || path_fits(path, one.label); });
  return found;
}

}  // namespace hyla::service
