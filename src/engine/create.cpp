#include "engine/create.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "code/heap.h"
#include "engine/builder.h"
#include "engine/charts.h"
#include "engine/devs.h"
#include "engine/islands.h"
#include "engine/joins.h"
#include "engine/link_index.h"
#include "engine/populations.h"
#include "engine/processes.h"
#include "engine/regather.h"
#include "engine/remove.h"
#include "engine/watch.h"
#include "model/entry_values.h"

namespace hyla::engine {
namespace {

bool has_room(Run& run, const Object& self, diag::Span span) {
  if (run.living < run.options.object_limit) return true;
  fail(run, diag::Kind::TooManyObjects, self, span,
       fmt::format("more than {} objects made by actions exist at one time", run.options.object_limit),
       "delete those that are no longer needed, or raise the limit with `--object-limit`");
  return false;
}

/// Formulas are brought up to date between the steps, before the object begins.
void introduce(Run& run, ObjectRef ref) {
  Object& object = run.object(ref);
  update_head(run, object);
  if (!object.exists) return;
  for (const Index watch : object.plan->body_watches) {
    if (object.plan->watches[watch].kind == PlanWatch::Kind::Formula) activate(run, object, watch);
  }
}

void introduce_made(Run& run) {
  const Made made = run.world.builder->made();
  run.living += made.objects.size();
  for (const std::uint32_t port : made.ports) update_port_head(run, port);
  for (const ObjectRef object : made.objects) {
    introduce(run, object);
    mark_structure(run, object);
  }
  for (const std::uint32_t link : made.links) {
    index_link(run.world, link);
    begin_link(run, link);
    if (run.world.links[link].target) mark_structure(run, run.world.links[link].target);
  }
}

void schedule_begin(Run& run, ObjectRef object) {
  Event event;
  event.kind = EventKind::Begin;
  event.rank = Rank::Begin;
  event.object = object;
  event.cause = run.cause;
  schedule_next(run, event);
}

/// What is wrong with an object that is made, or is to be told of it, and where and when it was made.
void pass_on(Run& run, const diag::Sink& found, const Object& scope, diag::Span span) {
  for (const diag::Diagnostic& one : found.diagnostics()) {
    diag::Sink::Entry entry = run.sink.report(one.kind, one.span, one.message);
    entry.text(one.text);
    for (const diag::Label& label : one.labels) entry.label(label.span, label.text);
    const bool is_elsewhere = one.span.file != span.file || one.span.begin != span.begin;
    if (is_elsewhere) entry.label(span, "made here, " + circumstances(run, scope, run.now));
    for (const std::string& hint : one.hints) entry.hint(hint);
  }
  if (!found.has_errors() || run.over) return;
  run.over = true;
  run.outcome.ending = Ending::Failed;
}

/// Makes the object and its parts. False: told to the sink.
bool make(Run& run, const NewObject& request, diag::Span span, ObjectRef& result) {
  Object& scope = run.object(request.scope);
  if (!has_room(run, scope, span)) return false;
  diag::Sink found;
  const bool good = run.world.builder->create(request, run.now, found, result);
  pass_on(run, found, scope, span);
  if (!good) {
    if (!run.over) fail(run, diag::Kind::RunFailed, scope, span, "the object cannot be made");
    return false;
  }
  introduce_made(run);
  schedule_begin(run, result);
  return true;
}

/// A part declared in a state that is entered, with its own parts.
void enter_part(Run& run, ObjectRef ref);

/// Gives a dynamic part its first occupant.
void fill_place(Run& run, Object& object, model::PartId part) {
  if (!run.world.model.parts[part].occupant) return;
  diag::Sink found;
  const bool good = run.world.builder->fill_place(object.self, part, run.now, found);
  pass_on(run, found, object, run.world.model.parts[part].span);
  if (!good) {
    run.over = true;
    run.outcome.ending = Ending::Failed;
    return;
  }
  introduce_made(run);
  changed(run, object, run.world.layout.parts[part.index]);
  mark_structure(run, object.self);
  follow_place(run, object);
}

void enter_declared(Run& run, Object& object, const PlanPart& part) {
  const model::Part& record = run.world.model.parts[part.id];
  if (record.kind == model::PartKind::Dynamic) fill_place(run, object, part.id);
  if (record.kind != model::PartKind::Object || run.over) return;
  const Slot slot = object.slots[part.slot];
  for (std::uint32_t i = 0; i < (record.shape ? slot.box->size : 1); ++i) {
    enter_part(run, record.shape ? slot.box->slots()[i].object : slot.object);
  }
}

/// `object x: Tank(level := h)` in a state: what `h` is now.
void give_at_entry(Run& run, Object& object) {
  const model::Part& part = run.world.model.parts[object.part];
  for (const model::Argument& argument : part.arguments) {
    if (!model::is_given_at_entry(run.world.model, part, argument)) continue;
    Object& container = run.object(object.parent);
    const model::Expr& target = run.world.model.exprs[argument.target];
    const bool is_real = target.type.kind == model::TypeKind::Real;
    TextUnit unit{container.object_class, {}, nullptr, "", false, is_real};
    Inputs inputs;
    if (part.family_index) {
      unit.inputs.push_back(part.family_index);
      inputs.emplace_back(std::int64_t{object.place + 1});
    }
    const std::uint32_t slot = run.world.layout.variables[target.ref];
    Slot value;
    const code::Program* const program = run.world.builder->programs().expression(argument.value, unit);
    if (!execute(run, container, program, inputs, &value)) return;
    object.slots[slot] = value;
    auto& written = run.world.starts->written[object.self.index];
    const std::pair<std::uint32_t, std::uint32_t> place{slot, kNone};
    if (std::find(written.begin(), written.end(), place) == written.end()) written.push_back(place);
  }
}

void enter_part(Run& run, ObjectRef ref) {
  Object& object = run.object(ref);
  run.world.builder->renew(ref);
  give_at_entry(run, object);
  if (run.over) return;
  object.exists = true;
  object.entering = true;
  introduce(run, ref);
  renew_links(run, ref);
  if (object.cluster != kNone) restructure(run, object.cluster);
  for (const PlanPart& part : object.plan->parts) {
    if (part.state == kNone) enter_declared(run, object, part);
  }
}

/// The population to which a new object belongs.
std::uint32_t population_for(Run& run, Object& self, const code::Host::Creation& creation) {
  if (creation.population != code::Host::Creation::kNone) return creation.population;
  if (!self.extras) self.extras = std::make_unique<ObjectExtras>();
  if (self.extras->made == kNone) self.extras->made = run.world.builder->add_population(self.self, {});
  return self.extras->made;
}

bool create_member(Run& run, Object& self, const code::Host::Creation& creation, ObjectRef& result) {
  const std::uint32_t number = population_for(run, self, creation);
  const ObjectRef owner = run.world.populations[number].owner;
  NewObject request;
  request.occupant = creation.occupant;
  request.values = creation.values;
  request.scope = self.self;
  request.parent = owner;
  request.part = run.world.populations[number].part;
  request.place = static_cast<std::int32_t>(run.world.populations[number].made++);
  if (!make(run, request, creation.span, result)) return false;
  add_member(run.world, number, result);
  if (request.part) {
    changed(run, run.object(owner), run.world.layout.parts[request.part.index]);
    mark_structure(run, owner);
  }
  return true;
}

/// The slot, or the element of an array, that holds the occupant.
Slot* place_of(Run& run, Object& self, const code::Host::Creation& creation) {
  Slot& slot = self.slots[run.world.layout.parts[creation.place.index]];
  const model::Part& part = run.world.model.parts[creation.place];
  if (!part.shape) return &slot;
  if (creation.element >= 1 && creation.element <= slot.box->size) return &slot.box->slots()[creation.element - 1];
  run.machine.fail(fmt::format("index {} is outside `{}`, which has {} elements", creation.element,
                               run.world.model.name(part.name), slot.box->size));
  return nullptr;
}

bool exchange(Run& run, Object& self, const code::Host::Creation& creation, ObjectRef& result) {
  Slot* place = place_of(run, self, creation);
  if (place == nullptr) return false;
  const ObjectRef old = place->object;
  if (creation.occupant != code::Host::Creation::kNone) {
    NewObject request;
    request.occupant = creation.occupant;
    request.values = creation.values;
    request.scope = self.self;
    request.parent = self.self;
    request.part = creation.place;
    if (run.world.model.parts[creation.place].shape) request.place = static_cast<std::int32_t>(creation.element - 1);
    if (!make(run, request, creation.span, result)) return false;
  }
  place_of(run, self, creation)->object = result;
  if (run.world.is_alive(old)) doom(run, old, false);
  changed(run, self, run.world.layout.parts[creation.place.index]);
  mark_structure(run, self.self);
  follow_place(run, self);
  return !run.over;
}

}  // namespace

bool create(Run& run, Object& self, const code::Host::Creation& creation, ObjectRef& result) {
  const bool good = creation.place ? exchange(run, self, creation, result) : create_member(run, self, creation, result);
  if (good && result) tell_later(run, OccurrenceKind::Create, result, creation.span);
  return good;
}

void begin_object(Run& run, ObjectRef ref) {
  std::vector<ObjectRef> objects = {ref};
  for (std::size_t i = 0; i < objects.size() && !run.over; ++i) {
    if (!run.world.is_alive(objects[i]) || run.object(objects[i]).begun) continue;
    Object& object = run.object(objects[i]);
    object.entering = false;
    if (object.plan->is_atomic) begin_atomic(run, object);
    enter_object(run, object);
    begin_processes(run);
    if (!run.over) parts_of(run.world, object, false, objects);
  }
}

void enter_parts(Run& run, Object& object, Index state) {
  const PlanState& plan = object.plan->states[state];
  for (const Index index : plan.parts) {
    const PlanPart& part = object.plan->parts[index];
    enter_declared(run, object, part);
    if (run.over) return;
    const Slot slot = object.slots[part.slot];
    const model::Part& record = run.world.model.parts[part.id];
    if (record.kind == model::PartKind::Population) continue;
    for (std::uint32_t i = 0; i < (record.shape ? slot.box->size : 1); ++i) {
      const ObjectRef made = record.shape ? slot.box->slots()[i].object : slot.object;
      if (run.world.is_alive(made)) schedule_begin(run, made);
    }
  }
  for (const Index connection : plan.connections) {
    if (!join_declared(run, object, object.plan->connections[connection])) return;
  }
}

void parts_of(const World& world, const Object& object, bool absent, std::vector<ObjectRef>& parts) {
  const auto add = [&](ObjectRef part) {
    if (part && world.object(part).self == part && (absent || world.object(part).exists)) parts.push_back(part);
  };
  const auto add_members = [&](std::uint32_t population) {
    for (const ObjectRef member : world.populations[population].members) add(member);
  };
  for (const PlanPart& part : object.plan->parts) {
    const Slot slot = object.slots[part.slot];
    if (world.model.parts[part.id].kind == model::PartKind::Population) {
      add_members(static_cast<std::uint32_t>(slot.integer));
    } else if (world.model.parts[part.id].shape) {
      for (std::uint32_t i = 0; slot.box != nullptr && i < slot.box->size; ++i) add(slot.box->slots()[i].object);
    } else {
      add(slot.object);
    }
  }
  if (object.extras && object.extras->made != kNone) add_members(object.extras->made);
}

void update_head(Run& run, const Object& object) {
  if (run.object_heads.size() < run.world.objects.size()) {
    run.object_heads.resize(run.world.objects.size());
    run.host.heads = run.object_heads;
  }
  // Objects with continuous variables are brought up to date when they are read: RunHost::slots.
  const bool direct = object.exists && object.cluster == kNone;
  run.object_heads[object.self.index] = {object.slots, direct ? object.self.generation : code::ObjectHead::kAsk};
}

void update_port_head(Run& run, std::uint32_t number) {
  if (run.port_heads.size() < run.world.ports.size()) run.port_heads.resize(run.world.ports.size());
  const PortInstance& port = run.world.ports[number];
  if (!port.owner) return;
  const bool receives = !run.world.model.ports[port.id].receives.empty();
  const bool atomic = run.object(port.owner).plan->is_atomic;
  run.port_heads[number] = {port.owner, port.number, atomic, receives && port.inside.empty()};
}

void begin_link(Run& run, std::uint32_t number) {
  Link& link = run.world.links[number];
  link.watcher = new_watcher(run, Watcher::Kind::Link, {}, number);
  run.world.watchers[link.watcher].dirty = true;
  run.dirty_links.push_back({{}, number, run.cause});
  run.dirty = true;
}

void tell_later(Run& run, OccurrenceKind kind, ObjectRef object, diag::Span span, std::string text) {
  if (run.tells) run.announcements.push_back({kind, object, run.cause, span, std::move(text)});
}

void tell_announcements(Run& run) {
  for (std::size_t i = 0; i < run.announcements.size(); ++i) {
    const Announcement one = run.announcements[i];
    begin(run);
    Occurrence occurrence;
    occurrence.kind = one.kind;
    occurrence.object = one.object;
    occurrence.cause = one.cause;
    occurrence.span = one.span;
    occurrence.text = one.text;
    tell(run, occurrence);
  }
  run.announcements.clear();
}

}  // namespace hyla::engine
