#include "engine/waits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/mailboxes.h"
#include "engine/time_conditions.h"
#include "engine/until.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

/// Evaluates a condition of the process in its frame.
bool probe(Run& run, ProcessInstance& instance, std::uint32_t pc, bool& holds) {
  Object& owner = owner_of(run, instance);
  holds = false;
  if (run.machine.probe(instance.frame, pc, owner.self, owner.slots, holds) == code::Status::Finished) return !run.over;
  fail_by_machine(run, owner);
  return false;
}

/// One of `until`: over `time` it is decided just after now.
bool probe_until(Run& run, ProcessInstance& instance, const code::WaitBranch& branch, bool& holds) {
  if (!branch.time_probes.empty()) run.machine.time = just_after(run.now);
  const bool good = probe(run, instance, branch.probe, holds);
  run.machine.time = run.now;
  return good;
}

/// left - right of a relation at a time; NaN if it cannot be computed.
double time_difference(Run& run, ProcessInstance& instance, std::uint32_t pc, double time) {
  Object& owner = owner_of(run, instance);
  double value = 0;
  run.machine.time = time;
  const code::Status status = run.machine.probe_value(instance.frame, pc, owner.self, owner.slots, value);
  run.machine.time = run.now;
  if (status == code::Status::Finished) return value;
  fail_by_machine(run, owner);
  return std::numeric_limits<double>::quiet_NaN();
}

void leave_mailboxes(Run& run, ProcessInstance& instance) {
  for (const code::WaitBranch& branch : wait_of(instance).branches) {
    if (!is_at_mailbox(branch)) continue;
    std::vector<std::uint32_t>& waiting = run.world.mailboxes[mailbox_of(instance, branch)].waiting;
    waiting.erase(std::remove(waiting.begin(), waiting.end(), instance.number), waiting.end());
  }
  instance.at_mailbox = false;
}

void cancel_timers(Run& run, ProcessInstance& instance) {
  for (EventHandle& timer : instance.timers) {
    if (timer != 0) cancel(run, timer);
    timer = 0;
  }
  instance.timed = 0;
}

/// The first branch that can be taken at once; kNoBranch if there is none. A message is taken out of its mailbox.
std::uint32_t enabled_branch(Run& run, ProcessInstance& instance) {
  const code::WaitPoint& wait = wait_of(instance);
  for (std::uint32_t index = 0; index < wait.branches.size() && !run.over; ++index) {
    const code::WaitBranch& branch = wait.branches[index];
    if (branch.kind == model::Branch::Kind::Until) {
      bool holds = false;
      if (probe_until(run, instance, branch, holds) && holds) return index;
    } else if (is_at_mailbox(branch)) {
      const std::int64_t place = find_message(run, instance, branch);
      if (place < 0) continue;
      receive_from(run, instance, branch, place);
      return index;
    }
  }
  return kNoBranch;
}

void fail_to_wait(Run& run, ProcessInstance& instance, const code::WaitBranch& branch, double value) {
  fail(run, diag::Kind::RunFailed, owner_of(run, instance), branch.span,
       fmt::format("a process cannot wait for {} s", base::format_number(value)));
}

bool start_waiting_for_time(Run& run, ProcessInstance& instance, const code::WaitBranch& branch, std::uint32_t index) {
  const double value = instance.frame.registers[branch.value].real;
  const bool after = branch.kind == model::Branch::Kind::After;
  if (std::isnan(value) || (after && value < 0)) [[unlikely]] {
    fail_to_wait(run, instance, branch, value);
    return false;
  }
  const double time = after ? run.now + value : value;
  if (std::isinf(time) || time < run.now) return true;
  Event event = event_for(run, instance, EventKind::ProcessTime, Rank::Timeout);
  event.branch = static_cast<std::uint16_t>(index);
  if (instance.timers.size() <= index) instance.timers.resize(index + 1);
  instance.timers[index] = schedule(run, time, event);
  ++instance.timed;
  return true;
}

/// The process stands at a wait and no branch can be taken yet. `until` conditions have been evaluated with tracing on.
void start_waiting(Run& run, ProcessInstance& instance) {
  instance.waiting = true;
  std::uint32_t index = 0;
  for (const code::WaitBranch& branch : wait_of(instance).branches) {
    if (branch.kind == model::Branch::Kind::After || branch.kind == model::Branch::Kind::At) {
      if (!start_waiting_for_time(run, instance, branch, index)) return;
    } else if (is_at_mailbox(branch)) {
      std::vector<std::uint32_t>& waiting = run.world.mailboxes[mailbox_of(instance, branch)].waiting;
      if (std::find(waiting.begin(), waiting.end(), instance.number) == waiting.end()) {
        waiting.push_back(instance.number);
      }
      instance.at_mailbox = true;
    }
    ++index;
  }
}

/// Conditions are evaluated with tracing on, so that the process is told when to look again.
std::uint32_t arrange_wait_with_conditions(Run& run, ProcessInstance& instance) {
  const std::uint32_t watcher = new_watcher(run, Watcher::Kind::Process, instance.owner, instance.number);
  std::uint32_t branch = kNoBranch;
  traced(run, watcher, [&] { branch = enabled_branch(run, instance); });
  if (branch != kNoBranch || run.over) {
    free_watcher(run, watcher);
    return branch;
  }
  instance.watcher = watcher;
  start_waiting(run, instance);
  if (!run.over) schedule_untils(run, instance);
  return kNoBranch;
}

}  // namespace

Event event_for(const Run& run, const ProcessInstance& instance, EventKind kind, Rank rank) {
  Event event;
  event.kind = kind;
  event.rank = rank;
  event.priority_rank = run.default_priority;
  event.place = instance.place;
  event.object = instance.owner;
  event.index = instance.number;
  event.extra = instance.generation;
  event.cause = run.cause;
  return event;
}

void schedule_untils(Run& run, ProcessInstance& instance) {
  if (!run.world.clusters.empty()) wait_at_clusters(run, instance);
  const code::WaitPoint& wait = wait_of(instance);
  for (std::size_t index = 0; index < wait.branches.size() && !run.over; ++index) {
    const code::WaitBranch& branch = wait.branches[index];
    if (branch.time_probes.empty()) continue;
    double first = std::numeric_limits<double>::infinity();
    for (const std::uint32_t pc : branch.time_probes) {
      first = std::min(first, root_after(run, [&](double time) { return time_difference(run, instance, pc, time); }));
    }
    if (instance.timers.size() <= index) instance.timers.resize(index + 1);
    EventHandle& timer = instance.timers[index];
    if (timer != 0) {
      cancel(run, timer);
      timer = 0;
      --instance.timed;
    }
    if (std::isinf(first)) continue;
    timer = schedule(run, first, event_for(run, instance, EventKind::ProcessUntil, Rank::Crossing));
    ++instance.timed;
  }
}

void stop_waiting(Run& run, ProcessInstance& instance) {
  if (!instance.waiting) return;
  instance.waiting = false;
  if (instance.timed > 0) cancel_timers(run, instance);
  if (instance.at_mailbox) leave_mailboxes(run, instance);
  if (instance.watcher != kNone) {
    free_watcher(run, instance.watcher);
    instance.watcher = kNone;
  }
}

bool fits(Run& run, ProcessInstance& instance, const code::WaitBranch& branch, Box* message) {
  if (branch.message && message != nullptr && branch.message.index != message->type) return false;
  if (branch.probe == UINT32_MAX) return true;
  run.machine.set_message(instance.frame, branch.message_register, message);
  bool holds = false;
  return probe(run, instance, branch.probe, holds) && holds;
}

std::int64_t find_message(Run& run, ProcessInstance& instance, const code::WaitBranch& branch) {
  const MessageQueue& messages = run.world.mailboxes[mailbox_of(instance, branch)].messages;
  const std::size_t size = messages.size();
  if (size == 0) return -1;
  for (std::size_t place = 0; place < size && !run.over; ++place) {
    if (fits(run, instance, branch, messages[place])) return static_cast<std::int64_t>(place);
  }
  return -1;
}

void receive_from(Run& run, ProcessInstance& instance, const code::WaitBranch& branch, std::int64_t place) {
  Box* message = take(run, mailbox_of(instance, branch), place);
  Slot& where = instance.frame.registers[branch.message_register];
  run.world.heap.release(where.box);
  where.box = message;
}

std::uint32_t arrange_wait(Run& run, ProcessInstance& instance) {
  const code::WaitPoint& wait = wait_of(instance);
  if (wait.has_until) return arrange_wait_with_conditions(run, instance);
  const std::uint32_t branch = wait.only_times ? kNoBranch : enabled_branch(run, instance);
  if (branch == kNoBranch && !run.over) start_waiting(run, instance);
  return branch;
}

std::uint32_t holding_until(Run& run, ProcessInstance& instance) {
  const code::WaitPoint& wait = wait_of(instance);
  std::uint32_t found = kNoBranch;
  traced(run, instance.watcher, [&] {
    for (std::uint32_t index = 0; index < wait.branches.size() && found == kNoBranch; ++index) {
      bool holds = false;
      if (wait.branches[index].kind != model::Branch::Kind::Until) continue;
      if (!probe_until(run, instance, wait.branches[index], holds)) return;
      if (holds) found = index;
    }
  });
  return found;
}

}  // namespace hyla::engine
