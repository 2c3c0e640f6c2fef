// How a run was made, kept in the header of its events file, so that it can be made again.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "service/files.h"
#include "service/run_model.h"

namespace hyla::service {

/// A JSON object with what the course of the run depends on besides the text of the model and the seed.
std::string run_source_json(const RunRequest& request);

/// Fills a request from the events of a run. A model that is not where it was is looked for beside the file.
std::optional<base::Failure> read_run_source(const std::string& run_path, const std::string& events_path,
                                             const FileSystem& files, RunRequest& request);

}  // namespace hyla::service
