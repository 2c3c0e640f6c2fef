// Judges the charts of a class as a whole.
//
// A state is reachable if an initial transition or a transition out of a reachable state leads to it, to something
// inside it, or to a choice that does. Entering a state enters the charts in it at their initial transitions; that a
// state may be entered only at a named substate is not taken into account, so a warning is never wrong.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>

#include "check/choice_circles.h"
#include "check/hierarchy.h"
#include "check/passes.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

class ChartJudge {
 public:
  ChartJudge(Context& context, ClassId id)
      : context_(context), model_(context.model), bodies_(context.class_bodies[id]) {}

  void judge() {
    std::vector<ChoiceId> choices;
    for (BodyId body : bodies_) {
      for (ChartId chart : model_.bodies[body].charts)
        choices.insert(choices.end(), model_.charts[chart].choices.begin(), model_.charts[chart].choices.end());
    }
    circular_choices_ = choices_on_circles(model_, choices);
    for (BodyId body : bodies_) {
      for (ChartId chart : model_.bodies[body].charts) judge_chart(chart);
      for (ReactionId reaction : model_.bodies[body].reactions) judge_reaction(reaction, body_state(body));
    }
    find_reachable();
    report_unreachable();
  }

 private:
  StateId body_state(BodyId body) const { return model_.bodies[body].state; }

  void judge_chart(ChartId id) {
    const Chart& chart = model_.charts[id];
    const StateId parent = parent_state(model_, id);
    // Substates beside charts and states outside a chart are reported as such; where they begin does not matter then.
    const bool beside_charts =
        context_.implicit_charts.contains(id.index) && model_.bodies[chart.body].charts.size() > 1;
    const bool misplaced = beside_charts || context_.stray_charts.contains(id.index);
    if (chart.initial.target.kind == TargetKind::None && !context_.initial_origins[id].node && !misplaced) {
      auto entry = context_.sink.report(
          Kind::MissingInitial, chart.span,
          parent && !chart.name
              ? fmt::format("state `{}` has substates but no `initial -> …`", context_.name(model_.states[parent].name))
              : "this chart has no `initial -> …`");
      if (!chart.states.empty()) {
        entry.hint(fmt::format("write `initial -> {};`", context_.name(model_.states[chart.states.front()].name)));
      } else {
        entry.hint("a chart needs at least one state");
      }
    }
    for (StateId target : chart.initial.target.states) {
      if (lies_in(target, id)) continue;
      context_.sink
          .report(Kind::UnknownTarget, chart.initial.target.span,
                  fmt::format("an initial transition must stay in its chart; `{}` lies outside",
                              state_path(model_, target)))
          .label(model_.states[target].span, "declared here");
    }
    if (chart.initial.target.kind == TargetKind::History || chart.initial.target.kind == TargetKind::DeepHistory)
      judge_history(chart.initial.target);
    for (ChoiceId choice : chart.choices) judge_choice(choice);
    for (ReactionId reaction : chart.reactions) {
      const Reaction& record = model_.reactions[reaction];
      for (StateId from : record.from) judge_target(record.target, from);
      if (record.from_any && !chart.states.empty()) judge_target(record.target, chart.states.front());
    }
  }

  /// The state is one of the chart's, or lies inside one.
  bool lies_in(StateId state, ChartId chart) const {
    for (; state; state = parent_state(model_, model_.states[state].chart)) {
      if (model_.states[state].chart == chart) return true;
    }
    return false;
  }

  void judge_reaction(ReactionId id, StateId source) {
    const Reaction& reaction = model_.reactions[id];
    if (reaction.trigger == TriggerKind::Done && source) judge_done(id, source);
    if (source) judge_target(reaction.target, source);
  }

  void judge_target(const Target& target, StateId source) {
    if (target.kind == TargetKind::History || target.kind == TargetKind::DeepHistory) judge_history(target);
    if (target.kind == TargetKind::Fork) judge_fork(target);
    std::vector<StateId> states = target.states;
    for (StateId state : states)
      judge_region(target, source, model_.states[state].body, state_path(model_, state), model_.states[state].span);
    if (target.choice) {
      const Choice& choice = model_.choices[target.choice];
      const ChartId source_chart = model_.states[source].chart;
      if (choice.chart != source_chart) {
        const Meeting meeting = meet(model_, model_.states[source].body, model_.charts[choice.chart].body);
        if (meeting.first && meeting.common == model_.charts[choice.chart].body && meeting.first != choice.chart)
          report_cross(target, std::string(context_.name(choice.name)), choice.span, meeting.first, choice.chart);
      }
    }
  }

  /// A transition must not lead from one orthogonal chart into another.
  void judge_region(const Target& target, StateId source, BodyId body, const std::string& name, Span declared) {
    const Meeting meeting = meet(model_, model_.states[source].body, body);
    if (!meeting.first || !meeting.second || meeting.first == meeting.second) return;
    report_cross(target, name, declared, meeting.first, meeting.second);
  }

  void report_cross(const Target& target, const std::string& name, Span declared, ChartId from, ChartId to) {
    context_.sink
        .report(Kind::CrossRegion, target.span,
                fmt::format("`{}` belongs to another chart that runs at the same time", name))
        .label(declared, "the target")
        .label(model_.charts[from].span, "the chart of the transition")
        .label(model_.charts[to].span, "the chart of the target")
        .hint("raise a signal here and react to it in the other chart: `raise Go;`, `on Go -> …`");
  }

  void judge_history(const Target& target) {
    for (StateId state : target.states) {
      if (!model_.bodies[model_.states[state].body].charts.empty()) continue;
      context_.sink
          .report(Kind::HistoryOfSimple, target.span,
                  fmt::format("`{}` has no substates, so there is nothing to remember", state_path(model_, state)))
          .label(model_.states[state].span, "a simple state")
          .hint("name the state itself as target");
    }
  }

  void judge_fork(const Target& target) {
    for (std::size_t i = 0; i < target.states.size(); ++i) {
      for (std::size_t k = i + 1; k < target.states.size(); ++k) {
        const Meeting meeting =
            meet(model_, model_.states[target.states[i]].body, model_.states[target.states[k]].body);
        if (meeting.first && meeting.second && meeting.first != meeting.second) continue;
        context_.sink
            .report(Kind::BadFork, target.span,
                    fmt::format("`{}` and `{}` cannot be active at the same time", state_path(model_, target.states[i]),
                                state_path(model_, target.states[k])))
            .label(model_.states[target.states[i]].span, "one")
            .label(model_.states[target.states[k]].span, "the other")
            .hint("the targets of one transition lie in different charts of one state");
        return;
      }
    }
  }

  void judge_done(ReactionId id, StateId source) {
    const Origin& origin = context_.reaction_origins[id];
    const NodeId trigger = context_.tree(origin.module).find(origin.node, NodeKind::DoneTrigger);
    const Span at = trigger ? context_.tree(origin.module).span(trigger) : model_.reactions[id].span;
    const std::vector<ChartId>& charts = model_.bodies[model_.states[source].body].charts;
    for (ChartId chart : charts) {
      if (reaches_final(chart)) continue;
      context_.sink
          .report(Kind::DoneOfSimple, at,
                  fmt::format("`{}` is never done: a chart in it has no way to `final`",
                              context_.name(model_.states[source].name)))
          .label(model_.charts[chart].span, "no transition `-> final` in here")
          .hint("write `-> final` where the work of the chart is finished");
      return;
    }
    if (charts.empty()) {
      context_.sink
          .report(Kind::DoneOfSimple, at,
                  fmt::format("`{}` has no charts that could end", context_.name(model_.states[source].name)))
          .hint("`-> T` leaves a simple state at once; `after`, `when` and `on` leave it later");
    }
  }

  bool reaches_final(ChartId chart) const {
    const auto is_final = [&](ReactionId id) { return model_.reactions[id].target.kind == TargetKind::Final; };
    const Chart& record = model_.charts[chart];
    if (std::any_of(record.reactions.begin(), record.reactions.end(), is_final)) return true;
    for (StateId state : record.states) {
      const std::vector<ReactionId>& reactions = model_.bodies[model_.states[state].body].reactions;
      if (std::any_of(reactions.begin(), reactions.end(), is_final)) return true;
    }
    for (ChoiceId choice : record.choices) {
      for (const ChoiceBranch& branch : model_.choices[choice].branches) {
        if (branch.target.kind == TargetKind::Final) return true;
      }
    }
    return record.initial.target.kind == TargetKind::Final;
  }

  void judge_choice(ChoiceId id) {
    const Choice& choice = model_.choices[id];
    const std::string_view name = context_.name(choice.name);
    if (choice.branches.empty()) {
      context_.sink.report(Kind::BadChoice, choice.span, fmt::format("choice `{}` has no branches", name))
          .hint("write `if condition -> S;` and at last `else -> S;`");
      return;
    }
    const auto other =
        std::find_if(choice.branches.begin(), choice.branches.end(), [](const ChoiceBranch& b) { return !b.guard; });
    if (other == choice.branches.end()) {
      context_.sink.report(Kind::IncompleteChoice, choice.span, fmt::format("choice `{}` has no `else`", name))
          .text("if no branch holds, the run stops here")
          .hint("add `else -> …;`");
    } else if (other + 1 != choice.branches.end()) {
      context_.sink.report(Kind::BadChoice, (other + 1)->span, "a branch behind `else` is never taken")
          .label(other->span, "the `else`")
          .hint("put the `else` last");
    }
    for (const ChoiceBranch& branch : choice.branches) {
      for (StateId state : branch.target.states) {
        const Meeting meeting = meet(model_, model_.charts[choice.chart].body, model_.states[state].body);
        if (meeting.second && meeting.second != choice.chart && meeting.common == model_.charts[choice.chart].body)
          report_cross(branch.target, state_path(model_, state), model_.states[state].span, choice.chart,
                       meeting.second);
      }
      if (branch.target.kind == TargetKind::History || branch.target.kind == TargetKind::DeepHistory)
        judge_history(branch.target);
    }
    judge_circle(id);
  }

  /// Reports the circles of choices of a chart at the first choice on one.
  void judge_circle(ChoiceId id) {
    if (!circular_choices_.contains(id) || circled_.contains(id.index)) return;
    auto entry = context_.sink.report(Kind::BadChoice, model_.choices[id].span,
                                      fmt::format("choice `{}` can lead back to itself without reaching a state",
                                                  context_.name(model_.choices[id].name)));
    for (ChoiceId other : model_.charts[model_.choices[id].chart].choices) {
      if (other == id || !circular_choices_.contains(other)) continue;
      circled_.insert(other.index);
      entry.label(model_.choices[other].span, "on a circle too");
    }
    entry.hint("lead one of the branches to a state");
  }

  void find_reachable() {
    for (BodyId body : bodies_) {
      for (ChartId chart : model_.bodies[body].charts) note_from_clauses(chart);
    }
    for (BodyId body : bodies_) {
      if (body_state(body)) continue;
      for (ChartId chart : model_.bodies[body].charts) enter_chart(chart);
    }
    while (!pending_.empty()) {
      const StateId state = pending_.back();
      pending_.pop_back();
      leave(state);
    }
  }

  void note_from_clauses(ChartId chart) {
    for (ReactionId id : model_.charts[chart].reactions) {
      if (model_.reactions[id].from_any) from_any_[chart.index].push_back(id);
      for (StateId state : model_.reactions[id].from) from_state_[state.index].push_back(id);
    }
  }

  /// Follows everything that leads out of a state or is entered with it.
  void leave(StateId state) {
    const Body& body = model_.bodies[model_.states[state].body];
    for (ChartId chart : body.charts) enter_chart(chart);
    for (ReactionId id : body.reactions) follow(model_.reactions[id].target);
    for (const Family& family : body.families) follow_inner(family.body);
    for (const Conditional& conditional : body.conditionals) {
      follow_inner(conditional.then_body);
      follow_inner(conditional.else_body);
    }
    for (ReactionId id : from_state_[state.index]) follow(model_.reactions[id].target);
    const std::vector<ReactionId> from_any = std::exchange(from_any_[model_.states[state].chart.index], {});
    for (ReactionId id : from_any) follow(model_.reactions[id].target);
  }

  void follow_inner(BodyId body) {
    if (!body) return;
    for (ReactionId id : model_.bodies[body].reactions) follow(model_.reactions[id].target);
    for (const Conditional& conditional : model_.bodies[body].conditionals) {
      follow_inner(conditional.then_body);
      follow_inner(conditional.else_body);
    }
    for (const Family& family : model_.bodies[body].families) follow_inner(family.body);
  }

  void enter_chart(ChartId chart) {
    if (entered_charts_.insert(chart.index).second) follow(model_.charts[chart].initial.target);
  }

  void follow(const Target& target) {
    const bool named = target.kind != TargetKind::None && target.kind != TargetKind::Final;
    if (named && target.states.empty() && !target.choice) unknown_target_ = true;
    for (StateId state : target.states) {
      for (StateId s = state; s; s = parent_state(model_, model_.states[s].chart)) {
        if (reachable_.insert(s.index).second) pending_.push_back(s);
      }
    }
    if (target.choice && reached_choices_.insert(target.choice.index).second) {
      for (const ChoiceBranch& branch : model_.choices[target.choice].branches) follow(branch.target);
    }
  }

  void report_unreachable() {
    if (unknown_target_) return;  // a misspelt target is told already; it may have led here
    for (BodyId body : bodies_) {
      const StateId outer = body_state(body);
      if (outer && !reachable_.contains(outer.index)) continue;  // the outer state is reported
      for (ChartId chart : model_.bodies[body].charts) {
        if (model_.charts[chart].initial.target.kind == TargetKind::None) continue;
        if (context_.stray_charts.contains(chart.index)) continue;
        for (StateId state : model_.charts[chart].states) {
          if (reachable_.contains(state.index)) continue;
          context_.sink
              .report(Kind::UnreachableState, model_.states[state].span,
                      fmt::format("state `{}` can never become active", state_path(model_, state)))
              .hint("no way leads to it from the start of its chart: add a transition, or remove the state");
        }
      }
    }
  }

  Context& context_;
  const Model& model_;
  const std::vector<BodyId>& bodies_;
  std::unordered_set<std::uint32_t> reachable_, entered_charts_, reached_choices_, circled_;
  std::vector<StateId> pending_;
  bool unknown_target_ = false;
  std::unordered_set<ChoiceId> circular_choices_;
  std::unordered_map<std::uint32_t, std::vector<ReactionId>> from_state_;  ///< transitions `from S`
  std::unordered_map<std::uint32_t, std::vector<ReactionId>> from_any_;    ///< `from any`, until they are followed
};

}  // namespace

void judge_charts(Context& context, ClassId id) { ChartJudge(context, id).judge(); }

}  // namespace hyla::check
