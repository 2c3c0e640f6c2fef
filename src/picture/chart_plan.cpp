#include "picture/chart_plan.h"

#include <algorithm>

#include "picture/state_rows.h"

namespace hyla::picture {
namespace {

using model::ChartId;
using model::StateId;
using model::Target;
using model::TargetKind;

class Planner {
 public:
  Planner(const model::Model& model, const Wording& wording) : model_(model), wording_(wording) {}

  ChartPlans plan(ChartId chart) {
    visit(chart);
    for (auto& [state, frame] : plans_.frames) hold_exit(state, frame);
    return std::move(plans_);
  }

 private:
  /// One end of an arc: a node, or a frame with a node inside it.
  struct End {
    std::string node, frame;
    ChartId chart;  ///< that holds it
    StateId state;  ///< that it stands for, if it does
  };

  void visit(ChartId id) {
    const model::Chart& chart = model_.charts[id];
    if (chart.initial.target.kind != TargetKind::None) {
      const End start = mark(id, MarkKind::Initial);
      arcs(start, chart.initial.target, id, {}, transition_label(wording_, "", chart.initial.block));
    }
    for (const model::ChoiceId choice_id : chart.choices) {
      const End from = {choice_node(model_, wording_, choice_id), "", id, {}};
      for (const model::ChoiceBranch& branch : model_.choices[choice_id].branches) {
        arcs(from, branch.target, id, {}, branch_label(wording_, branch));
      }
    }
    for (const StateId state : chart.states) visit(state);
    for (const model::ReactionId reaction : chart.reactions) from_several(id, model_.reactions[reaction]);
  }

  void visit(StateId id) {
    const std::vector<ChartId> inside = inner_charts(model_, id);
    for (const model::ReactionId reaction_id : model_.bodies[model_.states[id].body].reactions) {
      const model::Reaction& reaction = model_.reactions[reaction_id];
      if (!is_told(reaction, !inside.empty())) leave(id, reaction);
    }
    for (const ChartId chart : inside) visit(chart);
  }

  void leave(StateId state, const model::Reaction& reaction) {
    arcs(out_of(state), reaction.target, model_.states[state].chart, state,
         transition_label(wording_, trigger_text(wording_, reaction), reaction.block));
  }

  void from_several(ChartId chart, const model::Reaction& reaction) {
    if (reaction.target.kind == TargetKind::None) return;
    for (const StateId state : reaction.from) leave(state, reaction);
    if (!reaction.from_any) return;
    arcs(mark(chart, MarkKind::Any), reaction.target, chart, {},
         transition_label(wording_, trigger_text(wording_, reaction), reaction.block));
  }

  void arcs(const End& from, const Target& target, ChartId chart, StateId self, const std::string& label) {
    if (target.kind == TargetKind::Fork) {
      ChartId common = chart;
      for (const StateId state : target.states) common = common_chart(common, model_.states[state].chart);
      const End bar = new_mark(common, MarkKind::Fork);
      arc(from, bar, label);
      for (const StateId state : target.states) arc(bar, into(state), "");
      return;
    }
    arc(from, end_of(target, chart, self), label);
  }

  End end_of(const Target& target, ChartId chart, StateId self) {
    switch (target.kind) {
      case TargetKind::Choice:
        return {choice_node(model_, wording_, target.choice), "", model_.choices[target.choice].chart, {}};
      case TargetKind::Final:
        return mark(chart, MarkKind::Final);
      case TargetKind::History:
      case TargetKind::DeepHistory: {
        const MarkKind kind = target.kind == TargetKind::History ? MarkKind::History : MarkKind::DeepHistory;
        return history(target.states.front(), kind);
      }
      case TargetKind::Self:
        if (self) return into(self);
        return mark(chart, MarkKind::Any);
      default:
        return into(target.states.front());
    }
  }

  void arc(const End& from, const End& to, const std::string& label) {
    End tail = from;
    End head = to;
    if (tail.state && is_within(head, tail.state)) {  // from a frame to its inside
      tail = mark(inner_charts(model_, tail.state).front(), MarkKind::Leave);
    }
    if (head.state && is_within(tail, head.state)) head.frame.clear();
    ChartId where = common_chart(tail.chart, head.chart);
    plans_.charts[where].arcs.push_back({tail.node, head.node, tail.frame, head.frame, label});
  }

  // --- ends

  End into(StateId state) const {
    const std::vector<ChartId> inside = inner_charts(model_, state);
    const std::string node = state_node(model_, wording_, state);
    if (inside.empty()) return {node, "", model_.states[state].chart, state};
    const model::Chart& first = model_.charts[inside.front()];
    const std::string lent = first.initial.target.kind != TargetKind::None
                                 ? mark_name(inside.front(), MarkKind::Initial)
                                 : into(first.states.front()).node;
    return {lent, frame_of(node), model_.states[state].chart, state};
  }

  /// Arcs leave a frame near its lower edge, so that their texts stand outside: from its last state, or from an exit
  /// of its own if others may stand lower.
  End out_of(StateId state) {
    const std::vector<ChartId> inside = inner_charts(model_, state);
    const std::string node = state_node(model_, wording_, state);
    const ChartId outer = model_.states[state].chart;
    if (inside.empty()) return {node, "", outer, state};
    if (inside.size() > 1 || has_final(inside.front())) {
      return {frame_mark(state, MarkKind::Exit), frame_of(node), outer, state};
    }
    return {out_of(model_.charts[inside.front()].states.back()).node, frame_of(node), outer, state};
  }

  bool has_final(ChartId chart) const {
    const auto ends = [this](model::ReactionId id) { return model_.reactions[id].target.kind == TargetKind::Final; };
    return std::any_of(model_.charts[chart].states.begin(), model_.charts[chart].states.end(), [&](StateId state) {
      const std::vector<model::ReactionId>& all = model_.bodies[model_.states[state].body].reactions;
      return std::any_of(all.begin(), all.end(), ends);
    });
  }

  /// Keeps a frame's exit below all that is in it.
  void hold_exit(StateId state, ChartPlan& frame) const {
    const auto exit =
        std::find_if(frame.marks.begin(), frame.marks.end(), [](const Mark& it) { return it.kind == MarkKind::Exit; });
    if (exit == frame.marks.end()) return;
    for (const std::string& node : nodes_in(state)) frame.arcs.push_back({node, exit->name, "", "", "", true});
  }

  std::vector<std::string> nodes_in(StateId state) const {
    std::vector<std::string> nodes;
    for (const ChartId id : inner_charts(model_, state)) {
      if (const auto plan = plans_.charts.find(id); plan != plans_.charts.end()) {
        for (const Mark& mark : plan->second.marks) nodes.push_back(mark.name);
      }
      for (const StateId inner : model_.charts[id].states) {
        const std::vector<std::string> below = nodes_in(inner);
        nodes.insert(nodes.end(), below.begin(), below.end());
        if (below.empty()) nodes.push_back(state_node(model_, wording_, inner));
      }
    }
    return nodes;
  }

  static std::string_view kind_name(MarkKind kind) {
    constexpr std::string_view kNames[] = {"initial", "final", "any",     "fork",
                                           "leave",   "exit",  "history", "deep history"};
    return kNames[static_cast<std::size_t>(kind)];
  }

  std::string mark_name(ChartId chart, MarkKind kind) const {
    return wording_.chart_name(chart) + ' ' + std::string(kind_name(kind));
  }

  /// The only mark of its kind in the chart.
  End mark(ChartId chart, MarkKind kind) {
    const std::string name = mark_name(chart, kind);
    add_mark(plans_.charts[chart].marks, kind, name);
    return {name, "", chart, {}};
  }

  /// In a state with several charts the mark stands for all of them.
  End history(StateId state, MarkKind kind) {
    const std::vector<ChartId> inside = inner_charts(model_, state);
    if (inside.empty()) return into(state);
    if (inside.size() == 1) return mark(inside.front(), kind);
    return {frame_mark(state, kind), "", model_.states[state].chart, {}};
  }

  std::string frame_mark(StateId state, MarkKind kind) {
    const std::string name = state_node(model_, wording_, state) + ' ' + std::string(kind_name(kind));
    add_mark(plans_.frames[state].marks, kind, name);
    return name;
  }

  static void add_mark(std::vector<Mark>& marks, MarkKind kind, const std::string& name) {
    const bool exists = std::any_of(marks.begin(), marks.end(), [&](const Mark& it) { return it.kind == kind; });
    if (!exists) marks.push_back({kind, name});
  }

  End new_mark(ChartId chart, MarkKind kind) {
    std::vector<Mark>& marks = plans_.charts[chart].marks;
    marks.push_back({kind, mark_name(chart, kind) + ' ' + std::to_string(marks.size())});
    return {marks.back().name, "", chart, {}};
  }

  // --- charts in charts

  /// The state that a chart is in; none for a chart of the model.
  StateId holder(ChartId chart) const {
    for (model::BodyId body = model_.charts[chart].body; body; body = model_.bodies[body].parent) {
      if (model_.bodies[body].state) return model_.bodies[body].state;
    }
    return {};
  }

  std::vector<ChartId> chain(ChartId chart) const {
    std::vector<ChartId> all = {chart};
    for (StateId state = holder(chart); state; state = holder(all.back())) all.push_back(model_.states[state].chart);
    return all;
  }

  ChartId common_chart(ChartId a, ChartId b) const {
    const std::vector<ChartId> above = chain(a);
    for (const ChartId one : chain(b)) {
      if (std::find(above.begin(), above.end(), one) != above.end()) return one;
    }
    return above.back();
  }

  /// Whether an end lies inside a state's frame; the state itself does not.
  bool is_within(const End& end, StateId state) const {
    for (ChartId chart = end.chart; chart;) {
      const StateId outer = holder(chart);
      if (outer == state) return true;
      if (!outer) return false;
      chart = model_.states[outer].chart;
    }
    return false;
  }

  const model::Model& model_;
  const Wording& wording_;
  ChartPlans plans_;
};

}  // namespace

ChartPlans plan_chart(const model::Model& model, const Wording& wording, ChartId chart) {
  return Planner(model, wording).plan(chart);
}

std::vector<ChartId> inner_charts(const model::Model& model, StateId state) {
  std::vector<ChartId> charts = model.bodies[model.states[state].body].charts;
  std::erase_if(charts, [&](ChartId id) { return model.charts[id].states.empty(); });
  return charts;
}

std::string state_node(const model::Model& model, const Wording& wording, StateId state) {
  return wording.chart_name(model.states[state].chart) + '.' + wording.name(model.states[state].name);
}

std::string choice_node(const model::Model& model, const Wording& wording, model::ChoiceId choice) {
  return wording.chart_name(model.choices[choice].chart) + '.' + wording.name(model.choices[choice].name);
}

std::string frame_of(const std::string& node) { return "cluster " + node; }

}  // namespace hyla::picture
