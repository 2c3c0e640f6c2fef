#include "service/graph_model.h"

#include <array>
#include <optional>

#include "base/text.h"
#include "picture/picture.h"
#include "picture/wording.h"
#include "service/drawing_program.h"

namespace hyla::service {
namespace {

using model::ChartId;
using model::ClassId;

constexpr auto kEnds = std::to_array<std::string_view>({".svg", ".png", ".pdf", ".dot"});
constexpr std::string_view kDotEnd = ".dot";

struct NamedChart {
  ChartId id;
  std::string name;  ///< `Valve.travel`
};

class Painter {
 public:
  Painter(const GraphRequest& request, const model::Model& model, const diag::Sources& sources, ClassId top)
      : request_(request), model_(model), sources_(sources), wording_(model, sources), top_(top) {}

  base::Result<std::string> paint() const {
    const bool has_parts = !picture::parts_within(model_, model_.classes[top_].body).empty();
    switch (request_.subject) {
      case GraphSubject::Structure:
        return structure();
      case GraphSubject::Charts:
        return charts();
      case GraphSubject::Chart:
        return chart();
      case GraphSubject::Auto:
        break;
    }
    return has_parts || picture::charts_of(model_, top_).empty() ? structure() : charts();
  }

 private:
  base::Result<std::string> structure() const {
    return picture::draw_structure(model_, sources_, top_, request_.depth);
  }

  base::Result<std::string> charts() const {
    std::vector<ChartId> found;
    for (const NamedChart& one : all()) found.push_back(one.id);
    if (found.empty()) return none();
    return picture::draw_charts(model_, sources_, found);
  }

  base::Failure none() const {
    return {"neither `" + wording_.class_name(top_) + "` nor its parts have a chart; --structure draws objects"};
  }

  std::vector<NamedChart> all() const {
    std::vector<NamedChart> found;
    for (const ClassId id : picture::classes_within(model_, top_)) {
      for (const ChartId chart : picture::charts_of(model_, id)) found.push_back({chart, wording_.chart_name(chart)});
    }
    return found;
  }

  /// The class of the object that the first words of a path name, and what is left of the path.
  std::pair<ClassId, std::string_view> object_of(std::string_view path) const {
    ClassId id = top_;
    while (true) {
      const std::string_view word = path.substr(0, std::min(path.find('.'), path.find('[')));
      ClassId next;
      for (const model::PartId part : picture::parts_within(model_, model_.classes[id].body)) {
        if (model_.name(model_.parts[part].name) == word) next = picture::shown_class(model_.parts[part]);
      }
      if (!next) return {id, path};
      id = next;
      const std::size_t dot = path.find('.');
      if (dot == std::string_view::npos) return {id, ""};
      path.remove_prefix(dot + 1);
    }
  }

  base::Result<std::string> chart() const {
    const std::vector<NamedChart> charts = all();
    if (charts.empty()) return none();
    const auto [object, rest] = object_of(request_.chart);
    const std::vector<ChartId> own = picture::charts_of(model_, object);
    if (rest.empty() && own.size() == 1) return picture::draw_charts(model_, sources_, own);
    for (const ChartId one : own) {
      if (!rest.empty() && model_.name(model_.charts[one].name) == rest) return draw(one);
    }
    std::vector<std::string_view> names, same;
    std::vector<ChartId> found;
    for (const NamedChart& one : charts) {
      const std::string_view name = one.name;
      const std::string_view last = name.substr(std::min(name.find('.'), name.size() - 1) + 1);
      names.push_back(name);
      if (!last.empty()) names.push_back(last);
      if (name != request_.chart && last != request_.chart) continue;
      found.push_back(one.id);
      same.push_back(name);
    }
    if (found.size() == 1) return draw(found.front());
    if (!same.empty()) {
      return base::Failure{"several charts are called `" + request_.chart + "`: " + base::quoted_list(same, 12)};
    }
    return unknown(names, charts);
  }

  base::Failure unknown(const std::vector<std::string_view>& names, const std::vector<NamedChart>& charts) const {
    std::string message = "there is no chart `" + request_.chart + "`";
    if (const auto near = base::nearest(request_.chart, names)) {
      return {message + "; did you mean `" + std::string(*near) + "`?"};
    }
    std::vector<std::string_view> known;
    for (const NamedChart& one : charts) known.push_back(one.name);
    return {message + "; there is " + base::quoted_list(known, 12)};
  }

  std::string draw(ChartId chart) const { return picture::draw_charts(model_, sources_, {chart}); }

  const GraphRequest& request_;
  const model::Model& model_;
  const diag::Sources& sources_;
  picture::Wording wording_;
  ClassId top_;
};

/// The end of the name of the picture; none if Graphviz is not asked for that.
std::optional<std::string_view> end_of(const std::string& path) {
  for (const std::string_view end : kEnds) {
    if (path.size() > end.size() && path.ends_with(end)) return end;
  }
  return std::nullopt;
}

std::optional<base::Failure> write_picture(const std::string& dot, const std::string& path, FileSystem& files) {
  const std::string_view end = *end_of(path);
  if (end == kDotEnd) return files.write(path, dot);
  if (auto failure = check_writable(path)) return failure;
  std::vector<std::string> arguments = {"-T" + std::string(end.substr(1))};
  if (end == ".png") arguments.emplace_back("-Gdpi=144");
  return run_drawing_program({"dot", "graphviz", arguments}, dot, path);
}

}  // namespace

GraphReport graph_model(const GraphRequest& request, FileSystem& files) {
  GraphReport report;
  if (!request.output.empty() && !end_of(request.output)) {
    report.failures.push_back("-o takes a name that ends with `.svg`, `.png`, `.pdf` or `.dot`, not `" +
                              request.output + "`");
    return report;
  }
  model::Model model;
  if (!read_model(request.path, request.library_paths, files, report, model)) return report;
  const ClassId top = find_class(request.path, request.model, model, report);
  if (!top) return report;
  base::Result<std::string> painted = Painter(request, model, report.sources, top).paint();
  if (!painted.ok()) {
    report.failures.push_back(painted.message());
    return report;
  }
  report.dot = std::move(painted).value();
  if (request.output.empty()) return report;
  if (const auto failure = write_picture(report.dot, request.output, files))
    report.failures.push_back(failure->message);
  return report;
}

}  // namespace hyla::service
