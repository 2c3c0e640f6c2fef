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

std::string World::path(ObjectRef ref) const {
  if (!ref || ref.index >= objects.size() || objects[ref.index].self != ref) return "none";
  std::vector<std::string> names;
  for (ObjectRef at = ref; at; at = object(at).parent) {
    const Object& one = object(at);
    if (!one.part) {
      names.emplace_back(model.name(model.classes[one.object_class].name));
      if (one.parent) names.back() += "#" + std::to_string(one.place + 1);
      continue;
    }
    std::string name(model.name(model.parts[one.part].name));
    const model::BodyId body = model.parts[one.part].body;
    if (body && model.bodies[body].state) name = state_path(model.bodies[body].state) + "." + name;
    if (model.parts[one.part].kind == model::PartKind::Population) {
      names.push_back(name + "[" + std::to_string(one.place + 1) + "]");
      continue;
    }
    if (one.place >= 0) {
      const Box* box = object(one.parent).slots[layout.parts[one.part.index]].box;
      std::string indices;
      std::int64_t place = one.place;
      if (box->rank == 2) {
        indices = ", " + std::to_string(place % box->dimensions[1] + 1);
        place /= box->dimensions[1];
      }
      name += "[" + std::to_string(place + 1) + indices + "]";
    }
    names.push_back(std::move(name));
  }
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    path += path.empty() ? "" : ".";
    path += *name;
  }
  return path;
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
