// The plot of a run: collects its curves and strips while it goes on, and has them drawn at its end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/world.h"
#include "record/plot.h"
#include "service/plot_view.h"

namespace hyla::service {

class RunPlot {
 public:
  RunPlot(PlotView view, const std::vector<RecordedColumn>& all);

  /// What the rows hold, panel by panel.
  const std::vector<RecordedColumn>& columns() const { return columns_; }
  void add_row(double time, std::span<const double> values);
  /// The charts have settled at this time.
  void look_at_charts(const engine::World& world, double time);

  record::Plot finish(const std::string& title, const std::string& time_unit, double begin, double end,
                      const std::vector<StatisticReport>& statistics);

 private:
  struct Watched {
    PlotView::Strip strip;
    std::int64_t state = -1;  ///< number of the active one; negative: none
    record::PlotStrip* spells = nullptr;
  };

  PlotView view_;
  std::vector<RecordedColumn> columns_;
  record::Plot plot_;
  std::vector<Watched> watched_;
};

}  // namespace hyla::service
