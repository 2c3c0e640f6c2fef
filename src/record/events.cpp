#include "record/events.h"

#include <algorithm>

#include "base/json_reader.h"

namespace hyla::record {
namespace {

constexpr std::string_view kBeginning = R"({"hyla":"events")";
constexpr std::uint64_t kVersion = 1;

std::string_view LogEntry::*text_member(std::string_view key) {
  if (key == "kind") return &LogEntry::kind;
  if (key == "object") return &LogEntry::object;
  if (key == "chart") return &LogEntry::chart;
  if (key == "from") return &LogEntry::from;
  if (key == "to") return &LogEntry::to;
  if (key == "reaction") return &LogEntry::reaction;
  if (key == "message") return &LogEntry::message;
  if (key == "process") return &LogEntry::process;
  if (key == "trigger") return &LogEntry::trigger;
  if (key == "text") return &LogEntry::text;
  if (key == "condition") return &LogEntry::condition;
  if (key == "sender") return &LogEntry::sender;
  if (key == "place") return &LogEntry::place;
  return nullptr;
}

std::string mistake(const base::JsonReader& reader) {
  return reader.problem() + " at column " + std::to_string(reader.place() + 1);
}

std::string read_header(std::string_view line, Events& events) {
  base::JsonReader reader(line);
  std::string what;
  std::uint64_t version = 0;
  const bool good = reader.read_object([&](std::string_view key) {
    if (key == "hyla") return reader.read_text(what);
    if (key == "version") return reader.read_count(version);
    if (key == "model") return reader.read_text(events.model);
    if (key == "seed") return reader.read_count(events.seed);
    if (key == "run") {
      std::string_view raw;
      if (!reader.read_raw(raw)) return false;
      events.run = raw;
      return true;
    }
    return reader.skip();
  });
  if (!good || !reader.at_end()) return mistake(reader);
  if (what != "events") return "this is not an events file";
  if (version == 0 || version > kVersion) {
    return "the file has version " + std::to_string(version) + ", and this program reads version " +
           std::to_string(kVersion);
  }
  return {};
}

}  // namespace

std::string_view TextPool::keep(std::string_view text) {
  if (text.empty()) return {};
  if (const auto found = known_.find(text); found != known_.end()) return *found;
  return *known_.insert(texts_.emplace_back(text)).first;
}

const LogEntry* Events::find(std::uint64_t sequence) const {
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), sequence,
                       [](const LogEntry& entry, std::uint64_t value) { return entry.sequence < value; });
  return found != entries.end() && found->sequence == sequence ? &*found : nullptr;
}

bool looks_like_events(std::string_view beginning) { return beginning.starts_with(kBeginning); }

std::string read_entry(std::string_view line, TextPool& texts, LogEntry& entry) {
  base::JsonReader reader(line);
  std::string text;
  bool has_time = false;
  const bool good = reader.read_object([&](std::string_view key) {
    if (const auto member = text_member(key)) {
      if (!reader.read_text(text)) return false;
      entry.*member = texts.keep(text);
      return true;
    }
    if (key == "seq") return reader.read_count(entry.sequence);
    if (key == "t") return has_time = reader.read_number(entry.time);
    if (key == "cause") return reader.read_count(entry.cause);
    if (key == "step") {
      std::uint64_t step = 0;
      if (!reader.read_count(step)) return false;
      entry.step = static_cast<std::uint32_t>(step);
      return true;
    }
    if (key == "data") {
      std::string_view raw;
      if (!reader.read_raw(raw)) return false;
      entry.data = texts.keep(raw);
      return true;
    }
    return reader.skip();
  });
  if (!good || !reader.at_end()) return mistake(reader);
  if (entry.sequence == 0) return "an event has no `seq`";
  if (!has_time) return "an event has no `t`";
  if (entry.kind.empty()) return "an event has no `kind`";
  if (entry.object.empty()) return "an event has no `object`";
  return {};
}

base::Result<Events> read_events(const std::string& name, std::string_view text) {
  Events events;
  std::size_t line_number = 0;
  std::uint64_t last = 0;
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = text.find('\n');
    const std::string place = name + ":" + std::to_string(line_number) + ": ";
    if (end == std::string_view::npos) {
      if (line_number == 1) break;
      events.notes.push_back(place + "the last line was cut off and is left out");
      break;
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    LogEntry entry;
    const std::string problem = line_number == 1 ? read_header(line, events) : read_entry(line, *events.texts, entry);
    if (!problem.empty()) return base::Failure{place + problem};
    if (line_number == 1) continue;
    if (entry.sequence <= last) {
      return base::Failure{place + "the event " + std::to_string(entry.sequence) + " follows " + std::to_string(last)};
    }
    last = entry.sequence;
    events.entries.push_back(entry);
  }
  if (line_number == 0 || (line_number == 1 && !text.empty())) {
    return base::Failure{name + ":1: this is not an events file: its first line is missing"};
  }
  events.is_complete = !events.entries.empty() && events.entries.back().kind == "stop";
  if (!events.is_complete) events.notes.push_back(name + ": the run has not come to its end, or was killed");
  return events;
}

}  // namespace hyla::record
