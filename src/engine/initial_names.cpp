// Names of what can be chosen at the start, and choices by name.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "code/heap.h"
#include "engine/builder.h"
#include "engine/initial_choices.h"

namespace hyla::engine {
namespace {

/// `[2, 3]` for a place in an array, the last index running fastest.
std::string indices(const Box& box, std::uint32_t place) {
  std::string text = "]";
  for (std::size_t i = box.rank; i > 0; --i) {
    const auto size = static_cast<std::uint32_t>(code::dimension(&box, i - 1));
    text = std::to_string(place % size + 1) + text;
    place /= size;
    if (i > 1) text = ", " + text;
  }
  return "[" + text;
}

void add_names(const World& world, const Object& object, const std::string& prefix, model::VariableId id,
               std::vector<StartName>& names) {
  const model::Variable& variable = world.model.variables[id];
  const std::uint32_t slot = world.layout.variables[id.index];
  if (variable.type.element().kind != model::TypeKind::Real || slot == code::Layout::kNoSlot) return;
  if (variable.kind == model::VariableKind::Constant) return;
  const std::string name = prefix + std::string(world.model.name(variable.name));
  if (variable.type.rank == 0) {
    names.push_back({name, {object.self, slot, kNone}, id});
    return;
  }
  const Box* box = object.slots[slot].box;
  for (std::uint32_t i = 0; box != nullptr && i < box->size; ++i) {
    names.push_back({name + indices(*box, i), {object.self, slot, i}, id});
  }
}

/// Whether a connection or an argument gives an input its value.
bool is_joined(const World& world, const Place& place) {
  return std::any_of(world.links.begin(), world.links.end(),
                     [&](const Link& link) { return link.feeds(place.object, place.slot, place.element); });
}

std::string why_not_probed(const World& world, const StartName& one) {
  const model::Variable& variable = world.model.variables[one.variable];
  diag::Span why;
  switch (variable.kind) {
    case model::VariableKind::Parameter:
      return can_be_freed(world.model, one.variable, why) ? ""
                                                          : "another parameter, a start value or a size depends on it";
    case model::VariableKind::Input:
      return is_joined(world, one.place) ? "its value comes through a connection" : "";
    case model::VariableKind::Discrete:
      return "";
    default:
      return "the model computes it; inputs, parameters and discrete variables are given";
  }
}

/// Enters wishes into the choices of a world.
class Chooser {
 public:
  Chooser(World& world, std::string& message) : world_(world), message_(message), names_(start_names(world)) {
    for (std::size_t i = 0; i < names_.size(); ++i) by_name_.emplace(names_[i].name, i);
  }

  bool choose(const StartWish& wish) {
    std::string_view name = base::trim(wish.name);
    const bool is_derivative = name.starts_with("der(") && name.ends_with(")");
    if (is_derivative) name = base::trim(name.substr(4, name.size() - 5));
    const auto found = by_name_.find(std::string(name));
    if (found == by_name_.end()) return unknown(name);
    const StartName& one = names_[found->second];
    if (!is_derivative) return choose_value(wish, one);
    if (world_.model.variables[one.variable].is_fixed()) return refuse(wish, "a parameter has no derivative");
    enter(wish, world_.starts->derivatives[one.place]);
    return true;
  }

 private:
  bool refuse(const StartWish& wish, const std::string& why) {
    message_ = fmt::format("`{}` cannot be {}: {}", wish.name,
                           wish.kind == StartWish::Kind::Fix    ? "fixed"
                           : wish.kind == StartWish::Kind::Free ? "free"
                                                                : "guessed",
                           why);
    return false;
  }

  bool unknown(std::string_view name) {
    message_ = no_such_name(name, names_);
    return false;
  }

  bool choose_value(const StartWish& wish, const StartName& one) {
    const model::Variable& variable = world_.model.variables[one.variable];
    if (variable.kind == model::VariableKind::Discrete) return refuse(wish, "only actions change a discrete variable");
    if (variable.kind == model::VariableKind::Input) return refuse(wish, "an input is given by what is joined to it");
    StartChoice& choice = world_.starts->values[one.place];
    if (variable.is_fixed()) {
      const bool is_free =
          choice.role == StartRole::Default ? variable.attributes.fixed == false : choice.role == StartRole::Free;
      if (wish.kind == StartWish::Kind::Fix && !is_free) {
        return refuse(wish, fmt::format("a parameter is given already; `--set {}=…` changes its value", wish.name));
      }
      if (wish.kind == StartWish::Kind::Free && !free_parameter(wish, one.variable)) return false;
    }
    enter(wish, choice);
    return true;
  }

  bool free_parameter(const StartWish& wish, model::VariableId id) {
    diag::Span why;
    if (!can_be_freed(world_.model, id, why)) {
      return refuse(wish, "another parameter, a start value or a size depends on it");
    }
    world_.starts->freed.insert(id);
    return true;
  }

  static void enter(const StartWish& wish, StartChoice& choice) {
    choice.origin = wish.origin;
    if (wish.kind == StartWish::Kind::Fix) {
      choice.role = StartRole::Fixed;
      if (wish.number) choice.value = wish.number;
    } else {
      if (wish.kind == StartWish::Kind::Free) choice.role = StartRole::Free;
      if (wish.number) choice.guess = wish.number;
    }
  }

  World& world_;
  std::string& message_;
  std::vector<StartName> names_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace

std::vector<StartName> start_names(const World& world) {
  std::vector<StartName> names;
  for (const Object& object : world.objects) {
    std::string prefix;
    if (object.part) {
      const std::string path = world.path(object.self);
      prefix = path.substr(path.find('.') + 1) + ".";
    }
    for (const PlanBody& body : object.plan->bodies) {
      std::string inside = prefix;
      if (body.state != kNone) inside += world.state_path(object.plan->states[body.state].id) + ".";
      for (const model::VariableId id : world.model.bodies[body.id].variables) {
        add_names(world, object, inside, id, names);
      }
    }
  }
  return names;
}

std::string no_such_name(std::string_view name, const std::vector<StartName>& names) {
  std::vector<std::string_view> candidates;
  for (const StartName& one : names) candidates.push_back(one.name);
  std::string message = fmt::format("there is no Real variable or parameter `{}`", name);
  if (const auto near = base::nearest(name, candidates)) message += fmt::format("; did you mean `{}`?", *near);
  return message;
}

bool choose_probes(World& world, const std::vector<std::string>& names, std::string& message) {
  const std::vector<StartName> all = start_names(world);
  if (names.empty()) {
    for (const StartName& one : all) {
      const bool is_input = world.model.variables[one.variable].kind == model::VariableKind::Input;
      if (is_input && one.place.object == world.objects[0].self && !is_joined(world, one.place)) {
        world.starts->probes.push_back(one);
      }
    }
    return true;
  }
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const StartName& one) { return one.name == name; });
    if (found == all.end()) {
      message = no_such_name(name, all);
      return false;
    }
    if (world.starts->is_probed(found->place)) continue;
    if (const std::string why = why_not_probed(world, *found); !why.empty()) {
      message = fmt::format("`{}` cannot be an input: {}", name, why);
      return false;
    }
    if (world.model.variables[found->variable].is_fixed()) world.starts->freed.insert(found->variable);
    world.starts->probes.push_back(*found);
  }
  return true;
}

bool choose_starts(World& world, const std::vector<StartWish>& wishes, std::string& message) {
  if (wishes.empty()) return true;
  Chooser chooser(world, message);
  return std::all_of(wishes.begin(), wishes.end(), [&](const StartWish& wish) { return chooser.choose(wish); });
}

bool Builder::evaluate_guesses() {
  std::map<const Plan*, std::vector<model::VariableId>> guessed;
  for (const std::unique_ptr<Plan>& plan : world_.plans) {
    for (const PlanBody& body : plan->bodies) {
      for (const model::VariableId id : model_.bodies[body.id].variables) {
        if (model_.variables[id].attributes.guess) guessed[plan.get()].push_back(id);
      }
    }
  }
  if (guessed.empty()) return true;
  for (const Object& object : world_.objects) {
    const auto found = guessed.find(object.plan);
    if (found == guessed.end()) continue;
    for (const model::VariableId id : found->second) {
      const code::Program* program = programs_.expression(model_.variables[id].attributes.guess,
                                                          {object.object_class, {}, nullptr, "", false, true});
      Slot value;
      if (program == nullptr || !run(*program, object.self, {}, value)) return false;
      const std::uint32_t slot = world_.layout.variables[id.index];
      const Box* box = model_.variables[id].type.rank > 0 ? object.slots[slot].box : nullptr;
      if (box == nullptr) world_.starts->values[{object.self, slot, kNone}].guess = value.real;
      for (std::uint32_t i = 0; box != nullptr && i < box->size; ++i) {
        world_.starts->values[{object.self, slot, i}].guess = value.real;
      }
    }
  }
  return true;
}

}  // namespace hyla::engine
