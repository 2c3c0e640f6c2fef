#include "engine/keeper.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/margin.h"

namespace hyla::engine {

// --- small things ---------------------------------------------------------------------------------

void transfer(base::Archive& archive, WatchState& watch) {
  archive(watch.active, watch.armed, watch.dirty, watch.pending, watch.in_cluster, watch.was_in_cluster, watch.watcher,
          watch.condition);
}

void transfer(base::Archive& archive, Timer& timer) {
  archive(timer.event, timer.period, timer.base, timer.count, timer.cause);
}

void transfer(base::Archive& archive, RequirementState& state) {
  archive(state.active, state.open, state.triggered, state.broken, state.told, state.since, state.broken_since,
          state.allowed, state.deadline, state.nearest, state.nearest_at, state.record, state.condition_sides,
          state.goal_sides);
}

void transfer(base::Archive& archive, RequirementRecord& record) {
  archive(record.tests, record.violations, record.violated_at, record.violated_by, record.margin, record.margin_at,
          record.spare, record.spare_at);
}

void transfer(base::Archive& archive, Receiver& receiver) {
  archive(receiver.is_mailbox, receiver.from_inside, receiver.index);
}

void transfer(base::Archive& archive, Dirty& dirty) { archive(dirty.object, dirty.index, dirty.cause); }

void transfer(base::Archive& archive, Watcher& watcher) {
  archive(watcher.kind, watcher.object, watcher.index, watcher.dirty, watcher.reads);
}

bool Keeper::same_count(std::size_t present) {
  std::size_t count = present;
  archive_(count);
  archive_.expect(count == present);
  return !archive_.failed();
}

// --- boxes ----------------------------------------------------------------------------------------

/// A box that several refer to is written once.
void Keeper::keep_box(Box*& box) {
  std::uint32_t number = 0;
  bool is_new = false;
  if (!reads() && box != nullptr) {
    const auto [place, added] = numbers_.emplace(box, static_cast<std::uint32_t>(numbers_.size() + 1));
    number = place->second;
    is_new = added;
  }
  archive_(number);
  if (reads()) {
    box = nullptr;
    if (number == 0 || archive_.failed()) return;
    is_new = number > boxes_.size();
    if (!is_new) {
      box = boxes_[number - 1];
      archive_.expect(box != nullptr);
      code::Heap::retain(box);
    } else {
      archive_.expect(number == boxes_.size() + 1 && depth_ < kDeepest);
    }
  }
  if (!is_new || archive_.failed()) return;
  ++depth_;
  keep_new_box(box);
  --depth_;
}

void Keeper::keep_new_box(Box*& box) {
  code::BoxKind kind = box != nullptr ? box->kind : code::BoxKind::Text;
  std::uint32_t type = box != nullptr ? box->type : 0, port = box != nullptr ? box->port : 0;
  bool shared = box != nullptr && box->shared;
  archive_(kind, type, port, shared);
  std::vector<std::int64_t> dimensions;
  std::string text;
  bool boxed = box != nullptr && box->boxed_elements;
  if (box != nullptr && kind == code::BoxKind::Array) {
    for (std::size_t i = 0; i < box->rank; ++i) dimensions.push_back(code::dimension(box, i));
  }
  if (box != nullptr && kind == code::BoxKind::Text) text = code::Heap::text(box);
  std::uint32_t size = box != nullptr ? box->size : 0;
  archive_(text, dimensions, boxed, size);
  if (!reads()) {
    if (kind != code::BoxKind::Text && !shared) keep_elements(*box);
    return;
  }
  const std::size_t place = boxes_.size();
  boxes_.push_back(nullptr);
  if (archive_.failed()) return;
  if (kind == code::BoxKind::Text) {
    box = world_.heap.new_text(text);
  } else if (kind == code::BoxKind::Array) {
    std::uint64_t count = 1;
    for (const std::int64_t dimension : dimensions) {
      archive_.expect(dimension >= 0 && dimension <= static_cast<std::int64_t>(code::kMostElements));
      if (!archive_.failed()) count *= static_cast<std::uint64_t>(dimension);
      archive_.expect(count <= code::kMostElements);
    }
    archive_.expect(count == size && !dimensions.empty() && dimensions.size() < 256);
    if (archive_.failed()) return;
    box = world_.heap.new_array(dimensions, boxed);
  } else if (kind == code::BoxKind::Bag) {
    std::vector<Box*> messages(size);
    keep_boxes(messages);
    box = world_.heap.new_bag(messages);
  } else {
    box = read_box(kind, type, port, shared);
  }
  archive_.expect(box != nullptr && (kind == code::BoxKind::Text || box->size == size));
  if (archive_.failed()) return;
  boxes_[place] = box;
  if (kind != code::BoxKind::Text && kind != code::BoxKind::Bag && !shared) keep_elements(*box);
}

/// A record or a message, still without its fields; null if there is no such type.
Box* Keeper::read_box(code::BoxKind kind, std::uint32_t type, std::uint32_t port, bool shared) {
  const model::Model& model = world_.model;
  if (kind == code::BoxKind::Record) {
    const model::RecordId id(type);
    return model.records.contains(id) ? world_.heap.new_record(id) : nullptr;
  }
  const model::MessageId id(type);
  if (kind != code::BoxKind::Message || !model.messages.contains(id) || port > model.ports.size()) return nullptr;
  const bool has_fields = !model.messages[id].fields.empty();
  if (has_fields == shared) return nullptr;
  if (shared) return world_.heap.shared_message(type, port);
  Box* box = world_.heap.new_message(id);
  box->port = port;
  return box;
}

void Keeper::keep_elements(Box& box) {
  if (box.kind == code::BoxKind::Bag && !reads()) {
    std::vector<Box*> messages;
    for (std::uint32_t i = 0; i < box.size; ++i) messages.push_back(box.slots()[i].box);
    keep_boxes(messages);
    return;
  }
  for (std::uint32_t i = 0; i < box.size && !archive_.failed(); ++i) {
    if (world_.heap.holds_box(&box, i)) {
      keep_box(box.slots()[i].box);
    } else {
      archive_(box.slots()[i].integer);
    }
  }
}

/// As many as there are.
void Keeper::keep_boxes(std::vector<Box*>& boxes) {
  for (Box*& box : boxes) keep_box(box);
}

// --- objects --------------------------------------------------------------------------------------

void Keeper::keep_object(Object& object) {
  if (!same_count(object.plan->number)) return;
  archive_(object.self.generation, object.exists, object.doomed, object.begun, object.entering, object.incarnation);
  const std::vector<code::SlotUse>& uses = world_.layout.classes[object.object_class.index].slots;
  for (std::size_t i = 0; i < uses.size() && !archive_.failed(); ++i) {
    if (uses[i] != code::SlotUse::Box) {
      archive_(object.slots[i].integer);
      continue;
    }
    Box* box = object.slots[i].box;
    keep_box(box);
    if (reads()) world_.heap.release(std::exchange(object.slots[i].box, box));
  }
  for (std::size_t i = 0; i < object.plan->streams.size(); ++i) {
    random::Stream::State state = object.streams[i].state();
    archive_(state);
    object.streams[i] = random::Stream(state);
  }
  for (std::size_t i = 0; i < object.plan->watches.size(); ++i) archive_(object.watches[i]);
  for (std::size_t i = 0; i < object.plan->timer_count; ++i) archive_(object.timers[i]);
  for (std::size_t i = 0; i < object.plan->history_count; ++i) archive_(object.history[i]);
  bool has_extras = object.extras != nullptr;
  archive_(has_extras);
  if (has_extras && !object.extras) object.extras = std::make_unique<ObjectExtras>();
  if (!has_extras) return;
  keep_extras(*object.extras);
  const std::vector<RequirementState>& requirements = object.extras->requirements;
  archive_.expect(requirements.empty() || requirements.size() == object.plan->requirements.size());
  for (std::size_t i = 0; i < requirements.size() && !archive_.failed(); ++i) {
    const PlanRequirement& plan = object.plan->requirements[i];
    const auto fits = [&](const std::vector<double>& sides, Index watch) {
      return sides.empty() || (watch != kNone && sides.size() == sides_of(object.plan->watches[watch]));
    };
    archive_.expect(requirements[i].record < run_.outcome.requirements.size() &&
                    fits(requirements[i].condition_sides, plan.condition) &&
                    fits(requirements[i].goal_sides, plan.goal));
  }
}

void Keeper::keep_extras(ObjectExtras& extras) {
  std::size_t count = extras.deferred.size();
  if (archive_.size(count) && reads()) extras.deferred.resize(count);
  for (DeferredMessage& message : extras.deferred) {
    Delivery& delivery = message.delivery;
    archive_(delivery.source_kind, delivery.source, delivery.sender, delivery.cause, message.chart, message.age);
    keep_box(delivery.message);
  }
  archive_(extras.processes, extras.ended_processes, extras.last_event, extras.next_internal, extras.internal,
           extras.imminent_at, extras.queued_at, extras.has_subscribers, extras.structure_watcher, extras.made,
           extras.requirements);
  for (std::vector<Box*>& bag : extras.bags) {
    count = bag.size();
    if (archive_.size(count) && reads()) bag.resize(count);
    keep_boxes(bag);
  }
}

void Keeper::keep_mailbox(MailboxInstance& mailbox) {
  std::size_t count = mailbox.messages.size();
  if (!archive_.size(count)) return;
  for (std::size_t i = 0; i < count; ++i) {
    Box* box = reads() ? nullptr : mailbox.messages[i];
    keep_box(box);
    if (reads()) mailbox.messages.push_back(box);
  }
  archive_(mailbox.keys, mailbox.waiting, mailbox.ports);
}

// --- processes and watchers -----------------------------------------------------------------------

void Keeper::keep_process(ProcessInstance& process) {
  archive_(process.number, process.place, process.owner, process.process, process.generation, process.list_place);
  archive_(process.running, process.waiting, process.at_mailbox, process.advancing, process.queued, process.stopping);
  archive_(process.timers, process.timed, process.watcher, process.cause);
  if (process.running) keep_frame(process);
}

void Keeper::keep_frame(ProcessInstance& process) {
  if (reads()) {
    archive_.expect(process.owner.index < world_.objects.size());
    if (archive_.failed()) return;
    const Plan& plan = *world_.object(process.owner).plan;
    archive_.expect(process.process < plan.processes.size() && plan.processes[process.process].program != nullptr);
    if (archive_.failed()) return;
    process.frame = run_.machine.make_frame(*plan.processes[process.process].program, {});
  }
  const code::Program& program = *process.frame.program;
  archive_(process.frame.wait);
  archive_.expect(process.frame.wait < program.waits.size());
  std::vector<bool> boxed(program.registers);
  for (const std::uint16_t where : program.boxed_locals) boxed[where] = true;
  for (std::size_t i = 0; i < program.registers && !archive_.failed(); ++i) {
    if (boxed[i]) {
      keep_box(process.frame.registers[i].box);
    } else {
      archive_(process.frame.registers[i].integer);
    }
  }
}

void Keeper::keep_watchers() {
  archive_(world_.watchers);
  std::vector<std::pair<std::uint64_t, std::vector<std::uint32_t>>> subscribers(world_.subscribers.begin(),
                                                                                world_.subscribers.end());
  archive_(subscribers);
  if (reads()) world_.subscribers = {subscribers.begin(), subscribers.end()};
}

// --- the whole ------------------------------------------------------------------------------------

void Keeper::keep_world() {
  keep_structure();
  if (!same_count(world_.objects.size())) return;
  for (Object& object : world_.objects) keep_object(object);
  keep_ports();
  keep_mailboxes();
  keep_statistics();
  std::size_t processes = world_.processes.size();
  if (!archive_.size(processes)) return;
  while (world_.processes.size() < processes) world_.processes.push_back(std::make_unique<ProcessInstance>());
  for (const std::unique_ptr<ProcessInstance>& process : world_.processes) keep_process(*process);
  keep_links();
  keep_selections();
  keep_watchers();
}

void Keeper::keep_event(Event& event) {
  archive_(event.kind, event.rank, event.in_calendar, event.for_atomic, event.priority_rank, event.branch, event.place,
           event.object, event.index, event.extra, event.number, event.sender, event.cause, event.next);
  keep_box(event.message);
  archive_.expect(event.object.index < world_.objects.size());
}

void Keeper::keep_outcome() {
  RunOutcome& outcome = run_.outcome;
  archive_(outcome.last_instant, outcome.events, outcome.steps, outcome.instants, outcome.messages, outcome.unhandled,
           outcome.violations);
  if (!same_count(outcome.requirements.size())) return;
  for (RequirementRecord& record : outcome.requirements) archive_(record);
  Coverage coverage = outcome.coverage;
  archive_(coverage);
  if (reads() && run_.coverage != nullptr) merge(*run_.coverage, coverage);
  ContinuousWork work = outcome.continuous;
  if (!reads()) add_work_of_others(work);
  archive_(work.islands, work.configurations, work.steps, work.rejected, work.evaluations, work.jacobians,
           work.factorisations, work.to_stiff, work.to_nonstiff, work.crossings, work.uncleared, work.loops,
           work.iterations, work.methods);
  if (reads()) outcome.continuous = work;
  archive_(run_.fired_reactions, run_.fired_processes, run_.fired_atomics);
  archive_(run_.reactions_of, run_.processes_of, run_.atomics_of);
  archive_.expect(run_.fired_reactions.size() == world_.model.reactions.size() &&
                  run_.fired_processes.size() == world_.model.processes.size() &&
                  run_.fired_atomics.size() == world_.model.classes.size() &&
                  run_.reactions_of.size() == run_.fired_reactions.size() &&
                  run_.processes_of.size() == run_.fired_processes.size() &&
                  run_.atomics_of.size() == run_.fired_atomics.size());
}

/// What statistics have touched when the instant had settled: it is looked at in the next one.
void Keeper::keep_dirty() {
  archive_(run_.dirty, run_.dirty_formulas, run_.dirty_links, run_.dirty_conditions, run_.dirty_processes,
           run_.touched_clusters);
  for (const std::vector<Dirty>* watches : {&run_.dirty_formulas, &run_.dirty_conditions}) {
    for (const Dirty& dirty : *watches) {
      archive_.expect(dirty.object && is_known(dirty.object) &&
                      dirty.index < world_.object(dirty.object).plan->watches.size());
    }
  }
  for (const Dirty& dirty : run_.dirty_links) archive_.expect(dirty.index < world_.links.size());
  for (const Dirty& dirty : run_.dirty_processes) archive_.expect(dirty.index < world_.processes.size());
}

/// Which objects and states begin as soon as they have equations.
void Keeper::keep_entered() {
  std::vector<std::pair<std::uint32_t, std::vector<Index>>> entered(run_.entered.begin(), run_.entered.end());
  std::sort(entered.begin(), entered.end());
  archive_(entered);
  if (!reads()) return;
  run_.entered = {entered.begin(), entered.end()};
  run_.starts_due = entered.size();
  std::size_t due = 0;
  for (const Object& object : world_.objects) {
    if (!object.start_due) continue;
    archive_.expect(run_.entered.contains(object.self.index));
    ++due;
  }
  archive_.expect(due == entered.size());
}

void Keeper::keep_run() {
  archive_(run_.now, run_.step, run_.step_count, run_.deferrals, run_.scheduled, run_.sequence, run_.cause,
           run_.happening, run_.leaving, run_.left_states);
  random::Stream::State order = run_.order_stream.state();
  archive_(order);
  run_.order_stream = random::Stream(order);
  archive_(run_.calendar);
  std::size_t events = run_.events.size();
  if (!archive_.size(events)) return;
  if (reads()) run_.events.resize(events);
  archive_.expect(events >= run_.calendar.capacity());
  for (Event& event : run_.events) keep_event(event);
  archive_(run_.free_watchers, run_.free_processes, run_.restless_clusters);
  keep_dirty();
  keep_entered();
  keep_outcome();
  if (reads()) run_.machine.time = run_.now;
}

}  // namespace hyla::engine
