// Options that `hyla linearize` and `hyla steady` share: which model, and which point of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "service/analyse_model.h"

namespace hyla::app {

/// The words of an analysis that need reading after parsing.
struct AnalysisWords {
  std::string at, tolerance, colour = "auto";
  std::vector<std::string> settings;
};

void add_analysis_options(Options& options, service::AnalysisRequest& request, AnalysisWords& words);
/// What is wrong with them.
std::optional<base::Failure> read_analysis_words(const AnalysisWords& words, service::AnalysisRequest& request,
                                                 Colour& colour);

}  // namespace hyla::app
