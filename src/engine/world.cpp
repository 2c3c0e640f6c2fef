#include "engine/world.h"

#include <algorithm>

#include "engine/builder.h"
#include "engine/collect.h"
#include "engine/compiled_model.h"
#include "engine/configure.h"
#include "engine/initial_choices.h"
#include "engine/island.h"

namespace hyla::engine {

World::World(std::shared_ptr<CompiledModel> compiled_of, std::uint64_t seed_of, std::uint64_t substream_of)
    : compiled(std::move(compiled_of)),
      model(compiled->model),
      seed(seed_of),
      substream(substream_of),
      layout(compiled->layout),
      functions(compiled->functions),
      heap(model),
      plans(compiled->plans),
      terms(compiled->terms),
      tapes(compiled->tapes),
      gathering(std::make_unique<GatheringMemory>()),
      starts(std::make_unique<StartChoices>()) {
  compiled->begin_run();
}

World::~World() {
  builder.reset();
  const auto release = [&](const Object& object, const Slot* values) {
    const std::vector<code::SlotUse>& uses = layout.classes[object.object_class.index].slots;
    for (std::size_t i = 0; values != nullptr && i < uses.size(); ++i) {
      if (uses[i] == code::SlotUse::Box) heap.release(values[i].box);
    }
  };
  for (const auto& [index, values] : start_values) release(objects[index], values.data());
  for (Object& object : objects) {
    release(object, object.slots);
    if (object.extras == nullptr) continue;
    for (const DeferredMessage& message : object.extras->deferred) heap.release(message.delivery.message);
    for (const std::vector<Box*>& bag : object.extras->bags) {
      for (Box* message : bag) heap.release(message);
    }
  }
  for (MailboxInstance& mailbox : mailboxes) {
    while (!mailbox.messages.empty()) heap.release(mailbox.messages.take(0));
  }
  for (const std::unique_ptr<ProcessInstance>& process : processes) {
    if (process->frame.program == nullptr || process->frame.registers == nullptr) continue;
    for (const std::uint16_t where : process->frame.program->boxed_locals) {
      heap.release(process->frame.registers[where].box);
    }
  }
}

FormerObject World::identity(const Object& object) const {
  FormerObject result{object.self.generation, object.parent, object.part, object.place, 0};
  const bool is_element = object.part && model.parts.contains(object.part) && object.place >= 0 &&
                          model.parts[object.part].shape &&
                          model.parts[object.part].kind != model::PartKind::Population;
  const Box* box = is_element ? objects[object.parent.index].slots[layout.parts[object.part.index]].box : nullptr;
  if (box != nullptr && box->rank == 2) result.columns = box->dimensions[1];
  return result;
}

std::string World::path(ObjectRef ref) const {
  if (!ref || ref.index >= objects.size() || objects[ref.index].self != ref) return "none";
  return former_path(ref);
}

std::string World::former_path(ObjectRef ref) const {
  std::string path;
  for (ObjectRef at = ref; at || path.empty();) {
    FormerObject one;
    if (at && at.index < objects.size() && objects[at.index].self == at) {
      one = identity(objects[at.index]);
    } else if (at && at.index < former.size() && former[at.index].generation == at.generation) {
      one = former[at.index];
    } else {
      return "none";
    }
    path = name_in_container(one, objects[at.index].object_class) + (path.empty() ? "" : "." + path);
    at = one.parent;
  }
  return path;
}

/// `valve[2]`, `On.pump`; `Car#3` if no part holds it.
std::string World::name_in_container(const FormerObject& object, model::ClassId object_class) const {
  if (!object.part) {
    const std::string name(model.name(model.classes[object_class].name));
    return object.parent ? name + "#" + std::to_string(object.place + 1) : name;
  }
  if (!model.parts.contains(object.part)) return "none";  // of a checkpoint that is damaged
  const model::Part& part = model.parts[object.part];
  std::string name(model.name(part.name));
  if (part.body && model.bodies[part.body].state) {
    name = state_path(model.bodies[part.body].state) + "." + name;
  }
  if (part.kind != model::PartKind::Population && object.place < 0) return name;
  const std::int64_t row = object.columns > 0 ? object.place / object.columns : object.place;
  const std::string column = object.columns > 0 ? ", " + std::to_string(object.place % object.columns + 1) : "";
  return name + "[" + std::to_string(row + 1) + column + "]";
}

std::string World::state_path(model::StateId state) const {
  std::string path;
  while (state) {
    const model::State& record = model.states[state];
    const model::Chart& chart = model.charts[record.chart];
    path = std::string(model.name(record.name)) + (path.empty() ? "" : "." + path);
    if (chart.name) path = std::string(model.name(chart.name)) + "." + path;
    state = chart.body ? model.bodies[chart.body].state : model::StateId{};
  }
  return path;
}

std::vector<std::string> World::active_states(ObjectRef ref) const {
  const Object& one = object(ref);
  std::vector<std::string> result;
  // Charts to look into, the next one last.
  std::vector<Index> charts(one.plan->top_charts.rbegin(), one.plan->top_charts.rend());
  while (!charts.empty()) {
    const PlanChart& chart = one.plan->charts[charts.back()];
    charts.pop_back();
    const std::int64_t active = one.slots[chart.slot].integer;
    if (active < 0) continue;
    const PlanState& state = one.plan->states[static_cast<std::size_t>(active)];
    if (state.charts.empty()) result.push_back(state_path(state.id));
    charts.insert(charts.end(), state.charts.rbegin(), state.charts.rend());
  }
  return result;
}

}  // namespace hyla::engine
