// Judges definitions as a whole: what is defined twice, what is assigned in vain, and which ways into a state leave a
// variable without a value.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/core.h>

#include "check/assignments.h"
#include "check/hierarchy.h"
#include "check/passes.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

/// One equation `x = …`, `der(x) = …` or `hold x`, or the equation in a declaration.
struct Definition {
  BodyId body;
  Span span;
  bool derivative = false;  ///< says how it changes; a `hold`: not at all
  bool hold = false;
  std::string element;  ///< constant indices; "*" where they are not known
};

class DefinitionJudge {
 public:
  DefinitionJudge(Context& context, ClassId id)
      : context_(context), model_(context.model), bodies_(context.class_bodies[id]) {}

  void judge() {
    gather();
    for (VariableId variable : order_) judge_meetings(variable);
    for (BodyId body : bodies_) judge_labels(body);
    for (BodyId body : bodies_) judge_actions(body);
    for (BodyId body : bodies_) judge_conditions(body);
  }

 private:
  void gather() {
    for (BodyId id : bodies_) {
      const Body& body = model_.bodies[id];
      for (VariableId variable : body.variables) {
        const Variable& record = model_.variables[variable];
        if (record.binding && !record.is_fixed())
          add(variable, {id, model_.exprs[record.binding].span, false, false, {}});
      }
      for (EquationId equation : body.equations) {
        const Equation& record = model_.equations[equation];
        if (!record.left) continue;
        if (record.form == EquationForm::Implicit) {
          note_unknowns(record.left);
          note_unknowns(record.right);
        } else {
          const bool derivative = record.form == EquationForm::Derivative;
          add(record.subject, {id, record.span, derivative, false, element_of(record.left)});
        }
      }
      for (ExprId held : body.holds) {
        const Expr& expr = model_.exprs[held];
        held_.insert(expr.ref);
        add(VariableId(expr.ref), {id, expr.span, true, true, {}});
      }
    }
  }

  void add(VariableId variable, Definition definition) {
    std::vector<Definition>& list = definitions_[variable.index];
    if (list.empty()) order_.push_back(variable);
    list.push_back(std::move(definition));
  }

  std::string element_of(ExprId left) const {
    const Expr* expr = &model_.exprs[left];
    if (expr->op == Op::Der) expr = &model_.exprs[model_.operand(*expr, 0)];
    std::string text;
    for (; expr->op == Op::Index; expr = &model_.exprs[model_.operand(*expr, 0)]) {
      for (std::size_t i = 1; i < expr->operand_count; ++i) {
        const Expr& index = model_.exprs[model_.operand(*expr, i)];
        text += index.known == Known::Always ? fmt::format("[{}]", index.number) : "*";
      }
    }
    return text;
  }

  /// Variables of implicit equations, and where they occur there.
  void note_unknowns(ExprId side) {
    std::vector<ExprId> pending = {side};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      const Expr& expr = model_.exprs[id];
      if (expr.op == Op::Entity && expr.entity == EntityKind::Variable && expr.operand_count == 0)
        unknowns_.emplace(expr.ref, expr.span);
      if (expr.op == Op::Der) {
        const Expr& inner = model_.exprs[model_.operand(expr, 0)];
        if (inner.op == Op::Entity) differentiated_.insert(inner.ref);
      }
      for (ExprId operand : model_.operands_of(expr)) pending.push_back(operand);
    }
  }

  /// The definitions of one element seen so far in and below one body: the first that can clash with a later one.
  struct Level {
    const Definition* derivative = nullptr;        ///< anywhere
    const Definition* plain_derivative = nullptr;  ///< not in a state below the body
    ChartId chart;
    const Definition* in_chart = nullptr;
    const Definition* in_other_chart = nullptr;
  };
  using Levels = std::unordered_map<BodyId, Level>;
  /// Two holds agree with each other.
  struct Meetings {
    Levels equations, holds;
  };

  /// A definition is told at most one that it clashes with. So it need not be compared with all others, which a
  /// variable defined in thousands of states would make slow, but only with the first ones at each body around it.
  void judge_meetings(VariableId variable) {
    const std::vector<Definition>& list = definitions_[variable.index];
    if (list.size() < 2) return;
    std::unordered_map<std::string_view, Meetings> elements;
    for (const Definition& definition : list) {
      if (definition.element.find('*') == std::string::npos)
        judge_meeting(variable, definition, elements[definition.element]);
    }
  }

  void judge_meeting(VariableId variable, const Definition& definition, Meetings& meetings) {
    const bool derivative = definition.derivative && !in_conditional(definition.body);
    const Definition* always = nullptr;
    const Definition* possibly = nullptr;
    const auto take_first = [](const Definition*& first, const Definition* other) {
      if (other != nullptr && (first == nullptr || other < first)) first = other;
    };
    ChartId chart;  // through which the definition lies in `body`
    for (BodyId body = definition.body; body; body = model_.bodies[body].parent) {
      const auto meet = [&](const Level& level) {
        if (derivative) take_first(always, chart ? level.plain_derivative : level.derivative);
        if (chart) take_first(possibly, level.chart == chart ? level.in_other_chart : level.in_chart);
      };
      meet(meetings.equations[body]);
      if (!definition.hold) meet(meetings.holds[body]);
      enter((definition.hold ? meetings.holds : meetings.equations)[body], definition, derivative, chart);
      const StateId state = model_.bodies[body].state;
      if (state && model_.states[state].body == body) chart = model_.states[state].chart;
    }
    const std::string_view name = context_.name(model_.variables[variable].name);
    if (always != nullptr) {
      const bool is_held = definition.hold || always->hold;
      const auto role = [&](const Definition& one, std::string_view place) {
        return one.hold ? "held here" : is_held ? "its differential equation" : place;
      };
      context_.sink
          .report(Kind::DoubleDerivative, definition.span,
                  is_held ? fmt::format("`{}` is held and has a differential equation at the same time", name)
                          : fmt::format("`{}` has two differential equations that hold at the same time", name))
          .text(std::string(role(definition, "the second")))
          .label(always->span, std::string(role(*always, "the first")))
          .hint("put them into states that exclude each other, or remove one");
    }
    if (possibly != nullptr) {
      context_.sink
          .report(Kind::ConcurrentDefinition, definition.span,
                  fmt::format("two charts can define `{}` at the same time", name))
          .text(fmt::format("in state `{}`", state_path(model_, model_.bodies[definition.body].state)))
          .label(possibly->span, fmt::format("in state `{}`", state_path(model_, model_.bodies[possibly->body].state)))
          .hint("the run stops if both states are active and the equations cannot be solved together");
    }
  }

  static void enter(Level& level, const Definition& definition, bool derivative, ChartId chart) {
    if (derivative && level.derivative == nullptr) level.derivative = &definition;
    if (derivative && !chart && level.plain_derivative == nullptr) level.plain_derivative = &definition;
    if (!chart) return;
    if (level.in_chart == nullptr) {
      level.chart = chart;
      level.in_chart = &definition;
    } else if (level.chart != chart && level.in_other_chart == nullptr) {
      level.in_other_chart = &definition;
    }
  }

  /// Inside `if p { … } else { … }` only one branch exists; which one is known at the start of a run.
  bool in_conditional(BodyId body) const {
    for (; body; body = model_.bodies[body].parent) {
      if (context_.containers[body] == Container::Conditional) return true;
    }
    return false;
  }

  /// A label names one equation or reaction of its body.
  void judge_labels(BodyId id) {
    struct Labelled {
      Span span;
      bool inherited;
    };
    std::unordered_map<std::uint32_t, Labelled> seen;
    const auto add = [&](SymbolId label, Span span, bool inherited) {
      if (!label) return;
      const auto [place, is_new] = seen.emplace(label.index, Labelled{span, inherited});
      if (is_new) return;
      const Labelled first = place->second;
      if (first.inherited && inherited) return;  // reported in the base
      if (first.inherited != inherited) {
        context_.sink
            .report(Kind::MissingRedefine, inherited ? first.span : span,
                    fmt::format("the base model has a reaction `{}` already", context_.name(label)))
            .label(inherited ? span : first.span, "inherited from here")
            .hint("write `redefine` before the label to replace the inherited one");
        return;
      }
      context_.sink.report(Kind::DuplicateName, span, fmt::format("the label `{}` is used twice", context_.name(label)))
          .text("here again")
          .label(first.span, "first here");
    };
    const Body& body = model_.bodies[id];
    for (EquationId equation : body.equations)
      add(model_.equations[equation].label, model_.equations[equation].span,
          context_.equation_origins[equation].inherited);
    const auto add_reactions = [&](const std::vector<ReactionId>& reactions) {
      for (ReactionId reaction : reactions)
        add(model_.reactions[reaction].label, model_.reactions[reaction].span,
            context_.reaction_origins[reaction].inherited);
    };
    add_reactions(body.reactions);
    for (ChartId chart : body.charts) add_reactions(model_.charts[chart].reactions);
  }

  void judge_actions(BodyId id) {
    const Body& body = model_.bodies[id];
    for (ReactionId reaction : body.reactions) judge_block(model_.reactions[reaction].block);
    for (BlockId block : body.entry_blocks) judge_block(block);
    for (BlockId block : body.exit_blocks) judge_block(block);
    for (ProcessId process : body.processes) judge_block(model_.processes[process].block);
    for (ChartId chart : body.charts) {
      judge_block(model_.charts[chart].initial.block);
      for (ReactionId reaction : model_.charts[chart].reactions) judge_block(model_.reactions[reaction].block);
      for (ChoiceId choice : model_.charts[chart].choices) {
        for (const ChoiceBranch& branch : model_.choices[choice].branches) judge_block(branch.block);
      }
    }
  }

  void judge_block(BlockId block) {
    if (!block) return;
    for (const AssignedTarget& target : assigned_targets(model_, block)) judge_assignment(target);
  }

  void judge_assignment(const AssignedTarget& target) {
    const Variable& variable = model_.variables[target.variable];
    const std::string_view name = context_.name(variable.name);
    const auto found = definitions_.find(target.variable.index);
    if (found != definitions_.end()) {
      if (const Definition* definition = lasting_definition(target.variable, found->second)) {
        context_.sink
            .report(Kind::NotAssignable, target.span,
                    fmt::format("`{}` has an equation that always holds, so an assignment has no effect", name))
            .label(definition->span, "its equation")
            .hint("remove one of the two, or move the equation into a state");
      }
      return;
    }
    const auto unknown = unknowns_.find(target.variable.index);
    if (unknown == unknowns_.end() || held_.contains(target.variable.index) ||
        differentiated_.contains(target.variable.index) || variable.is_discrete())
      return;
    context_.sink
        .report(Kind::AssignedUnknown, target.span,
                fmt::format("`{}` is assigned here but solved for by an equation", name))
        .label(unknown->second, "an unknown of this equation")
        .label(variable.span, "declared here")
        .hint(fmt::format("declare it `discrete {}` if only assignments change it", name));
  }

  /// The equation `x = …` outside of all states and conditional parts, if there is one.
  const Definition* lasting_definition(VariableId variable, const std::vector<Definition>& list) {
    const auto [entry, is_new] = lasting_.try_emplace(variable.index, nullptr);
    if (is_new) {
      const auto found = std::find_if(list.begin(), list.end(), [&](const Definition& d) {
        return !d.derivative && d.element.empty() && !model_.bodies[d.body].state && !in_conditional(d.body);
      });
      if (found != list.end()) entry->second = &*found;
    }
    return entry->second;
  }

  /// Conditions that contain a function with more than one statement can only be sampled.
  void judge_conditions(BodyId id) {
    const auto judge_condition = [&](ExprId condition) {
      if (!condition) return;
      std::vector<ExprId> pending = {condition};
      while (!pending.empty()) {
        const Expr& expr = model_.exprs[pending.back()];
        pending.pop_back();
        if (expr.op == Op::Call && !is_inlined(FunctionId(expr.ref))) {
          const Function& function = model_.functions[FunctionId(expr.ref)];
          context_.sink
              .report(Kind::SampledCondition, expr.span,
                      fmt::format("this condition calls `{}`, so it is sampled at the steps and not located exactly",
                                  context_.name(function.name)))
              .label(function.span, function.block ? "more than a single `return`" : "an external function")
              .hint("a function that is a single `return …;` becomes part of the condition");
        }
        for (ExprId operand : model_.operands_of(expr)) pending.push_back(operand);
      }
    };
    const Body& body = model_.bodies[id];
    for (ReactionId reaction : body.reactions) {
      if (model_.reactions[reaction].trigger == TriggerKind::When)
        judge_condition(model_.reactions[reaction].condition);
    }
    for (ChartId chart : body.charts) {
      for (ReactionId reaction : model_.charts[chart].reactions) {
        if (model_.reactions[reaction].trigger == TriggerKind::When)
          judge_condition(model_.reactions[reaction].condition);
      }
    }
    for (RequirementId number : body.requirements) {
      const Requirement& requirement = model_.requirements[number];
      for (const ExprId condition : {requirement.trigger, requirement.condition, requirement.goal}) {
        if (condition) judge_condition(condition);
      }
    }
  }

  bool is_inlined(FunctionId id) const {
    const Function& function = model_.functions[id];
    if (!function.block) return false;
    const std::vector<ActionId>& actions = model_.blocks[function.block].actions;
    return actions.size() == 1 && model_.actions[actions.front()].kind == ActionKind::Return;
  }

  Context& context_;
  const Model& model_;
  const std::vector<BodyId>& bodies_;
  std::unordered_map<std::uint32_t, std::vector<Definition>> definitions_;
  std::unordered_map<std::uint32_t, const Definition*> lasting_;  ///< filled when asked for
  std::vector<VariableId> order_;
  std::unordered_map<std::uint32_t, Span> unknowns_;
  std::unordered_set<std::uint32_t> held_, differentiated_;
};

}  // namespace

void judge_definitions(Context& context, ClassId id) {
  DefinitionJudge(context, id).judge();
  judge_state_values(context, id);
}

}  // namespace hyla::check
