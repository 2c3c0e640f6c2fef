#include <algorithm>

#include "picture/chart_plan.h"
#include "picture/dot.h"
#include "picture/picture.h"
#include "picture/state_rows.h"

namespace hyla::picture {
namespace {

using model::ChartId;
using model::StateId;

constexpr std::string_view kLine = "#2F5D8A";  ///< frames of states
constexpr std::string_view kStateFill = "#E7F0F9";
constexpr std::string_view kFrameFill = "#F6F9FC";
constexpr std::string_view kQuiet = "#8B97A3";  ///< frames of charts and regions

constexpr std::string_view kLeft = "<TD ALIGN=\"LEFT\">";
constexpr std::string_view kCentre = "<TD>";

std::string table(std::string_view rows, int padding) {
  return "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"" + std::to_string(padding) + "\">" +
         std::string(rows) + "</TABLE>";
}

std::string bold_row(const std::string& name, std::string_view cell) {
  return "<TR>" + std::string(cell) + "<B>" + escaped(name) + "</B></TD></TR>";
}

/// Attributes of a mark's node.
std::string look_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::Initial:
      return "shape=circle, style=filled, fillcolor=black, width=0.15, fixedsize=true, label=\"\"";
    case MarkKind::Final:
      return "shape=doublecircle, style=filled, fillcolor=black, width=0.12, fixedsize=true, label=\"\"";
    case MarkKind::Any:
      return "shape=box, style=\"rounded,dashed\", margin=\"0.06,0.03\", fontsize=10, label=<<I>any state</I>>";
    case MarkKind::Fork:
      return "shape=box, style=filled, fillcolor=black, width=0.7, height=0.05, fixedsize=true, label=\"\"";
    case MarkKind::Leave:
      return "shape=circle, style=filled, fillcolor=white, width=0.1, fixedsize=true, label=\"\"";
    case MarkKind::Exit:
      return "shape=point, style=invis, width=0.01, label=\"\"";
    case MarkKind::History:
      return "shape=circle, style=filled, fillcolor=white, width=0.26, fixedsize=true, fontsize=10, label=\"H\"";
    case MarkKind::DeepHistory:
      return "shape=circle, style=filled, fillcolor=white, width=0.3, fixedsize=true, fontsize=10, label=\"H*\"";
  }
  return "";
}

class Drawing {
 public:
  Drawing(const model::Model& model, const diag::Sources& sources) : model_(model), wording_(model, sources) {}

  std::string draw(const std::vector<ChartId>& charts) {
    dot_.open("digraph charts");
    dot_.line("graph [compound=true, fontname=" + quoted(kFont) +
              ", fontsize=12, nodesep=0.45, ranksep=0.45, pad=0.15]");
    dot_.line("node [fontname=" + quoted(kFont) + ", fontsize=11, color=" + quoted(kLine) + "]");
    dot_.line("edge [fontname=" + quoted(kFont) + ", fontsize=9, arrowsize=0.7, color=\"#444444\"]");
    for (const ChartId chart : charts) whole(chart, charts.size() == 1);
    dot_.close();
    return dot_.take();
  }

 private:
  /// A frame keeps charts apart; a single one needs none.
  void whole(ChartId id, bool is_alone) {
    plans_ = plan_chart(model_, wording_, id);
    const std::string rows = bold_row(wording_.chart_name(id), kLeft) + chart_rows(model_, wording_, model_.charts[id]);
    if (is_alone) {
      dot_.line("graph [label=<" + table(rows, 2) + ">, labelloc=t, labeljust=l]");
    } else {
      open_frame(wording_.chart_name(id), rows, "style=rounded, color=" + quoted(kQuiet));
    }
    chart(id);
    if (!is_alone) dot_.close();
  }

  void open_frame(const std::string& name, const std::string& rows, const std::string& look) {
    dot_.open("subgraph " + quoted(frame_of(name)));
    dot_.line("graph [label=<" + (rows.empty() ? std::string(" ") : table(rows, 2)) + ">, labeljust=l, margin=12, " +
              look + "]");
  }

  void chart(ChartId id) {
    const model::Chart& record = model_.charts[id];
    const ChartPlan& plan = plans_.charts[id];
    marks(plan.marks);
    for (const model::ChoiceId choice_id : record.choices) choice(choice_id);
    for (const StateId state_id : record.states) state(state_id);
    for (const Arc& arc : plan.arcs) this->arc(arc);
  }

  void marks(const std::vector<Mark>& all) {
    for (const Mark& mark : all) dot_.line(quoted(mark.name) + " [" + look_of(mark.kind) + "]");
  }

  void choice(model::ChoiceId id) {
    dot_.line(
        quoted(choice_node(model_, wording_, id)) +
        " [shape=diamond, style=filled, fillcolor=\"#FFF3D1\", color=\"#8A6D00\", margin=\"0.02,0.02\", fontsize=10, "
        "label=<" +
        escaped(wording_.name(model_.choices[id].name)) + ">]");
  }

  void state(StateId id) {
    const model::State& record = model_.states[id];
    const std::vector<ChartId> inside = inner_charts(model_, id);
    const std::string rows = body_rows(model_, wording_, model_.bodies[record.body]);
    const std::string name = wording_.name(record.name);
    if (inside.empty()) {
      const std::string all = bold_row(name, kCentre) + (rows.empty() ? "" : "<HR/>" + rows);
      dot_.line(quoted(state_node(model_, wording_, id)) + " [shape=box, style=\"rounded,filled\", fillcolor=" +
                quoted(kStateFill) + ", margin=\"0.04,0.03\", label=<" + table(all, 3) + ">]");
      return;
    }
    const std::string anonymous =
        model_.charts[inside.front()].name ? "" : chart_rows(model_, wording_, model_.charts[inside.front()]);
    open_frame(state_node(model_, wording_, id), bold_row(name, kLeft) + rows + (inside.size() == 1 ? anonymous : ""),
               "style=\"rounded,filled\", fillcolor=" + quoted(kFrameFill) + ", color=" + quoted(kLine));
    marks(plans_.frames[id].marks);
    if (inside.size() == 1 && !model_.charts[inside.front()].name) {
      chart(inside.front());
    } else {
      for (const ChartId region_id : inside) region(region_id);
    }
    for (const Arc& arc : plans_.frames[id].arcs) this->arc(arc);
    dot_.close();
  }

  /// A chart beside others in one state.
  void region(ChartId id) {
    const model::Chart& record = model_.charts[id];
    const std::string title =
        record.name ? "<TR>" + std::string(kLeft) + escaped(wording_.name(record.name)) + "</TD></TR>" : "";
    open_frame(wording_.chart_name(id) + " region", title + chart_rows(model_, wording_, record),
               "style=\"dashed,rounded\", color=" + quoted(kQuiet));
    chart(id);
    dot_.close();
  }

  void arc(const Arc& arc) {
    std::string look = arc.is_hidden ? "style=invis, weight=0" : "";
    const auto add = [&](const std::string& attribute) { look += (look.empty() ? "" : ", ") + attribute; };
    if (!arc.from_frame.empty()) add("ltail=" + quoted(arc.from_frame));
    if (!arc.to_frame.empty()) add("lhead=" + quoted(arc.to_frame));
    if (!arc.label.empty()) add("label=<" + arc.label + ">");
    dot_.line(quoted(arc.from) + " -> " + quoted(arc.to) + (look.empty() ? "" : " [" + look + "]"));
  }

  const model::Model& model_;
  Wording wording_;
  Dot dot_;
  ChartPlans plans_;
};

}  // namespace

std::string draw_charts(const model::Model& model, const diag::Sources& sources, const std::vector<ChartId>& charts) {
  return Drawing(model, sources).draw(charts);
}

}  // namespace hyla::picture
