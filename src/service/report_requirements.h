// What came of the requirements of runs, and what of the model they have reached, as plain data.
#pragma once

#include <vector>

#include "engine/run.h"
#include "service/run_report.h"

namespace hyla::service {

std::vector<RequirementReport> requirements_of(const model::Model& model, const diag::Sources& sources,
                                               const engine::RunOutcome& outcome);

/// Over several runs: of each requirement the worst that came of it.
std::vector<RequirementReport> worst_of(const std::vector<SingleRun>& runs);

/// Of the classes of which there was an object.
CoverageReport coverage_of(const model::Model& model, const diag::Sources& sources, const engine::Coverage& coverage);

/// `held`, `violated`, `undecided`, `never tested`.
std::string_view verdict_word(Verdict verdict);

/// Tables for the summary; empty if there is nothing to tell.
std::string requirements_text(const RunReport& report);
std::string coverage_text(const CoverageReport& coverage);
/// As a value of JSON.
void append_coverage(std::string& out, const CoverageReport& coverage);

}  // namespace hyla::service
