#include "engine/initial_gather.h"

#include <algorithm>

#include "engine/make_plan.h"

namespace hyla::engine {

using model::Action;
using model::ActionKind;
using model::ExprId;

Homotopies::Homotopies(const model::Model& model) : model_(model) {
  for (const model::Expr& expr : model.exprs) {
    any_ = any_ || (expr.op == model::Op::Builtin && expr.builtin == model::Builtin::Homotopy);
  }
  if (!any_) return;
  for (const Action& action : model.actions) {
    for (const ExprId id : action.exprs) in_function_ = in_function_ || find(id);
  }
}

bool Homotopies::find(ExprId id) {
  if (!id) return false;
  const model::Expr& expr = model_.exprs[id];
  if (expr.op == model::Op::Builtin && expr.builtin == model::Builtin::Homotopy) return true;
  if (expr.op == model::Op::Call && in_function_) return true;
  const auto operands = model_.operands_of(expr);
  return std::any_of(operands.begin(), operands.end(), [&](ExprId operand) { return find(operand); });
}

bool Homotopies::occur_in(ExprId id) { return any_ && find(id); }

void InitialEquations::collect(const Object& object, const PlanInitial& initial, const Take& take) {
  scope_ = {object.self, object.plan->object_class, initial.locals, initial.inputs};
  pattern_ = EquationInstance();
  pattern_.object = object.self;
  pattern_.state = initial.state;
  take_ = &take;
  block(initial.block);
}

void InitialEquations::block(model::BlockId id) {
  if (!has_equations(model_, id)) return;
  for (const model::ActionId number : model_.blocks[id].actions) {
    const Action& action = model_.actions[number];
    if (action.kind == ActionKind::Equation) {
      equation(action);
    } else if (action.kind == ActionKind::For) {
      turn(action);
    } else if (action.kind == ActionKind::If) {
      choose(action);
    } else if (action.kind == ActionKind::While && has_equations(model_, action.blocks[0])) {
      report_unsupported(sink_, action.span, "an equation in a `while` loop");
    }
  }
}

void InitialEquations::equation(const Action& action) {
  std::vector<ScalarEquation> plain, mixed;
  pattern_.span = action.span;
  if (!scalariser_.residual(scope_, action.exprs[0], action.exprs[1], plain)) return;
  if (homotopies_.occur_in(action.exprs[0]) || homotopies_.occur_in(action.exprs[1])) {
    scalariser_.continue_from_simplified(true);
    const bool good = scalariser_.residual(scope_, action.exprs[0], action.exprs[1], mixed);
    scalariser_.continue_from_simplified(false);
    if (!good) return;
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EquationInstance instance = pattern_;
    instance.scalar = std::move(plain[i]);
    instance.use = EquationUse::Initial;
    (*take_)(std::move(instance));
    if (mixed.empty()) continue;
    instance = pattern_;
    instance.scalar = std::move(mixed[i]);
    instance.use = EquationUse::Continued;
    (*take_)(std::move(instance));
  }
}

void InitialEquations::turn(const Action& action) {
  std::vector<double> members;
  if (!has_equations(model_, action.blocks[0]) || !scalariser_.range(scope_, action.exprs[0], members)) return;
  const bool whole = model_.locals[action.locals[0]].type.kind == model::TypeKind::Integer;
  scope_.locals.push_back(action.locals[0]);
  for (const double member : members) {
    scope_.values.push_back(whole ? Slot(static_cast<std::int64_t>(member)) : Slot(member));
    block(action.blocks[0]);
    scope_.values.pop_back();
  }
  scope_.locals.pop_back();
}

void InitialEquations::choose(const Action& action) {
  const bool any = std::any_of(action.blocks.begin(), action.blocks.end(),
                               [&](model::BlockId id) { return has_equations(model_, id); });
  bool holds = false;
  if (!any || !scalariser_.decide(scope_, action.exprs[0], holds)) return;
  if (holds) {
    block(action.blocks[0]);
  } else if (action.blocks.size() > 1) {
    block(action.blocks[1]);
  }
}

}  // namespace hyla::engine
