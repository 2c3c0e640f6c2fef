#include "service/plot_results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "record/chart_strips.h"
#include "record/glob.h"
#include "record/plot_axis.h"
#include "record/plot_histogram.h"
#include "record/plot_terminal.h"
#include "service/gnuplot.h"
#include "service/load_external.h"
#include "service/plot_events.h"
#include "service/plot_model.h"
#include "service/plot_runs.h"
#include "service/plot_statistics.h"

namespace hyla::service {
namespace {

constexpr std::string_view kSummaryEnd = ".json";  // what `hyla run --json` prints

class Plotter {
 public:
  Plotter(const PlotRequest& request, const FileSystem& files, PlotOutcome& outcome)
      : request_(request), files_(files), outcome_(outcome), plot_(outcome.plot) {}

  bool make() {
    return load_model() && load_runs() && find_stored_model() && choose_times() && find_words() && choose_view() &&
           add_marks() && finish();
  }

 private:
  bool fail(std::string message) {
    outcome_.failures.push_back(std::move(message));
    return false;
  }

  // --- Reading

  bool load_model() {
    if (request_.model_file.empty()) return true;
    PlotSource source{request_.model_file, request_.model, request_.library_paths, nullptr};
    if (request_.allow_external) {
      source.external = load_external_libraries(request_.model_file, request_.external_folders);
    }
    has_model_ = load_plot_model(source, files_, outcome_, model_);
    return has_model_;
  }

  bool load_runs() {
    if (const auto failure = runs_.load(request_, files_, outcome_.notes)) return fail(failure->message);
    for (const PlotRun& run : runs_.all()) plot_.times.push_back(run.result.time);
    return true;
  }

  /// The view of the model is wanted where no words say what to draw.
  bool find_stored_model() {
    const record::RunResult& result = runs_.first().result;
    if (has_model_ || !request_.words.empty() || result.model_text.empty()) return true;
    has_model_ = load_stored_model(result.model_text, result.model, model_);
    return true;
  }

  bool choose_times() {
    double begin = HUGE_VAL, end = -HUGE_VAL;
    for (const PlotRun& run : runs_.all()) {
      begin = std::min(begin, run.result.time.front());
      end = std::max(end, run.result.time.back());
    }
    const auto number = [](double value) { return "`" + base::format_number(value) + "`"; };
    if (request_.from && *request_.from > end) {
      return fail("--from " + number(*request_.from) + " lies behind the last recorded time " + number(end));
    }
    if (request_.to && *request_.to < begin) {
      return fail("--to " + number(*request_.to) + " lies before the first recorded time " + number(begin));
    }
    plot_.begin = request_.from.value_or(begin);
    plot_.end = request_.to.value_or(end);
    return true;
  }

  // --- What the words stand for

  record::PlotCurve curve_of(std::size_t run, const std::string& name) const {
    record::PlotCurve curve = runs_.curve(run, name);
    const auto known = model_.units.find(name);
    if (curve.unit.empty() && known != model_.units.end()) curve.unit = known->second;
    return curve;
  }

  /// Charts by their names, or those of an object.
  bool add_charts(const std::string& pattern, record::PlotStrips& group) {
    const std::size_t before = group.strips.size();
    for (const PlotRun& run : runs_.all()) {
      for (const record::PlotStrip& strip : run.strips) {
        if (!record::takes(pattern, strip.name)) continue;
        if (group.strips.size() == kMostStrips) {
          ++charts_left_out_;
          continue;
        }
        group.strips.push_back(strip);
        group.strips.back().name += run.label;
      }
    }
    return group.strips.size() > before;
  }

  /// Sorts the words into variables and charts.
  bool find_words() {
    record::PlotStrips charts;
    has_panels_ = std::find(request_.words.begin(), request_.words.end(), kNextPanel) != request_.words.end();
    groups_.emplace_back();
    for (const std::string& word : request_.words) {
      if (word == kNextPanel) {
        groups_.emplace_back();
        continue;
      }
      const bool has_charts = add_charts(word, charts);
      if (has_charts && is_chart(word)) continue;  // not the variables of its states
      const base::Result<std::vector<std::string>> names = runs_.variables(word);
      if (!names.ok() && !has_charts) return fail(names.message() + near_chart(word));
      if (!names.ok()) continue;
      for (const std::string& name : names.value()) {
        std::vector<std::string>& group = groups_.back();
        if (std::find(group.begin(), group.end(), name) == group.end()) group.push_back(name);
      }
    }
    std::erase_if(groups_, [](const auto& group) { return group.empty(); });
    if (!charts.strips.empty()) plot_.strips.push_back(std::move(charts));
    return true;
  }

  std::vector<std::string_view> chart_names() const {
    std::vector<std::string_view> names;
    for (const PlotRun& run : runs_.all()) {
      for (const record::PlotStrip& strip : run.strips) names.emplace_back(strip.name);
    }
    return names;
  }

  bool is_chart(std::string_view word) const {
    const std::vector<std::string_view> names = chart_names();
    return std::find(names.begin(), names.end(), word) != names.end();
  }

  std::string near_chart(const std::string& word) const {
    const auto near = base::nearest(word, chart_names());
    return near ? "; or the chart `" + std::string(*near) + "`?" : "";
  }

  // --- What is drawn

  bool choose_view() {
    if (request_.words.empty() && !request_.histograms && request_.x.empty() && !model_.view.is_empty()) {
      draw_view();
      if (!is_empty()) return true;
    }
    if (request_.words.empty()) choose_all();
    if (plot_.strips.empty() && (request_.words.empty() || !request_.events_file.empty())) choose_charts();
    if (request_.histograms) return add_histograms();
    return request_.x.empty() ? add_panels() : add_paths();
  }

  bool is_empty() const {
    return plot_.panels.empty() && plot_.paths.empty() && plot_.strips.empty() && plot_.histograms.empty();
  }

  /// What the view names and the result has.
  void draw_view() {
    for (const PlotSpec::Path& path : model_.view.paths) {
      const auto x = runs_.variables(path.x), y = runs_.variables(path.y);
      if (x.ok() && y.ok()) add_path(path.title, x.value().front(), {y.value().front()});
    }
    for (const PlotSpec::Group& group : model_.view.panels) {
      std::vector<std::string> names;
      for (const std::string& pattern : group.names) {
        const auto found = runs_.variables(pattern);
        if (found.ok()) {
          names.insert(names.end(), found.value().begin(), found.value().end());
        } else {
          outcome_.notes.push_back("the view of the model shows `" + pattern + "`, which was not recorded");
        }
      }
      if (!names.empty()) add_panel(group.title, names);
    }
    for (const PlotSpec::Group& group : model_.view.strips) {
      record::PlotStrips strips = {group.title, {}};
      for (const std::string& pattern : group.names) add_charts(pattern, strips);
      if (!strips.strips.empty()) plot_.strips.push_back(std::move(strips));
    }
    colour_paths();
  }

  void choose_all() {
    groups_.assign(1, runs_.variables());
    std::erase(groups_[0], request_.x);
  }

  /// All, as far as there is room.
  void choose_charts() {
    record::PlotStrips strips;
    add_charts("*", strips);
    if (!strips.strips.empty()) plot_.strips.push_back(std::move(strips));
  }

  /// One group of words becomes a panel for each unit.
  void split_by_unit() {
    if (has_panels_ || groups_.empty()) return;
    const std::vector<std::string> names = std::move(groups_[0]);
    std::vector<PanelColumn> columns;
    for (const std::string& name : names) {
      const record::PlotCurve curve = curve_of(0, name);
      const record::Range range = record::range_of(curve, plot_.times[0], plot_.begin, plot_.end);
      columns.push_back({curve.unit, range.is_empty() ? 0 : std::max(std::abs(range.low), std::abs(range.high))});
    }
    const PanelChoice choice = choose_panels(columns);
    groups_.clear();
    for (const std::vector<std::size_t>& panel : choice.panels) {
      groups_.emplace_back();
      for (const std::size_t place : panel) groups_.back().push_back(names[place]);
    }
    variables_left_out_ = choice.left_out;
  }

  void add_panel(const std::string& title, const std::vector<std::string>& names) {
    record::PlotPanel& panel = plot_.panels.emplace_back();
    panel.title = title;
    for (const std::string& name : names) {
      for (std::size_t run = 0; run < runs_.size(); ++run) panel.curves.push_back(curve_of(run, name));
    }
  }

  bool add_panels() {
    split_by_unit();
    for (const std::vector<std::string>& group : groups_) add_panel("", group);
    if (is_empty())
      return fail("there is nothing to draw: `" + runs_.first().path + "` has no variables besides the time");
    return true;
  }

  void add_path(const std::string& title, const std::string& x, const std::vector<std::string>& names) {
    record::PlotPath& path = plot_.paths.emplace_back();
    path.title = title;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      path.x.push_back(curve_of(run, x));
      path.x.back().name = x;  // the axis is for all runs
    }
    for (const std::string& name : names) {
      for (std::size_t run = 0; run < runs_.size(); ++run) path.y.push_back(curve_of(run, name));
    }
    path.is_place = is_place(path);
  }

  /// Lengths over lengths, and neither much longer than the other, look right at one scale only.
  bool is_place(const record::PlotPath& path) const {
    constexpr double kLongest = 5;
    const auto range = [&](const record::PlotCurve& curve) {
      return record::range_of(curve, plot_.times[curve.run], plot_.begin, plot_.end);
    };
    record::Range x, y;
    for (const record::PlotCurve& curve : path.x) {
      x.add(range(curve).low);
      x.add(range(curve).high);
    }
    for (const record::PlotCurve& curve : path.y) {
      if (curve.unit.empty() || curve.unit != path.x.front().unit) return false;
      y.add(range(curve).low);
      y.add(range(curve).high);
    }
    return x.span() <= kLongest * y.span() && y.span() <= kLongest * x.span();
  }

  bool add_paths() {
    const base::Result<std::vector<std::string>> x = runs_.variables(request_.x);
    if (!x.ok()) return fail("--x: " + x.message());
    if (x.value().size() > 1) {
      return fail("--x takes one variable, but `" + request_.x + "` stands for " + std::to_string(x.value().size()));
    }
    split_by_unit();
    if (groups_.empty()) return fail("--x needs variables to draw over `" + x.value().front() + "`");
    for (const std::vector<std::string>& group : groups_) add_path("", x.value().front(), group);
    colour_paths();
    return true;
  }

  /// By the states of the first chart that is drawn, or of the only one that there is.
  void colour_paths() {
    if (runs_.size() > 1) return;
    const record::PlotStrip* strip = nullptr;
    if (!plot_.strips.empty()) {
      strip = &plot_.strips[0].strips[0];
    } else if (runs_.first().strips.size() == 1) {
      strip = &runs_.first().strips[0];
    }
    for (record::PlotPath& path : plot_.paths) {
      if (strip != nullptr) path.spells = strip->spells;
    }
  }

  bool add_histograms() {
    for (const std::vector<std::string>& group : groups_) {
      for (const std::string& name : group) {
        for (std::size_t run = 0; run < runs_.size(); ++run) {
          if (request_.words.empty() && plot_.histograms.size() == kMostHistograms) break;
          const record::PlotCurve curve = curve_of(run, name);
          plot_.histograms.push_back(record::histogram_of(curve, plot_.times[run], plot_.begin, plot_.end));
        }
      }
    }
    plot_.strips.clear();
    if (plot_.histograms.empty()) return fail("--histogram needs variables");
    return true;
  }

  // --- The rest

  bool add_marks() {
    std::vector<const record::Events*> events;
    for (const PlotRun& run : runs_.all()) {
      if (run.result.events) events.push_back(&*run.result.events);
    }
    for (const std::string& pattern : request_.marks) {
      if (const auto failure = mark_events(events, pattern, plot_.marks)) return fail(failure->message);
    }
    if (request_.marks.empty()) record::mark_changes(plot_);
    return true;
  }

  bool finish() {
    if (!request_.x.empty()) plot_.strips.clear();  // they have no time axis to stand on
    for (record::PlotStrips& group : plot_.strips) record::shorten_names(group.strips);
    const PlotRun& first = runs_.first();
    const std::string& of_events = first.result.events ? first.result.events->model : first.result.model;
    plot_.title = has_model_ ? model_.name : !first.result.model.empty() ? first.result.model : of_events;
    if (plot_.title.empty() && runs_.size() == 1) plot_.title = stem_of(first.path);
    if (request_.title) plot_.title = *request_.title;
    plot_.time_unit = has_model_ ? model_.time_unit : first.result.time_unit;
    plot_.note = left_out_note(variables_left_out_, plot_.strips.empty() ? 0 : charts_left_out_);
    plot_.width = request_.width;
    plot_.height = request_.height;
    return true;
  }

  const PlotRequest& request_;
  const FileSystem& files_;
  PlotOutcome& outcome_;
  record::Plot& plot_;
  PlotModel model_;
  bool has_model_ = false;
  PlotRuns runs_;
  std::vector<std::vector<std::string>> groups_;  ///< names of variables; of panels, if the words say so
  bool has_panels_ = false;
  std::size_t variables_left_out_ = 0, charts_left_out_ = 0;
};

}  // namespace

PlotOutcome plot_results(const PlotRequest& request, const FileSystem& files) {
  PlotOutcome outcome;
  const bool is_summary = request.results.front().ends_with(kSummaryEnd);
  record::PlotFormat format{};
  if (!request.picture.empty()) {
    if (const auto failure = check_picture("-o", request.picture, format)) {
      outcome.failures.push_back(failure->message);
      return outcome;
    }
  }
  const bool is_made = is_summary ? plot_statistics(request, files, outcome) : Plotter(request, files, outcome).make();
  if (!is_made) return outcome;
  if (!request.picture.empty()) {
    if (const auto failure = run_gnuplot(record::gnuplot_script(outcome.plot, format), request.picture)) {
      outcome.failures.push_back(failure->message);
    }
  }
  if (request.terminal_width > 0) {
    outcome.text = record::terminal_text(outcome.plot, {request.terminal_width, request.terminal_colours});
  }
  return outcome;
}

bool is_result_name(const std::string& word) {
  constexpr std::array<std::string_view, 5> kEnds = {".csv", ".mat", ".h5", ".hdf5", kSummaryEnd};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return word.size() > end.size() && word.ends_with(end); });
}

}  // namespace hyla::service
