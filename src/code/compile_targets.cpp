// What stands on the left of an assignment: a local, a variable of the own object, or a part of one.
//
// A part is reached by a cursor that starts at the variable and goes down through fields and elements; on its way every
// box gets its own copy if it is shared. All indices are computed before the cursor starts.
#include <algorithm>

#include "code/unit_compiler.h"

namespace hyla::code {

using model::Expr;
using model::ExprId;
using model::Op;

void UnitCompiler::store(ExprId target, Register from) {
  const Expr& expr = at(target);
  const At place(*this, expr.span, target);
  if (expr.op == Op::Field || expr.op == Op::Index) return store_inside(target, from);
  if (expr.op != Op::Entity) return unsupported("an assignment to this");
  const bool boxed = is_boxed(expr.type);
  if (expr.entity == model::EntityKind::Local) {
    emit(boxed ? Opcode::MoveOwned : Opcode::Move, local(model::LocalId(expr.ref)), from);
    return;
  }
  const std::uint32_t slot = slot_of(layout_, expr);
  const bool own = expr.operand_count == 0 || at(model_.operand(expr, 0)).op == Op::This;
  if (slot == Layout::kNoSlot || !own) return unsupported("an assignment to a member of another object");
  if (expr.type.rank > 0) emit(Opcode::CheckShape, from, 0, 0, Slot(std::int64_t{slot}));
  const bool watched = layout_.classes[unit_.object_class.index].watched[slot];
  const Opcode opcode = boxed ? (watched ? Opcode::StoreWatchedBox : Opcode::StoreBox)
                              : (watched ? Opcode::StoreWatched : Opcode::StoreSlot);
  emit(opcode, from, 0, 0, Slot(std::int64_t{slot}));
  if (expr.entity != model::EntityKind::Variable) return;
  if (expr.type.rank > 0) return note_range(expr);
  if (expr.type.is_number()) check_range(model::VariableId(expr.ref), from, expr.type);
}

/// The value of a variable with `min` or `max` is compared with them; leaving the range is a warning.
void UnitCompiler::check_range(model::VariableId id, Register from, model::Type type) {
  const model::Attributes& attributes = model_.variables[id].attributes;
  if (!attributes.min && !attributes.max) return;
  constexpr model::Type kReal{model::TypeKind::Real, 0, UINT32_MAX};
  const Temporaries scope(*this);
  Register value = from;
  if (type.kind == model::TypeKind::Integer) {
    value = fresh();
    emit(Opcode::IntegerToReal, value, from);
  }
  const Slot variable(std::int64_t{id.index});
  if (attributes.min) emit(Opcode::CheckRange, value, value_as(attributes.min, kReal), 0, variable);
  if (attributes.max) emit(Opcode::CheckRange, value, value_as(attributes.max, kReal), 1, variable);
}

/// An array with `min` or `max` has got other elements; they are compared when all of them are there.
void UnitCompiler::note_range(const Expr& variable) {
  const model::Attributes& attributes = model_.variables[model::VariableId(variable.ref)].attributes;
  if (!attributes.min && !attributes.max) return;
  emit(Opcode::NoteRange, 0, 0, 0, Slot(std::int64_t{slot_of(layout_, variable)}));
}

void UnitCompiler::store_inside(ExprId target, Register from) {
  std::vector<Step> steps;
  ExprId root = target;
  for (; at(root).op == Op::Field || at(root).op == Op::Index; root = model_.operand(at(root), 0)) {
    steps.push_back({root});
  }
  std::reverse(steps.begin(), steps.end());
  for (Step& step : steps) {
    const Expr& expr = at(step.expr);
    if (expr.op != Op::Index) continue;
    const std::size_t rank = at(model_.operand(expr, 0)).type.rank;
    if (!selection(rank, model_.operands_of(expr).subspan(1), step.indices, step.how)) step.how = -1;
  }
  const Expr& base = at(root);
  std::uint32_t told = Layout::kNoSlot;
  if (base.op == Op::Entity && base.entity == model::EntityKind::Local) {
    emit(Opcode::CursorLocal, local(model::LocalId(base.ref)));
  } else {
    const std::uint32_t slot = base.op == Op::Entity ? slot_of(layout_, base) : Layout::kNoSlot;
    const bool own = base.operand_count == 0 || at(model_.operand(base, 0)).op == Op::This;
    if (slot == Layout::kNoSlot || !own) return unsupported("an assignment to a member of another object");
    if (layout_.classes[unit_.object_class.index].watched[slot]) told = slot;
    emit(Opcode::CursorSlot, 0, 0, 0, Slot(std::int64_t{slot}));
  }
  for (const Step& step : steps) {
    const Expr& expr = at(step.expr);
    const At place(*this, expr.span, step.expr);
    if (expr.op == Op::Field) {
      emit(Opcode::CursorField, 0, 0, 0, Slot(std::int64_t{expr.ref}));
    } else if (step.how < 0) {
      emit(Opcode::CursorElement, step.indices, 0, 0, Slot(std::int64_t{expr.operand_count - 1}));
    } else if (step.expr != target) {
      return unsupported("an assignment to a part of a slice");
    } else {
      const Register slot = fresh();
      emit(Opcode::LoadConstant, slot, 0, 0, Slot(std::int64_t{told}));
      emit(Opcode::StoreSlice, slot, from, step.indices, Slot(step.how));
      if (base.op == Op::Entity && base.entity == model::EntityKind::Variable) note_range(base);
      return;
    }
  }
  emit(is_boxed(at(target).type) ? Opcode::StoreCursorBox : Opcode::StoreCursor, from, 0, 0, Slot(std::int64_t{told}));
  if (base.op == Op::Entity && base.entity == model::EntityKind::Variable) note_range(base);
}

}  // namespace hyla::code
