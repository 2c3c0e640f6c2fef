// Arrays: literals, operators, elements, slices, reductions.
#include <limits>
#include <utility>

#include "code/unit_compiler.h"

namespace hyla::code {

using model::Builtin;
using model::Expr;
using model::ExprId;
using model::Op;
using model::Type;
using model::TypeKind;

void UnitCompiler::array_literal(const Expr& expr, Register goal) {
  const std::span<const ExprId> operands = model_.operands_of(expr);
  const Type element = expr.type.with_rank(expr.type.rank - 1U);
  const std::vector<Type> types(operands.size(), element);
  const Register first = copies(operands, types);
  const auto count = static_cast<Register>(operands.size());
  if (element.rank > 0) {
    emit(Opcode::NewMatrix, goal, first, count);
  } else {
    emit(Opcode::NewArray, goal, first, count, Slot(std::int64_t{is_boxed(element)}));
  }
}

void UnitCompiler::array_arithmetic(const Expr& expr, Register goal) {
  const std::span<const ExprId> operands = model_.operands_of(expr);
  const bool reals = expr.type.kind == TypeKind::Real;
  const auto operand = [&](std::size_t i) {
    return value_as(operands[i], Type{expr.type.kind, at(operands[i]).type.rank, expr.type.ref});
  };
  if (expr.op == Op::Negate) {
    emit(Opcode::ArrayNegate, goal, operand(0), 0, Slot(std::int64_t{reals}));
    return;
  }
  const Register a = operand(0), b = operand(1);
  if (expr.op == Op::MatrixProduct) {
    emit(Opcode::MatrixProduct, goal, a, b, Slot(std::int64_t{reals}));
    return;
  }
  const ArrayOperation how{expr.op, reals, at(operands[0]).type.rank == 0, at(operands[1]).type.rank == 0};
  emit(Opcode::ArrayArithmetic, goal, a, b, Slot(pack_operation(how)));
}

/// Puts the indices into registers: one each, or three each for a slice (which is what it returns). Dimensions without
/// an index are whole.
bool UnitCompiler::selection(std::size_t rank, std::span<const ExprId> indices, Register& first, std::int64_t& how) {
  bool slice = indices.size() < rank;
  for (const ExprId id : indices) slice = slice || at(id).op == Op::Whole || at(id).op == Op::Range;
  how = 0;
  first = fresh((slice ? 3 : 1) * indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Expr& expr = at(indices[i]);
    const auto where = static_cast<Register>(first + (slice ? 3 * i : i));
    if (expr.op == Op::Range) {
      range_registers(expr, where);
      how = select(how, i, Selector::Range);
    } else if (expr.op != Op::Whole) {
      const Temporaries scope(*this);
      into(indices[i], {TypeKind::Integer}, where);
      how = select(how, i, Selector::Index);
    }
  }
  return slice;
}

void UnitCompiler::index(const Expr& expr, Register goal) { index_in(value(model_.operand(expr, 0)), expr, goal); }

/// What an index expression takes of the array in a register.
void UnitCompiler::index_in(Register array, const Expr& expr, Register goal) {
  const std::span<const ExprId> operands = model_.operands_of(expr);
  const std::size_t rank = at(operands[0]).type.rank;
  if (operands.size() == 2 && rank <= 1 && at(operands[1]).op != Op::Whole && at(operands[1]).op != Op::Range) {
    emit(Opcode::LoadElement, goal, array, value(operands[1]));
    return;
  }
  Register first = 0;
  std::int64_t how = 0;
  if (selection(rank, operands.subspan(1), first, how)) {
    emit(Opcode::Slice, goal, array, first, Slot(how));
  } else {
    emit(Opcode::LoadElements, goal, array, first, Slot(static_cast<std::int64_t>(operands.size() - 1)));
  }
}

/// First, last and step of a range in three registers that follow each other.
void UnitCompiler::range_registers(const Expr& range, Register first) {
  const std::span<const ExprId> operands = model_.operands_of(range);
  const Type type = range.type.element();
  const Temporaries scope(*this);
  into(operands[0], type, first);
  into(operands[1], type, static_cast<Register>(first + 1));
  const auto step = static_cast<Register>(first + 2);
  if (operands.size() > 2 && operands[2]) {
    into(operands[2], type, step);
  } else {
    emit(Opcode::LoadConstant, step, 0, 0, type.kind == TypeKind::Real ? Slot(1.0) : Slot(std::int64_t{1}));
  }
}

void UnitCompiler::range_array(const Expr& expr, Register goal) {
  const Register first = fresh(3);
  range_registers(expr, first);
  const bool reals = expr.type.kind == TypeKind::Real;
  emit(reals ? Opcode::CountTurnsReal : Opcode::CountTurns, first);
  emit(Opcode::RangeArray, goal, first, 0, Slot(std::int64_t{reals}));
}

/// What a local has that is declared without a value: zeros, empty texts, no objects.
void UnitCompiler::default_value(Type type, model::ShapeId shape, Register goal) {
  if (type.rank > 0) {
    const Register element = fresh(), sizes = fresh(type.rank);
    default_value(type.element(), {}, element);
    for (std::size_t i = 0; i < type.rank; ++i) {
      const model::Dimension size = shape ? model_.shapes[shape].dimensions[i] : model::Dimension{};
      const auto where = static_cast<Register>(sizes + i);
      if (size.size || !size.expr) {
        emit(Opcode::LoadConstant, where, 0, 0, Slot(size.size.value_or(0)));
      } else {
        into(size.expr, {TypeKind::Integer}, where);
      }
    }
    const std::int64_t boxed = is_boxed(type.element()) ? 256 : 0;
    emit(Opcode::FillArray, goal, element, sizes, Slot(std::int64_t{type.rank} | boxed));
    return;
  }
  if (type.kind != TypeKind::Record) {
    emit(Opcode::LoadConstant, goal);
    return;
  }
  const std::vector<model::Field>& fields = model_.records[model::RecordId(type.ref)].fields;
  const Register first = fresh(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto where = static_cast<Register>(first + i);
    if (fields[i].default_value) {
      into(fields[i].default_value, fields[i].type, where);
    } else {
      default_value(fields[i].type, fields[i].shape, where);
    }
  }
  emit(Opcode::NewRecord, goal, first, 0, Slot(std::int64_t{type.ref}));
}

void UnitCompiler::reduce(const Expr& expr, Register goal) {
  const ExprId term = model_.operand(expr, 0), over = model_.operand(expr, 1);
  if (expr.type.rank > 0) return unsupported("a reduction of arrays");
  const bool real = expr.type.kind == TypeKind::Real;
  const Register sum = fresh();
  Slot start;
  const double infinity = std::numeric_limits<double>::infinity();
  if (expr.builtin == Builtin::Product) start = real ? Slot(1.0) : Slot(std::int64_t{1});
  if (expr.builtin == Builtin::All) start = Slot(std::int64_t{1});
  if (expr.builtin == Builtin::Min) start = real ? Slot(infinity) : Slot(INT64_MAX);
  if (expr.builtin == Builtin::Max) start = real ? Slot(-infinity) : Slot(INT64_MIN);
  emit(Opcode::LoadConstant, sum, 0, 0, start);
  Loop loop = begin_loop(over, model::LocalId(expr.ref), Holding::Borrowed);
  reduce_step(expr, term, sum, loop.leave);
  if (!real && (expr.builtin == Builtin::Min || expr.builtin == Builtin::Max)) {
    Jumps past, nothing;
    std::swap(nothing, loop.leave);
    end_loop(loop);
    jump(Opcode::Jump, 0, 0, past);
    land(nothing);
    emit(Opcode::FailEmpty);
    land(past);
  } else {
    end_loop(loop);
  }
  emit(Opcode::Move, goal, sum);
}

void UnitCompiler::reduce_step(const Expr& expr, ExprId term, Register sum, Jumps& leave) {
  const Temporaries scope(*this);
  const bool real = expr.type.kind == TypeKind::Real;
  const Register next = value_as(term, expr.type);
  switch (expr.builtin) {
    case Builtin::Sum:
      emit(real ? Opcode::AddReal : Opcode::AddInteger, sum, sum, next);
      return;
    case Builtin::Product:
      emit(real ? Opcode::MultiplyReal : Opcode::MultiplyInteger, sum, sum, next);
      return;
    case Builtin::All:
    case Builtin::Any:
      emit(Opcode::Move, sum, next);
      return jump(expr.builtin == Builtin::All ? Opcode::JumpIfFalse : Opcode::JumpIfTrue, sum, 0, leave);
    default:
      emit(real ? Opcode::Math : Opcode::IntegerMath, sum, sum, next, Slot(static_cast<std::int64_t>(expr.builtin)));
  }
}

}  // namespace hyla::code
