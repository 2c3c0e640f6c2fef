#include "service/plot_events.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "record/chart_strips.h"
#include "record/glob.h"
#include "service/load_result.h"

namespace hyla::service {
namespace {

/// `runs/a.csv` and `runs/a.jsonl`.
std::string beside(const std::string& path) {
  const std::size_t folder = folder_of(path).size();
  const std::size_t dot = path.rfind('.');
  return (dot == std::string::npos || dot <= folder ? path : path.substr(0, dot)) + ".jsonl";
}

/// The names that an event is known by, and what a mark says.
struct EventNames {
  std::vector<std::string> names;
  std::string label;
};

EventNames names_of(const record::LogEntry& entry) {
  EventNames result;
  const std::string object(record::path_below_top(entry.object));
  const auto add = [&](std::string_view name) {
    if (name.empty()) return;
    result.names.push_back(object + (object.empty() ? "" : ".") + std::string(name));
  };
  if (!object.empty()) result.names.push_back(object);
  for (const std::string_view name : {entry.chart, entry.to, entry.message, entry.reaction, entry.process}) add(name);
  result.names.emplace_back(entry.kind);
  std::string_view label = entry.kind;
  if (!entry.message.empty()) label = entry.message;
  if (!entry.to.empty()) label = entry.to.substr(entry.to.rfind('.') + 1);  // none: all of it
  const bool is_named = !entry.reaction.empty() && entry.reaction.find('@') == std::string_view::npos;
  if (is_named) label = entry.reaction;
  result.label = label;
  return result;
}

}  // namespace

base::Result<bool> find_events(const std::string& result_path, const std::string& events_path, const FileSystem& files,
                               record::RunResult& result, std::vector<std::string>& notes) {
  if (events_path.empty() && result.events) return true;
  const std::string path = events_path.empty() ? beside(result_path) : events_path;
  if (events_path.empty() && !files.is_file(path)) return false;
  base::Result<record::Events> events = load_events(path, files);
  if (!events.ok()) {
    if (!events_path.empty()) return base::Failure{events.message()};
    notes.push_back("the events in `" + path + "` are not drawn: " + events.message());
    return false;
  }
  const std::vector<record::LogEntry>& entries = events.value().entries;
  const double last = entries.empty() ? 0 : entries.back().time;
  if (events_path.empty() && last > result.time.back()) {
    notes.push_back("the events in `" + path + "` are not drawn: they last longer than `" + result_path +
                    "` and belong to another run");
    return false;
  }
  notes.insert(notes.end(), events.value().notes.begin(), events.value().notes.end());
  result.events = std::move(events).value();
  return true;
}

std::optional<base::Failure> mark_events(const std::vector<const record::Events*>& events, const std::string& pattern,
                                         std::vector<record::PlotMark>& marks) {
  if (events.empty()) {
    return base::Failure{
        "--mark needs the events of the run; `hyla run` writes them with --events-file, and "
        "`hyla plot` takes them with --events-file"};
  }
  std::set<std::string> known;
  bool is_found = false;
  for (const record::Events* run : events) {
    for (const record::LogEntry& entry : run->entries) {
      if (entry.kind == "start" || entry.kind == "stop") continue;
      EventNames names = names_of(entry);
      const bool fits = std::any_of(names.names.begin(), names.names.end(),
                                    [&](const std::string& name) { return record::takes(pattern, name); });
      if (fits) marks.push_back({entry.time, std::move(names.label)});
      is_found = is_found || fits;
      if (!is_found) known.insert(names.names.begin(), names.names.end());
    }
  }
  if (is_found) return std::nullopt;
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const auto near = base::nearest(pattern, candidates);
  return base::Failure{"--mark: no event matches `" + pattern + "`" +
                       (near ? "; did you mean `" + std::string(*near) + "`?" : "")};
}

}  // namespace hyla::service
