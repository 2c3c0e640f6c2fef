// A RunReport in words and tables for people, and as JSON for programs.
#pragma once

#include <string>
#include <string_view>

#include "service/run_report.h"

namespace hyla::service {

struct SummaryOptions {
  bool histograms = false;
  bool timing = true;  ///< tell seconds of the clock on the wall and what is divided by them
};

/// What `hyla run` prints at the end; empty if the model has not run.
std::string summary_text(const RunReport& report, const SummaryOptions& options);

/// Who is to blame for the work: a part of the summary.
std::string blame_text(const RunReport& report, const SummaryOptions& options);
/// Over all runs.
BlameReport sum_of_blame(const RunReport& report);

/// What `hyla run --json` prints: docs/schemas/run.schema.json. Only the member `timing` differs from run to run.
std::string summary_json(const RunReport& report);

/// "reached the stop time 100 s", "terminated at t = 3 s: why".
std::string ending_text(const SingleRun& run, const RunReport& report);

/// `stop-time`, `exhausted`, `terminated`, `requirement`, `interrupted` or `failed`.
std::string_view ending_word(RunEnding ending);

/// Six significant digits; a dash for what is not known.
std::string short_number(double value);

}  // namespace hyla::service
