// The value of every operation, to be inlined: with a constant `op` only one branch is left.
//
// What is NaN is NaN in every way of evaluation; which NaN (sign and payload) is not defined, because compilers may
// swap the operands of sums and products.
#pragma once

#include <cmath>

#include "code/graph.h"
#include "code/numbers.h"

namespace hyla::code {

/// Of a rounding: Integers know one zero only.
inline double without_negative_zero(double whole) { return whole + 0.0; }

[[gnu::always_inline]] inline double apply_inline(NodeOp op, double a, double b, double c) {
  switch (op) {
    case NodeOp::Constant:
    case NodeOp::Operand:
      return a;
    case NodeOp::Negate:
      return -a;
    case NodeOp::Add:
      return a + b;
    case NodeOp::Subtract:
      return a - b;
    case NodeOp::Multiply:
      return a * b;
    case NodeOp::Divide:
      return a / b;
    case NodeOp::Power:
      return power(a, b);
    case NodeOp::Square:
      return a * a;
    case NodeOp::Abs:
      return std::abs(a);
    case NodeOp::Sign:
      return sign_of(a);
    case NodeOp::Sqrt:
      return std::sqrt(a);
    case NodeOp::Cbrt:
      return std::cbrt(a);
    case NodeOp::Exp:
      return std::exp(a);
    case NodeOp::Expm1:
      return std::expm1(a);
    case NodeOp::Log:
      return std::log(a);
    case NodeOp::Log2:
      return std::log2(a);
    case NodeOp::Log10:
      return std::log10(a);
    case NodeOp::Log1p:
      return std::log1p(a);
    case NodeOp::Sin:
      return std::sin(a);
    case NodeOp::Cos:
      return std::cos(a);
    case NodeOp::Tan:
      return std::tan(a);
    case NodeOp::Asin:
      return std::asin(a);
    case NodeOp::Acos:
      return std::acos(a);
    case NodeOp::Atan:
      return std::atan(a);
    case NodeOp::Atan2:
      return std::atan2(a, b);
    case NodeOp::Sinh:
      return std::sinh(a);
    case NodeOp::Cosh:
      return std::cosh(a);
    case NodeOp::Tanh:
      return std::tanh(a);
    case NodeOp::Asinh:
      return std::asinh(a);
    case NodeOp::Acosh:
      return std::acosh(a);
    case NodeOp::Atanh:
      return std::atanh(a);
    case NodeOp::Hypot:
      return std::hypot(a, b);
    case NodeOp::Erf:
      return std::erf(a);
    case NodeOp::Erfc:
      return std::erfc(a);
    case NodeOp::TGamma:
      return std::tgamma(a);
    case NodeOp::LGamma:
      return std::lgamma(a);
    case NodeOp::Polygamma:
      return polygamma(a, b);
    case NodeOp::Floor:
      return without_negative_zero(std::floor(a));
    case NodeOp::Ceil:
      return without_negative_zero(std::ceil(a));
    case NodeOp::Round:
      return without_negative_zero(std::round(a));
    case NodeOp::Truncate:
      return without_negative_zero(std::trunc(a));
    case NodeOp::Mod:
      return floored_remainder(a, b);
    case NodeOp::Min:
      return b < a ? b : a;
    case NodeOp::Max:
      return b > a ? b : a;
    case NodeOp::Less:
      return a < b ? 1.0 : 0.0;
    case NodeOp::LessEqual:
      return a <= b ? 1.0 : 0.0;
    case NodeOp::Equal:
      return a == b ? 1.0 : 0.0;
    case NodeOp::NotEqual:
      return a != b ? 1.0 : 0.0;
    case NodeOp::And:
      return a != 0 && b != 0 ? 1.0 : 0.0;
    case NodeOp::Or:
      return a != 0 || b != 0 ? 1.0 : 0.0;
    case NodeOp::Not:
      return a == 0 ? 1.0 : 0.0;
    case NodeOp::Select:
      return a != 0 ? b : c;
    case NodeOp::Argument:
    case NodeOp::Call:
      return std::nan("");  // has no value by its operands alone
  }
  return a;
}

}  // namespace hyla::code
