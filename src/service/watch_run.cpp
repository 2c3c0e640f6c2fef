#include "service/watch_run.h"

#include <algorithm>

#include "engine/world.h"
#include "service/trace_line.h"

namespace hyla::service {
namespace {

using engine::Occurrence;

/// A file that is being watched by people is never older than this.
constexpr std::chrono::milliseconds kFlushInterval(500);

}  // namespace

double part_of(double time, double start_time, double span) {
  return span > 0 ? std::clamp((time - start_time) / span, 0.0, 1.0) : 1.0;
}

RunObserver::RunObserver(const engine::World& world, const diag::Sources& sources, const RunWatcher& watcher,
                         record::EventLog* log, double start_time, double span)
    : watcher_(watcher), log_(log), names_(world, sources), entries_(names_), start_time_(start_time), span_(span) {}

void RunObserver::occurred(const engine::World& world, const Occurrence& occurrence) {
  if (watcher_.trace) {
    trace_line(world.model, names_, occurrence, line_);
    if (!line_.empty()) watcher_.trace(line_);
  }
  // The end is told by finish(), with its reason and whatever the last occurrence was.
  if (log_ != nullptr && occurrence.kind != engine::OccurrenceKind::Stop) log(world, occurrence);
}

void RunObserver::log(const engine::World& world, const Occurrence& occurrence) {
  last_sequence_ = occurrence.sequence;
  log_->add(entries_.entry(world, occurrence));
}

void RunObserver::finish(const engine::World& world, std::string_view ending, double time) {
  if (log_ == nullptr) return;
  record::LogEntry entry;
  entry.sequence = last_sequence_ + 1;
  entry.time = time;
  entry.kind = engine::name_of(engine::OccurrenceKind::Stop);
  entry.object = names_.object(world.objects.front().self);
  entry.text = ending;
  log_->add(entry);
}

bool RunObserver::progress(const engine::World& /*world*/, double time, std::uint64_t events) {
  if (log_ != nullptr && Clock::now() - last_flush_ >= kFlushInterval) {
    log_->flush();
    last_flush_ = Clock::now();
  }
  if (log_ != nullptr && log_->failed()) return false;
  if (!watcher_.progress) return true;
  return watcher_.progress({part_of(time, start_time_, span_), time - start_time_, events, 0});
}

void RunObserver::printed(const engine::World& /*world*/, double /*time*/, code::ObjectRef /*object*/,
                          std::string_view text) {
  if (!watcher_.trace && watcher_.print) watcher_.print(text);
}

}  // namespace hyla::service
