// `hyla run`: run_options.cpp reads its words, run_command.cpp is the terminal's side of it. Trace, progress, Ctrl-C,
// results.
#pragma once

#include <string>

#include "console.h"
#include "progress_line.h"
#include "service/run_model.h"

namespace hyla::app {

struct RunCommand {
  service::RunRequest request;
  std::string parameters_file;  ///< empty: none
  bool trace = false;
  bool histograms = false;
  bool json = false;
  When progress = When::Auto;
  Colour colour = Colour::Auto;
};

/// Runs the model, prints everything and gives the status.
int execute_run(const RunCommand& command);

}  // namespace hyla::app
