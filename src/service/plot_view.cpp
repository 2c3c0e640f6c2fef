#include "service/plot_view.h"

#include <algorithm>
#include <utility>

#include "record/chart_strips.h"
#include "record/glob.h"

namespace hyla::service {
namespace {

/// The path of an object from the top one, with a dot; empty for the top object.
std::string prefix_of(const engine::World& world, const engine::Object& object) {
  if (!object.part) return "";
  return std::string(record::path_below_top(world.path(object.self))) + ".";
}

class ViewFinder {
 public:
  ViewFinder(const engine::World& world, const std::vector<RecordedColumn>& all)
      : world_(world), model_(world.model), all_(all) {}

  PlotView find(const PlotSpec& spec) {
    for (const PlotSpec::Path& path : spec.paths) {
      std::vector<std::size_t> columns;
      add_columns(path.x, columns);
      add_columns(path.y, columns);
      if (columns.size() == 2) view_.paths.push_back({path.title, columns[0], columns[1]});
    }
    for (const PlotSpec::Group& group : spec.panels) {
      PlotView::Panel panel = {group.title, {}};
      for (const std::string& name : group.names) add_columns(name, panel.columns);
      if (!panel.columns.empty()) view_.panels.push_back(std::move(panel));
    }
    for (const PlotSpec::Group& group : spec.strips) {
      PlotView::Strips strips = {group.title, {}};
      for (const std::string& name : group.names) add_charts(name, strips.strips);
      if (!strips.strips.empty()) view_.strips.push_back(std::move(strips));
    }
    view_.histograms = spec.histograms;
    if (view_.is_empty()) choose();
    view_.note = left_out_note(variables_left_out_, charts_left_out_);
    return std::move(view_);
  }

 private:
  void add_columns(const std::string& name, std::vector<std::size_t>& columns) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (takes(name, all_[i])) columns.push_back(i);
    }
  }

  /// A chart by its path, or all charts of an object by that of the object.
  void add_charts(const std::string& name, std::vector<PlotView::Strip>& strips) {
    for (const engine::Object& object : world_.objects) {
      for (engine::Index i = 0; i < object.plan->charts.size(); ++i) {
        const std::string path = chart_path(object, i);
        if (!record::takes(name, path)) continue;
        if (strips.size() < kMostStrips) {
          strips.push_back({path, object.self, i});
        } else {
          ++charts_left_out_;
        }
      }
    }
  }

  /// Of a chart without a name that of its object.
  std::string chart_path(const engine::Object& object, engine::Index index) const {
    const engine::PlanChart& chart = object.plan->charts[index];
    std::string path = prefix_of(world_, object);
    if (chart.parent != engine::kNone) path += world_.state_path(object.plan->states[chart.parent].id) + ".";
    path += model_.name(model_.charts[chart.id].name);
    if (path.ends_with('.')) path.pop_back();
    return path.empty() ? world_.path(object.self) : path;
  }

  /// Without a view: a panel for each unit, the charts of the top object, and the statistics.
  void choose() {
    std::vector<PanelColumn> columns;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!is_recorded_by_default(all_[i])) continue;
      columns.push_back({all_[i].unit, 0});
      places.push_back(i);
    }
    PanelChoice choice = choose_panels(columns);
    for (std::vector<std::size_t>& panel : choice.panels) {
      for (std::size_t& column : panel) column = places[column];
      view_.panels.push_back({"", std::move(panel)});
    }
    variables_left_out_ = choice.left_out;
    PlotView::Strips strips;
    const engine::Object& top = world_.objects[0];
    const std::size_t charts = top.plan->charts.size();
    for (engine::Index i = 0; i < std::min(charts, kMostStrips); ++i) {
      strips.strips.push_back({chart_path(top, i), top.self, i});
    }
    charts_left_out_ = charts - strips.strips.size();
    if (!strips.strips.empty()) view_.strips.push_back(std::move(strips));
    if (!world_.statistics.empty()) view_.histograms = {{"", {"*"}}};
  }

  const engine::World& world_;
  const model::Model& model_;
  const std::vector<RecordedColumn>& all_;
  PlotView view_;
  std::size_t variables_left_out_ = 0, charts_left_out_ = 0;
};

/// Without the empty bars at its ends.
record::PlotHistogram histogram_of(const StatisticReport& statistic, const std::string& title) {
  record::PlotHistogram histogram;
  const std::string_view object = record::path_below_top(statistic.object);
  const bool is_tally = statistic.figures.kind == statistics::SummaryKind::Tally;
  histogram.title = title;
  histogram.name = (object.empty() ? "" : std::string(object) + ".") + statistic.name;
  histogram.unit = statistic.unit;
  histogram.weighed = is_tally ? "observations" : "time";
  histogram.mean = statistic.figures.mean;
  histogram.width = statistic.histogram.width;
  const std::vector<double>& bins = statistic.histogram.bins;
  const auto is_used = [](double weight) { return weight > 0; };
  const auto first = std::find_if(bins.begin(), bins.end(), is_used);
  const auto last = std::find_if(bins.rbegin(), bins.rend(), is_used).base();
  if (first != bins.end()) histogram.weights.assign(first, last);
  histogram.low = statistic.histogram.low + static_cast<double>(first - bins.begin()) * histogram.width;
  return histogram;
}

}  // namespace

PlotView view_of(const engine::World& world, const diag::Sources& sources, const std::vector<RecordedColumn>& all) {
  const PlotSpec spec = view_spec(world.model, sources, world.objects[0].object_class);
  return ViewFinder(world, all).find(spec);
}

std::vector<record::PlotHistogram> histograms_of(const std::vector<StatisticReport>& statistics,
                                                 const std::vector<PlotSpec::Group>& groups) {
  std::vector<record::PlotHistogram> histograms;
  for (const PlotSpec::Group& group : groups) {
    for (const std::string& pattern : group.names) {
      for (const StatisticReport& statistic : statistics) {
        const record::PlotHistogram histogram = histogram_of(statistic, group.title);
        if (!record::takes(pattern, histogram.name) || histogram.weights.empty()) continue;
        if (histograms.size() < kMostHistograms) histograms.push_back(histogram);
      }
    }
  }
  return histograms;
}

}  // namespace hyla::service
