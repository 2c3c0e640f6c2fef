// The picture of an experiment: responses over what is varied, histograms of what is drawn.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "record/plot.h"
#include "service/experiment_model.h"
#include "service/summary.h"

namespace hyla::service {
namespace {

using experiment::Factor;
using experiment::FactorKind;
using experiment::Group;

class Picture {
 public:
  explicit Picture(const ExperimentReport& report)
      : report_(report), plan_(report.plan), groups_(report.conclusion.groups) {
    for (std::size_t i = 0; i < plan_.factors.size(); ++i) {
      const Factor& factor = plan_.factors[i];
      const bool counts =
          factor.kind == FactorKind::Values ? factor.values.size() > 1 : factor.kind == FactorKind::Free;
      if (counts) axes_.push_back(i);
    }
    // The factor with the most values is the axis; the others tell curves apart.
    std::stable_sort(axes_.begin(), axes_.end(), [&](std::size_t a, std::size_t b) {
      return plan_.factors[a].values.size() > plan_.factors[b].values.size();
    });
  }

  record::Plot draw() {
    plot_.title = report_.name + " of " + report_.model;
    for (std::size_t i = 0; i < plan_.observed.size(); ++i) {
      if (plan_.observed[i].is_hidden) continue;
      if (plan_.is_optimisation()) {
        add_search(i);
      } else if (!axes_.empty()) {
        add_response(i);
      } else {
        add_histogram(i);
      }
    }
    return std::move(plot_);
  }

 private:
  record::PlotCurve axis_of(std::size_t factor) const {
    return {plan_.factors[factor].path, plan_.factors[factor].unit, {}, 0};
  }

  /// The values of the factors that are not on the axis.
  std::string others(const Group& group) const {
    std::string text;
    for (std::size_t k = 1; k < axes_.size(); ++k) {
      text += fmt::format("{}{} = {}", k > 1 ? ", " : "", plan_.factors[axes_[k]].path, group.point[axes_[k]].text);
    }
    return text;
  }

  void add_response(std::size_t observed) {
    const experiment::Observed& what = plan_.observed[observed];
    record::PlotPath path;
    std::map<std::string, std::size_t> curves;
    std::vector<std::vector<std::array<double, 3>>> points;
    for (const Group& group : groups_) {
      const auto [place, is_new] = curves.emplace(others(group), points.size());
      if (is_new) {
        points.emplace_back();
        path.x.push_back(axis_of(axes_[0]));
        path.y.push_back({place->first.empty() ? what.name : place->first, what.unit, {}, place->second});
      }
      const experiment::Figures& figures = group.figures[observed];
      points[place->second].push_back({group.point[axes_[0]].number, figures.mean, figures.half_width});
    }
    path.has_points = true;
    if (has_replications()) path.half_widths.resize(points.size());
    for (std::size_t k = 0; k < points.size(); ++k) {
      std::sort(points[k].begin(), points[k].end());
      for (const auto& [x, y, half_width] : points[k]) {
        path.x[k].values.push_back(x);
        path.y[k].values.push_back(y);
        if (!path.half_widths.empty()) path.half_widths[k].push_back(half_width);
      }
    }
    if (points.size() > 1) path.title = what.name;  // the axis names a single curve
    add(std::move(path));
  }

  bool has_replications() const {
    return std::any_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.results.size() > 1; });
  }

  /// Rows have numbers where runs of a model have times.
  void add(record::PlotPath path) {
    for (const record::PlotCurve& curve : path.y) {
      if (plot_.times.size() <= curve.run) plot_.times.resize(curve.run + 1);
      std::vector<double>& rows = plot_.times[curve.run];
      while (rows.size() < curve.values.size()) rows.push_back(static_cast<double>(rows.size()));
      plot_.end = std::max(plot_.end, static_cast<double>(rows.size()));
    }
    plot_.paths.push_back(std::move(path));
  }

  /// The values at the points that were tried, in their order.
  void add_search(std::size_t observed) {
    const experiment::Observed& what = plan_.observed[observed];
    record::PlotPath path;
    path.has_points = true;
    path.x.push_back({"points tried", "", {}, 0});
    path.y.push_back({what.name, what.unit, {}, 0});
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      path.x[0].values.push_back(static_cast<double>(i + 1));
      path.y[0].values.push_back(groups_[i].figures[observed].mean);
    }
    show_orders(path.y[0]);
    add(std::move(path));
  }

  /// Values over many orders of magnitude, as those of a misfit are, are drawn by their logarithms.
  static void show_orders(record::PlotCurve& curve) {
    constexpr double kMany = 1e3;
    double least = HUGE_VAL, most = 0;
    for (const double value : curve.values) {
      if (std::isnan(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    if (!(least > 0 && most >= kMany * least)) return;
    for (double& value : curve.values) value = std::log10(value);
    curve.name = fmt::format("log10({})", curve.unit.empty() ? curve.name : curve.name + " / " + curve.unit);
    curve.unit.clear();
  }

  void add_histogram(std::size_t observed) {
    std::vector<double> values;
    for (const Group& group : groups_) {
      for (const experiment::MemberResult& result : group.results) {
        if (result.status == experiment::MemberStatus::Good && std::isfinite(result.values[observed])) {
          values.push_back(result.values[observed]);
        }
      }
    }
    if (values.empty()) return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double count = std::clamp(std::ceil(2 * std::cbrt(static_cast<double>(values.size()))), 5.0, 60.0);
    record::PlotHistogram histogram;
    histogram.name = plan_.observed[observed].name;
    histogram.unit = plan_.observed[observed].unit;
    histogram.weighed = "runs";
    histogram.low = *least;
    histogram.width = *most > *least ? (*most - *least) / count : 1;
    histogram.weights.resize(static_cast<std::size_t>(count));
    double sum = 0;
    for (const double value : values) {
      const auto bar = static_cast<std::size_t>((value - histogram.low) / histogram.width);
      ++histogram.weights[std::min(bar, histogram.weights.size() - 1)];
      sum += value;
    }
    histogram.mean = sum / static_cast<double>(values.size());
    plot_.histograms.push_back(std::move(histogram));
  }

  const ExperimentReport& report_;
  const experiment::Plan& plan_;
  const std::vector<Group>& groups_;
  std::vector<std::size_t> axes_;
  record::Plot plot_;
};

}  // namespace

std::string experiment_plot(const ExperimentReport& report, record::PlotFormat format) {
  return record::gnuplot_script(Picture(report).draw(), format);
}

}  // namespace hyla::service
