// Names: variables, parts, ports and states of the own and of other objects; mailboxes, populations and statistics.
#include "code/unit_compiler.h"

namespace hyla::code {

using model::Builtin;
using model::EntityKind;
using model::Expr;
using model::ExprId;
using model::Op;
using model::TypeKind;

void UnitCompiler::entity(const Expr& expr, Register goal) {
  if (expr.entity == EntityKind::Local) {
    emit(Opcode::Move, goal, local(model::LocalId(expr.ref)));
    return;
  }
  const std::uint32_t slot = slot_of(layout_, expr);
  if (slot != Layout::kNoSlot) return load_slot(expr, slot, goal);
  if (expr.entity == EntityKind::Variable) {  // a constant of a module
    const model::Variable& constant = model_.variables[model::VariableId(expr.ref)];
    if (is_boxed(constant.type) && constant.binding) {
      functions_.prepare(model::VariableId(expr.ref), unsupported_);
      emit(Opcode::LoadModuleConstant, goal, 0, 0, Slot(std::int64_t{expr.ref}));
      return;
    }
    if (constant.binding) return into(constant.binding, constant.type, goal);
  }
  unsupported(expr.entity == EntityKind::Plug ? "a plug" : "this name");
}

/// The slot of the own object, or of the one that the first operand says.
void UnitCompiler::load_slot(const Expr& expr, std::uint32_t slot, Register goal) {
  const Slot number(std::int64_t{slot});
  if (expr.operand_count == 0 || at(model_.operand(expr, 0)).op == Op::This) {
    emit(traced_ ? Opcode::LoadSlotTraced : Opcode::LoadSlot, goal, 0, 0, number);
    return;
  }
  const Register object = value(model_.operand(expr, 0));
  emit(traced_ ? Opcode::LoadForeignTraced : Opcode::LoadForeign, goal, object, 0, number);
}

void UnitCompiler::in_state(const Expr& expr, Register goal) {
  const model::StateId state(expr.ref);
  const Register number = fresh();
  load_slot(expr, layout_.charts[model_.states[state].chart.index], goal);
  emit(Opcode::LoadConstant, number, 0, 0, Slot(std::int64_t{layout_.state_numbers[state.index]}));
  emit(Opcode::EqualInteger, goal, goal, number);
}

void UnitCompiler::property(const Expr& expr, Register goal) {
  const ExprId of = model_.operand(expr, 0);
  const Register what = value(of);
  if (expr.builtin != Builtin::SizeOf) {
    emit(Opcode::Figure, goal, what, 0, Slot(static_cast<std::int64_t>(expr.builtin)));
  } else if (at(of).type.kind == TypeKind::Population) {
    emit(Opcode::PopulationSize, goal, what);
  } else if (at(of).type.is_scalar(TypeKind::Mailbox)) {
    emit(Opcode::MailboxSize, goal, what);
  } else {
    emit(Opcode::ArraySize, goal, what);
  }
}

void UnitCompiler::method(const Expr& expr, Register goal) {
  switch (expr.builtin) {
    case Builtin::Put: {
      const Register box = value(model_.operand(expr, 0)), message = value(model_.operand(expr, 1));
      emit(Opcode::MailboxPut, box, message);
      return;
    }
    case Builtin::Add: {
      const Register statistic = value(model_.operand(expr, 0));
      emit(Opcode::Observe, statistic, value_as(model_.operand(expr, 1), {TypeKind::Real}));
      return;
    }
    case Builtin::Take:
    case Builtin::Peek:
    case Builtin::First:
      return search(expr, goal);
    default:
      return call(expr, goal);
  }
}

/// The first message or member that fits, or none: a loop over all.
void UnitCompiler::search(const Expr& expr, Register goal) {
  const bool population = expr.builtin == Builtin::First;
  const Register box = value(model_.operand(expr, 0)), counter = fresh(3), found = fresh(), mark = fresh();
  emit(Opcode::LoadConstant, counter);
  emit(population ? Opcode::PopulationSize : Opcode::MailboxSize, static_cast<Register>(counter + 1), box);
  emit(Opcode::LoadConstant, static_cast<Register>(counter + 2), 0, 0, Slot(std::int64_t{1}));
  emit(Opcode::LoadConstant, goal);
  emit(Opcode::Mark, mark);
  Jumps none, hit;
  jump(Opcode::ForStart, counter, 0, none);
  const std::size_t turn = here();
  emit(population ? Opcode::PopulationAt : Opcode::MailboxAt, found, box, counter);
  if (expr.operand_count > 1) {
    bind(model::LocalId(expr.ref), found);
    branch(model_.operand(expr, 1), true, hit);
    emit(Opcode::Trim, mark);
    jump_back(Opcode::ForNext, counter, turn);
    jump(Opcode::Jump, 0, 0, none);
  }
  land(hit);
  if (expr.builtin == Builtin::Take) {
    emit(Opcode::MailboxTake, goal, box, counter);
  } else {
    emit(Opcode::Move, goal, found);
  }
  land(none);
}

}  // namespace hyla::code
