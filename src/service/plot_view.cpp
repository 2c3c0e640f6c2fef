#include "service/plot_view.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "record/glob.h"

namespace hyla::service {
namespace {

constexpr std::size_t kMostCurves = 7;  // in a panel that nobody asked for: as many as there are colours
constexpr std::size_t kMostPanels = 6;
constexpr std::size_t kMostStrips = 12;

/// The path of an object from the top one, with a dot; empty for the top object.
std::string prefix_of(const engine::World& world, const engine::Object& object) {
  if (!object.part) return "";
  const std::string path = world.path(object.self);
  return path.substr(path.find('.') + 1) + ".";
}

class ViewReader {
 public:
  ViewReader(const engine::World& world, const diag::Sources& sources, const std::vector<RecordedColumn>& all)
      : world_(world), model_(world.model), sources_(sources), all_(all) {}

  PlotView read() {
    for (const model::Section& section : model_.classes[world_.objects[0].object_class].sections) {
      if (model_.name(model_.packages[section.package].name) != "View") continue;
      for (const model::SectionObject& object : section.objects) read_object(object);
    }
    if (view_.paths.empty() && view_.panels.empty() && view_.strips.empty()) choose_panels();
    return std::move(view_);
  }

 private:
  void read_object(const model::SectionObject& object) {
    const std::string_view name = model_.name(model_.classes[object.object_class].name);
    if (name == "Plot") {
      PlotView::Panel panel = {title_of(object), {}};
      for (const model::ExprId reference : object.references) add_columns(text_of(reference), panel.columns);
      if (!panel.columns.empty()) view_.panels.push_back(std::move(panel));
    } else if (name == "Animate") {
      std::vector<std::size_t> columns;
      for (const model::ExprId reference : object.references) add_columns(text_of(reference), columns);
      if (columns.size() == 2) view_.paths.push_back({title_of(object), columns[0], columns[1]});
    } else if (name == "Gantt") {
      PlotView::Strips group = {title_of(object), {}};
      for (const model::ExprId reference : object.references) add_charts(text_of(reference), group.strips);
      if (!group.strips.empty()) view_.strips.push_back(std::move(group));
    }
  }

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

  /// A reference is written like the name of what it stands for.
  std::string text_of(model::ExprId reference) const {
    return std::string(base::trim(sources_.text(model_.exprs[reference].span)));
  }

  void add_columns(const std::string& name, std::vector<std::size_t>& columns) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (takes(name, all_[i])) columns.push_back(i);
    }
  }

  /// A chart by its path, or all charts of an object by that of the object.
  void add_charts(const std::string& name, std::vector<PlotView::Strip>& strips) {
    for (const engine::Object& object : world_.objects) {
      const std::string prefix = prefix_of(world_, object);
      for (engine::Index i = 0; i < object.plan->charts.size(); ++i) {
        const std::string path = prefix + chart_path(*object.plan, i);
        const bool is_inside = record::matches(name + ".*", path) && path.size() > name.size();
        if (!record::matches(name, path) && !is_inside) continue;
        const std::string shown = is_inside ? path.substr(name.size() + 1) : path;
        if (strips.size() < kMostStrips) strips.push_back({shown, object.self, i});
      }
    }
  }

  std::string chart_path(const engine::Plan& plan, engine::Index index) const {
    const engine::PlanChart& chart = plan.charts[index];
    std::string path = chart.parent == engine::kNone ? "" : world_.state_path(plan.states[chart.parent].id);
    const model::SymbolId name = model_.charts[chart.id].name;
    if (name) path += (path.empty() ? "" : ".") + std::string(model_.name(name));
    return path;
  }

  /// Without a view: a panel for each unit, and the charts of the top object.
  void choose_panels() {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!is_recorded_by_default(all_[i])) continue;
      const auto has_room = [&](const auto& group) {
        return group.first == all_[i].unit && group.second.size() < kMostCurves;
      };
      const auto group = std::find_if(groups.begin(), groups.end(), has_room);
      if (group != groups.end()) {
        group->second.push_back(i);
      } else if (groups.size() < kMostPanels) {
        groups.push_back({all_[i].unit, {i}});
      } else {
        ++left_out;
      }
    }
    for (auto& group : groups) view_.panels.push_back({"", std::move(group.second)});
    if (left_out > 0) {
      view_.note = std::to_string(left_out) + " further variables are not drawn; `section View` chooses";
    }
    PlotView::Strips strips;
    const engine::Object& top = world_.objects[0];
    for (engine::Index i = 0; i < top.plan->charts.size() && strips.strips.size() < kMostStrips; ++i) {
      strips.strips.push_back({chart_path(*top.plan, i), top.self, i});
    }
    if (!strips.strips.empty()) view_.strips.push_back(std::move(strips));
  }

  const engine::World& world_;
  const model::Model& model_;
  const diag::Sources& sources_;
  const std::vector<RecordedColumn>& all_;
  PlotView view_;
};

}  // namespace

PlotView view_of(const engine::World& world, const diag::Sources& sources, const std::vector<RecordedColumn>& all) {
  return ViewReader(world, sources, all).read();
}

}  // namespace hyla::service
