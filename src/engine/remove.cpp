#include "engine/remove.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/builder.h"
#include "engine/charts.h"
#include "engine/connect.h"
#include "engine/create.h"
#include "engine/islands.h"
#include "engine/joins.h"
#include "engine/mailboxes.h"
#include "engine/populations.h"
#include "engine/processes.h"
#include "engine/regather.h"
#include "engine/requirements.h"
#include "engine/states.h"
#include "engine/timers.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

/// Calls `visit` with the number of each port or mailbox that a member holds.
template <class Visit>
void each_number(const World& world, const Object& object, std::uint32_t slot, Visit&& visit) {
  const Slot value = object.slots[slot];
  if (world.layout.classes[object.object_class.index].slots[slot] == code::SlotUse::Plain) {
    visit(static_cast<std::uint32_t>(value.integer));
    return;
  }
  for (std::uint32_t i = 0; value.box != nullptr && i < value.box->size; ++i) {
    visit(static_cast<std::uint32_t>(value.box->slots()[i].integer));
  }
}

void end_mailboxes(Run& run, const Object& object) {
  for (const PlanBody& body : object.plan->bodies) {
    for (const model::MailboxId id : run.world.model.bodies[body.id].mailboxes) {
      if (run.world.model.mailboxes[id].relayed) continue;
      each_number(run.world, object, run.world.layout.mailboxes[id.index], [&](std::uint32_t number) {
        if (run.world.mailboxes[number].owner == object.self) clear_mailbox(run, number);
      });
    }
  }
}

void end_extras(Run& run, Object& object) {
  ObjectExtras& extras = *object.extras;
  const std::vector<std::uint32_t> processes = extras.processes;
  for (std::size_t i = processes.size(); i-- > 0;) {
    if (processes[i] != kNone) stop_process(run, handle_of(*run.world.processes[processes[i]]));
  }
  for (const DeferredMessage& message : extras.deferred) run.world.heap.release(message.delivery.message);
  extras.deferred.clear();
  for (std::vector<Box*>& bag : extras.bags) {
    for (Box* message : bag) run.world.heap.release(message);
    bag.clear();
  }
  if (extras.internal != 0) cancel(run, extras.internal);
  extras.internal = 0;
  if (extras.has_subscribers) tell_of_end(run, object);
}

/// What the object does ends: its charts, processes, time-outs, conditions; what waits for it is thrown away.
void stop_object(Run& run, Object& object) {
  const Plan& plan = *object.plan;
  end_requirements(run, object);
  if (object.extras) end_extras(run, object);
  for (Index i = 0; i < plan.watches.size(); ++i) {
    if (object.watches[i].active || object.watches[i].watcher != kNone) deactivate(run, object, i);
  }
  for (Index i = 0; i < plan.timer_count; ++i) stop_timer(run, object, i);
  for (const PlanChart& chart : plan.charts) object.slots[chart.slot].integer = code::kInactive;
  std::fill_n(object.history, plan.history_count, -1);
  end_mailboxes(run, object);
  object.begun = false;
}

void detach_ports(Run& run, const Object& object) {
  for (const PlanBody& body : object.plan->bodies) {
    for (const model::PortId id : run.world.model.bodies[body.id].ports) {
      if (run.world.model.ports[id].relayed) continue;
      each_number(run.world, object, run.world.layout.ports[id.index],
                  [&](std::uint32_t number) { isolate_port(run.world, number); });
    }
    for (const model::MailboxId id : run.world.model.bodies[body.id].mailboxes) {
      if (run.world.model.mailboxes[id].relayed) continue;
      each_number(run.world, object, run.world.layout.mailboxes[id.index], [&](std::uint32_t number) {
        if (run.world.mailboxes[number].owner == object.self) isolate_mailbox(run.world, number);
      });
    }
  }
}

/// Exit actions, from the inside out.
void exit_object(Run& run, ObjectRef ref) {
  std::vector<ObjectRef> parts;
  parts_of(run.world, run.object(ref), false, parts);
  for (const ObjectRef part : parts) exit_object(run, part);
  Object& object = run.object(ref);
  for (std::size_t i = object.plan->top_charts.size(); i-- > 0 && !run.over;) {
    leave_chart(run, object, object.plan->top_charts[i]);
  }
  run.left_states.clear();
}

/// An object with all that is in it, containers first.
std::vector<ObjectRef> tree_of(const World& world, ObjectRef root) {
  std::vector<ObjectRef> tree = {root};
  for (std::size_t i = 0; i < tree.size(); ++i) parts_of(world, world.object(tree[i]), true, tree);
  return tree;
}

/// The population or dynamic part that held the object.
void leave_place(Run& run, const Object& object) {
  if (object.population != kNone) {
    const PopulationInstance& population = run.world.populations[object.population];
    const ObjectRef owner = population.owner;
    const model::PartId part = population.part;
    remove_member(run.world, object.self);
    if (!part || !run.world.is_alive(owner)) return;
    changed(run, run.object(owner), run.world.layout.parts[part.index]);
    mark_structure(run, owner);
    return;
  }
  if (!object.part || !run.world.is_alive(object.parent)) return;
  Object& owner = run.object(object.parent);
  const std::uint32_t slot = run.world.layout.parts[object.part.index];
  Slot& place = object.place >= 0 ? owner.slots[slot].box->slots()[object.place] : owner.slots[slot];
  if (place.object != object.self) return;  // exchanged
  place.object = {};
  changed(run, owner, slot);
  mark_structure(run, owner.self);
}

void tell_deleted(Run& run, const Object& object, Sequence cause) {
  Occurrence occurrence;
  occurrence.kind = OccurrenceKind::Delete;
  occurrence.object = object.self;
  occurrence.cause = cause;
  occurrence.span = run.world.model.classes[object.object_class].span;
  tell(run, occurrence);
}

void remove(Run& run, const Doomed& doomed) {
  begin(run);
  if (doomed.with_exit) exit_object(run, doomed.object);
  if (run.over) return;
  tell_deleted(run, run.object(doomed.object), doomed.cause);
  run.trace.clear();
  const std::vector<ObjectRef> tree = tree_of(run.world, doomed.object);
  for (std::size_t i = tree.size(); i-- > 0;) {
    Object& object = run.object(tree[i]);
    mark_structure(run, tree[i]);
    stop_object(run, object);
    detach_links(run, object);
    detach_ports(run, object);
  }
  leave_place(run, run.object(doomed.object));
  for (std::size_t i = tree.size(); i-- > 0;) {
    Object& object = run.object(tree[i]);
    if (object.order >= run.world.built) --run.living;
    std::erase_if(run.world.selections, [&](const Selection& one) { return one.container == tree[i]; });
    if (object.extras && object.extras->structure_watcher != kNone) free_watcher(run, object.extras->structure_watcher);
    run.world.builder->recycle(tree[i]);
    update_head(run, object);
  }
}

/// Parts of states that were left and not entered again.
void remove_left_parts(Run& run) {
  for (const ObjectRef ref : run.left_parts) {
    Object& object = run.object(ref);
    if (object.self != ref || object.begun || object.entering) continue;
    object.exists = false;
    update_head(run, object);
    if (object.extras && object.extras->has_subscribers) tell_of_end(run, object);
  }
  run.left_parts.clear();
}

void leave_part(Run& run, ObjectRef ref) {
  Object& object = run.object(ref);
  for (const PlanPart& part : object.plan->parts) leave_declared(run, object, part);
  stop_object(run, object);
  drop_joinings(run, ref);
  if (object.cluster != kNone) restructure(run, object.cluster);
  ++object.incarnation;
  object.entering = false;
  run.left_parts.push_back(ref);
}

}  // namespace

void leave_declared(Run& run, Object& object, const PlanPart& part) {
  const Slot slot = object.slots[part.slot];
  const model::PartKind kind = run.world.model.parts[part.id].kind;
  const auto leave = [&](ObjectRef one) {
    if (!run.world.is_alive(one)) return;
    if (kind == model::PartKind::Object) {
      leave_part(run, one);
    } else {
      doom(run, one, false);
    }
  };
  if (kind == model::PartKind::Population) {
    const std::vector<ObjectRef> members = run.world.populations[static_cast<std::size_t>(slot.integer)].members;
    for (const ObjectRef member : members) leave(member);
  } else if (run.world.model.parts[part.id].shape) {
    for (std::uint32_t i = 0; slot.box != nullptr && i < slot.box->size; ++i) leave(slot.box->slots()[i].object);
  } else {
    leave(slot.object);
  }
}

bool destroy(Run& run, ObjectRef ref, bool with_exit) {
  if (!run.world.is_alive(ref)) {
    run.machine.fail("there is no object to delete: it is none, or has gone already", "ask for `!= none` first");
    return false;
  }
  const Object& object = run.object(ref);
  if (object.doomed) {
    run.machine.fail(fmt::format("`{}` is deleted already in this event step", run.world.path(ref)),
                     "let one place alone decide that it goes");
    return false;
  }
  const bool declared =
      !object.parent || (object.part && run.world.model.parts[object.part].kind == model::PartKind::Object);
  if (declared) {
    run.machine.fail(fmt::format("`{}` is declared as a part and lives as long as its container", run.world.path(ref)),
                     "declare it `dynamic`, or make it with `new`");
    return false;
  }
  doom(run, ref, with_exit);
  return true;
}

void doom(Run& run, ObjectRef ref, bool with_exit) {
  Object& object = run.object(ref);
  if (object.doomed) return;
  object.doomed = true;
  run.doomed.push_back({ref, with_exit, run.cause});
}

void remove_doomed(Run& run) {
  for (std::size_t i = 0; i < run.doomed.size() && !run.over; ++i) {
    const Doomed doomed = run.doomed[i];
    if (run.world.is_alive(doomed.object)) remove(run, doomed);
  }
  run.doomed.clear();
  if (!run.left_parts.empty()) remove_left_parts(run);
  if (!run.announcements.empty()) tell_announcements(run);
}

void leave_parts(Run& run, Object& object, Index state) {
  const PlanState& plan = object.plan->states[state];
  for (const Index part : plan.parts) leave_declared(run, object, object.plan->parts[part]);
  for (const Index connection : plan.connections) part_declared(run, object, object.plan->connections[connection]);
}

void clear_mailboxes(Run& run, const Object& object, Index state) {
  for (const std::uint32_t slot : object.plan->states[state].mailboxes) {
    each_number(run.world, object, slot, [&](std::uint32_t number) { clear_mailbox(run, number); });
  }
}

void skip_message(Run& run, const Event& event) {
  const bool is_message = event.kind == EventKind::Message || event.kind == EventKind::MailboxMessage;
  if (!run.tells || !is_message || event.message == nullptr) return;
  begin(run);
  const model::Message& message = run.world.model.messages[model::MessageId(event.message->type)];
  const std::string text = fmt::format("{}: its receiver has gone", run.world.model.name(message.name));
  Occurrence occurrence;
  occurrence.kind = OccurrenceKind::Skipped;
  occurrence.object = run.world.is_alive(event.sender) ? event.sender : run.world.objects.front().self;
  occurrence.cause = event.cause;
  occurrence.text = text;
  occurrence.span = message.span;
  tell(run, occurrence);
}

}  // namespace hyla::engine
