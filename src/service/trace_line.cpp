#include "service/trace_line.h"

#include "base/text.h"

namespace hyla::service {
namespace {

using engine::Occurrence;
using engine::OccurrenceKind;
using engine::TraceStep;

/// A label, or what set the reaction off: `on button.Press`, `after`.
std::string reaction_text(const model::Model& model, RunNames& names, const Occurrence& occurrence) {
  const model::Reaction& reaction = model.reactions[occurrence.reaction];
  std::string text;
  if (occurrence.kind != OccurrenceKind::Transition && occurrence.state)
    text = std::string(names.state(occurrence.state)) + ' ';
  if (reaction.label) return text += model.name(reaction.label);
  text += trigger_word(reaction.trigger);
  if (reaction.trigger != model::TriggerKind::On) return text;
  const bool is_arrival = occurrence.source_kind == model::EntityKind::Mailbox;
  return (text += ' ') += is_arrival ? names.source(occurrence) : names.message(occurrence);
}

std::string step_text(const model::Model& model, RunNames& names, const Occurrence& occurrence, const TraceStep& step) {
  switch (step.kind) {
    case TraceStep::Kind::Exit:
      return std::string(names.state(step.state)) + "(exit)";
    case TraceStep::Kind::Entry:
      return std::string(names.state(step.state)) + "(entry)";
    case TraceStep::Kind::Reaction:
      return reaction_text(model, names, occurrence);
    case TraceStep::Kind::Choice:
      return "choice " + std::string(model.name(model.choices[step.choice].name));
    case TraceStep::Kind::Final:
      return std::string(names.final_state(step.chart));
    case TraceStep::Kind::Print:
      return "print \"" + step.text + '"';
  }
  return "";
}

/// What stands before the steps of an occurrence that is no reaction.
std::string heading(RunNames& names, const Occurrence& occurrence) {
  switch (occurrence.kind) {
    case OccurrenceKind::Unhandled:
      return "unhandled " + std::string(names.message(occurrence));
    case OccurrenceKind::Deferred:
      return "deferred " + std::string(names.message(occurrence));
    case OccurrenceKind::Process:
      return "process " + std::string(names.process(occurrence.process));
    case OccurrenceKind::Create:
      return "create";
    case OccurrenceKind::Delete:
      return "delete";
    case OccurrenceKind::Connect:
      return "connect " + std::string(occurrence.text);
    case OccurrenceKind::Disconnect:
      return "disconnect " + std::string(occurrence.text);
    case OccurrenceKind::Skipped:
      return "skipped " + std::string(occurrence.text);
    case OccurrenceKind::Output:
      return "lambda";
    case OccurrenceKind::Internal:
      return "internal";
    case OccurrenceKind::External:
      return "external";
    case OccurrenceKind::Confluent:
      return "confluent";
    default:
      return "";
  }
}

bool is_traced(OccurrenceKind kind) {
  switch (kind) {
    case OccurrenceKind::Message:
    case OccurrenceKind::Require:
    case OccurrenceKind::Terminate:
    case OccurrenceKind::Stop:
      return false;
    default:
      return true;
  }
}

}  // namespace

void trace_line(const model::Model& model, RunNames& names, const Occurrence& occurrence, std::string& line) {
  line.clear();
  if (!is_traced(occurrence.kind)) return;
  std::string items = heading(names, occurrence);
  for (const TraceStep& step : occurrence.steps) {
    if (!items.empty()) items += " :: ";
    items += step_text(model, names, occurrence, step);
  }
  if (items.empty()) return;
  line = base::format_number(occurrence.time) + '/' + std::to_string(occurrence.step) + ' ';
  (line += names.object(occurrence.object)) += " : " + items;
}

}  // namespace hyla::service
