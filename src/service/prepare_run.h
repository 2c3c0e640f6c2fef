// What all runs of a request share: the checked model, the request to build a world, the options of the run.
#pragma once

#include <memory>
#include <string>

#include "code/evaluator.h"
#include "code/external.h"
#include "engine/build.h"
#include "engine/run.h"
#include "model/model.h"
#include "service/files.h"
#include "service/run_model.h"

namespace hyla::service {

struct PreparedRun {
  std::shared_ptr<const model::Model> model;
  engine::BuildRequest build;
  engine::RunOptions options;
  engine::SettingsOverlay overlay;  ///< of an experiment
  double output_interval = 0;
  std::string start_model;  ///< whose start values were loaded; empty: none
  std::unique_ptr<code::NativeCompiler> native;
  std::unique_ptr<code::ExternalLibraries> external;  ///< none: not allowed
};

/// Brings the settings of the request, of the overlay and of the model, which is there already, together. The class to
/// be run is found by its name unless it is there too. False if that makes no sense, with the reasons in the report.
bool choose_settings(const RunRequest& request, const FileSystem& files, RunReport& report, PreparedRun& prepared);

/// Reads and checks the model, and chooses the settings. False if one of them failed, with the reasons in the report.
bool prepare_run(const RunRequest& request, const FileSystem& files, RunReport& report, PreparedRun& prepared);

}  // namespace hyla::service
