// Requirements of a plan: their conditions as watches, their times, and how far the conditions are from changing.
#include "engine/make_plan.h"

namespace hyla::engine {

using model::Op;

Index PlanMaker::requirement_watch(Index owner, model::ExprId condition, const ExpandedBody& around, Index state) {
  if (!condition) return kNone;
  const std::optional<Index> index = watch(PlanWatch::Kind::Require, owner, condition, around, state, false);
  if (!index) return kNone;
  if (plan_->watches[*index].program != nullptr) margin(condition, false, unit(around), plan_->watches[*index].margin);
  (state == kNone ? plan_->body_watches : plan_->states[state].watches).push_back(*index);
  return *index;
}

void PlanMaker::margin(model::ExprId condition, bool negated, const TextUnit& unit, std::vector<PlanMargin>& result) {
  const model::Expr& expr = model_.exprs[condition];
  const auto operand = [&](std::size_t i) { return model_.operand(expr, i); };
  PlanMargin step;
  step.negated = negated;
  switch (expr.op) {
    case Op::Not:
      return margin(operand(0), !negated, unit, result);
    case Op::And:
    case Op::Or:
      margin(operand(0), negated, unit, result);
      margin(operand(1), negated, unit, result);
      step.negated = false;
      step.op = (expr.op == Op::And) != negated ? PlanMargin::Op::Least : PlanMargin::Op::Greatest;
      break;
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual: {
      const model::TypeKind type = model_.exprs[operand(0)].type.kind;
      if (type != model::TypeKind::Real && type != model::TypeKind::Integer) {
        step.left = programs_.expression(condition, unit);
        break;
      }
      const bool is_less = expr.op == Op::Less || expr.op == Op::LessEqual;
      TextUnit number = unit;
      number.as_real = true;
      step.op = PlanMargin::Op::Relation;
      step.left = programs_.expression(operand(is_less ? 0 : 1), number);
      step.right = programs_.expression(operand(is_less ? 1 : 0), number);
      break;
    }
    default:
      step.left = programs_.expression(condition, unit);
      break;
  }
  result.push_back(step);
}

void PlanMaker::requirements(const ExpandedBody& around, Index state) {
  for (const model::RequirementId id : model_.bodies[around.body].requirements) {
    const model::Requirement& record = model_.requirements[id];
    const auto index = static_cast<Index>(plan_->requirements.size());
    PlanRequirement result;
    result.id = id;
    result.state = state;
    result.inputs = around.inputs;
    result.locals = around.indices;
    result.trigger = requirement_watch(index, record.trigger, around, state);
    result.goal = requirement_watch(index, record.goal, around, state);
    result.condition = requirement_watch(index, record.condition, around, state);
    if (result.condition == kNone) continue;
    TextUnit text = unit(around);
    text.as_real = true;
    result.duration = programs_.expression(record.duration, text);
    result.within = programs_.expression(record.within, text);
    if (result.duration != nullptr) result.break_timer = plan_->timer_count++;
    if (result.within != nullptr) result.deadline_timer = plan_->timer_count++;
    plan_->requirements.push_back(std::move(result));
    if (state != kNone) plan_->states[state].requirements.push_back(index);
  }
}

}  // namespace hyla::engine
