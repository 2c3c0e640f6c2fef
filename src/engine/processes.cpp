#include "engine/processes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/mailboxes.h"
#include "engine/time_conditions.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

constexpr std::uint32_t kNoBranch = UINT32_MAX;
constexpr std::uint64_t kMostTurns = 10'000'000;  ///< waits in one event that need not wait

const code::WaitPoint& wait_of(const ProcessInstance& instance) {
  return instance.frame.program->waits[instance.frame.wait];
}

Object& owner_of(Run& run, const ProcessInstance& instance) { return run.object(instance.owner); }

std::uint32_t mailbox_of(const ProcessInstance& instance, const code::WaitBranch& branch) {
  return static_cast<std::uint32_t>(instance.frame.registers[branch.source].integer);
}

Event event_for(const Run& run, std::uint32_t number, EventKind kind, Rank rank) {
  const ProcessInstance& instance = run.world.processes[number];
  Event event;
  event.kind = kind;
  event.rank = rank;
  event.priority_rank = run.default_priority;
  event.place = run.world.objects[instance.owner.index].plan->processes[instance.process].place;
  event.object = instance.owner;
  event.index = number;
  event.extra = instance.generation;
  event.cause = run.cause;
  return event;
}

/// Evaluates a condition of the process in its frame.
bool probe(Run& run, std::uint32_t number, std::uint32_t pc, bool& holds) {
  ProcessInstance& instance = run.world.processes[number];
  Object& owner = owner_of(run, instance);
  holds = false;
  if (run.machine.probe(instance.frame, pc, owner.self, owner.slots, holds) == code::Status::Finished) return !run.over;
  fail_by_machine(run, owner);
  return false;
}

/// One of `until`: over `time` it is decided just after now.
bool probe_until(Run& run, std::uint32_t number, const code::WaitBranch& branch, bool& holds) {
  if (!branch.time_probes.empty()) run.machine.time = just_after(run.now);
  const bool good = probe(run, number, branch.probe, holds);
  run.machine.time = run.now;
  return good;
}

/// left - right of a relation at a time; NaN if it cannot be computed.
double time_difference(Run& run, std::uint32_t number, std::uint32_t pc, double time) {
  ProcessInstance& instance = run.world.processes[number];
  Object& owner = owner_of(run, instance);
  double value = 0;
  run.machine.time = time;
  const code::Status status = run.machine.probe_value(instance.frame, pc, owner.self, owner.slots, value);
  run.machine.time = run.now;
  if (status == code::Status::Finished) return value;
  fail_by_machine(run, owner);
  return std::numeric_limits<double>::quiet_NaN();
}

/// Schedules a look at the conditions over `time` for when they may change.
void schedule_untils(Run& run, std::uint32_t number) {
  ProcessInstance& instance = run.world.processes[number];
  const code::WaitPoint& wait = wait_of(instance);
  for (std::size_t index = 0; index < wait.branches.size() && !run.over; ++index) {
    const code::WaitBranch& branch = wait.branches[index];
    if (branch.time_probes.empty()) continue;
    double first = std::numeric_limits<double>::infinity();
    for (const std::uint32_t pc : branch.time_probes) {
      first = std::min(first, root_after(run, [&](double time) { return time_difference(run, number, pc, time); }));
    }
    if (instance.timers[index] != 0) cancel(run, instance.timers[index]);
    instance.timers[index] = 0;
    if (std::isinf(first)) continue;
    instance.timers[index] = schedule(run, first, event_for(run, number, EventKind::ProcessUntil, Rank::Crossing));
  }
}

void leave_mailboxes(Run& run, std::uint32_t number) {
  ProcessInstance& instance = run.world.processes[number];
  for (const code::WaitBranch& branch : wait_of(instance).branches) {
    if (branch.kind != model::Branch::Kind::Receive || branch.source_kind != model::EntityKind::Mailbox) continue;
    std::vector<std::uint32_t>& waiting = run.world.mailboxes[mailbox_of(instance, branch)].waiting;
    waiting.erase(std::remove(waiting.begin(), waiting.end(), number), waiting.end());
  }
  instance.at_mailbox = false;
}

/// Takes back everything that could let the process go on.
void stop_waiting(Run& run, std::uint32_t number) {
  ProcessInstance& instance = run.world.processes[number];
  if (!instance.waiting) return;
  instance.waiting = false;
  for (EventHandle& timer : instance.timers) {
    if (timer != 0) cancel(run, timer);
    timer = 0;
  }
  if (instance.at_mailbox) leave_mailboxes(run, number);
  if (instance.watcher != kNone) {
    free_watcher(run, instance.watcher);
    instance.watcher = kNone;
  }
}

void end_process(Run& run, std::uint32_t number) {
  ProcessInstance& instance = run.world.processes[number];
  stop_waiting(run, number);
  run.machine.destroy_frame(instance.frame);
  instance.running = false;
  ++instance.generation;
  std::vector<std::uint32_t>& list = owner_of(run, instance).extras->processes;
  list.erase(std::remove(list.begin(), list.end(), number), list.end());
  run.free_processes.push_back(number);
}

bool fits(Run& run, std::uint32_t number, const code::WaitBranch& branch, Box* message) {
  if (branch.message && message != nullptr && branch.message.index != message->type) return false;
  if (branch.probe == UINT32_MAX) return true;
  ProcessInstance& instance = run.world.processes[number];
  run.machine.set_message(instance.frame, branch.message_register, message);
  bool holds = false;
  return probe(run, number, branch.probe, holds) && holds;
}

/// The place of the first message in the branch's mailbox that fits; -1 if there is none.
std::int64_t find_message(Run& run, std::uint32_t number, const code::WaitBranch& branch) {
  const std::uint32_t mailbox = mailbox_of(run.world.processes[number], branch);
  if (!branch.message && branch.probe == UINT32_MAX) return run.world.mailboxes[mailbox].messages.empty() ? -1 : 0;
  const std::size_t size = run.world.mailboxes[mailbox].messages.size();
  for (std::size_t place = 0; place < size && !run.over; ++place) {
    if (fits(run, number, branch, run.world.mailboxes[mailbox].messages[place]))
      return static_cast<std::int64_t>(place);
  }
  return -1;
}

void receive_from(Run& run, std::uint32_t number, const code::WaitBranch& branch, std::int64_t place) {
  ProcessInstance& instance = run.world.processes[number];
  Box* message = take(run, mailbox_of(instance, branch), place);
  run.machine.set_message(instance.frame, branch.message_register, message);
  run.world.heap.release(message);
}

/// The first branch that can be taken at once; kNoBranch if there is none. A message is taken out of its mailbox.
std::uint32_t enabled_branch(Run& run, std::uint32_t number) {
  const code::WaitPoint& wait = wait_of(run.world.processes[number]);
  for (std::uint32_t index = 0; index < wait.branches.size() && !run.over; ++index) {
    const code::WaitBranch& branch = wait.branches[index];
    if (branch.kind == model::Branch::Kind::Until) {
      bool holds = false;
      if (probe_until(run, number, branch, holds) && holds) return index;
    } else if (branch.kind == model::Branch::Kind::Receive && branch.source_kind == model::EntityKind::Mailbox) {
      const std::int64_t place = find_message(run, number, branch);
      if (place < 0) continue;
      receive_from(run, number, branch, place);
      return index;
    }
  }
  return kNoBranch;
}

bool start_waiting_for_time(Run& run, std::uint32_t number, std::uint32_t index) {
  ProcessInstance& instance = run.world.processes[number];
  const code::WaitBranch& branch = wait_of(instance).branches[index];
  const double value = instance.frame.registers[branch.value].real;
  const bool after = branch.kind == model::Branch::Kind::After;
  if (std::isnan(value) || (after && value < 0)) {
    fail(run, diag::Kind::RunFailed, owner_of(run, instance), branch.span,
         fmt::format("a process cannot wait for {} s", base::format_number(value)));
    return false;
  }
  const double time = after ? run.now + value : value;
  if (std::isinf(time) || time < run.now) return true;
  Event event = event_for(run, number, EventKind::ProcessTime, Rank::Timeout);
  event.branch = static_cast<std::uint16_t>(index);
  instance.timers[index] = schedule(run, time, event);
  return true;
}

/// The process stands at a wait and no branch can be taken yet. `until` conditions have been evaluated with tracing on.
void start_waiting(Run& run, std::uint32_t number) {
  ProcessInstance& instance = run.world.processes[number];
  instance.waiting = true;
  const code::WaitPoint& wait = wait_of(instance);
  if (instance.timers.size() < wait.branches.size()) instance.timers.resize(wait.branches.size());
  for (std::uint32_t index = 0; index < wait.branches.size(); ++index) {
    const code::WaitBranch& branch = wait.branches[index];
    if (branch.kind == model::Branch::Kind::After || branch.kind == model::Branch::Kind::At) {
      if (!start_waiting_for_time(run, number, index)) return;
    } else if (branch.kind == model::Branch::Kind::Receive && branch.source_kind == model::EntityKind::Mailbox) {
      std::vector<std::uint32_t>& waiting = run.world.mailboxes[mailbox_of(instance, branch)].waiting;
      if (std::find(waiting.begin(), waiting.end(), number) == waiting.end()) waiting.push_back(number);
      instance.at_mailbox = true;
    }
  }
}

bool has_until(const code::WaitPoint& wait) {
  return std::any_of(wait.branches.begin(), wait.branches.end(),
                     [](const code::WaitBranch& branch) { return branch.kind == model::Branch::Kind::Until; });
}

/// Arranges what the process waits for, or finds that it need not wait.
std::uint32_t arrange_wait(Run& run, std::uint32_t number) {
  ProcessInstance& instance = run.world.processes[number];
  const code::WaitPoint& wait = wait_of(instance);
  if (wait.branches.size() == 1 && wait.branches[0].kind == model::Branch::Kind::After) {
    start_waiting(run, number);
    return kNoBranch;
  }
  if (!has_until(wait)) {
    const std::uint32_t branch = enabled_branch(run, number);
    if (branch == kNoBranch && !run.over) start_waiting(run, number);
    return branch;
  }
  const std::uint32_t watcher = new_watcher(run, Watcher::Kind::Process, instance.owner, number);
  std::uint32_t branch = kNoBranch;
  traced(run, watcher, [&] { branch = enabled_branch(run, number); });
  if (branch != kNoBranch || run.over) {
    free_watcher(run, watcher);
    return branch;
  }
  run.world.processes[number].watcher = watcher;
  start_waiting(run, number);
  if (!run.over) schedule_untils(run, number);
  return kNoBranch;
}

/// The first `until` of the wait that holds; what was read is watched from now on.
std::uint32_t holding_until(Run& run, std::uint32_t number) {
  const code::WaitPoint& wait = wait_of(run.world.processes[number]);
  std::uint32_t found = kNoBranch;
  traced(run, run.world.processes[number].watcher, [&] {
    for (std::uint32_t index = 0; index < wait.branches.size() && found == kNoBranch; ++index) {
      bool holds = false;
      if (wait.branches[index].kind != model::Branch::Kind::Until) continue;
      if (!probe_until(run, number, wait.branches[index], holds)) return;
      if (holds) found = index;
    }
  });
  return found;
}

void tell_process(Run& run, ObjectRef owner, Index process, Sequence cause) {
  if (!run.tells) return;
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
void advance(Run& run, std::uint32_t number, std::uint32_t pc, Sequence cause) {
  begin(run);
  ++run.outcome.events;
  ProcessInstance& instance = run.world.processes[number];
  const ObjectRef owner_ref = instance.owner;
  const Index process = instance.process;
  Object& owner = run.object(owner_ref);
  ++run.fired_processes[owner.plan->processes[process].id.index];
  run.processes_of[owner.plan->processes[process].id.index] = owner_ref;
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
      end_process(run, number);
      break;
    }
    if (run.over) break;
    const std::uint32_t branch = arrange_wait(run, number);
    if (branch == kNoBranch || run.over) break;
    if (++turns > std::min(kMostTurns, run.options.loop_limit)) {
      fail(run, diag::Kind::EndlessInstant, owner, wait_of(instance).span,
           "this process goes on and on without time passing", "it needs a `wait` that takes time");
      break;
    }
    pc = wait_of(instance).branches[branch].resume;
  }
  tell_process(run, owner_ref, process, cause);
}

bool exists(const Run& run, std::uint32_t number, std::uint32_t generation) {
  const ProcessInstance& instance = run.world.processes[number];
  return instance.running && instance.generation == generation;
}

}  // namespace

std::int64_t start_process(Run& run, Object& object, Index process, std::span<const Slot> arguments) {
  std::deque<ProcessInstance>& processes = run.world.processes;
  std::uint32_t number = 0;
  if (run.free_processes.empty()) {
    number = static_cast<std::uint32_t>(processes.size());
    processes.emplace_back();
  } else {
    number = run.free_processes.back();
    run.free_processes.pop_back();
  }
  ProcessInstance& instance = processes[number];
  instance.owner = object.self;
  instance.process = process;
  instance.running = true;
  instance.waiting = false;
  instance.queued = false;
  instance.stopping = false;
  instance.watcher = kNone;
  instance.frame = run.machine.make_frame(*object.plan->processes[process].program, arguments);
  if (!object.extras) object.extras = std::make_unique<ObjectExtras>();
  object.extras->processes.push_back(number);
  if (object.extras->processes.size() > run.options.queue_limit) {
    const model::ProcessId id = object.plan->processes[process].id;
    fail(run, diag::Kind::QueueTooLong, object, run.world.model.processes[id].span,
         fmt::format("{} processes run in this object", object.extras->processes.size()),
         "more are started than end; raise the limit with `--queue-limit` if that is meant");
  }
  run.starting.push_back({number, instance.generation, run.cause});
  return static_cast<std::int64_t>(std::uint64_t{instance.generation} << 32 | number);
}

void stop_process(Run& run, std::int64_t handle) {
  const auto number = static_cast<std::uint32_t>(handle);
  const auto generation = static_cast<std::uint32_t>(static_cast<std::uint64_t>(handle) >> 32);
  if (handle == 0 || number >= run.world.processes.size() || !exists(run, number, generation)) return;
  ProcessInstance& instance = run.world.processes[number];
  if (instance.advancing) {
    instance.stopping = true;  // it is running now and stops at its next wait
    return;
  }
  end_process(run, number);
}

void stop_processes(Run& run, Object& object, Index process) {
  if (!object.extras) return;
  const std::vector<std::uint32_t> numbers = object.extras->processes;
  for (std::size_t i = numbers.size(); i-- > 0;) {
    const ProcessInstance& instance = run.world.processes[numbers[i]];
    if (instance.process != process) continue;
    stop_process(run, static_cast<std::int64_t>(std::uint64_t{instance.generation} << 32 | numbers[i]));
  }
}

void begin_processes(Run& run) {
  for (std::size_t i = 0; i < run.starting.size() && !run.over; ++i) {
    const Starting one = run.starting[i];
    if (!exists(run, one.process, one.generation)) continue;
    advance(run, one.process, 0, one.cause);
    if (i > run.options.queue_limit) {
      fail(run, diag::Kind::EndlessInstant, owner_of(run, run.world.processes[one.process]),
           run.world.model
               .processes[owner_of(run, run.world.processes[one.process])
                              .plan->processes[run.world.processes[one.process].process]
                              .id]
               .span,
           "processes start each other without an end", "one of them needs a `wait`");
    }
  }
  run.starting.clear();
}

void continue_process(Run& run, std::uint32_t number, std::uint32_t branch, Box* message, Sequence cause) {
  ProcessInstance& instance = run.world.processes[number];
  if (!instance.running || !instance.waiting) return;
  const code::WaitBranch& way = wait_of(instance).branches[branch];
  if (way.kind == model::Branch::Kind::Receive && message != nullptr) {
    run.machine.set_message(instance.frame, way.message_register, message);
  }
  const std::uint32_t pc = way.resume;
  stop_waiting(run, number);
  advance(run, number, pc, cause);
}

void recheck_process(Run& run, std::uint32_t number, std::uint32_t generation, Sequence cause) {
  if (!exists(run, number, generation)) return;
  ProcessInstance& instance = run.world.processes[number];
  instance.queued = false;
  if (!instance.waiting || instance.watcher == kNone) return;
  const std::uint32_t branch = holding_until(run, number);
  if (run.over) return;
  if (branch == kNoBranch) {
    schedule_untils(run, number);
  } else {
    continue_process(run, number, branch, nullptr, cause);
  }
}

void look_at_process(Run& run, std::uint32_t number) {
  ProcessInstance& instance = run.world.processes[number];
  if (!instance.running || !instance.waiting || instance.watcher == kNone) return;
  run.world.watchers[instance.watcher].dirty = false;
  const std::uint32_t branch = holding_until(run, number);
  if (run.over || instance.queued) return;
  if (branch == kNoBranch) {
    schedule_untils(run, number);
    return;
  }
  instance.queued = true;
  schedule_next(run, event_for(run, number, EventKind::ProcessUntil, Rank::Crossing));
}

void ask_processes(Run& run, Object& object, Index process, const Offer& offer, Choice& choice) {
  if (!object.extras) return;
  for (const std::uint32_t number : object.extras->processes) {
    const ProcessInstance& instance = run.world.processes[number];
    if (instance.process != process || !instance.waiting) continue;
    const code::WaitPoint& wait = wait_of(instance);
    for (std::uint32_t index = 0; index < wait.branches.size(); ++index) {
      const code::WaitBranch& branch = wait.branches[index];
      if (branch.kind != model::Branch::Kind::Receive || branch.source_kind != offer.source_kind) continue;
      if (branch.source_number != offer.source) continue;
      const bool is_array = offer.source_kind == model::EntityKind::Port &&
                            instance.frame.registers[branch.source].integer != static_cast<std::int64_t>(offer.number);
      if (is_array || !fits(run, number, branch, offer.message)) continue;
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
    const std::uint32_t number = run.world.mailboxes[mailbox].waiting[next];
    const code::WaitPoint& wait = wait_of(run.world.processes[number]);
    bool served = false;
    for (std::uint32_t index = 0; index < wait.branches.size() && !served && !run.over; ++index) {
      const code::WaitBranch& branch = wait.branches[index];
      if (branch.kind != model::Branch::Kind::Receive || branch.source_kind != model::EntityKind::Mailbox) continue;
      if (mailbox_of(run.world.processes[number], branch) != mailbox) continue;
      const std::int64_t place = find_message(run, number, branch);
      if (place < 0) continue;
      receive_from(run, number, branch, place);
      continue_process(run, number, index, nullptr, cause);
      served = true;
    }
    next = served ? 0 : next + 1;
  }
}

}  // namespace hyla::engine
