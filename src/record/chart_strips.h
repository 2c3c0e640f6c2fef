// The charts of a run as strips of their active states, from its events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/events.h"
#include "record/plot.h"

namespace hyla::record {

/// `Plant.valve` as `valve`: without the model that was run, which is empty itself.
std::string_view path_below_top(std::string_view object);

/// A strip for each chart in the order in which they were entered, each chart before those in its states. Names are
/// paths from the model that was run, such as `controller.task` and `controller.task.Running` for the chart in a state;
/// a chart without a name has that of its object. Spells that the events leave open last until `end`.
std::vector<PlotStrip> strips_of(const Events& events, double end);

/// Leaves out of a name what the name of an earlier strip says already: `controller.task.Running` below
/// `controller.task` is `Running`.
void shorten_names(std::vector<PlotStrip>& strips);

}  // namespace hyla::record
