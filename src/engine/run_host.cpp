#include "engine/run_host.h"

#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/collect.h"
#include "engine/create.h"
#include "engine/draw.h"
#include "engine/islands.h"
#include "engine/joins.h"
#include "engine/mailboxes.h"
#include "engine/messages.h"
#include "engine/populations.h"
#include "engine/processes.h"
#include "engine/ranges.h"
#include "engine/remove.h"
#include "engine/watch.h"

namespace hyla::engine {
Slot* RunHost::slots(ObjectRef object) {
  if (!run_->world.is_alive(object)) return nullptr;
  Object& record = run_->object(object);
  if (record.cluster != kNone) synchronise(*run_, *run_->world.clusters[record.cluster]);
  return record.slots;
}

std::string RunHost::path(ObjectRef object) { return run_->world.path(object); }

void RunHost::changed(ObjectRef object, std::uint32_t slot) {
  engine::changed(*run_, run_->object(object), slot);
  GatheringMemory* const memory = run_->world.gathering.get();
  if (memory != nullptr && !memory->claims.empty()) memory->claims.set({object, slot, kNone}, Claim::Assigned);
}

void RunHost::assigned_again(ObjectRef object, std::uint32_t slot) {
  if (run_->object(object).cluster == kNone) return;
  run_->world.gathering->claims.set({object, slot, kNone}, Claim::Assigned);
}

void RunHost::observed(ObjectRef object, std::uint32_t slot) {
  if (run_->tracing_reads) run_->observed.push_back(std::uint64_t{object.index} << 32 | slot);
}

bool RunHost::draw(ObjectRef self, std::uint32_t purpose, model::Builtin distribution, std::span<const Slot> arguments,
                   Slot& result) {
  random::Stream& stream = run_->object(self).streams[purpose];
  if (draw_quickly(stream, distribution, arguments.data(), result)) [[likely]] {
    return true;
  }
  const char* complaint = draw_from(stream, distribution, arguments, result);
  if (complaint == nullptr) [[likely]] {
    return true;
  }
  run_->machine.fail(complaint);
  return false;
}

bool RunHost::send(ObjectRef self, const Sending& sending, std::int64_t& delivery) {
  EventHandle first = 0;
  const bool good = engine::send(*run_, run_->object(self), sending, first);
  delivery = static_cast<std::int64_t>(first);
  return good;
}

void RunHost::cancel(std::int64_t delivery) {
  auto handle = static_cast<EventHandle>(delivery);
  while (run_->calendar.is_alive(handle)) {
    const EventHandle next = run_->events[Calendar::event_of(handle)].next;
    engine::cancel(*run_, handle);
    handle = next;
  }
}

void RunHost::raise(ObjectRef self, std::uint32_t signal) { raise_signal(*run_, run_->object(self), signal); }

std::int64_t RunHost::mailbox_size(std::uint32_t mailbox) {
  return static_cast<std::int64_t>(run_->world.mailboxes[mailbox].messages.size());
}

Box* RunHost::mailbox_at(std::uint32_t mailbox, std::int64_t place) {
  return run_->world.mailboxes[mailbox].messages[static_cast<std::size_t>(place)];
}

Box* RunHost::mailbox_take(std::uint32_t mailbox, std::int64_t place) { return take(*run_, mailbox, place); }

bool RunHost::mailbox_put(std::uint32_t mailbox, Box* message) {
  if (!put(*run_, mailbox, message)) return false;
  if (!has_listeners(*run_, mailbox)) return true;
  Event event;
  event.kind = EventKind::Arrival;
  event.rank = Rank::Message;
  event.priority_rank = run_->default_priority;
  event.object = run_->world.mailboxes[mailbox].owner;
  event.index = mailbox;
  event.cause = run_->cause;
  event.message = message;
  code::Heap::retain(message);
  schedule_next(*run_, event);
  return true;
}

bool RunHost::create(ObjectRef self, const Creation& creation, ObjectRef& result) {
  if (engine::create(*run_, run_->object(self), creation, result)) return true;
  if (run_->over) run_->machine.fail("the object was not made");  // told already
  return false;
}

bool RunHost::destroy(ObjectRef, ObjectRef object, bool with_exit, diag::Span) {
  return engine::destroy(*run_, object, with_exit);
}

bool RunHost::connect(ObjectRef self, const Joining& joining, std::int64_t& handle) {
  return engine::connect(*run_, run_->object(self), joining, handle);
}

bool RunHost::disconnect(ObjectRef, std::int64_t handle, diag::Span) { return engine::disconnect(*run_, handle); }

bool RunHost::disconnect(ObjectRef self, const Joining& joining) {
  return engine::disconnect(*run_, run_->object(self), joining);
}

std::int64_t RunHost::population_size(std::uint32_t population) {
  return static_cast<std::int64_t>(run_->world.populations[population].size);
}

ObjectRef RunHost::population_at(std::uint32_t population, std::int64_t place) {
  return member_at(run_->world.populations[population], static_cast<std::size_t>(place), run_->world);
}

bool RunHost::start(ObjectRef self, std::uint32_t process, std::span<const Slot> arguments, std::int64_t& handle) {
  handle = start_process(*run_, run_->object(self), process, arguments);
  return true;
}

void RunHost::stop(std::int64_t handle) { stop_process(*run_, handle); }

void RunHost::stop_all(ObjectRef self, std::uint32_t process) { stop_processes(*run_, run_->object(self), process); }

bool RunHost::observe(std::uint32_t statistic, double value) {
  StatisticInstance& instance = run_->world.statistics[statistic];
  if (std::get<statistics::Tally>(instance.figures).add(value)) {
    engine::changed(*run_, run_->object(instance.owner), run_->world.layout.statistics[instance.id.index]);
    return true;
  }
  run_->machine.fail("a statistic takes finite numbers only");
  return false;
}

Slot RunHost::figure(std::uint32_t statistic, model::Builtin property) {
  const auto value = [&](const auto& figures) {
    switch (property) {
      case model::Builtin::CountOf:
        return Slot(static_cast<std::int64_t>(figures.count()));
      case model::Builtin::MeanOf:
        return Slot(figures.mean());
      case model::Builtin::MinOf:
        return Slot(figures.minimum());
      case model::Builtin::MaxOf:
        return Slot(figures.maximum());
      case model::Builtin::FinalOf:
        return Slot(figures.final_value());
      case model::Builtin::StandardDeviationOf:
        return Slot(figures.stddev());
      case model::Builtin::HalfWidthOf:
        return Slot(figures.summary().half_width);
      default:
        return Slot(std::numeric_limits<double>::quiet_NaN());
    }
  };
  const StatisticInstance& instance = run_->world.statistics[statistic];
  if (const auto* tally = std::get_if<statistics::Tally>(&instance.figures)) return value(*tally);
  return value(std::get<statistics::TimeWeighted>(instance.figures).at(run_->now));
}

void RunHost::out_of_range(ObjectRef self, model::VariableId id, double value, double limit) {
  if (run_->departures.contains(id.index)) return;
  const Object& object = run_->object(self);
  if (is_beyond(*run_, object, id, value, limit)) note_departure(*run_, object, id, "", value, limit);
}

void RunHost::note_ranged(ObjectRef self, std::uint32_t slot) { engine::note_ranged(*run_, run_->object(self), slot); }

bool RunHost::keeps_going() {
  if (run_->observer == nullptr || run_->observer->progress(run_->world, run_->now, run_->outcome.events)) return true;
  run_->over = true;
  run_->outcome.ending = Ending::Interrupted;
  return false;
}

void RunHost::print(ObjectRef self, std::string_view text) {
  if (run_->tells) trace(*run_, {TraceStep::Kind::Print, {}, {}, {}, std::string(text)});
  if (run_->observer != nullptr) run_->observer->printed(run_->world, run_->now, self, text);
}

void RunHost::terminate(ObjectRef self, std::string_view why) {
  if (run_->terminating) return;
  run_->terminating = true;
  run_->terminated_by = self;
  run_->outcome.reason = why;
}

}  // namespace hyla::engine
