// Histograms of the statistics that `hyla run --json` has printed.
#pragma once

#include "service/files.h"
#include "service/plot_results.h"

namespace hyla::service {

/// Fills the plot of the outcome; false if that is not possible, with the reason in its failures.
bool plot_statistics(const PlotRequest& request, const FileSystem& files, PlotOutcome& outcome);

}  // namespace hyla::service
