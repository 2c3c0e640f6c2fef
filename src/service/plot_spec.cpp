#include "service/plot_spec.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace hyla::service {
namespace {

constexpr std::size_t kMostCurves = 7;  // in a panel that nobody asked for: as many as there are colours
constexpr std::size_t kMostPanels = 6;
constexpr double kSameSize = 30;  // curves of one panel, where units are not known

class ViewReader {
 public:
  ViewReader(const model::Model& model, const diag::Sources& sources) : model_(model), sources_(sources) {}

  void read(const model::SectionObject& object, PlotSpec& spec) const {
    const std::string_view name = model_.name(model_.classes[object.object_class].name);
    PlotSpec::Group group = {title_of(object), {}};
    for (const model::ExprId reference : object.references) {
      // A reference is written like the name of what it stands for.
      group.names.emplace_back(base::trim(sources_.text(model_.exprs[reference].span)));
    }
    if (name == "Plot") spec.panels.push_back(std::move(group));
    if (name == "Gantt") spec.strips.push_back(std::move(group));
    if (name == "Histogram") spec.histograms.push_back(std::move(group));
    if (name == "Animate" && group.names.size() == 2) {
      spec.paths.push_back({group.title, group.names[0], group.names[1]});
    }
  }

 private:
  std::string title_of(const model::SectionObject& object) const {
    for (const model::Argument& argument : object.arguments) {
      const model::Expr& target = model_.exprs[argument.target];
      const model::Expr& value = model_.exprs[argument.value];
      const bool is_title = target.entity == model::EntityKind::Variable &&
                            model_.name(model_.variables[model::VariableId(target.ref)].name) == "title";
      if (is_title && value.op == model::Op::String) return model_.strings[value.ref];
    }
    return "";
  }

  const model::Model& model_;
  const diag::Sources& sources_;
};

}  // namespace

PlotSpec view_spec(const model::Model& model, const diag::Sources& sources, model::ClassId top) {
  PlotSpec spec;
  const ViewReader reader(model, sources);
  for (const model::Section& section : model.classes[top].sections) {
    if (model.name(model.packages[section.package].name) != "View") continue;
    for (const model::SectionObject& object : section.objects) reader.read(object, spec);
  }
  return spec;
}

PanelChoice choose_panels(std::span<const PanelColumn> columns) {
  PanelChoice choice;
  const bool has_units = std::any_of(columns.begin(), columns.end(), [](const auto& it) { return !it.unit.empty(); });
  const auto fits = [&](const std::vector<std::size_t>& panel, const PanelColumn& column) {
    const PanelColumn& first = columns[panel.front()];
    if (panel.size() == kMostCurves || first.unit != column.unit) return false;
    if (has_units || first.span == 0 || column.span == 0) return true;
    return std::max(first.span, column.span) <= kSameSize * std::min(first.span, column.span);
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto panel =
        std::find_if(choice.panels.begin(), choice.panels.end(), [&](const auto& it) { return fits(it, columns[i]); });
    if (panel != choice.panels.end()) {
      panel->push_back(i);
    } else if (choice.panels.size() < kMostPanels) {
      choice.panels.push_back({i});
    } else {
      ++choice.left_out;
    }
  }
  return choice;
}

std::string left_out_note(std::size_t variables, std::size_t charts) {
  std::string text;
  if (variables > 0) text = std::to_string(variables) + " further variables";
  if (charts > 0) text += (text.empty() ? "" : " and ") + std::to_string(charts) + " further charts";
  return text.empty() ? "" : text + " are not drawn; `section View` or the words of `hyla plot` choose";
}

}  // namespace hyla::service
