// Every way into a state must give a value to its differential variables that have none of their own.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "check/assignments.h"
#include "check/hierarchy.h"
#include "check/passes.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

/// A transition to a state: where it leads, from where, and what it does on the way.
struct Way {
  const Target* target;
  BodyId source;  ///< the body left; none for an initial transition
  BlockId block;
};

class StateValueJudge {
 public:
  StateValueJudge(Context& context, ClassId id)
      : context_(context), model_(context.model), bodies_(context.class_bodies[id]) {}

  void judge() {
    gather_derivatives();
    for (BodyId body : bodies_) {
      const StateId state = model_.bodies[body].state;
      if (!state || model_.states[state].body != body) continue;
      for (VariableId variable : model_.bodies[body].variables) {
        if (needs_value(variable, body)) open_.push_back(variable);
      }
    }
    if (open_.empty()) return;
    gather_homes();
    gather_ways();
    for (VariableId variable : open_) {
      const BodyId home = model_.variables[variable].body;
      for (std::size_t index : ways_near_[home]) {
        const Way& way = ways_[index];
        const bool from_inside = way.source && is_inside(model_, way.source, home);
        if (!always_assigns(model_, way.block, variable)) judge_arrival(variable, *way.target, from_inside);
      }
      judge_choices(variable);
    }
    for (const Target* target : arrivals_) report(*target, missed_[target]);
  }

 private:
  void gather_derivatives() {
    for (BodyId body : bodies_) {
      for (EquationId id : model_.bodies[body].equations) {
        const Equation& equation = model_.equations[id];
        if (equation.form == EquationForm::Derivative) differentiated_in_[equation.subject].push_back(body);
      }
    }
  }

  bool needs_value(VariableId id, BodyId body) const {
    const Variable& variable = model_.variables[id];
    if (variable.initial || variable.binding || variable.is_discrete() || variable.is_fixed() || variable.keep ||
        variable.attributes.fixed == false)
      return false;
    const auto assigns = [&](const std::vector<BlockId>& blocks) {
      return std::any_of(blocks.begin(), blocks.end(), [&](BlockId b) { return always_assigns(model_, b, id); });
    };
    if (assigns(model_.bodies[body].initial_blocks) || assigns(model_.bodies[body].entry_blocks)) return false;
    const auto places = differentiated_in_.find(id);
    return places != differentiated_in_.end() &&
           std::any_of(places->second.begin(), places->second.end(),
                       [&](BodyId place) { return is_inside(model_, place, body); });
  }

  /// The bodies with open variables, and under each body those that lie in it.
  void gather_homes() {
    for (VariableId variable : open_) {
      const BodyId home = model_.variables[variable].body;
      if (!ways_near_.try_emplace(home).second) continue;
      for (BodyId outer = home; outer; outer = model_.bodies[outer].parent) homes_inside_[outer].push_back(home);
    }
  }

  void gather_ways() {
    for (BodyId id : bodies_) {
      const Body& body = model_.bodies[id];
      for (ReactionId reaction : body.reactions)
        add_way({&model_.reactions[reaction].target, id, model_.reactions[reaction].block});
      for (ChartId chart_id : body.charts) {
        const Chart& chart = model_.charts[chart_id];
        // The initial transition of a composite state starts inside the state.
        add_way({&chart.initial.target, body.state ? id : BodyId{}, chart.initial.block});
        for (ReactionId reaction : chart.reactions) {
          const Reaction& record = model_.reactions[reaction];
          const BodyId source = record.from.size() == 1 ? model_.states[record.from.front()].body : id;
          add_way({&record.target, source, record.block});
        }
      }
    }
  }

  /// Keeps the way with the homes that it may enter: around its targets, or inside them if it enters them as they were.
  void add_way(const Way& way) {
    if (way.target->choice) ways_to_choices_.push_back(way);
    const std::size_t index = ways_.size();
    ways_.push_back(way);
    for (StateId state : way.target->states) {
      const BodyId body = model_.states[state].body;
      for (BodyId outer = body; outer; outer = model_.bodies[outer].parent) note_way(outer, index);
      if (way.target->kind != TargetKind::Self && !is_history(*way.target)) continue;
      for (BodyId home : homes_inside_[body]) note_way(home, index);
    }
  }

  void note_way(BodyId home, std::size_t index) {
    if (const auto found = ways_near_.find(home); found != ways_near_.end()) found->second.push_back(index);
  }

  /// Follows the choices that are reached without a value, each once from inside the state and once from outside.
  void judge_choices(VariableId variable) {
    if (ways_to_choices_.empty()) return;
    const BodyId home = model_.variables[variable].body;
    std::vector<std::pair<ChoiceId, bool>> pending;
    std::unordered_set<std::uint64_t> seen;
    const auto reach = [&](ChoiceId choice, bool from_inside) {
      if (seen.insert(std::uint64_t{choice.index} * 2 + (from_inside ? 1 : 0)).second)
        pending.emplace_back(choice, from_inside);
    };
    for (const Way& way : ways_to_choices_) {
      if (!always_assigns(model_, way.block, variable))
        reach(way.target->choice, way.source && is_inside(model_, way.source, home));
    }
    while (!pending.empty()) {
      const auto [choice, from_inside] = pending.back();
      pending.pop_back();
      for (const ChoiceBranch& branch : model_.choices[choice].branches) {
        if (always_assigns(model_, branch.block, variable)) continue;
        if (branch.target.choice) reach(branch.target.choice, from_inside);
        judge_arrival(variable, branch.target, from_inside);
      }
    }
  }

  /// Notes a target that is reached without a value for the variable, if it enters the variable's state.
  void judge_arrival(VariableId id, const Target& target, bool from_inside) {
    if (!enters(target, from_inside, model_.variables[id].body)) return;
    std::vector<VariableId>& missed = missed_[&target];
    if (missed.empty()) arrivals_.push_back(&target);
    if (std::find(missed.begin(), missed.end(), id) == missed.end()) missed.push_back(id);
  }

  /// One message for all variables that a way leaves without a value.
  void report(const Target& target, const std::vector<VariableId>& missed) {
    std::vector<std::string_view> names;
    for (VariableId id : missed) names.push_back(context_.name(model_.variables[id].name));
    const BodyId home = model_.variables[missed.front()].body;
    const bool one_home =
        std::all_of(missed.begin(), missed.end(), [&](VariableId id) { return model_.variables[id].body == home; });
    const StateId state = one_home || target.states.empty() ? model_.bodies[home].state : target.states.front();
    const std::string path = state_path(model_, state);
    auto entry = context_.sink.report(
        Kind::UnassignedState, target.span,
        fmt::format("this way into `{}` leaves {} without a value", path, base::quoted_list(names)));
    for (VariableId id : missed) entry.label(model_.variables[id].span, "needs a value when the state is entered");
    if (is_history(target)) {
      entry.hint(fmt::format("history remembers the state, not values: write `keep var {};` or give it a start value",
                             names.front()));
    } else {
      entry.hint(
          fmt::format("assign it on the way: `-> {0} {{ {0}.{1} := …; }}`, or give it a start value: `var {1} := …;`",
                      path, names.front()));
    }
  }

  static bool is_history(const Target& target) {
    return target.kind == TargetKind::History || target.kind == TargetKind::DeepHistory;
  }

  /// The target leads from outside the state's body to it or into it.
  bool enters(const Target& target, bool from_inside, BodyId home) const {
    for (StateId state : target.states) {
      const BodyId body = model_.states[state].body;
      // What lies inside is entered by its own initial transition.
      if (target.kind == TargetKind::Self) return body == home;
      if (is_history(target) && is_inside(model_, home, body) && home != body) return true;
      // A transition between substates stays inside the state; one from a substate to the state itself leaves and
      // enters it.
      if (is_inside(model_, body, home) && (!from_inside || body == home)) return true;
    }
    return false;
  }

  Context& context_;
  const Model& model_;
  const std::vector<BodyId>& bodies_;
  std::unordered_map<VariableId, std::vector<BodyId>> differentiated_in_;
  std::vector<VariableId> open_;  ///< variables that every way into their state must set
  std::vector<Way> ways_, ways_to_choices_;
  std::unordered_map<BodyId, std::vector<std::size_t>> ways_near_;  ///< for each body with open variables
  std::unordered_map<BodyId, std::vector<BodyId>> homes_inside_;
  std::vector<const Target*> arrivals_;  ///< reached without a value, in the order of the text
  std::unordered_map<const Target*, std::vector<VariableId>> missed_;
};

}  // namespace

void judge_state_values(Context& context, ClassId id) { StateValueJudge(context, id).judge(); }

}  // namespace hyla::check
