// Objects made while the model runs, and what becomes free when they go.
//
// A place in the text that makes objects has a site: the targets of its arguments, found once. Making an object then
// costs the copy of its class's image and the values that are given. Numbers and memory of objects that have gone are
// used again by objects of the same class, the last one first.
#include <algorithm>
#include <utility>

#include "code/heap.h"
#include "engine/builder.h"
#include "engine/compiled_model.h"

namespace hyla::engine {

using model::ClassId;

ObjectRef Builder::take_number(ClassRecipe& recipe, ClassId object_class) {
  std::vector<std::uint32_t>& free_numbers = free_numbers_[object_class.index];
  if (free_numbers.empty()) {
    const ObjectRef self{static_cast<std::uint32_t>(world_.objects.size()), 1};
    Object& object = world_.objects.emplace_back();
    object.self = self;
    object.object_class = object_class;
    object.slots = allocate_array<Slot>(recipe.image.size());
    return self;
  }
  Object& object = world_.objects[free_numbers.back()];
  free_numbers.pop_back();
  object.exists = true;
  object.doomed = object.begun = object.entering = false;
  object.cluster = kNone;
  object.host_state = kNone;
  object.population = kNone;
  return object.self;
}

void Builder::give_back_rows(Object& object) {
  const Plan& plan = *object.plan;
  give_back(object.streams, plan.streams.size() * sizeof(random::Stream));
  give_back(object.watches, plan.watches.size() * sizeof(WatchState));
  give_back(object.timers, plan.timer_count * sizeof(Timer));
  give_back(object.history, plan.history_count * sizeof(std::int32_t));
}

std::uint32_t Builder::add_population(ObjectRef owner, model::PartId part) {
  std::uint32_t number = 0;
  if (free_populations_.empty()) {
    number = static_cast<std::uint32_t>(world_.populations.size());
    world_.populations.emplace_back();
  } else {
    number = free_populations_.back();
    free_populations_.pop_back();
    world_.populations[number] = {};
  }
  world_.populations[number].owner = owner;
  world_.populations[number].part = part;
  return number;
}

// --- sites ----------------------------------------------------------------------------------------

bool Builder::prepare_site(const NewObject& request, Site& site) {
  const ClassId scope = class_of(request.scope);
  for (const model::Argument& argument : model_.occupants[request.occupant].arguments) {
    Override& override = site.overrides.emplace_back();
    if (!read_target(argument.target, override)) return false;
    const model::Expr& target = model_.exprs[argument.target];
    const model::Expr* root = &target;
    while (root->op == model::Op::Index) root = &model_.exprs[model_.operand(*root, 0)];
    override.span = target.span;
    if (model_.variables[model::VariableId(root->ref)].kind != model::VariableKind::Input) {
      override.boxed = code::is_boxed(target.type);
      continue;
    }
    override.locals = code::captured_locals(model_, argument.value);
    const bool as_real = target.type.kind == model::TypeKind::Real;
    override.link = programs_.expression(argument.value, {scope, override.locals, nullptr, "", true, as_real});
    override.expr = argument.value;
  }
  for (Override& override : site.overrides) site.given.push_back({&override, 0});
  site.ready = true;
  return true;
}

bool Builder::make_new(const NewObject& request, ObjectRef& result) {
  if (sites_.size() <= request.occupant) sites_.resize(model_.occupants.size());
  Site& site = sites_[request.occupant];
  if (!site.ready && !prepare_site(request, site)) return false;
  std::size_t next = 0;
  for (Override& override : site.overrides) {
    if (override.link == nullptr) {
      override.value = request.values[next++];
      continue;
    }
    override.scope = request.scope;
    override.inputs.assign(request.values.begin() + static_cast<std::ptrdiff_t>(next),
                           request.values.begin() + static_cast<std::ptrdiff_t>(next + override.locals.size()));
    next += override.locals.size();
  }
  return make_object(model_.occupants[request.occupant].object_class, request.parent, request.part, request.place,
                     site.given, result);
}

bool Builder::create(const NewObject& request, double time, diag::Sink& sink, ObjectRef& result) {
  sink_ = &sink;
  machine_.time = time;
  made_.clear();
  const std::size_t known = programs_.unsupported().size();
  const bool good = make_new(request, result) && finish_new();
  for (std::size_t i = known; i < programs_.unsupported().size(); ++i) {
    report_unsupported(sink, programs_.unsupported()[i].span, programs_.unsupported()[i].what);
  }
  sink_ = nullptr;
  return good && programs_.unsupported().size() == known;
}

bool Builder::fill_place(ObjectRef self, model::PartId part, double time, diag::Sink& sink) {
  sink_ = &sink;
  machine_.time = time;
  made_.clear();
  ExpandedBody body;
  body.body = model_.parts[part].body;
  const bool good = make_part(self, part, body, {}) && finish_new();
  sink_ = nullptr;
  return good;
}

/// Connections, mailboxes and selections of what was made.
bool Builder::finish_new() {
  bool good = true;
  for (std::size_t i = 0; good && i < made_.objects.size(); ++i) {
    const ObjectRef self = made_.objects[i];
    for (const PlanConnection& connection : world_.object(self).plan->connections) {
      if (!is_made_at_once(connection)) continue;
      good = good && connect(self, connection);
    }
  }
  if (good) settle_new();
  for (std::size_t i = made_.objects.size(); good && i-- > 0;) good = make_selection(made_.objects[i]);
  settle_absent();
  return good;
}

void Builder::settle_new() {
  settle_mailboxes(world_, mailbox_roots_, made_.mailboxes, made_.ports);
  for (const std::uint32_t mailbox : made_.mailboxes) {
    if (mailbox_roots_[mailbox] != mailbox) free_mailboxes_.push_back(mailbox);
  }
}

// --- classes whose objects come later -------------------------------------------------------------

/// What programs can make is compiled before the run, so that it is known whether it can be run.
void Builder::prepare_classes() {
  const std::deque<code::Program>& programs = world_.compiled->programs;
  for (; looked_at_ < programs.size(); ++looked_at_) {
    const std::vector<std::uint32_t> creates = programs[looked_at_].creates;
    for (const std::uint32_t occupant : creates) prepare(model_.occupants[occupant].object_class);
  }
}

void Builder::prepare(ClassId object_class) {
  ClassRecipe& recipe = recipe_of(object_class);
  if (std::exchange(recipe.prepared, true) || !recipe.plans.empty()) return;
  if (recipe.choices) {
    report_unsupported_items(model_, object_class, *sink_);
  } else {
    ExpansionSource source;
    source.entered = [](const ExpandedBody&) { return true; };
    auto expansion = std::make_unique<Expansion>();
    if (!expand(model_, object_class, source, *expansion)) return;
    recipe.only_plan = make_plan(object_class, recipe, *expansion);
    recipe.only_expansion = std::move(expansion);
  }
  prepare_parts(model_.classes[object_class].body);
}

void Builder::prepare_parts(model::BodyId body) {
  const model::Body& record = model_.bodies[body];
  for (const model::PartId part : record.parts) {
    const model::Part& one = model_.parts[part];
    if (one.kind == model::PartKind::Object && one.object_class) prepare(one.object_class);
    if (one.occupant) prepare(one.occupant->object_class);
  }
  for (const model::ChartId chart : record.charts) {
    for (const model::StateId state : model_.charts[chart].states) {
      if (model_.states[state].body) prepare_parts(model_.states[state].body);
    }
  }
  for (const model::Conditional& conditional : record.conditionals) {
    if (conditional.then_body) prepare_parts(conditional.then_body);
    if (conditional.else_body) prepare_parts(conditional.else_body);
  }
}

// --- objects in states ----------------------------------------------------------------------------

void Builder::settle_absent() {
  for (const ObjectRef object : absent_objects_) {
    keep_start_values(object);
    world_.object(object).exists = false;
  }
  absent_objects_.clear();
}

void Builder::keep_start_values(ObjectRef self) {
  const Object& object = world_.object(self);
  const std::vector<code::SlotUse>& uses = world_.layout.classes[object.object_class.index].slots;
  std::vector<Slot>& values = world_.start_values[self.index];
  values.assign(object.slots, object.slots + uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == code::SlotUse::Box) code::Heap::retain(values[i].box);
  }
}

void Builder::renew(ObjectRef self) {
  Object& object = world_.object(self);
  const std::vector<code::SlotUse>& uses = world_.layout.classes[object.object_class.index].slots;
  const std::vector<Slot>& values = world_.start_values[self.index];
  for (const PlanBody& body : object.plan->bodies) {
    for (const model::VariableId id : model_.bodies[body.id].variables) {
      const std::uint32_t slot = world_.layout.variables[id.index];
      if (model_.variables[id].is_fixed()) continue;
      if (uses[slot] == code::SlotUse::Box) {
        code::Heap::retain(values[slot].box);
        world_.heap.release(object.slots[slot].box);
      }
      object.slots[slot] = values[slot];
    }
  }
}

// --- objects that go ------------------------------------------------------------------------------

void Builder::release_port(std::uint32_t port) {
  world_.ports[port] = {};
  free_ports_.push_back(port);
}

/// A mailbox joined to others belongs to the first of them.
void Builder::release_mailbox(ObjectRef owner, std::uint32_t mailbox) {
  if (world_.mailboxes[mailbox].owner != owner) return;
  world_.mailboxes[mailbox] = {};
  free_mailboxes_.push_back(mailbox);
}

void Builder::release_members(const Object& object) {
  const auto each_integer = [&](std::uint32_t slot, auto&& release) {
    const Slot value = object.slots[slot];
    if (world_.layout.classes[object.object_class.index].slots[slot] == code::SlotUse::Plain) {
      release(value.integer);
      return;
    }
    for (std::uint32_t i = 0; value.box != nullptr && i < value.box->size; ++i) release(value.box->slots()[i].integer);
  };
  const auto each = [&](std::uint32_t slot, auto&& release) {
    each_integer(slot, [&](std::int64_t number) { release(static_cast<std::uint32_t>(number)); });
  };
  for (const PlanBody& body : object.plan->bodies) {
    const model::Body& record = model_.bodies[body.id];
    for (const model::PortId id : record.ports) {
      if (model_.ports[id].relayed) continue;
      each(world_.layout.ports[id.index], [&](std::uint32_t number) { release_port(number); });
    }
    for (const model::MailboxId id : record.mailboxes) {
      if (model_.mailboxes[id].relayed) continue;
      each(world_.layout.mailboxes[id.index], [&](std::uint32_t number) { release_mailbox(object.self, number); });
    }
    for (const model::StatisticId id : record.statistics) {
      each(world_.layout.statistics[id.index], [&](std::uint32_t number) { free_statistics_.push_back(number); });
    }
    for (const model::PartId id : record.parts) {
      if (model_.parts[id].external) {
        each_integer(world_.layout.parts[id.index],
                     [&](std::int64_t number) { world_.functions.external.free(number); });
      }
      if (model_.parts[id].kind != model::PartKind::Population) continue;
      each(world_.layout.parts[id.index], [&](std::uint32_t number) { free_populations_.push_back(number); });
    }
  }
  if (object.extras && object.extras->made != kNone) free_populations_.push_back(object.extras->made);
}

void Builder::recycle(ObjectRef self) {
  ++world_.recycled;
  Object& object = world_.object(self);
  if (world_.former.size() <= self.index) world_.former.resize(world_.objects.size());
  world_.former[self.index] = world_.identity(object);
  ClassRecipe& recipe = recipe_of(object.object_class);
  const std::vector<code::SlotUse>& uses = world_.layout.classes[object.object_class.index].slots;
  if (recipe.has_members || object.extras) release_members(object);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] != code::SlotUse::Box) continue;
    world_.heap.release(object.slots[i].box);
    object.slots[i].box = nullptr;
  }
  if (const auto kept = world_.start_values.find(self.index); kept != world_.start_values.end()) {
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i] == code::SlotUse::Box) world_.heap.release(kept->second[i].box);
    }
    world_.start_values.erase(kept);
  }
  world_.starts->written.erase(self.index);
  object.extras.reset();
  object.exists = false;
  if (++object.self.generation == code::ObjectHead::kAsk) object.self.generation = 1;
  free_numbers_[object.object_class.index].push_back(self.index);
}

}  // namespace hyla::engine
