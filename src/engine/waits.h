// What a process waits for: times, messages in mailboxes, conditions. A wait has branches; the first that can be taken
// is taken, at once or when its event comes.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

inline constexpr std::uint32_t kNoBranch = UINT32_MAX;

/// The wait at which the process stands.
inline const code::WaitPoint& wait_of(const ProcessInstance& instance) {
  return instance.frame.program->waits[instance.frame.wait];
}
inline Object& owner_of(Run& run, const ProcessInstance& instance) { return run.object(instance.owner); }
inline ProcessInstance& instance_of(Run& run, std::uint32_t number) { return *run.world.processes[number]; }
inline std::uint32_t mailbox_of(const ProcessInstance& instance, const code::WaitBranch& branch) {
  return static_cast<std::uint32_t>(instance.frame.registers[branch.source].integer);
}
inline bool is_at_mailbox(const code::WaitBranch& branch) {
  return branch.kind == model::Branch::Kind::Receive && branch.source_kind == model::EntityKind::Mailbox;
}

/// An event of the process, not scheduled yet.
Event event_for(const Run& run, const ProcessInstance& instance, EventKind kind, Rank rank);

/// Arranges what the process waits for. If it need not wait: the branch to go on with, else kNoBranch.
std::uint32_t arrange_wait(Run& run, ProcessInstance& instance);
/// Takes back everything that could let the process go on.
void stop_waiting(Run& run, ProcessInstance& instance);

/// Whether a message is one that the branch waits for.
bool fits(Run& run, ProcessInstance& instance, const code::WaitBranch& branch, Box* message);
/// The place of the first message in the branch's mailbox that fits; -1 if there is none.
std::int64_t find_message(Run& run, ProcessInstance& instance, const code::WaitBranch& branch);
/// Takes the message out of its mailbox, with its reference.
void receive_from(Run& run, ProcessInstance& instance, const code::WaitBranch& branch, std::int64_t place);

/// The first `until` of the wait that holds, or kNoBranch; what was read is watched from now on.
std::uint32_t holding_until(Run& run, ProcessInstance& instance);
/// Schedules a look at the conditions over `time` for when they may change.
void schedule_untils(Run& run, ProcessInstance& instance);

}  // namespace hyla::engine
