// `hyla check` in plain data: paths in, diagnostics out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "service/files.h"

namespace hyla::service {

/// What is written down of a stage, for people who want to see what the compiler sees.
enum class Dump : std::uint8_t { None, Tokens, Tree, Model };

struct CheckRequest {
  std::vector<std::string> paths;
  std::vector<std::string>
      library_paths;  ///< folders to search for modules, after the standard library and a file's own folder
  Dump dump = Dump::None;
};

struct CheckOutcome {
  diag::Sources sources;
  std::vector<diag::Diagnostic> diagnostics;  ///< by file and place
  diag::Counts counts;
  std::vector<std::string> failures;  ///< files that could not be read, with the reason
  std::string dump;
};

CheckOutcome check_files(const CheckRequest& request, const FileSystem& files);

}  // namespace hyla::service
