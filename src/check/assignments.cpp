#include "check/assignments.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

/// The variable of the object itself behind indices and fields; none for anything else.
VariableId variable_behind(const Model& model, ExprId target) {
  const Expr* expr = &model.exprs[target];
  while (expr->op == Op::Index || expr->op == Op::Field) expr = &model.exprs[model.operand(*expr, 0)];
  const bool own = expr->op == Op::Entity && expr->entity == EntityKind::Variable && expr->operand_count == 0;
  return own ? VariableId(expr->ref) : VariableId{};
}

/// The targets among the expressions of an assignment: all but the values.
std::size_t target_count(const Model& model, const Action& action) {
  if (action.exprs.size() == 2) return 1;
  const Expr& last = model.exprs[action.exprs.back()];
  const bool one_call = last.type.kind == TypeKind::Tuple;
  return one_call ? action.exprs.size() - 1 : action.exprs.size() / 2;
}

void collect(const Model& model, BlockId block, std::vector<AssignedTarget>& targets) {
  for (ActionId id : model.blocks[block].actions) {
    const Action& action = model.actions[id];
    if (action.kind == ActionKind::Assign) {
      for (std::size_t i = 0; i < target_count(model, action); ++i) {
        if (const VariableId variable = variable_behind(model, action.exprs[i]))
          targets.push_back({variable, model.exprs[action.exprs[i]].span});
      }
    }
    if (action.result.target) {
      if (const VariableId variable = variable_behind(model, action.result.target))
        targets.push_back({variable, model.exprs[action.result.target].span});
    }
    for (BlockId inner : action.blocks) collect(model, inner, targets);
    for (std::uint32_t i = 0; i < action.branch_count; ++i)
      collect(model, model.branches[action.ref + i].block, targets);
  }
}

}  // namespace

std::vector<AssignedTarget> assigned_targets(const Model& model, BlockId block) {
  std::vector<AssignedTarget> targets;
  if (block) collect(model, block, targets);
  return targets;
}

bool always_assigns(const Model& model, BlockId block, VariableId variable) {
  if (!block) return false;
  for (ActionId id : model.blocks[block].actions) {
    const Action& action = model.actions[id];
    switch (action.kind) {
      case ActionKind::Assign:
        for (std::size_t i = 0; i < target_count(model, action); ++i) {
          if (variable_behind(model, action.exprs[i]) == variable) return true;
        }
        break;
      case ActionKind::Equation:
        // An initial equation determines the variables in it; `x = …` names the one it is for.
        for (ExprId side : action.exprs) {
          if (variable_behind(model, side) == variable) return true;
        }
        break;
      case ActionKind::If:
        if (action.blocks.size() == 2 && always_assigns(model, action.blocks[0], variable) &&
            always_assigns(model, action.blocks[1], variable))
          return true;
        break;
      case ActionKind::For:
      case ActionKind::While:
      case ActionKind::Loop:
        if (always_assigns(model, action.blocks[0], variable)) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace hyla::check
