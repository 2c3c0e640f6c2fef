// Instructions on numbers that need a function call: mathematics, rounding, turns of loops.
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "code/graph_apply.h"
#include "code/machine_impl.h"

namespace hyla::code {

using model::Builtin;

namespace {

/// How many turns a loop can have; more would not end in a lifetime.
constexpr double kMostTurns = 1e18;

}  // namespace

double real_function(Builtin which, double a, double b) {
  switch (which) {
#define HYLA_SAME(name) \
  case Builtin::name:   \
    return apply_inline(NodeOp::name, a, b, 0);
    HYLA_SAME(Abs)
    HYLA_SAME(Sign)
    HYLA_SAME(Sqrt)
    HYLA_SAME(Cbrt)
    HYLA_SAME(Exp)
    HYLA_SAME(Expm1)
    HYLA_SAME(Log)
    HYLA_SAME(Log2)
    HYLA_SAME(Log10)
    HYLA_SAME(Log1p)
    HYLA_SAME(Sin)
    HYLA_SAME(Cos)
    HYLA_SAME(Tan)
    HYLA_SAME(Asin)
    HYLA_SAME(Acos)
    HYLA_SAME(Atan)
    HYLA_SAME(Atan2)
    HYLA_SAME(Sinh)
    HYLA_SAME(Cosh)
    HYLA_SAME(Tanh)
    HYLA_SAME(Asinh)
    HYLA_SAME(Acosh)
    HYLA_SAME(Atanh)
    HYLA_SAME(Hypot)
    HYLA_SAME(Erf)
    HYLA_SAME(Erfc)
    HYLA_SAME(TGamma)
    HYLA_SAME(LGamma)
    HYLA_SAME(Mod)
    HYLA_SAME(Min)
    HYLA_SAME(Max)
#undef HYLA_SAME
    case Builtin::Pow:
      return power(a, b);
    case Builtin::Div:
      return b == 0 ? std::nan("") : std::trunc(a / b);
    default:
      return std::nan("");
  }
}

bool integer_function(Builtin which, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (which) {
    case Builtin::Abs:
      if (a == INT64_MIN) return false;
      result = a < 0 ? -a : a;
      return true;
    case Builtin::Sign:
      result = a > 0 ? 1 : a < 0 ? -1 : 0;
      return true;
    case Builtin::Min:
      result = b < a ? b : a;
      return true;
    case Builtin::Max:
      result = b > a ? b : a;
      return true;
    case Builtin::Mod: {
      if (b == 0) return false;
      const std::int64_t rest = b == -1 ? 0 : a % b;
      result = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
      return true;
    }
    case Builtin::Div:
      if (b == 0 || (a == INT64_MIN && b == -1)) return false;
      result = a / b;
      return true;
    default:
      return false;
  }
}

bool round_number(Builtin how, double value, std::int64_t& result) {
  const double rounded = how == Builtin::Floor   ? std::floor(value)
                         : how == Builtin::Ceil  ? std::ceil(value)
                         : how == Builtin::Round ? std::round(value)
                                                 : std::trunc(value);
  if (!(rounded >= -0x1p63 && rounded < 0x1p63)) return false;
  result = static_cast<std::int64_t>(rounded);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Math>(const Instruction& instruction, Activation& at) {
  const auto which = static_cast<Builtin>(instruction.immediate.integer);
  const double a = at[instruction.b].real, b = at[instruction.c].real;
  const double result = real_function(which, a, b);
  if (std::isnan(result) && !std::isnan(a) && !std::isnan(b)) return fail_function(which, a, b);
  at[instruction.a].real = result;
  return true;
}

bool Machine::Impl::fail_function(Builtin which, double a, double b) {
  if ((which == Builtin::Mod || which == Builtin::Div) && b == 0) return fail("division by zero");
  const std::string_view name = model::info(which).name, signature = model::info(which).signature;
  if (which == Builtin::Pow) return fail_number("^", a, b);
  if (signature.find(':') == 1) return fail(fmt::format("{} of {}", name, base::format_number(a)));
  return fail(fmt::format("{} of {} and {}", name, base::format_number(a), base::format_number(b)));
}

template <>
bool Machine::Impl::perform<Opcode::IntegerMath>(const Instruction& instruction, Activation& at) {
  const auto which = static_cast<Builtin>(instruction.immediate.integer);
  const std::int64_t b = at[instruction.c].integer;
  if (integer_function(which, at[instruction.b].integer, b, at[instruction.a].integer)) return true;
  const bool quotient = which == Builtin::Mod || which == Builtin::Div;
  return quotient && b == 0 ? fail("division by zero") : fail_overflow();
}

template <>
bool Machine::Impl::perform<Opcode::RealToInteger>(const Instruction& instruction, Activation& at) {
  const double value = at[instruction.b].real;
  if (round_number(static_cast<Builtin>(instruction.immediate.integer), value, at[instruction.a].integer)) return true;
  return fail(fmt::format("{} is outside the range of Integers", base::format_number(value)));
}

template <>
bool Machine::Impl::perform<Opcode::CountTurns>(const Instruction& instruction, Activation& at) {
  Slot* const range = &at[instruction.a];
  const std::int64_t first = range[0].integer, last = range[1].integer, step = range[2].integer;
  if (step == 0) return fail("the step of a range is 0");
  if (step > 0 ? first > last : first < last) {
    range[1].integer = 0;
    return true;
  }
  // In unsigned numbers, so that the width of the whole range of Integers fits.
  const std::uint64_t width = step > 0 ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)
                                       : static_cast<std::uint64_t>(first) - static_cast<std::uint64_t>(last);
  const std::uint64_t size = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t turns = width / size;
  range[1].integer = turns >= INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(turns) + 1;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::CountTurnsReal>(const Instruction& instruction, Activation& at) {
  Slot* const range = &at[instruction.a];
  const double first = range[0].real, last = range[1].real, step = range[2].real;
  if (step == 0) return fail("the step of a range is 0");
  // A last step that misses the end by rounding alone still counts.
  const double turns = std::floor((last - first) / step * (1 + 1e-12)) + 1;
  if (!(turns < kMostTurns)) return fail("a range without end");
  range[1].integer = turns < 1 ? 0 : static_cast<std::int64_t>(turns);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::FailEmpty>(const Instruction&, Activation&) {
  return fail("there is no least or greatest of no Integers");
}

}  // namespace hyla::code
