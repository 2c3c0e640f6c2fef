#include "service/stored_run.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace hyla::service {
namespace {

constexpr std::string_view kEventsEnding = ".jsonl";

/// `run.csv` has its events in `run.jsonl`.
std::string beside(const std::string& path) {
  const std::size_t folder = folder_of(path).size();
  const std::size_t dot = path.rfind('.');
  return path.substr(0, dot == std::string::npos || dot <= folder ? path.size() : dot) + std::string(kEventsEnding);
}

base::Result<bool> holds_events(const std::string& path, const FileSystem& files) {
  const base::Result<std::unique_ptr<record::Input>> input = files.open(path);
  if (!input.ok()) return base::Failure{input.message()};
  std::array<char, 64> beginning{};
  const std::size_t count = input.value()->read(0, beginning);
  return record::looks_like_events({beginning.data(), count}) || path.ends_with(kEventsEnding);
}

std::optional<base::Failure> add_events(const std::string& path, const FileSystem& files, StoredRun& run) {
  base::Result<record::Events> events = load_events(path, files);
  if (!events.ok()) return base::Failure{events.message()};
  run.events = std::move(events).value();
  run.events_path = path;
  run.notes.insert(run.notes.end(), run.events->notes.begin(), run.events->notes.end());
  return std::nullopt;
}

}  // namespace

base::Result<StoredRun> load_run(const std::string& path, const std::string& events_path, EventsWanted wanted,
                                 const FileSystem& files, const record::ResultChoice& choice) {
  StoredRun run;
  run.path = path;
  const base::Result<bool> is_events = holds_events(path, files);
  if (!is_events.ok()) return base::Failure{is_events.message()};
  if (is_events.value()) {
    if (auto failure = add_events(path, files, run)) return std::move(*failure);
    return run;
  }
  base::Result<record::RunResult> result = load_result(path, files, choice);
  if (!result.ok()) return base::Failure{result.message()};
  run.result = std::move(result).value();
  run.notes = run.result->notes;
  if (wanted == EventsWanted::No) return run;
  if (!events_path.empty()) {
    if (auto failure = add_events(events_path, files, run)) return std::move(*failure);
  } else if (run.result->events) {
    run.events = std::move(run.result->events);
    run.events_path = path;
  } else if (files.is_file(beside(path))) {
    if (auto failure = add_events(beside(path), files, run)) return std::move(*failure);
  } else if (wanted == EventsWanted::Must) {
    return base::Failure{"`" + path + "` holds no events, and there is no `" + beside(path) +
                         "`: run the model again with --events-file"};
  }
  return run;
}

}  // namespace hyla::service
