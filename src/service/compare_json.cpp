// What a comparison of runs has found, for programs.
#include <algorithm>

#include "service/compare_files.h"
#include "service/event_text.h"
#include "service/json_members.h"

namespace hyla::service {
namespace {

using record::ComparedVariable;
using record::Comparison;
using record::EventDifference;
using record::EventDifferenceKind;

constexpr std::size_t kMostDifferences = 100;

std::string_view word_of(EventDifferenceKind kind) {
  switch (kind) {
    case EventDifferenceKind::OnlyInA:
      return "only-in-a";
    case EventDifferenceKind::OnlyInB:
      return "only-in-b";
    case EventDifferenceKind::Time:
      return "time";
    case EventDifferenceKind::Data:
      return "data";
    case EventDifferenceKind::Ending:
      return "ending";
  }
  return "";
}

void append_entry(std::string& out, const record::LogEntry* entry) {
  if (entry == nullptr) {
    out += "null";
    return;
  }
  Members members(out);
  members.count("seq", entry->sequence).number("t", entry->time).text("kind", entry->kind);
  members.text("object", entry->object).text("what", event_text(*entry)).end();
}

void append_difference(std::string& out, const EventDifference& difference) {
  Members members(out);
  members.text("kind", word_of(difference.kind)).number("time", difference.time);
  append_entry(members.key("a"), difference.a);
  append_entry(members.key("b"), difference.b);
  members.end();
}

/// A value that does not exist is null.
void append_deviation(std::string& out, const record::Deviation& deviation) {
  Members members(out);
  members.number("time", deviation.time).number("a", deviation.a).number("b", deviation.b);
  members.number("distance", deviation.distance).end();
}

void append_variable(std::string& out, const ComparedVariable& variable) {
  Members members(out);
  members.text("name", variable.name).text("unit", variable.unit).flag("whole", variable.is_whole);
  members.number("tube", variable.width).flag("apart", variable.first.has_value());
  if (variable.first) append_deviation(members.key("first"), *variable.first);
  if (variable.largest.distance > 0) append_deviation(members.key("largest"), variable.largest);
  members.end();
}

void append_events(std::string& out, const record::ComparedEvents& events) {
  Members members(out);
  members.count("a", events.a_count).count("b", events.b_count).count("paired", events.paired);
  members.count("reordered", events.reordered)
      .count("at_end", events.at_end)
      .number("largest_shift", events.largest_shift);
  const std::size_t shown = std::min(kMostDifferences, events.differences.size());
  const std::span<const EventDifference> first(events.differences.data(), shown);
  members.array("differences", first, append_difference).count("omitted", events.differences.size() - shown).end();
}

void append_values(std::string& out, const Comparison& comparison) {
  const record::ComparedValues& values = comparison.values;
  Members members(out);
  members.count("points", values.points).count("apart", comparison.variables_apart());
  members.texts("only_in_a", values.only_in_a).texts("only_in_b", values.only_in_b);
  members.array("variables", values.variables, append_variable).end();
}

void append_run(std::string& out, const std::optional<StoredRun>& run) {
  if (!run) {
    out += "null";
    return;
  }
  Members members(out);
  members.text("file", run->path).text("events", run->events_path).end();
}

/// The earliest of all differences.
void append_first(std::string& out, const Comparison& comparison) {
  const EventDifference* event = comparison.first_event();
  const ComparedVariable* variable = comparison.first_variable();
  const bool event_is_first = event != nullptr && (variable == nullptr || event->time <= variable->first->time);
  if (event == nullptr && variable == nullptr && !comparison.ends_apart) {
    out += "null";
    return;
  }
  Members members(out);
  if (event_is_first) {
    members.text("what", "event").number("time", event->time);
  } else if (variable != nullptr) {
    members.text("what", "value").number("time", variable->first->time).text("variable", variable->name);
  } else {
    members.text("what", "end").number("time", std::min(comparison.a_end, comparison.b_end));
  }
  members.end();
}

}  // namespace

std::string compare_json(const CompareReport& report) {
  std::string out;
  Members members(out);
  if (report.comparison) {
    members.flag("alike", report.alike());
  } else {
    members.key("alike") += "null";
  }
  members.texts("failures", report.failures).texts("notes", report.notes);
  append_run(members.key("a"), report.a);
  append_run(members.key("b"), report.b);
  if (report.comparison) {
    const Comparison& comparison = *report.comparison;
    append_first(members.key("first"), comparison);
    members.number("time_tolerance", comparison.time_tolerance);
    members.number("a_end", comparison.a_end).number("b_end", comparison.b_end);
    if (comparison.has_events) append_events(members.key("events"), comparison.events);
    if (comparison.has_values) append_values(members.key("values"), comparison);
  }
  members.end();
  return out + '\n';
}

}  // namespace hyla::service
