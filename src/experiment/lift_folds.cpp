#include "experiment/lift_folds.h"

#include <algorithm>

namespace hyla::experiment {

using model::Expr;
using model::ExprId;
using model::LocalId;
using model::Op;

namespace {

bool is_local(const Expr& expr) { return expr.op == Op::Entity && expr.entity == model::EntityKind::Local; }

}  // namespace

/// The expression becomes a local of the same type.
LocalId FoldLifter::replace(ExprId fold) {
  const Expr old = model_.exprs[fold];
  const LocalId local = model_.locals.add({{}, old.span, old.type, old.unit, {}, false});
  Expr& expr = model_.exprs[fold];
  expr = {};
  expr.op = Op::Entity;
  expr.entity = model::EntityKind::Local;
  expr.ref = local.index;
  expr.type = old.type;
  expr.unit = old.unit;
  expr.span = old.span;
  return local;
}

bool FoldLifter::lift_observation(ExprId id) {
  const Expr expr = model_.exprs[id];
  if (model::is_fold(model_, expr)) return lift_over_time(id);
  for (std::size_t i = 0; i < expr.operand_count; ++i) {
    const ExprId operand = model_.operand(expr, i);
    if (operand && !lift_observation(operand)) return false;
  }
  return true;
}

bool FoldLifter::lift_over_time(ExprId id) {
  const Expr fold = model_.exprs[id];
  TimeFold result;
  result.request.builtin = fold.builtin;
  result.quantity = model_.operand(fold, 0);
  if (!arguments_(fold, result)) return false;
  result.local = replace(id);
  plan_.folds.push_back(result);
  return true;
}

bool FoldLifter::lift_conclusion(ExprId id) {
  const Expr expr = model_.exprs[id];
  if (model::is_fold(model_, expr)) return lift_over_runs(id);
  for (std::size_t i = 0; i < expr.operand_count; ++i) {
    const ExprId operand = model_.operand(expr, i);
    if (operand && !lift_conclusion(operand)) return false;
  }
  return true;
}

bool FoldLifter::is_over_runs(ExprId id) const {
  const Expr& expr = model_.exprs[id];
  const auto is_observed = [&](const Observed& one) { return one.local.index == expr.ref; };
  if (is_local(expr) && std::any_of(plan_.observed.begin(), plan_.observed.end(), is_observed)) return true;
  for (std::size_t i = 0; i < expr.operand_count; ++i) {
    const ExprId operand = model_.operand(expr, i);
    if (operand && is_over_runs(operand)) return true;
  }
  return false;
}

bool FoldLifter::is_over_time(ExprId id) const {
  const Expr& expr = model_.exprs[id];
  if (expr.op == Op::Property || expr.op == Op::Time || expr.op == Op::InState) return true;
  if (expr.op == Op::Entity && expr.entity == model::EntityKind::Variable) {
    const model::VariableKind kind = model_.variables[model::VariableId(expr.ref)].kind;
    if (kind != model::VariableKind::Parameter && kind != model::VariableKind::Constant) return true;
  }
  for (std::size_t i = 0; i < expr.operand_count; ++i) {
    const ExprId operand = model_.operand(expr, i);
    if (operand && !model::is_fold(model_, model_.exprs[operand]) && is_over_time(operand)) return true;
  }
  return false;
}

bool FoldLifter::lift_condition(ExprId id) {
  if (!is_over_time(id)) return false;
  TimeFold result;
  result.request.builtin = model::Builtin::All;
  result.quantity = model_.exprs.add(model_.exprs[id]);
  result.local = replace(id);
  plan_.folds.push_back(result);
  return true;
}

/// The observation with this value; a hidden one if there is none yet.
std::size_t FoldLifter::observed_at(ExprId value) {
  const Expr expr = model_.exprs[value];
  for (std::size_t i = 0; i < plan_.observed.size() && is_local(expr); ++i) {
    if (plan_.observed[i].local.index == expr.ref) return i;
  }
  Observed hidden;
  hidden.value = value;
  hidden.is_hidden = true;
  hidden.local = model_.locals.add({{}, expr.span, {model::TypeKind::Real, 0, UINT32_MAX}, expr.unit, {}, false});
  plan_.observed.push_back(hidden);
  return plan_.observed.size() - 1;
}

bool FoldLifter::lift_over_runs(ExprId id) {
  const Expr fold = model_.exprs[id];
  if (!is_over_runs(model_.operand(fold, 0))) {
    // Over time in each run, and then the mean over the runs.
    const ExprId copy = model_.exprs.add(fold);
    if (!lift_over_time(copy)) return false;
    RunsFold mean;
    mean.observed = observed_at(copy);
    mean.local = replace(id);
    plan_.over_runs.push_back(mean);
    return true;
  }
  TimeFold arguments;
  if (!arguments_(fold, arguments)) return false;
  RunsFold result;
  result.builtin = fold.builtin;
  result.part = arguments.request.part;
  result.observed = observed_at(model_.operand(fold, 0));
  result.local = replace(id);
  plan_.over_runs.push_back(result);
  return true;
}

}  // namespace hyla::experiment
