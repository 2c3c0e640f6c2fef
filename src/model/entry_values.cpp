#include "model/entry_values.h"

#include <vector>

namespace hyla::model {

ExprId changing_operand(const Model& model, ExprId id) {
  std::vector<ExprId> pending = {id};
  while (!pending.empty()) {
    const ExprId next = pending.back();
    pending.pop_back();
    const Expr& expr = model.exprs[next];
    if (expr.op == Op::Time || expr.op == Op::Der) return next;
    if (expr.op == Op::Entity && expr.entity == EntityKind::Variable) {
      const Variable& variable = model.variables[VariableId(expr.ref)];
      if (!variable.is_fixed()) return next;
    }
    for (ExprId operand : model.operands_of(expr)) pending.push_back(operand);
  }
  return {};
}

bool is_given_at_entry(const Model& model, const Part& part, const Argument& argument) {
  const Expr& target = model.exprs[argument.target];
  const bool is_plain = target.op == Op::Entity && target.entity == EntityKind::Variable && target.operand_count == 0;
  if (!argument.initial || !is_plain || part.kind != PartKind::Object || !model.bodies[part.body].state) return false;
  const Type type = model.variables[VariableId(target.ref)].type;
  if (type.rank > 0 || !type.is_number() || !changing_operand(model, argument.value)) return false;
  std::vector<ExprId> pending = {argument.value};
  while (!pending.empty()) {
    const Expr& expr = model.exprs[pending.back()];
    pending.pop_back();
    const bool is_index = expr.op == Op::Entity && expr.entity == EntityKind::Local;
    if (is_index && LocalId(expr.ref) != part.family_index) return false;
    for (const ExprId operand : model.operands_of(expr)) pending.push_back(operand);
  }
  return true;
}

}  // namespace hyla::model
