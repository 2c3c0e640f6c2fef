#include "engine/processes.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/waits.h"

namespace hyla::engine {
namespace {

constexpr std::uint64_t kMostTurns = 10'000'000;  ///< waits in one event that need not wait

/// Drops the places of ended processes, so that ending one costs no search.
void close_gaps(Run& run, ObjectExtras& extras) {
  std::vector<std::uint32_t>& list = extras.processes;
  list.erase(std::remove(list.begin(), list.end(), kNone), list.end());
  for (std::size_t place = 0; place < list.size(); ++place) {
    run.world.processes[list[place]]->list_place = static_cast<std::uint32_t>(place);
  }
  extras.ended_processes = 0;
}

void end_process(Run& run, ProcessInstance& instance) {
  stop_waiting(run, instance);
  run.machine.destroy_frame(instance.frame);
  instance.running = false;
  ++instance.generation;
  ObjectExtras& extras = *owner_of(run, instance).extras;
  extras.processes[instance.list_place] = kNone;
  if (++extras.ended_processes * 2 > extras.processes.size()) close_gaps(run, extras);
  run.free_processes.push_back(instance.number);
}

void tell_process(Run& run, ObjectRef owner, Index process, Sequence cause) {
  const Object& object = run.object(owner);
  Occurrence occurrence;
  occurrence.kind = OccurrenceKind::Process;
  occurrence.object = owner;
  occurrence.process = object.plan->processes[process].id;
  occurrence.cause = cause;
  occurrence.span = run.world.model.processes[occurrence.process].span;
  tell(run, occurrence);
}

/// Runs the process from a place in its program up to its next wait.
void advance(Run& run, ProcessInstance& instance, std::uint32_t pc, Sequence cause) {
  begin(run);
  ++run.outcome.events;
  const ObjectRef owner_ref = instance.owner;
  const Index process = instance.process;
  Object& owner = run.object(owner_ref);
  ++run.fired_processes[owner.plan->processes[process].id.index];
  run.processes_of[owner.plan->processes[process].id.index] = owner_ref;
  run.happening = {run.now, owner_ref, {}, owner.plan->processes[process].id, {}, {}, run.sequence};
  std::uint64_t turns = 0;
  for (;;) {
    instance.advancing = true;
    const code::Status status = run.machine.resume(instance.frame, pc, owner.self, owner.slots);
    instance.advancing = false;
    if (status == code::Status::Failed) {
      fail_by_machine(run, owner);
      break;
    }
    if (status == code::Status::Finished || instance.stopping) {
      end_process(run, instance);
      break;
    }
    if (run.over) break;
    const std::uint32_t branch = arrange_wait(run, instance);
    if (branch == kNoBranch || run.over) break;
    if (++turns > std::min(kMostTurns, run.options.loop_limit)) {
      fail(run, diag::Kind::EndlessInstant, owner, wait_of(instance).span,
           "this process goes on and on without time passing", "it needs a `wait` that takes time");
      break;
    }
    pc = wait_of(instance).branches[branch].resume;
  }
  if (run.tells) tell_process(run, owner_ref, process, cause);
}

bool exists(const Run& run, std::uint32_t number, std::uint32_t generation) {
  const ProcessInstance& instance = *run.world.processes[number];
  return instance.running && instance.generation == generation;
}

}  // namespace

std::int64_t start_process(Run& run, Object& object, Index process, std::span<const Slot> arguments) {
  std::vector<std::unique_ptr<ProcessInstance>>& processes = run.world.processes;
  std::uint32_t number = 0;
  if (run.free_processes.empty()) {
    number = static_cast<std::uint32_t>(processes.size());
    processes.push_back(std::make_unique<ProcessInstance>());
  } else {
    number = run.free_processes.back();
    run.free_processes.pop_back();
  }
  ProcessInstance& instance = *processes[number];
  instance.number = number;
  instance.place = object.plan->processes[process].place;
  instance.owner = object.self;
  instance.process = process;
  instance.running = true;
  instance.waiting = false;
  instance.queued = false;
  instance.stopping = false;
  instance.watcher = kNone;
  instance.frame = run.machine.make_frame(*object.plan->processes[process].program, arguments);
  if (!object.extras) object.extras = std::make_unique<ObjectExtras>();
  instance.list_place = static_cast<std::uint32_t>(object.extras->processes.size());
  object.extras->processes.push_back(number);
  if (object.extras->processes.size() - object.extras->ended_processes > run.options.queue_limit) {
    const model::ProcessId id = object.plan->processes[process].id;
    fail(run, diag::Kind::QueueTooLong, object, run.world.model.processes[id].span,
         fmt::format("{} processes run in this object", object.extras->processes.size()),
         "more are started than end; raise the limit with `--queue-limit` if that is meant");
  }
  run.starting.push_back({number, instance.generation, run.cause});
  return handle_of(instance);
}

void stop_process(Run& run, std::int64_t handle) {
  const auto number = static_cast<std::uint32_t>(handle);
  const auto generation = static_cast<std::uint32_t>(static_cast<std::uint64_t>(handle) >> 32);
  if (handle == 0 || number >= run.world.processes.size() || !exists(run, number, generation)) return;
  ProcessInstance& instance = instance_of(run, number);
  if (instance.advancing) {
    instance.stopping = true;  // it is running now and stops at its next wait
    return;
  }
  end_process(run, instance);
}

void stop_processes(Run& run, Object& object, Index process) {
  if (!object.extras) return;
  const std::vector<std::uint32_t> numbers = object.extras->processes;
  for (std::size_t i = numbers.size(); i-- > 0;) {
    if (numbers[i] == kNone) continue;
    const ProcessInstance& instance = instance_of(run, numbers[i]);
    if (instance.process != process) continue;
    stop_process(run, handle_of(instance));
  }
}

void begin_processes(Run& run) {
  for (std::size_t i = 0; i < run.starting.size() && !run.over; ++i) {
    const Starting one = run.starting[i];
    if (!exists(run, one.process, one.generation)) continue;
    ProcessInstance& instance = instance_of(run, one.process);
    advance(run, instance, 0, one.cause);
    if (i > run.options.queue_limit) {
      const Object& owner = owner_of(run, instance);
      fail(run, diag::Kind::EndlessInstant, owner,
           run.world.model.processes[owner.plan->processes[instance.process].id].span,
           "processes start each other without an end", "one of them needs a `wait`");
    }
  }
  run.starting.clear();
}

void continue_process(Run& run, std::uint32_t number, std::uint32_t branch, Box* message, Sequence cause) {
  ProcessInstance& instance = instance_of(run, number);
  if (!instance.running || !instance.waiting) return;
  const code::WaitBranch& way = wait_of(instance).branches[branch];
  if (way.kind == model::Branch::Kind::Receive && message != nullptr) {
    run.machine.set_message(instance.frame, way.message_register, message);
  }
  stop_waiting(run, instance);
  advance(run, instance, way.resume, cause);
}

void continue_in_time(Run& run, std::uint32_t number, std::uint32_t branch, Sequence cause) {
  ProcessInstance& instance = instance_of(run, number);
  instance.timers[branch] = 0;
  --instance.timed;
  continue_process(run, number, branch, nullptr, cause);
}

void recheck_process(Run& run, std::uint32_t number, std::uint32_t generation, Sequence cause) {
  if (!exists(run, number, generation)) return;
  ProcessInstance& instance = instance_of(run, number);
  instance.queued = false;
  if (!instance.waiting || instance.watcher == kNone) return;
  const std::uint32_t branch = holding_until(run, instance);
  if (run.over) return;
  if (branch == kNoBranch) {
    schedule_untils(run, instance);
  } else {
    continue_process(run, number, branch, nullptr, cause);
  }
}

void look_at_process(Run& run, std::uint32_t number) {
  ProcessInstance& instance = instance_of(run, number);
  if (!instance.running || !instance.waiting || instance.watcher == kNone) return;
  run.world.watchers[instance.watcher].dirty = false;
  const std::uint32_t branch = holding_until(run, instance);
  if (run.over || instance.queued) return;
  if (branch == kNoBranch) {
    schedule_untils(run, instance);
    return;
  }
  instance.queued = true;
  schedule_next(run, event_for(run, instance, EventKind::ProcessUntil, Rank::Crossing));
}

void ask_processes(Run& run, Object& object, Index process, const Offer& offer, Choice& choice) {
  if (!object.extras) return;
  for (const std::uint32_t number : object.extras->processes) {
    if (number == kNone) continue;
    ProcessInstance& instance = instance_of(run, number);
    if (instance.process != process || !instance.waiting) continue;
    const code::WaitPoint& wait = wait_of(instance);
    for (std::uint32_t index = 0; index < wait.branches.size(); ++index) {
      const code::WaitBranch& branch = wait.branches[index];
      if (branch.kind != model::Branch::Kind::Receive || branch.source_kind != offer.source_kind) continue;
      if (branch.source_number != offer.source) continue;
      const bool is_array = offer.source_kind == model::EntityKind::Port &&
                            instance.frame.registers[branch.source].integer != static_cast<std::int64_t>(offer.number);
      if (is_array || !fits(run, instance, branch, offer.message)) continue;
      choice.selected.push_back({kNone, kNone, nullptr, number, index, 0});
      break;
    }
    if (run.over) return;
  }
}

void serve_waiting(Run& run, std::uint32_t mailbox, Sequence cause) {
  std::size_t next = 0;
  while (!run.over && next < run.world.mailboxes[mailbox].waiting.size()) {
    if (run.world.mailboxes[mailbox].messages.empty()) return;
    ProcessInstance& instance = instance_of(run, run.world.mailboxes[mailbox].waiting[next]);
    const code::WaitPoint& wait = wait_of(instance);
    bool served = false;
    for (std::uint32_t index = 0; index < wait.branches.size() && !served && !run.over; ++index) {
      const code::WaitBranch& branch = wait.branches[index];
      if (!is_at_mailbox(branch) || mailbox_of(instance, branch) != mailbox) continue;
      const std::int64_t place = find_message(run, instance, branch);
      if (place < 0) continue;
      receive_from(run, instance, branch, place);
      continue_process(run, instance.number, index, nullptr, cause);
      served = true;
    }
    next = served ? 0 : next + 1;
  }
}

}  // namespace hyla::engine
