// From a path to a checked model: what all verbs that build objects begin with.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "model/model.h"
#include "service/files.h"

namespace hyla::service {

/// What reading and checking tell.
struct ModelReport {
  diag::Sources sources;
  std::vector<diag::Diagnostic> diagnostics;  ///< those of the check by place, then others as they came
  diag::Counts counts;
  std::vector<std::string> failures;  ///< why something could not be done at all
};

/// False if the model has mistakes or cannot be read, with the reasons in the report.
bool read_model(const std::string& path, const std::vector<std::string>& library_paths, const FileSystem& files,
                ModelReport& report, model::Model& model);

/// The class to be run; none with a failure in the report.
model::ClassId find_class(const std::string& path, const std::string& name, const model::Model& model,
                          ModelReport& report);

/// Adds messages of a later stage behind those of the check.
void add_messages(const diag::Sink& sink, ModelReport& report);

}  // namespace hyla::service
