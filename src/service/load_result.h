// What `hyla run` has written, read back: result files and events files.
#pragma once

#include <string>

#include "base/result.h"
#include "record/events.h"
#include "record/read_result.h"
#include "service/files.h"

namespace hyla::service {

/// CSV today; the format is told by the content. Variables that `choice` does not want are left out.
base::Result<record::RunResult> load_result(const std::string& path, const FileSystem& files,
                                            const record::ResultChoice& choice = {});

/// An events file (docs/events-file.md).
base::Result<record::Events> load_events(const std::string& path, const FileSystem& files);

}  // namespace hyla::service
