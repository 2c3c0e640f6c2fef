// Loops: `while` and `loop`, and those that run over a range, an array, a population or a bag.
//
// Every loop over something counts its turns beforehand in three registers that follow each other: the counter, the
// turns left, the step.
#include "code/unit_compiler.h"

namespace hyla::code {

using model::Action;
using model::Expr;
using model::ExprId;
using model::Op;
using model::Type;
using model::TypeKind;

void UnitCompiler::repeat(const Action& action) {
  const bool endless = action.kind == model::ActionKind::Loop;
  const Register mark = fresh();
  emit(Opcode::Mark, mark);
  const std::size_t turn = here();
  breakables_.emplace_back();
  Jumps leave;
  if (!endless) branch(action.exprs[0], false, leave);
  actions(action.blocks[0]);
  land(breakables_.back().continues);
  emit(Opcode::Trim, mark);
  jump_back(Opcode::JumpBack, 0, turn);
  land(leave);
  land(breakables_.back().breaks);
  breakables_.pop_back();
}

void UnitCompiler::for_each(const Action& action) {
  Loop loop = begin_loop(action.exprs[0], action.locals[0], Holding::Owned);
  breakables_.emplace_back();
  actions(action.blocks[0]);
  land(breakables_.back().continues);
  end_loop(loop);
  land(breakables_.back().breaks);
  breakables_.pop_back();
}

/// Sets counter and step of a loop whose number of turns is in place, and begins a turn.
UnitCompiler::Loop UnitCompiler::begin_count(Register counter) {
  Loop loop;
  loop.counter = counter;
  emit(Opcode::LoadConstant, counter);
  emit(Opcode::LoadConstant, static_cast<Register>(counter + 2), 0, 0, Slot(std::int64_t{1}));
  emit(Opcode::Mark, static_cast<Register>(counter + 3));
  jump(Opcode::ForStart, counter, 0, loop.leave);
  loop.body = here();
  return loop;
}

/// Begins a loop and sets its index at the start of each turn. Owned: the index is a local that keeps its box.
UnitCompiler::Loop UnitCompiler::begin_loop(ExprId over, model::LocalId index, Holding holding) {
  const Expr& expr = at(over);
  const At place(*this, expr.span, over);
  const Register counter = fresh(4);
  const auto turns = static_cast<Register>(counter + 1);
  if (expr.op == Op::Range && expr.type.kind == TypeKind::Integer) {
    range_registers(expr, counter);
    emit(Opcode::CountTurns, counter);
    emit(Opcode::Mark, static_cast<Register>(counter + 3));
    Loop loop;
    loop.counter = bind(index, counter);
    jump(Opcode::ForStart, counter, 0, loop.leave);
    loop.body = here();
    return loop;
  }
  if (expr.op == Op::Range) {
    const Register first = fresh(3);
    range_registers(expr, first);
    emit(Opcode::CountTurnsReal, first);
    emit(Opcode::Move, turns, static_cast<Register>(first + 1));
    Loop loop = begin_count(counter);
    range_element(counter, first, index);
    return loop;
  }
  if (expr.type.kind == TypeKind::Population && holding == Holding::Borrowed) {
    const Register population = value(over), member = fresh();
    emit(Opcode::PopulationSize, turns, population);
    Loop loop = begin_count(counter);
    emit(Opcode::PopulationAt, bind(index, member), population, counter);
    return loop;
  }
  Register array = 0;
  if (holding == Holding::Owned) {
    array = hidden_owned();
    const Temporaries scope(*this);
    if (expr.type.kind == TypeKind::Population) {
      const Register members = fresh();
      emit(Opcode::PopulationMembers, members, value(over));
      emit(Opcode::MoveOwned, array, members);
    } else {
      emit(Opcode::MoveOwned, array, value(over));
    }
  } else {
    array = value(over);
  }
  emit(expr.type.rank > 1 ? Opcode::RowCount : Opcode::ArraySize, turns, array);
  Loop loop = begin_count(counter);
  array_element(expr.type, array, counter, index, holding);
  return loop;
}

void UnitCompiler::end_loop(Loop& loop) {
  emit(Opcode::Trim, static_cast<Register>(loop.counter + 3));
  jump_back(Opcode::ForNext, loop.counter, loop.body);
  land(loop.leave);
}

/// index = first + counter * step, so that errors do not add up.
void UnitCompiler::range_element(Register counter, Register first, model::LocalId index) {
  const Register where = bind(index, fresh());
  emit(Opcode::IntegerToReal, where, counter);
  emit(Opcode::MultiplyReal, where, where, static_cast<Register>(first + 2));
  emit(Opcode::AddReal, where, where, first);
}

/// index = the element, or the row, at a place counted from 0.
void UnitCompiler::array_element(Type type, Register array, Register place, model::LocalId index, Holding holding) {
  const bool boxed = is_boxed(model_.locals[index].type);
  const Register where = holding == Holding::Owned && boxed ? local(index) : bind(index, fresh());
  const Register element = boxed ? fresh() : where;
  if (type.rank > 1) {
    const Register selected = fresh(3U * type.rank);
    emit(Opcode::AddIntegerConstant, selected, place, 0, Slot(std::int64_t{1}));
    emit(Opcode::Slice, element, array, selected, Slot(select(0, 0, Selector::Index)));
  } else {
    emit(Opcode::LoadPlace, element, array, place);
  }
  if (boxed) emit(holding == Holding::Owned ? Opcode::MoveOwned : Opcode::Move, where, element);
}

}  // namespace hyla::code
