// `hyla run`: the terminal's side of it. Trace, progress, Ctrl-C, results.
#pragma once

#include "command.h"

namespace hyla::app {

/// Runs the model, prints everything and gives the status.
int execute_run(const RunCommand& command);

}  // namespace hyla::app
