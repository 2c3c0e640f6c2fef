// `hyla compare` in plain data: from two paths to what differs, in words and as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/compare_runs.h"
#include "service/files.h"
#include "service/stored_run.h"

namespace hyla::service {

struct CompareRequest {
  std::string a, b;                ///< result files or events files
  std::string a_events, b_events;  ///< empty: see load_run
  bool without_events = false;
  std::vector<std::string> variables;  ///< patterns; none: all
  record::CompareOptions options;
};

struct CompareReport {
  std::vector<std::string> failures;  ///< why they could not be compared; then the rest says nothing
  std::optional<StoredRun> a, b;
  std::optional<record::Comparison> comparison;
  std::vector<std::string> notes;

  bool alike() const { return comparison && comparison->alike(); }
};

CompareReport compare_files(const CompareRequest& request, const FileSystem& files);

/// `GLOB=ABS,REL` or `GLOB=ABS`; `inf` leaves a variable out of the judgement.
base::Result<record::TubeChoice> parse_tube(std::string_view text);

/// What `hyla compare` prints.
std::string compare_text(const CompareReport& report);
/// What `hyla compare --json` prints: docs/schemas/compare.schema.json.
std::string compare_json(const CompareReport& report);

}  // namespace hyla::service
