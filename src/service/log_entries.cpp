#include "service/log_entries.h"

#include <algorithm>

#include "engine/world.h"
#include "service/message_json.h"

namespace hyla::service {
namespace {

using engine::Occurrence;
using engine::TraceStep;

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

void LogEntries::innermost(std::span<const TraceStep> steps, TraceStep::Kind kind, std::string& text) {
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

record::LogEntry LogEntries::entry(const engine::World& world, const Occurrence& occurrence) {
  const model::Model& model = world.model;
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
    entry.condition = names_.condition(occurrence.reaction);
  }
  entry.place = names_.place(occurrence.span);
  if (occurrence.process) {
    entry.process = names_.process(occurrence.process);
    entry.place = names_.place(model.processes[occurrence.process].span);
  }
  entry.message = names_.message(occurrence);
  if (!entry.message.empty()) entry.sender = names_.object(occurrence.sender);
  entry.data = data_;
  return entry;
}

}  // namespace hyla::service
