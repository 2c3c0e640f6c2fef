// A run as files hold it: its variables over time, its events, or both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/load_result.h"

namespace hyla::service {

struct StoredRun {
  std::string path;
  std::string events_path;  ///< where the events come from; empty: there are none
  std::optional<record::RunResult> result;
  std::optional<record::Events> events;  ///< also those that the result file holds
  std::vector<std::string> notes;        ///< what was amiss but could be read over

  /// Empty if it is not known.
  std::string time_unit() const { return result ? result->time_unit : ""; }
};

enum class EventsWanted : std::uint8_t { IfFound, No, Must };

/// Loads a result file or an events file. The events of a result file are those in `events_path`; if that is empty
/// those inside the file, or in the file beside it that has the same name and ends with `.jsonl`.
base::Result<StoredRun> load_run(const std::string& path, const std::string& events_path, EventsWanted wanted,
                                 const FileSystem& files, const record::ResultChoice& choice = {});

}  // namespace hyla::service
