// Expressions: operators, calls, conversions. Names are in compile_members.cpp, built-in functions in
// compile_builtins.cpp, arrays in compile_arrays.cpp.
#include <cmath>
#include <utility>

#include "code/unit_compiler.h"

namespace hyla::code {

using model::Expr;
using model::ExprId;
using model::Op;
using model::Type;
using model::TypeKind;

namespace {

/// Whole numbers up to here are exact in a double.
constexpr double kExact = 9007199254740992.0;

Opcode integer_opcode(Op op) {
  return op == Op::Add ? Opcode::AddInteger : op == Op::Subtract ? Opcode::SubtractInteger : Opcode::MultiplyInteger;
}

Opcode real_opcode(Op op) {
  switch (op) {
    case Op::Add:
      return Opcode::AddReal;
    case Op::Subtract:
      return Opcode::SubtractReal;
    case Op::Multiply:
      return Opcode::MultiplyReal;
    default:
      return Opcode::DivideReal;
  }
}

bool is_relation(Op op) { return op >= Op::Less && op <= Op::NotEqual; }

/// A comparison in the form in which there is an instruction for it: `a > b` is `b < a`.
struct Comparison {
  int which;  ///< 0 less, 1 less or equal, 2 equal, 3 not equal
  bool swapped;
};
Comparison comparison_of(Op op) {
  switch (op) {
    case Op::Less:
      return {0, false};
    case Op::LessEqual:
      return {1, false};
    case Op::Greater:
      return {0, true};
    case Op::GreaterEqual:
      return {1, true};
    case Op::Equal:
      return {2, false};
    default:
      return {3, false};
  }
}

Opcode nth(Opcode first, int n) { return static_cast<Opcode>(static_cast<int>(first) + n); }

bool is_plain_number(Type type) {
  return type.rank == 0 &&
         (type.is_number() || type.kind == TypeKind::Boolean || type.kind == TypeKind::Enum ||
          type.kind == TypeKind::Process || type.kind == TypeKind::Delivery || type.kind == TypeKind::Connection);
}

}  // namespace

/// The value of a scalar that is known before the run.
bool UnitCompiler::constant(const Expr& expr, Type wanted, Slot& result) const {
  if (expr.known != model::Known::Always || expr.type.rank != 0) return false;
  const bool discrete = expr.type.kind == TypeKind::Boolean || expr.type.kind == TypeKind::Enum;
  if (!expr.type.is_number() && !discrete) return false;
  if (std::isnan(expr.number)) return false;
  if (expr.type.kind == TypeKind::Real || wanted.kind == TypeKind::Real) {
    result = Slot(expr.number);
    return expr.type.kind == TypeKind::Real || std::abs(expr.number) < kExact;
  }
  result = Slot(static_cast<std::int64_t>(expr.number));
  return std::abs(expr.number) < kExact;
}

Register UnitCompiler::value(ExprId id) { return value_as(id, at(id).type); }

/// A register that holds the value; that of a local may be its own.
Register UnitCompiler::value_as(ExprId id, Type wanted) {
  const Expr& expr = at(id);
  const bool converted = wanted.kind == TypeKind::Real && expr.type.kind == TypeKind::Integer;
  if (expr.op == Op::Entity && expr.entity == model::EntityKind::Local && !converted) {
    return local(model::LocalId(expr.ref));
  }
  const Register goal = fresh();
  into(id, wanted, goal);
  return goal;
}

void UnitCompiler::into(ExprId id, Type wanted, Register goal) {
  Slot known;
  const Expr& expr = at(id);
  if (constant(expr, wanted, known)) {
    const At place(*this, expr.span, id);
    emit(Opcode::LoadConstant, goal, 0, 0, known);
    return;
  }
  if (expr.op == Op::Entity && expr.entity == model::EntityKind::Local && expr.type.rank == 0 &&
      expr.type.kind == TypeKind::Integer && wanted.kind == TypeKind::Real) {
    emit(Opcode::IntegerToReal, goal, local(model::LocalId(expr.ref)));
    return;
  }
  compute(id, goal);
  convert(expr.type, wanted, goal);
}

void UnitCompiler::convert(Type from, Type to, Register where) {
  if (to.kind != TypeKind::Real || from.kind != TypeKind::Integer) return;
  emit(from.rank == 0 ? Opcode::IntegerToReal : Opcode::ArrayToReal, where, where);
}

/// Values in registers that follow each other.
Register UnitCompiler::copies(std::span<const ExprId> ids, std::span<const Type> wanted) {
  const Register first = fresh(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Temporaries scope(*this);
    into(ids[i], wanted[i], static_cast<Register>(first + i));
  }
  return first;
}

void UnitCompiler::compute(ExprId id, Register goal) {
  const Expr& expr = at(id);
  const At place(*this, expr.span, id);
  const Temporaries scope(*this);
  switch (expr.op) {
    case Op::Real:
      emit(Opcode::LoadConstant, goal, 0, 0, Slot(expr.number));
      return;
    case Op::Integer:
    case Op::Boolean: {
      const bool real = expr.type.kind == TypeKind::Real;
      emit(Opcode::LoadConstant, goal, 0, 0, real ? Slot(expr.number) : Slot(static_cast<std::int64_t>(expr.number)));
      return;
    }
    case Op::EnumValue:
      emit(Opcode::LoadConstant, goal, 0, 0, Slot(std::int64_t{expr.ref}));
      return;
    case Op::None:
      emit(Opcode::LoadConstant, goal);
      return;
    case Op::String:
      emit(Opcode::LoadText, goal, 0, 0, Slot(std::int64_t{expr.ref}));
      return;
    case Op::This:
      emit(Opcode::LoadSelf, goal);
      return;
    case Op::Time:
      emit(Opcode::LoadTime, goal);
      return;
    case Op::Entity:
      return entity(expr, goal);
    case Op::Field:
      emit(Opcode::LoadField, goal, value(model_.operand(expr, 0)), 0, Slot(std::int64_t{expr.ref}));
      return;
    case Op::Property:
      return property(expr, goal);
    case Op::Index:
      return index(expr, goal);
    case Op::Range:
      return range_array(expr, goal);
    case Op::Array:
      return array_literal(expr, goal);
    case Op::Negate:
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::MatrixProduct:
    case Op::Divide:
    case Op::Power:
      return arithmetic(expr, goal);
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
    case Op::Equal:
    case Op::NotEqual:
      return comparison(expr, goal);
    case Op::And:
    case Op::Or:
    case Op::Not:
      return logic(expr, goal);
    case Op::If:
      return conditional(expr, goal);
    case Op::InState:
      return in_state(expr, goal);
    case Op::IsMessage:
      return is_message(expr, goal);
    case Op::Call:
      return call(expr, goal);
    case Op::Builtin:
      return builtin(expr, goal);
    case Op::Method:
      return method(expr, goal);
    case Op::Construct:
      return construct(expr, goal);
    case Op::Reduce:
      return reduce(expr, goal);
    case Op::Der:
      return unsupported("the derivative `der`");
    case Op::Occupant:
      return unsupported("a new object for a dynamic part");
    case Op::Error:
    case Op::Whole:
    case Op::Tuple:
      return unsupported("this expression");
  }
}

void UnitCompiler::arithmetic(const Expr& expr, Register goal) {
  const std::span<const ExprId> operands = model_.operands_of(expr);
  if (expr.type.rank > 0 || at(operands[0]).type.rank > 0) return array_arithmetic(expr, goal);
  if (expr.type.kind == TypeKind::String) {
    const Register a = value(operands[0]), b = value(operands[1]);
    emit(Opcode::JoinTexts, goal, a, b);
    return;
  }
  const bool real = expr.type.kind == TypeKind::Real;
  if (expr.op == Op::Negate) {
    emit(real ? Opcode::NegateReal : Opcode::NegateInteger, goal, value_as(operands[0], expr.type));
    return;
  }
  Slot known;
  const Register a = value_as(operands[0], expr.type);
  if (!real && expr.op == Op::Add && constant(at(operands[1]), expr.type, known)) {
    emit(Opcode::AddIntegerConstant, goal, a, 0, known);
    return;
  }
  const Register b = value_as(operands[1], expr.type);
  if (expr.op == Op::Power) {
    emit(Opcode::Math, goal, a, b, Slot(static_cast<std::int64_t>(model::Builtin::Pow)));
    return;
  }
  emit(real ? real_opcode(expr.op) : integer_opcode(expr.op), goal, a, b);
}

void UnitCompiler::comparison(const Expr& expr, Register goal) {
  const std::span<const ExprId> operands = model_.operands_of(expr);
  const Type left = at(operands[0]).type, right = at(operands[1]).type;
  if (is_plain_number(left) && is_plain_number(right)) return compare_numbers(expr, goal);
  if (is_plain_number(left) || is_plain_number(right)) {  // a process or delivery and none
    const Register one = value(is_plain_number(left) ? operands[0] : operands[1]), zero = fresh();
    emit(Opcode::LoadConstant, zero);
    emit(Opcode::EqualInteger, goal, one, zero);
  } else if (left.kind == TypeKind::Object || right.kind == TypeKind::Object) {
    const Register a = value(operands[0]), b = value(operands[1]);
    emit(Opcode::SameObject, goal, a, b);
  } else if (left.is_scalar(TypeKind::String)) {
    const Register a = value(operands[0]), b = value(operands[1]), order = fresh(), zero = fresh();
    emit(Opcode::CompareTexts, order, a, b);
    emit(Opcode::LoadConstant, zero);
    const Comparison form = comparison_of(expr.op);
    emit(nth(Opcode::LessInteger, form.which), goal, form.swapped ? zero : order, form.swapped ? order : zero);
    return;
  } else if (left.kind == TypeKind::None || right.kind == TypeKind::None) {
    emit(Opcode::IsNull, goal, value(left.kind == TypeKind::None ? operands[1] : operands[0]));
  } else {
    const Register a = value(operands[0]), b = value(operands[1]);
    emit(Opcode::SameArrays, goal, a, b);
  }
  if (expr.op == Op::NotEqual) emit(Opcode::Not, goal, goal);
}

void UnitCompiler::compare_numbers(const Expr& expr, Register goal) {
  const ExprId left = model_.operand(expr, 0), right = model_.operand(expr, 1);
  const bool real = at(left).type.kind == TypeKind::Real || at(right).type.kind == TypeKind::Real;
  const Type type = real ? Type{TypeKind::Real} : at(left).type;
  Register a = value_as(left, type), b = value_as(right, type);
  const Comparison form = comparison_of(expr.op);
  if (form.swapped) std::swap(a, b);
  emit(nth(real ? Opcode::LessReal : Opcode::LessInteger, form.which), goal, a, b);
}

void UnitCompiler::logic(const Expr& expr, Register goal) {
  if (expr.op == Op::Not) {
    emit(Opcode::Not, goal, value(model_.operand(expr, 0)));
    return;
  }
  Jumps done;
  into(model_.operand(expr, 0), expr.type, goal);
  jump(expr.op == Op::And ? Opcode::JumpIfFalse : Opcode::JumpIfTrue, goal, 0, done);
  into(model_.operand(expr, 1), expr.type, goal);
  land(done);
}

/// Jumps if the condition is `when`.
void UnitCompiler::branch(ExprId id, bool when, Jumps& jumps) {
  const Expr& expr = at(id);
  const At place(*this, expr.span, id);
  const Temporaries scope(*this);
  Slot known;
  if (constant(expr, expr.type, known)) {
    if ((known.integer != 0) == when) jump(Opcode::Jump, 0, 0, jumps);
    return;
  }
  if (expr.op == Op::Not) return branch(model_.operand(expr, 0), !when, jumps);
  if (expr.op == Op::And || expr.op == Op::Or) {
    if ((expr.op == Op::Or) == when) {
      branch(model_.operand(expr, 0), when, jumps);
      return branch(model_.operand(expr, 1), when, jumps);
    }
    Jumps past;
    branch(model_.operand(expr, 0), !when, past);
    branch(model_.operand(expr, 1), when, jumps);
    return land(past);
  }
  if (!when && is_relation(expr.op) && is_plain_number(at(model_.operand(expr, 0)).type) &&
      is_plain_number(at(model_.operand(expr, 1)).type)) {
    compare_numbers(expr, 0);
    Instruction& last = program_.instructions.back();  // the comparison becomes a jump
    const bool real = last.opcode >= Opcode::LessReal && last.opcode <= Opcode::NotEqualReal;
    const int which = static_cast<int>(last.opcode) - static_cast<int>(real ? Opcode::LessReal : Opcode::LessInteger);
    last.opcode = nth(real ? Opcode::JumpUnlessLessReal : Opcode::JumpUnlessLessInteger, which);
    last.a = last.b;
    last.b = last.c;
    last.c = 0;
    jumps.push_back(here() - 1);
    return;
  }
  jump(when ? Opcode::JumpIfTrue : Opcode::JumpIfFalse, value(id), 0, jumps);
}

void UnitCompiler::conditional(const Expr& expr, Register goal) {
  Jumps otherwise, done;
  branch(model_.operand(expr, 0), false, otherwise);
  into(model_.operand(expr, 1), expr.type, goal);
  jump(Opcode::Jump, 0, 0, done);
  land(otherwise);
  into(model_.operand(expr, 2), expr.type, goal);
  land(done);
}

/// The results go to `goal` and, of a function with several, the registers behind it. Functions of external objects
/// have the object before their arguments.
void UnitCompiler::call(const Expr& expr, Register goal) {
  const model::FunctionId id(expr.ref);
  const model::Function& function = model_.functions[id];
  std::string why_not;
  if (function.block) {
    functions_.prepare(id, unsupported_);
  } else if (functions_.external.function(id, why_not) == nullptr) {
    return unsupported("the external function `" + std::string(model_.name(function.name)) + "`", why_not);
  }
  const bool is_method = expr.op == Op::Method;
  const Register object = is_method ? fresh() : Register{0};
  if (is_method) compute(model_.operand(expr, 0), object);
  const auto operands = model_.operands_of(expr);
  std::vector<ExprId> arguments(operands.begin() + (is_method ? 1 : 0), operands.end());
  std::vector<Type> types;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (i >= arguments.size()) arguments.push_back(function.defaults[i]);
    types.push_back(model_.locals[function.parameters[i]].type);
  }
  const Register first = copies(arguments, types);
  emit(function.block ? Opcode::Call : Opcode::CallExternal, goal, is_method ? object : first, is_method ? 1 : 0,
       Slot(std::int64_t{id.index}));
  for (std::size_t i = 0; i < function.results.size(); ++i) {
    if (is_boxed(function.results[i].type)) emit(Opcode::Autorelease, static_cast<Register>(goal + i));
  }
}

void UnitCompiler::construct(const Expr& expr, Register goal) {
  const bool record = expr.type.kind == TypeKind::Record;
  const std::vector<model::Field>& fields = record ? model_.records[model::RecordId(expr.type.ref)].fields
                                                   : model_.messages[model::MessageId(expr.type.ref)].fields;
  std::vector<Type> types;
  for (const model::Field& field : fields) types.push_back(field.type);
  const Register first = copies(model_.operands_of(expr), types);
  emit(record ? Opcode::NewRecord : Opcode::NewMessage, goal, first, 0, Slot(std::int64_t{expr.type.ref}));
}

void UnitCompiler::is_message(const Expr& expr, Register goal) {
  std::uint32_t port = UINT32_MAX;
  if (expr.operand_count > 1) {
    ExprId source = model_.operand(expr, 1);
    while (at(source).op == Op::Index) source = model_.operand(at(source), 0);
    if (at(source).entity == model::EntityKind::Port) port = layout_.port_numbers[at(source).ref];
  }
  emit(Opcode::IsMessage, goal, value(model_.operand(expr, 0)), 0, Slot(pack(expr.ref, port)));
}

}  // namespace hyla::code
