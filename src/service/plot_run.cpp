#include "service/plot_run.h"

#include <utility>

#include "record/chart_strips.h"

namespace hyla::service {

RunPlot::RunPlot(PlotView view, const std::vector<RecordedColumn>& all) : view_(std::move(view)) {
  plot_.times.resize(1);
  for (const PlotView::Path& path : view_.paths) {
    plot_.paths.push_back({path.title,
                           {{all[path.x].name, all[path.x].unit, {}, 0}},
                           {{all[path.y].name, all[path.y].unit, {}, 0}},
                           true,
                           {}});
    columns_.push_back(all[path.x]);
    columns_.push_back(all[path.y]);
  }
  for (const PlotView::Panel& panel : view_.panels) {
    record::PlotPanel& drawn = plot_.panels.emplace_back();
    drawn.title = panel.title;
    for (const std::size_t column : panel.columns) {
      drawn.curves.push_back({all[column].name, all[column].unit, {}, 0});
      columns_.push_back(all[column]);
    }
  }
  for (const PlotView::Strips& group : view_.strips) {
    record::PlotStrips& drawn = plot_.strips.emplace_back();
    drawn.title = group.title;
    for (const PlotView::Strip& strip : group.strips) drawn.strips.push_back({strip.name, {}});
  }
  for (std::size_t i = 0; i < view_.strips.size(); ++i) {
    for (std::size_t k = 0; k < view_.strips[i].strips.size(); ++k) {
      watched_.push_back({view_.strips[i].strips[k], -1, &plot_.strips[i].strips[k]});
    }
  }
}

void RunPlot::add_row(double time, std::span<const double> values) {
  plot_.times[0].push_back(time);
  std::size_t next = 0;
  for (record::PlotPath& path : plot_.paths) {
    path.x[0].values.push_back(values[next++]);
    path.y[0].values.push_back(values[next++]);
  }
  for (record::PlotPanel& panel : plot_.panels) {
    for (record::PlotCurve& curve : panel.curves) curve.values.push_back(values[next++]);
  }
}

void RunPlot::look_at_charts(const engine::World& world, double time) {
  for (Watched& watched : watched_) {
    const engine::Object& object = world.object(watched.strip.object);
    const std::int64_t state = object.slots[object.plan->charts[watched.strip.chart].slot].integer;
    if (state == watched.state) continue;
    std::vector<record::PlotSpell>& spells = watched.spells->spells;
    if (watched.state >= 0) spells.back().end = time;
    watched.state = state;
    if (state < 0) continue;
    const model::StateId id = object.plan->states[static_cast<std::size_t>(state)].id;
    spells.push_back({time, time, std::string(world.model.name(world.model.states[id].name))});
  }
}

record::Plot RunPlot::finish(const std::string& title, const std::string& time_unit, double begin, double end,
                             const std::vector<StatisticReport>& statistics) {
  for (Watched& watched : watched_) {
    if (watched.state >= 0) watched.spells->spells.back().end = end;
  }
  plot_.title = title;
  plot_.time_unit = time_unit;
  plot_.begin = begin;
  plot_.end = end;
  plot_.note = view_.note;
  if (!plot_.strips.empty()) {
    for (record::PlotPath& path : plot_.paths) path.spells = plot_.strips[0].strips[0].spells;
  }
  for (record::PlotStrips& group : plot_.strips) record::shorten_names(group.strips);
  record::mark_changes(plot_);
  plot_.histograms = histograms_of(statistics, view_.histograms);
  return std::move(plot_);
}

}  // namespace hyla::service
