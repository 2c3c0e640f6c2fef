#include "service/watch_run.h"

#include <algorithm>

#include "engine/world.h"
#include "service/message_json.h"
#include "service/trace_line.h"

namespace hyla::service {
namespace {

using engine::Occurrence;
using engine::TraceStep;

/// A file that is being watched by people is never older than this.
constexpr std::chrono::milliseconds kFlushInterval(500);

/// The outermost state that an occurrence left or entered tells in which chart it happened.
model::ChartId chart_of(const model::Model& model, const Occurrence& occurrence) {
  model::ChartId chart;
  for (const TraceStep& step : occurrence.steps) {
    if (step.kind == TraceStep::Kind::Exit) chart = model.states[step.state].chart;  // the last is the outermost
  }
  if (chart) return chart;
  for (const TraceStep& step : occurrence.steps) {
    if (step.kind == TraceStep::Kind::Entry) return model.states[step.state].chart;  // the first is the outermost
  }
  return occurrence.state ? model.states[occurrence.state].chart : chart;
}

bool is_inside(std::string_view inner, std::string_view outer) {
  return inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '.';
}

}  // namespace

double part_of(double time, double start_time, double span) {
  return span > 0 ? std::clamp((time - start_time) / span, 0.0, 1.0) : 1.0;
}

RunObserver::RunObserver(const engine::World& world, const diag::Sources& sources, const RunWatcher& watcher,
                         record::EventLog* log, double start_time, double span)
    : watcher_(watcher), log_(log), names_(world, sources), start_time_(start_time), span_(span) {}

void RunObserver::occurred(const engine::World& world, const Occurrence& occurrence) {
  if (watcher_.trace) {
    trace_line(world.model, names_, occurrence, line_);
    if (!line_.empty()) watcher_.trace(line_);
  }
  // The end is told by finish(), with its reason and whatever the last occurrence was.
  if (log_ != nullptr && occurrence.kind != engine::OccurrenceKind::Stop) log(world, occurrence);
}

void RunObserver::innermost(std::span<const TraceStep> steps, TraceStep::Kind kind, std::string& text) {
  paths_.clear();
  for (const TraceStep& step : steps) {
    if (step.kind == kind) paths_.push_back(names_.state(step.state));
    if (step.kind == TraceStep::Kind::Final && kind == TraceStep::Kind::Entry) {
      paths_.push_back(names_.final_state(step.chart));
    }
  }
  text.clear();
  for (const std::string_view path : paths_) {
    const auto is_in_it = [&](std::string_view other) { return is_inside(other, path); };
    if (std::any_of(paths_.begin(), paths_.end(), is_in_it)) continue;
    if (!text.empty()) text += ", ";
    text += path;
  }
}

void RunObserver::log(const engine::World& world, const Occurrence& occurrence) {
  const model::Model& model = world.model;
  last_sequence_ = occurrence.sequence;
  data_.clear();
  if (occurrence.message != nullptr && occurrence.message->size > 0) {
    append_message(data_, model, names_, *occurrence.message);
  }
  record::LogEntry entry;
  entry.sequence = occurrence.sequence;
  entry.time = occurrence.time;
  entry.step = occurrence.step;
  entry.kind = engine::name_of(occurrence.kind);
  entry.object = names_.object(occurrence.object);
  entry.cause = occurrence.cause;
  entry.text = occurrence.text;
  innermost(occurrence.steps, TraceStep::Kind::Exit, from_);
  innermost(occurrence.steps, TraceStep::Kind::Entry, to_);
  if (from_.empty() && occurrence.state) from_ = names_.state(occurrence.state);
  entry.from = from_;
  entry.to = to_;
  if (const model::ChartId chart = chart_of(model, occurrence)) entry.chart = names_.chart(chart);
  if (occurrence.reaction) {
    entry.reaction = names_.reaction(occurrence.reaction);
    entry.trigger = trigger_word(model.reactions[occurrence.reaction].trigger);
  }
  if (occurrence.process) entry.process = names_.process(occurrence.process);
  entry.message = names_.message(occurrence);
  entry.data = data_;
  log_->add(entry);
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
