// `hyla fmt` in plain data.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "service/files.h"

namespace hyla::service {

struct FormatRequest {
  std::vector<std::string> paths;
  bool check_only = false;  ///< only tell which files would change
};

struct FormatOutcome {
  diag::Sources sources;
  std::vector<diag::Diagnostic> diagnostics;  ///< mistakes in files that were left alone because of them
  diag::Counts counts;
  std::vector<std::string> failures;  ///< files that could not be read or written, with the reason
  std::vector<std::string> changed;   ///< paths that were rewritten, or would be
  std::string text;                   ///< the result of format_text(); empty if the text has mistakes
};

/// Lays files out in place.
FormatOutcome format_files(const FormatRequest& request, FileSystem& files);

/// Lays a text out that is called `path` in messages.
FormatOutcome format_text(const std::string& path, std::string text);

}  // namespace hyla::service
