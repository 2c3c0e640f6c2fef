// What a plot of a run shows: the `section View` of the top model, or else everything that is recorded by default.
#pragma once

#include <string>
#include <vector>

#include "diag/source.h"
#include "engine/world.h"
#include "record/plot.h"
#include "service/plot_spec.h"
#include "service/recorded_columns.h"
#include "service/run_report.h"

namespace hyla::service {

struct PlotView {
  struct Panel {
    std::string title;
    std::vector<std::size_t> columns;  ///< into the list of all columns
  };
  /// A chart of an object; charts inside its states have strips of their own.
  struct Strip {
    std::string name;
    code::ObjectRef object;
    engine::Index chart = engine::kNone;
  };
  struct Strips {
    std::string title;
    std::vector<Strip> strips;
  };
  struct Path {
    std::string title;
    std::size_t x = 0, y = 0;  ///< into the list of all columns
  };
  std::vector<Path> paths;
  std::vector<Panel> panels;
  std::vector<Strips> strips;
  std::vector<PlotSpec::Group> histograms;  ///< of statistics
  std::string note;                         ///< about what there was no room for
  bool is_empty() const { return paths.empty() && panels.empty() && strips.empty() && histograms.empty(); }
};

PlotView view_of(const engine::World& world, const diag::Sources& sources, const std::vector<RecordedColumn>& all);

/// The histograms of statistics, as many as there is room for. Names have no model that is run before them:
/// `server.waiting`.
std::vector<record::PlotHistogram> histograms_of(const std::vector<StatisticReport>& statistics,
                                                 const std::vector<PlotSpec::Group>& groups);

}  // namespace hyla::service
