// Who is told what: occurrences to the observer, failures and warnings to the sink.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "engine/context.h"

namespace hyla::engine {
namespace {

void report(Run& run, diag::Kind kind, const Object& object, diag::Span span, const std::string& message,
            const std::string& hint) {
  diag::Sink::Entry entry = run.sink.report(kind, span, message);
  entry.text(circumstances(run, object, run.now));
  if (!hint.empty()) entry.hint(hint);
}

}  // namespace

std::string circumstances(const Run& run, const Object& object, double time) {
  std::string text = fmt::format("in `{}` at t = {}", run.world.path(object.self), base::format_number(time));
  const std::vector<std::string> states = run.world.active_states(object.self);
  if (states.size() == 1) text += fmt::format(", in state {}", states.front());
  if (states.size() > 1) text += fmt::format(", in states {}", fmt::join(states, ", "));
  if (!run.left_states.empty() && run.leaving == object.self) {
    text += fmt::format(", leaving {}", run.world.state_path(object.plan->states[run.left_states.front()].id));
  }
  return text;
}

std::string_view name_of(OccurrenceKind kind) {
  switch (kind) {
    case OccurrenceKind::Start:
      return "start";
    case OccurrenceKind::Transition:
      return "transition";
    case OccurrenceKind::Reaction:
      return "reaction";
    case OccurrenceKind::Timeout:
      return "timeout";
    case OccurrenceKind::Message:
      return "message";
    case OccurrenceKind::Unhandled:
      return "unhandled";
    case OccurrenceKind::Deferred:
      return "deferred";
    case OccurrenceKind::Process:
      return "process";
    case OccurrenceKind::Output:
      return "output";
    case OccurrenceKind::Internal:
      return "internal";
    case OccurrenceKind::External:
      return "external";
    case OccurrenceKind::Confluent:
      return "confluent";
    case OccurrenceKind::Create:
      return "create";
    case OccurrenceKind::Delete:
      return "delete";
    case OccurrenceKind::Connect:
      return "connect";
    case OccurrenceKind::Disconnect:
      return "disconnect";
    case OccurrenceKind::Skipped:
      return "skipped";
    case OccurrenceKind::Require:
      return "require";
    case OccurrenceKind::Terminate:
      return "terminate";
    case OccurrenceKind::Stop:
      return "stop";
  }
  return "";
}

void tell(Run& run, Occurrence occurrence) {
  if (!run.tells) return;
  occurrence.sequence = run.cause;
  occurrence.time = run.now;
  occurrence.step = run.step;
  occurrence.steps = run.trace;
  run.observer->occurred(run.world, occurrence);
}

void fail(Run& run, diag::Kind kind, const Object& object, diag::Span span, const std::string& message,
          const std::string& hint) {
  report(run, kind, object, span, message, hint);
  if (run.over) return;
  run.over = true;
  run.outcome.ending = Ending::Failed;
}

void fail_by_machine(Run& run, const Object& object) {
  if (run.over) return;
  const code::Failure& failure = run.machine.failure();
  fail(run, diag::Kind::RunFailed, object, failure.span, failure.message, failure.hint);
}

void warn(Run& run, diag::Kind kind, const Object& object, diag::Span span, const std::string& message,
          const std::string& hint) {
  report(run, kind, object, span, message, hint);
}

}  // namespace hyla::engine
