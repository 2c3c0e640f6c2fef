// The events that a plot shows: where they are found, and which of them are marked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/events.h"
#include "record/plot.h"
#include "record/run_result.h"
#include "service/files.h"

namespace hyla::service {

/// Brings events into a result: those of the named file, else those that the result has, else those of a file beside it
/// with the same name and the end `.jsonl`. False: there are none. A named file that cannot be read is a failure.
base::Result<bool> find_events(const std::string& result_path, const std::string& events_path, const FileSystem& files,
                               record::RunResult& result, std::vector<std::string>& notes);

/// Adds marks for events that a pattern stands for: the path of an object, chart, entered state, message or reaction
/// (`valve.travel.Moving`, `server.queue.Job`). A failure if there are none, with the nearest name.
std::optional<base::Failure> mark_events(const std::vector<const record::Events*>& events, const std::string& pattern,
                                         std::vector<record::PlotMark>& marks);

}  // namespace hyla::service
