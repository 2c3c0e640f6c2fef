// Events to come: those of the next step of this instant, and those in the calendar. What is due becomes the agenda of
// a step; messages to atomic models go into their bags instead.
#include <algorithm>

#include "engine/context.h"
#include "engine/devs.h"
#include "engine/order.h"
#include "engine/remove.h"

namespace hyla::engine {
namespace {

[[gnu::always_inline]] inline std::uint32_t store(Run& run, const Event& event) {
  const std::uint32_t number = run.calendar.take();
  if (number >= run.events.size()) [[unlikely]] {
    run.events.resize(number + 1);
  }
  run.events[number] = event;
  run.events[number].number = ++run.scheduled;
  return number;
}

/// Moves messages to atomic models, from a place of the agenda on, into their bags.
void fill_bags(Run& run, std::size_t first) {
  const auto is_for_bag = [&](const AgendaEntry& entry) { return run.events[entry.event].for_atomic; };
  const auto begin = run.current.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::none_of(begin, run.current.end(), is_for_bag)) return;
  std::vector<AgendaEntry> scheduled(begin, run.current.end());
  std::sort(scheduled.begin(), scheduled.end(), scheduled_before);
  run.current.resize(first);
  for (const AgendaEntry& entry : scheduled) {
    if (!is_for_bag(entry)) {
      run.current.push_back(entry);
      continue;
    }
    const Event event = run.events[entry.event];
    if (run.world.is_alive(event.object)) {
      put_into_bag(run, run.object(event.object), event.message, run.step_count);
    } else {
      skip_message(run, event);
      run.world.heap.release(event.message);
    }
    run.events[entry.event].message = nullptr;
    run.calendar.release(entry.event);
  }
}

AgendaEntry entry_of(const Run& run, std::uint32_t number) {
  return {0, number, run.calendar.generation(number), run.events[number].number};
}

void add_to_step(Run& run, std::uint32_t number) {
  run.events[number].in_calendar = false;
  run.current.push_back(entry_of(run, number));
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
  return run.calendar.schedule(time, number);
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
  const std::size_t from_calendar = run.current.size();
  if (first != kNone) add_to_step(run, first);
  while (run.calendar.next_time() <= run.now) add_to_step(run, run.calendar.pop());
  // Numbers start again after 2^32 events; counted back from the present one, the oldest is the smallest.
  for (AgendaEntry& entry : run.current) entry.number -= run.scheduled + 1;
  fill_bags(run, from_calendar);
  put_in_order(run, run.current);
}

}  // namespace hyla::engine
