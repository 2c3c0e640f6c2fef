// What a plan watches: conditions, rates, formulas, observed expressions.
#include <algorithm>

#include "code/heap.h"
#include "engine/make_plan.h"

namespace hyla::engine {

using model::Op;
using model::VariableKind;

void PlanMaker::mark_fixed_slots(model::BodyId id) {
  const model::Body& body = model_.bodies[id];
  for (const model::VariableId variable : body.variables) {
    if (model_.variables[variable].is_fixed()) fixed_slots_[world_.layout.variables[variable.index]] = true;
  }
  for (const model::PartId part : body.parts) {
    if (model_.parts[part].kind == model::PartKind::Object) fixed_slots_[world_.layout.parts[part.index]] = true;
  }
  for (const model::PortId port : body.ports) fixed_slots_[world_.layout.ports[port.index]] = true;
  for (const model::ChartId chart : body.charts) {
    for (const model::StateId state : model_.charts[chart].states) {
      if (model_.states[state].body) mark_fixed_slots(model_.states[state].body);
    }
  }
  for (const model::Family& family : body.families) mark_fixed_slots(family.body);
  for (const model::Conditional& conditional : body.conditionals) {
    if (conditional.then_body) mark_fixed_slots(conditional.then_body);
    if (conditional.else_body) mark_fixed_slots(conditional.else_body);
  }
}

bool PlanMaker::is_variable(const code::Reads& reads) const {
  return reads.foreign || reads.time || reads.derivative ||
         std::any_of(reads.slots.begin(), reads.slots.end(), [&](std::uint32_t slot) { return !is_fixed_slot(slot); });
}

std::optional<Index> PlanMaker::watch(PlanWatch::Kind kind, Index owner, model::ExprId expr, const ExpandedBody& around,
                                      Index state, bool as_real) {
  const code::Reads reads = code::reads_of(model_, world_.layout, expr);
  const bool is_condition = kind == PlanWatch::Kind::When || kind == PlanWatch::Kind::Require;
  if (kind == PlanWatch::Kind::Formula && (reads.time || reads.derivative)) return std::nullopt;  // continuous
  const diag::Span span = model_.exprs[expr].span;
  if (reads.derivative && !is_condition) {
    report_unsupported(sink_, span, "a derivative or crossing in a rate or statistic");
    return std::nullopt;
  }
  if (reads.time && !is_condition) {
    report_unsupported(sink_, span, kind == PlanWatch::Kind::Rate ? "a rate over `time`" : "a statistic over `time`");
    return std::nullopt;
  }
  PlanWatch result;
  result.kind = kind;
  result.owner = owner;
  result.state = state;
  result.inputs = around.inputs;
  result.locals = around.indices;
  result.expr = expr;
  result.traced = reads.foreign;
  TextUnit text = unit(around);
  bool needs_island = reads.derivative;
  if (reads.time && !needs_island) {
    TimePlan times;
    if (time_plan(expr, text, times)) {
      result.time_plan = static_cast<Index>(plan_->time_plans.size());
      plan_->time_plans.push_back(std::move(times));
      result.timer = plan_->timer_count++;
    } else {
      needs_island = true;
    }
  }
  text.traced = result.traced;
  text.as_real = as_real;
  if (!needs_island) result.program = programs_.expression(expr, text);
  const auto index = static_cast<Index>(plan_->watches.size());
  for (const std::uint32_t slot : reads.slots) {
    if (!is_fixed_slot(slot)) plan_->slot_watches[slot].push_back(index);
  }
  plan_->watches.push_back(std::move(result));
  return index;
}

/// Finds the relations that compare something with `time`; false if it occurs in another way.
bool PlanMaker::time_plan(model::ExprId expr, const TextUnit& unit, TimePlan& result) {
  std::vector<std::pair<model::ExprId, model::ExprId>> relations;
  if (!code::time_relations(model_, world_.layout, expr, relations)) return false;
  TextUnit text = unit;
  text.as_real = true;
  for (const auto& [left, right] : relations) {
    result.relations.push_back({programs_.expression(left, text), programs_.expression(right, text)});
  }
  return true;
}

void PlanMaker::formulas(const ExpandedBody& around, Index state) {
  const model::Body& body = model_.bodies[around.body];
  for (const model::VariableId id : body.variables) {
    const model::Variable& record = model_.variables[id];
    if (record.is_fixed() || record.kind == VariableKind::Input || !record.binding) continue;
    PlanFormula result;
    result.variable = id;
    result.slot = world_.layout.variables[id.index];
    PlanEquation text = plan_equation(around, state, record.span);
    text.variable = id;
    text.right = record.binding;
    text.watch = formula(result, record.binding, record.type, around, state);
    plan_->equations.push_back(std::move(text));
  }
  for (const model::EquationId id : body.equations) equation(id, around, state);
  for (const model::ExprId hold : body.holds) {
    PlanEquation text = plan_equation(around, state, model_.exprs[hold].span);
    text.hold = hold;
    plan_->equations.push_back(std::move(text));
  }
}

PlanEquation PlanMaker::plan_equation(const ExpandedBody& around, Index state, diag::Span span) const {
  PlanEquation result;
  result.state = state;
  result.inputs = around.inputs;
  result.locals = around.indices;
  result.span = span;
  return result;
}

void PlanMaker::equation(model::EquationId id, const ExpandedBody& around, Index state) {
  const model::Equation& record = model_.equations[id];
  PlanEquation text = plan_equation(around, state, record.span);
  text.equation = id;
  text.left = record.left;
  text.right = record.right;
  const model::Expr& root = root_of(record.left);
  const bool is_own = root.op == Op::Entity && root.entity == model::EntityKind::Variable && root.operand_count == 0;
  if (record.form == model::EquationForm::Formula && is_own) {
    PlanFormula result;
    result.equation = id;
    result.variable = model::VariableId(root.ref);
    result.slot = world_.layout.variables[root.ref];
    if (model_.exprs[record.left].op != Op::Entity) result.assignment = programs_.assignment(record.left, unit(around));
    text.watch = formula(result, record.right, model_.exprs[record.left].type, around, state);
  }
  plan_->equations.push_back(std::move(text));
}

/// The watch of the formula; none if it varies with time, so that only an island can evaluate it.
Index PlanMaker::formula(PlanFormula formula, model::ExprId value, model::Type wanted, const ExpandedBody& around,
                         Index state) {
  formula.boxed = code::is_boxed(wanted);
  const model::Attributes& attributes = model_.variables[formula.variable].attributes;
  formula.is_ranged = attributes.min || attributes.max;
  const auto index = static_cast<Index>(plan_->formulas.size());
  const std::optional<Index> watched =
      watch(PlanWatch::Kind::Formula, index, value, around, state, wanted.kind == model::TypeKind::Real);
  if (!watched) return kNone;
  if (formula.assignment == nullptr) {
    std::vector<Index>& others = formulas_of_slot_[formula.slot];
    for (const Index other : others) formula.shares_variable = plan_->formulas[other].shares_variable = true;
    others.push_back(index);
  }
  plan_->formulas.push_back(formula);
  (state == kNone ? plan_->body_watches : plan_->states[state].watches).push_back(*watched);
  return *watched;
}

void PlanMaker::statistics(const ExpandedBody& around, Index state) {
  for (const model::StatisticId id : model_.bodies[around.body].statistics) {
    const model::Statistic& record = model_.statistics[id];
    if (record.kind != model::StatisticKind::Accumulate || !record.observed) continue;
    const std::optional<Index> index = watch(PlanWatch::Kind::Accumulate, kNone, record.observed, around, state, true);
    if (!index) continue;
    plan_->watches[*index].statistic_slot = world_.layout.statistics[id.index];
    (state == kNone ? plan_->body_watches : plan_->states[state].watches).push_back(*index);
  }
}

PlanVariable PlanMaker::variable(model::VariableId id) {
  const model::Variable& record = model_.variables[id];
  static const ExpandedBody kNoFamily;
  TextUnit text = unit(kNoFamily);
  PlanVariable result;
  result.id = id;
  result.slot = world_.layout.variables[id.index];
  result.keep = record.keep;
  result.boxed_elements = code::is_boxed(record.type.element());
  if (record.shape) {
    for (const model::Dimension& dimension : model_.shapes[record.shape].dimensions) {
      // A size without text is that of the initial value.
      if (dimension.expr) result.dimensions.push_back(programs_.expression(dimension.expr, text));
    }
  }
  text.as_real = record.type.kind == model::TypeKind::Real;
  result.initial = programs_.expression(record.initial, text);
  return result;
}

}  // namespace hyla::engine
