// Built-in functions and procedures.
#include "code/unit_compiler.h"

namespace hyla::code {

using model::Builtin;
using model::BuiltinClass;
using model::Expr;
using model::ExprId;
using model::Type;
using model::TypeKind;

namespace {

constexpr Type kReal{TypeKind::Real};
constexpr Type kInteger{TypeKind::Integer};

Slot number_of(Builtin which) { return Slot(static_cast<std::int64_t>(which)); }

}  // namespace

void UnitCompiler::builtin(const Expr& expr, Register goal) {
  const std::span<const ExprId> operands = model_.operands_of(expr);
  if (model::info(expr.builtin).group == BuiltinClass::Random) return draw(expr, goal);
  switch (expr.builtin) {
    case Builtin::NoEvent:
    case Builtin::Homotopy:
      return into(operands[0], expr.type, goal);
    case Builtin::Min:
    case Builtin::Max:
      return extreme(expr, goal);
    case Builtin::Sum:
    case Builtin::Product:
    case Builtin::All:
    case Builtin::Any:
    case Builtin::Size:
    case Builtin::Fill:
    case Builtin::Dot:
    case Builtin::Cross:
    case Builtin::Norm:
    case Builtin::Transpose:
    case Builtin::Identity:
      return array_builtin(expr, goal);
    case Builtin::ToString:
      emit(Opcode::ToText, goal, value(operands[0]), 0, Slot(pack_type(at(operands[0]).type)));
      return;
    case Builtin::Print:
      return print(expr);
    case Builtin::Terminate:
      emit(Opcode::Terminate, value(operands[0]));
      return;
    case Builtin::Crosses:
    case Builtin::Rises:
    case Builtin::Falls:
    case Builtin::Delay:
    case Builtin::Table:
      return unsupported("`" + std::string(model::info(expr.builtin).name) + "`");
    default:
      return math(expr, goal);
  }
}

/// Functions of one or two numbers, on every element if the arguments are arrays.
void UnitCompiler::math(const Expr& expr, Register goal) {
  const std::span<const ExprId> operands = model_.operands_of(expr);
  const Type first = at(operands[0]).type;
  const bool two = operands.size() > 1;
  const bool whole = first.kind != TypeKind::Real && (!two || at(operands[1]).type.kind != TypeKind::Real);
  const bool keeps = expr.builtin == Builtin::Abs || expr.builtin == Builtin::Sign || expr.builtin == Builtin::Mod ||
                     expr.builtin == Builtin::Div;
  const bool rounds = expr.builtin == Builtin::Floor || expr.builtin == Builtin::Ceil ||
                      expr.builtin == Builtin::Round || expr.builtin == Builtin::ToInteger;
  if (rounds && whole) return into(operands[0], first, goal);
  const Type wanted = keeps && whole ? kInteger : kReal;
  const Register a = value_as(operands[0], wanted.with_rank(first.rank));
  const Register b = two ? value_as(operands[1], wanted.with_rank(at(operands[1]).type.rank)) : a;
  if (expr.type.rank > 0) {
    if (two && (first.rank == 0) != (at(operands[1]).type.rank == 0)) return unsupported("a scalar with an array here");
    const auto which = static_cast<std::uint32_t>(expr.builtin);
    emit(Opcode::ArrayMath, goal, a, b, Slot(pack(which, rounds ? 2U : keeps && whole ? 1U : 0U)));
    return;
  }
  if (rounds) {
    emit(Opcode::RealToInteger, goal, a, 0, number_of(expr.builtin));
  } else if (keeps && whole) {
    emit(Opcode::IntegerMath, goal, a, b, number_of(expr.builtin));
  } else {
    emit(Opcode::Math, goal, a, b, number_of(expr.builtin));
    if (expr.type.kind == TypeKind::Integer) emit(Opcode::RealToInteger, goal, goal, 0, number_of(Builtin::ToInteger));
  }
}

void UnitCompiler::extreme(const Expr& expr, Register goal) {
  const std::span<const ExprId> operands = model_.operands_of(expr);
  if (at(operands[0]).type.rank > 0) return array_builtin(expr, goal);
  const Opcode opcode = expr.type.kind == TypeKind::Real ? Opcode::Math : Opcode::IntegerMath;
  const Register best = fresh();
  into(operands[0], expr.type, best);
  for (const ExprId operand : operands.subspan(1)) {
    const Temporaries scope(*this);
    emit(opcode, best, best, value_as(operand, expr.type), number_of(expr.builtin));
  }
  emit(Opcode::Move, goal, best);
}

void UnitCompiler::draw(const Expr& expr, Register goal) {
  program_.draws = true;
  const std::string_view signature = model::info(expr.builtin).signature;
  const std::span<const ExprId> operands = model_.operands_of(expr);
  std::vector<Type> types;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Type given = at(operands[i]).type;
    types.push_back(signature[i] == 'i' ? given : kReal.with_rank(given.rank));
  }
  if (expr.type.rank > 0) return unsupported("an array of random numbers in one call");
  const Register first = copies(operands, types);
  emit(Opcode::Draw, goal, first, static_cast<Register>(operands.size()),
       Slot(pack(static_cast<std::uint32_t>(expr.builtin), unit_.stream)));
}

void UnitCompiler::print(const Expr& expr) {
  std::vector<Register> parts;
  const std::span<const ExprId> operands = model_.operands_of(expr);
  for (const ExprId operand : operands) parts.push_back(value(operand));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    emit(Opcode::PrintPart, parts[i], 0, 0, Slot(pack_type(at(operands[i]).type)));
  }
  emit(Opcode::PrintLine);
}

void UnitCompiler::array_builtin(const Expr& expr, Register goal) {
  const std::span<const ExprId> operands = model_.operands_of(expr);
  const bool reals = expr.type.kind == TypeKind::Real;
  const Type first = at(operands[0]).type;
  switch (expr.builtin) {
    case Builtin::Size:
      if (operands.size() > 1) {
        const Register array = value(operands[0]);
        emit(Opcode::DimensionSize, goal, array, value(operands[1]));
      } else {
        emit(first.kind == TypeKind::Population && first.rank == 0 ? Opcode::PopulationSize : Opcode::ArraySize, goal,
             value(operands[0]));
      }
      return;
    case Builtin::Fill: {
      const Register element = value_as(operands[0], expr.type.element());
      const std::vector<Type> types(operands.size() - 1, kInteger);
      const Register sizes = copies(operands.subspan(1), types);
      const std::int64_t boxed = is_boxed(expr.type.element()) ? 256 : 0;
      emit(Opcode::FillArray, goal, element, sizes, Slot(static_cast<std::int64_t>(types.size()) | boxed));
      return;
    }
    case Builtin::Dot:
    case Builtin::Cross: {
      const Register a = value_as(operands[0], expr.type.with_rank(1)),
                     b = value_as(operands[1], expr.type.with_rank(1));
      emit(expr.builtin == Builtin::Dot ? Opcode::Dot : Opcode::Cross, goal, a, b, Slot(std::int64_t{reals}));
      return;
    }
    case Builtin::Norm:
      emit(Opcode::Norm, goal, value_as(operands[0], kReal.with_rank(first.rank)));
      return;
    case Builtin::Transpose:
      emit(Opcode::Transpose, goal, value(operands[0]));
      return;
    case Builtin::Identity:
      emit(Opcode::Identity, goal, value(operands[0]), 0, Slot(std::int64_t{reals}));
      return;
    default:
      emit(Opcode::ArrayReduce, goal, value_as(operands[0], Type{expr.type.kind, first.rank, first.ref}), 0,
           Slot(pack(static_cast<std::uint32_t>(expr.builtin), reals)));
  }
}

}  // namespace hyla::code
