// Every way into a state must give a value to its differential variables that have none of their own.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/assignments.h"
#include "check/hierarchy.h"
#include "check/passes.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

/// A transition: where it leads and what it does on the way. Through a choice, several blocks may have a say.
struct Way {
  const Target* target;
  BodyId source;  ///< the body left; none for an initial transition
  std::vector<BlockId> blocks;
};

class StateValueJudge {
 public:
  StateValueJudge(Context& context, ClassId id)
      : context_(context), model_(context.model), bodies_(context.class_bodies[id]) {}

  void judge() {
    std::vector<VariableId> open;
    for (BodyId body : bodies_) {
      const StateId state = model_.bodies[body].state;
      if (!state || model_.states[state].body != body) continue;
      for (VariableId variable : model_.bodies[body].variables) {
        if (needs_value(variable, body)) open.push_back(variable);
      }
    }
    if (open.empty()) return;
    gather_ways();
    for (const Way& way : ways_) judge_way(way, open);
  }

 private:
  bool needs_value(VariableId id, BodyId body) const {
    const Variable& variable = model_.variables[id];
    if (variable.initial || variable.binding || variable.is_discrete() || variable.is_fixed() || variable.keep)
      return false;
    const auto assigns = [&](const std::vector<BlockId>& blocks) {
      return std::any_of(blocks.begin(), blocks.end(), [&](BlockId b) { return always_assigns(model_, b, id); });
    };
    if (assigns(model_.bodies[body].initial_blocks) || assigns(model_.bodies[body].entry_blocks)) return false;
    return std::any_of(bodies_.begin(), bodies_.end(),
                       [&](BodyId b) { return is_inside(model_, b, body) && differentiates(b, id); });
  }

  bool differentiates(BodyId body, VariableId variable) const {
    for (EquationId id : model_.bodies[body].equations) {
      const Equation& equation = model_.equations[id];
      if (equation.form == EquationForm::Derivative && equation.subject == variable) return true;
    }
    return false;
  }

  void gather_ways() {
    for (BodyId id : bodies_) {
      const Body& body = model_.bodies[id];
      for (ReactionId reaction : body.reactions)
        add_way(model_.reactions[reaction].target, id, {model_.reactions[reaction].block});
      for (ChartId chart_id : body.charts) {
        const Chart& chart = model_.charts[chart_id];
        // The initial transition of a composite state starts inside the state.
        add_way(chart.initial.target, body.state ? id : BodyId{}, {chart.initial.block});
        for (ReactionId reaction : chart.reactions) {
          const Reaction& record = model_.reactions[reaction];
          const BodyId source = record.from.size() == 1 ? model_.states[record.from.front()].body : id;
          add_way(record.target, source, {record.block});
        }
      }
    }
  }

  void add_way(const Target& target, BodyId source, std::vector<BlockId> blocks) {
    if (!target.choice) {
      ways_.push_back({&target, source, std::move(blocks)});
      return;
    }
    // A circle of choices is reported elsewhere; following it here must end.
    if (blocks.size() > 16) return;
    for (const ChoiceBranch& branch : model_.choices[target.choice].branches) {
      std::vector<BlockId> all = blocks;
      all.push_back(branch.block);
      add_way(branch.target, source, std::move(all));
    }
  }

  bool is_left_open(VariableId id, const Way& way) const {
    if (!enters(way, model_.variables[id].body)) return false;
    return std::none_of(way.blocks.begin(), way.blocks.end(),
                        [&](BlockId block) { return always_assigns(model_, block, id); });
  }

  /// One message for all variables that a way leaves without a value.
  void judge_way(const Way& way, const std::vector<VariableId>& open) {
    std::vector<VariableId> missed;
    std::vector<std::string_view> names;
    for (VariableId id : open) {
      if (!is_left_open(id, way)) continue;
      missed.push_back(id);
      names.push_back(context_.name(model_.variables[id].name));
    }
    if (missed.empty()) return;
    const BodyId home = model_.variables[missed.front()].body;
    const bool one_home =
        std::all_of(missed.begin(), missed.end(), [&](VariableId id) { return model_.variables[id].body == home; });
    const StateId target = way.target->states.empty() ? StateId{} : way.target->states.front();
    const std::string path = state_path(model_, one_home || !target ? model_.bodies[home].state : target);
    auto entry = context_.sink.report(
        Kind::UnassignedState, way.target->span,
        fmt::format("this way into `{}` leaves {} without a value", path, base::quoted_list(names)));
    for (VariableId id : missed) entry.label(model_.variables[id].span, "needs a value when the state is entered");
    if (way.target->kind == TargetKind::History || way.target->kind == TargetKind::DeepHistory) {
      entry.hint(fmt::format("history remembers the state, not values: write `keep var {};` or give it a start value",
                             names.front()));
    } else {
      entry.hint(
          fmt::format("assign it on the way: `-> {0} {{ {0}.{1} := …; }}`, or give it a start value: `var {1} := …;`",
                      path, names.front()));
    }
  }

  /// The way leads from outside the state's body to it or into it.
  bool enters(const Way& way, BodyId home) const {
    const bool from_inside = way.source && is_inside(model_, way.source, home);
    for (StateId state : way.target->states) {
      const BodyId body = model_.states[state].body;
      // What lies inside is entered by its own initial transition.
      if (way.target->kind == TargetKind::Self) return body == home;
      const bool history = way.target->kind == TargetKind::History || way.target->kind == TargetKind::DeepHistory;
      if (history && is_inside(model_, home, body) && home != body) return true;
      // A transition between substates stays inside the state; one from a substate to the state itself leaves and
      // enters it.
      if (is_inside(model_, body, home) && (!from_inside || body == home)) return true;
    }
    return false;
  }

  Context& context_;
  const Model& model_;
  const std::vector<BodyId>& bodies_;
  std::vector<Way> ways_;
};

}  // namespace

void judge_state_values(Context& context, ClassId id) { StateValueJudge(context, id).judge(); }

}  // namespace hyla::check
