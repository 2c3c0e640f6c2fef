#include "engine/context.h"
#include "engine/devs.h"
#include "engine/order.h"

namespace hyla::engine {
namespace {

[[gnu::always_inline]] inline std::uint32_t store(Run& run, const Event& event) {
  const std::uint32_t number = run.calendar.take();
  if (number >= run.events.size()) [[unlikely]] {
    run.events.resize(number + 1);
  }
  run.events[number] = event;
  return number;
}

AgendaEntry entry_of(const Run& run, std::uint32_t number) {
  return {0, number, static_cast<std::uint32_t>(run.calendar.handle(number) >> 32)};
}

void add_to_step(Run& run, std::uint32_t number) {
  Event& event = run.events[number];
  event.in_calendar = false;
  if (!event.for_atomic) {
    run.current.push_back(entry_of(run, number));
    return;
  }
  const ObjectRef object = event.object;
  Box* const message = event.message;
  run.calendar.release(number);
  if (run.world.is_alive(object)) {
    put_into_bag(run, run.object(object), message, run.step_count);
  } else {
    run.world.heap.release(message);
  }
}

}  // namespace

EventHandle schedule_next(Run& run, const Event& event) {
  const std::uint32_t number = store(run, event);
  run.next.push_back(entry_of(run, number));
  return run.calendar.handle(number);
}

EventHandle schedule(Run& run, double time, const Event& event) {
  if (time <= run.now) return schedule_next(run, event);
  const std::uint32_t number = store(run, event);
  run.events[number].in_calendar = true;
  run.calendar.schedule(time, number);
  return run.calendar.handle(number);
}

void cancel(Run& run, EventHandle handle) {
  if (!run.calendar.is_alive(handle)) return;
  Event& event = run.events[Calendar::event_of(handle)];
  run.world.heap.release(event.message);
  event.message = nullptr;
  if (event.in_calendar) {
    run.calendar.cancel(handle);
  } else {
    run.calendar.release(Calendar::event_of(handle));
  }
}

void compose_step(Run& run, std::uint32_t first) {
  run.current.clear();
  std::swap(run.current, run.next);
  if (first != kNone) add_to_step(run, first);
  while (run.calendar.next_time() <= run.now) add_to_step(run, run.calendar.pop());
  put_in_order(run, run.current);
}

}  // namespace hyla::engine
