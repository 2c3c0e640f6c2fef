// Tapes on truncated Taylor series in time, by the usual recurrences (Griewank and Walther 2008, chapter 13).
//
// With y = f(u): y' = f'(u) u', so k y_k is the sum of i u_i d_(k-i) over i = 1 .. k, where d is the series of f'(u).
// Where f' is a function of y the series of d grows along with that of y. Coefficient 0 is always that of `apply`, so
// values have the same bits as elsewhere.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "code/graph_apply.h"
#include "code/tape.h"

namespace hyla::code {
namespace {

constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;
constexpr double kTwoOverRootPi = 1.12837916709551257390;

using Series = std::array<double, kMostJetOrder + 1>;

/// Computes with series of one order.
class Jets {
 public:
  explicit Jets(int order) : end_(static_cast<std::size_t>(order) + 1) {}

  std::size_t size() const { return end_; }
  Series value(NodeOp op, const Series& a, const Series& b, const Series& c) const;

 private:
  Series algebraic(NodeOp op, const Series& a, const Series& b) const;
  Series transcendental(NodeOp op, double y0, const Series& u) const;
  Series of_two(NodeOp op, double y0, const Series& a, const Series& b) const;
  Series piecewise(NodeOp op, double y0, const Series& a, const Series& b) const;

  Series constant(double value) const {
    Series result{};
    result[0] = value;
    return result;
  }
  Series sum(const Series& a, const Series& b, double factor) const;
  Series product(const Series& a, const Series& b) const;
  Series quotient(const Series& a, const Series& b) const;
  Series root(const Series& a, double y0) const;
  /// With y' = d u'.
  Series integral(double y0, const Series& u, const Series& d) const;
  /// With y' = y u'.
  Series exponential(double y0, const Series& u) const;
  /// With y' = u' / d.
  Series logarithm(double y0, const Series& u, const Series& d) const;
  /// With y' = (1 + sign y^2) u'.
  Series tangent(double y0, const Series& u, double sign) const;
  /// With s' = c u' and c' = sign s u'.
  void sine_and_cosine(const Series& u, double sign, Series& s, Series& c) const;
  Series constant_power(double y0, const Series& u, double exponent) const;
  Series general_power(double y0, const Series& a, const Series& b) const;
  /// Of f(u) from the Taylor coefficients of f at u_0.
  Series composition(const Series& f, const Series& u) const;
  Series gamma(NodeOp op, double y0, const Series& u) const;
  /// A function with this order of polygamma for its first derivative.
  Series polygamma_integral(double y0, double order, const Series& u) const;
  bool is_less(const Series& a, const Series& b) const;
  bool is_constant(const Series& a) const;

  std::size_t end_;
};

Series Jets::sum(const Series& a, const Series& b, double factor) const {
  Series result{};
  for (std::size_t k = 0; k < end_; ++k) result[k] = a[k] + factor * b[k];
  return result;
}

Series Jets::product(const Series& a, const Series& b) const {
  Series result{};
  for (std::size_t k = 0; k < end_; ++k) {
    for (std::size_t i = 0; i <= k; ++i) result[k] += a[i] * b[k - i];
  }
  return result;
}

Series Jets::quotient(const Series& a, const Series& b) const {
  Series result{};
  for (std::size_t k = 0; k < end_; ++k) {
    double rest = a[k];
    for (std::size_t i = 0; i < k; ++i) rest -= result[i] * b[k - i];
    result[k] = rest / b[0];
  }
  return result;
}

Series Jets::root(const Series& a, double y0) const {
  Series result = constant(y0);
  for (std::size_t k = 1; k < end_; ++k) {
    double rest = a[k];
    for (std::size_t i = 1; i < k; ++i) rest -= result[i] * result[k - i];
    result[k] = rest / (2 * y0);
  }
  return result;
}

Series Jets::integral(double y0, const Series& u, const Series& d) const {
  Series y = constant(y0);
  for (std::size_t k = 1; k < end_; ++k) {
    for (std::size_t i = 1; i <= k; ++i) y[k] += static_cast<double>(i) * u[i] * d[k - i];
    y[k] /= static_cast<double>(k);
  }
  return y;
}

Series Jets::exponential(double y0, const Series& u) const {
  Series y = constant(y0);
  for (std::size_t k = 1; k < end_; ++k) {
    for (std::size_t i = 1; i <= k; ++i) y[k] += static_cast<double>(i) * u[i] * y[k - i];
    y[k] /= static_cast<double>(k);
  }
  return y;
}

Series Jets::logarithm(double y0, const Series& u, const Series& d) const {
  Series y = constant(y0);
  if (is_constant(u)) return y;
  for (std::size_t k = 1; k < end_; ++k) {
    double rest = static_cast<double>(k) * u[k];
    for (std::size_t i = 1; i < k; ++i) rest -= static_cast<double>(i) * y[i] * d[k - i];
    y[k] = rest / (static_cast<double>(k) * d[0]);
  }
  return y;
}

Series Jets::tangent(double y0, const Series& u, double sign) const {
  Series y = constant(y0), d = constant(1 + sign * y0 * y0);
  for (std::size_t k = 1; k < end_; ++k) {
    for (std::size_t i = 1; i <= k; ++i) y[k] += static_cast<double>(i) * u[i] * d[k - i];
    y[k] /= static_cast<double>(k);
    for (std::size_t i = 0; i <= k; ++i) d[k] += sign * y[i] * y[k - i];
  }
  return y;
}

void Jets::sine_and_cosine(const Series& u, double sign, Series& s, Series& c) const {
  for (std::size_t k = 1; k < end_; ++k) {
    s[k] = c[k] = 0;
    for (std::size_t i = 1; i <= k; ++i) {
      s[k] += static_cast<double>(i) * u[i] * c[k - i];
      c[k] += sign * static_cast<double>(i) * u[i] * s[k - i];
    }
    s[k] /= static_cast<double>(k);
    c[k] /= static_cast<double>(k);
  }
}

/// With u y' = exponent y u'. At u_0 = 0 a whole exponent is a product; for others the series has no derivatives there.
Series Jets::constant_power(double y0, const Series& u, double exponent) const {
  Series y = constant(y0);
  if (u[0] == 0 && exponent >= 0 && exponent == std::floor(exponent)) {
    y = constant(1);
    // Each factor raises the lowest order by at least one, so a few factors are enough to see that nothing is left.
    const double factors = std::min(exponent, static_cast<double>(end_));
    for (double k = 0; k < factors; ++k) y = product(y, u);
    return y;
  }
  for (std::size_t k = 1; k < end_; ++k) {
    for (std::size_t i = 1; i <= k; ++i) {
      const double weight = exponent * static_cast<double>(i) - static_cast<double>(k - i);
      y[k] += weight * u[i] * y[k - i];
    }
    y[k] /= static_cast<double>(k) * u[0];
  }
  return y;
}

Series Jets::general_power(double y0, const Series& a, const Series& b) const {
  if (is_constant(b)) return constant_power(y0, a, b[0]);
  return exponential(y0, product(b, logarithm(std::log(a[0]), a, a)));
}

Series Jets::composition(const Series& f, const Series& u) const {
  Series rest = u;
  rest[0] = 0;
  Series result = constant(f[end_ - 1]);
  for (std::size_t k = end_ - 1; k > 0; --k) {
    result = product(result, rest);
    result[0] = f[k - 1];
  }
  return result;
}

Series Jets::polygamma_integral(double y0, double order, const Series& u) const {
  Series f = constant(y0);
  double factorial = 1;
  for (std::size_t k = 1; k < end_; ++k) {
    factorial *= static_cast<double>(k);
    f[k] = polygamma(order + static_cast<double>(k) - 1, u[0]) / factorial;
  }
  return composition(f, u);
}

Series Jets::gamma(NodeOp op, double y0, const Series& u) const {
  const Series logarithmic = polygamma_integral(op == NodeOp::LGamma ? y0 : 0, 0, u);
  return op == NodeOp::LGamma ? logarithmic : exponential(y0, logarithmic);
}

/// As time goes on: the first coefficient that differs decides.
bool Jets::is_less(const Series& a, const Series& b) const {
  for (std::size_t k = 0; k < end_; ++k) {
    if (a[k] != b[k]) return a[k] < b[k];
  }
  return false;
}

bool Jets::is_constant(const Series& a) const {
  for (std::size_t k = 1; k < end_; ++k) {
    if (a[k] != 0) return false;
  }
  return true;
}

Series Jets::algebraic(NodeOp op, const Series& a, const Series& b) const {
  switch (op) {
    case NodeOp::Operand:
      return a;
    case NodeOp::Negate:
      return sum(Series{}, a, -1);
    case NodeOp::Add:
      return sum(a, b, 1);
    case NodeOp::Subtract:
      return sum(a, b, -1);
    case NodeOp::Multiply:
      return product(a, b);
    case NodeOp::Divide:
      return quotient(a, b);
    default:
      return product(a, a);  // of Square
  }
}

Series Jets::transcendental(NodeOp op, double y0, const Series& u) const {
  const Series one = constant(1);
  const auto scaled = [&](double base) { return logarithm(y0, sum(Series{}, u, 1 / base), u); };
  const auto circular = [&](double sign, bool is_sine) {
    Series s = constant(sign < 0 ? std::sin(u[0]) : std::sinh(u[0]));
    Series c = constant(sign < 0 ? std::cos(u[0]) : std::cosh(u[0]));
    sine_and_cosine(u, sign, s, c);
    return is_sine ? s : c;
  };
  const auto bell = [&](double factor) {
    const Series exponent = sum(Series{}, product(u, u), -1);
    return integral(y0, u, sum(Series{}, exponential(std::exp(exponent[0]), exponent), factor));
  };
  // With y' = factor u' / root(d).
  const auto inverse = [&](const Series& d, double factor) {
    return logarithm(y0, sum(Series{}, u, factor), root(d, std::sqrt(d[0])));
  };
  switch (op) {
    case NodeOp::Sqrt:
      return root(u, y0);
    case NodeOp::Cbrt:
      return constant_power(y0, u, 1.0 / 3);
    case NodeOp::Exp:
      return exponential(y0, u);
    case NodeOp::Expm1:
      return integral(y0, u, exponential(std::exp(u[0]), u));
    case NodeOp::Log:
      return logarithm(y0, u, u);
    case NodeOp::Log2:
      return scaled(kLn2);
    case NodeOp::Log10:
      return scaled(kLn10);
    case NodeOp::Log1p:
      return logarithm(y0, u, sum(one, u, 1));
    case NodeOp::Sin:
      return circular(-1, true);
    case NodeOp::Cos:
      return circular(-1, false);
    case NodeOp::Tan:
      return tangent(y0, u, 1);
    case NodeOp::Asin:
      return inverse(product(sum(one, u, -1), sum(one, u, 1)), 1);
    case NodeOp::Acos:
      return inverse(product(sum(one, u, -1), sum(one, u, 1)), -1);
    case NodeOp::Atan:
      return logarithm(y0, u, sum(one, product(u, u), 1));
    case NodeOp::Sinh:
      return circular(1, true);
    case NodeOp::Cosh:
      return circular(1, false);
    case NodeOp::Tanh:
      return tangent(y0, u, -1);
    case NodeOp::Asinh:
      return inverse(sum(one, product(u, u), 1), 1);
    case NodeOp::Acosh:
      return inverse(product(sum(u, one, -1), sum(u, one, 1)), 1);
    case NodeOp::Atanh:
      return logarithm(y0, u, product(sum(one, u, -1), sum(one, u, 1)));
    case NodeOp::Erf:
      return bell(kTwoOverRootPi);
    case NodeOp::Erfc:
      return bell(-kTwoOverRootPi);
    default:
      return gamma(op, y0, u);
  }
}

Series Jets::of_two(NodeOp op, double y0, const Series& a, const Series& b) const {
  switch (op) {
    case NodeOp::Power:
      return general_power(y0, a, b);
    case NodeOp::Atan2: {
      // y' = (a' b - a b') / (a^2 + b^2): the angle of the vector turned back by its first direction is atan(v / w).
      const Series v = sum(sum(Series{}, a, b[0]), b, -a[0]);
      const Series w = sum(sum(Series{}, b, b[0]), a, a[0]);
      const Series tangent_of = quotient(v, w);
      return logarithm(y0, tangent_of, sum(constant(1), product(tangent_of, tangent_of), 1));
    }
    case NodeOp::Hypot:
      return root(sum(product(a, a), product(b, b), 1), y0);
    case NodeOp::Polygamma:
      return polygamma_integral(y0, a[0] + 1, b);
    default:
      return piecewise(op, y0, a, b);
  }
}

Series Jets::piecewise(NodeOp op, double y0, const Series& a, const Series& b) const {
  switch (op) {
    case NodeOp::Abs:
      return is_less(a, Series{}) ? sum(Series{}, a, -1) : a;
    case NodeOp::Min:
      return is_less(b, a) ? b : a;
    case NodeOp::Max:
      return is_less(a, b) ? b : a;
    case NodeOp::Mod:
      return is_constant(b) ? a : sum(a, b, -std::round((a[0] - y0) / b[0]));
    default:
      return Series{};  // constant between its jumps
  }
}

Series Jets::value(NodeOp op, const Series& a, const Series& b, const Series& c) const {
  const double y0 = apply(op, a[0], b[0], c[0]);
  if (is_constant(a) && is_constant(b) && is_constant(c)) return constant(y0);
  Series result;
  if (op == NodeOp::Select) {
    result = a[0] != 0 ? b : c;
  } else if (op == NodeOp::Operand || (op >= NodeOp::Negate && op <= NodeOp::Divide) || op == NodeOp::Square) {
    result = algebraic(op, a, b);
  } else if (operands_of(op) == 2) {
    result = of_two(op, y0, a, b);
  } else if (op >= NodeOp::Sqrt && op <= NodeOp::LGamma) {
    result = transcendental(op, y0, a);
  } else {
    result = piecewise(op, y0, a, b);
  }
  result[0] = y0;
  return result;
}

/// The value and its rate; nothing is known of further derivatives, which are given as 0.
void run_call(const TapeCall& call, const double* registers, int order, double* out) {
  const auto size = static_cast<std::size_t>(order) + 1;
  std::fill_n(out, size, 0.0);
  out[0] = code::run_call(call, registers, size);
  if (order == 0) return;
  TapeCall rate{&call.callee->derivative(), call.result, {}};
  std::vector<double> arguments;
  bool varies = false;
  for (std::size_t part = 0; part < 2; ++part) {
    for (const std::uint32_t argument : call.arguments) {
      rate.arguments.push_back(static_cast<std::uint32_t>(arguments.size()));
      arguments.push_back(registers[argument * size + part]);
      varies = varies || (part == 1 && arguments.back() != 0);
    }
  }
  if (varies) out[1] = code::run_call(rate, arguments.data(), 1);
}

}  // namespace

void run_jets(const Tape& tape, double* registers, int order) {
  HYLA_CHECK(order >= 0 && order <= kMostJetOrder, "an order that is too high");
  const Jets jets(order);
  const auto at = [&](std::uint32_t number) { return registers + number * jets.size(); };
  const auto read = [&](std::uint32_t number) {
    Series result{};
    std::copy_n(at(number), jets.size(), result.begin());
    return result;
  };
  for (std::uint32_t k = 0; k < tape.constants.size(); ++k) {
    std::fill_n(at(tape.inputs + k), jets.size(), 0.0);
    *at(tape.inputs + k) = tape.constants[k];
  }
  for (const TapeInstruction& i : tape.instructions) {
    if (i.op == NodeOp::Call) {
      run_call(tape.calls[i.a], registers, order, at(i.out));
      continue;
    }
    const int operands = operands_of(i.op);
    const Series a = read(i.a), b = operands > 1 ? read(i.b) : Series{}, c = operands > 2 ? read(i.c) : Series{};
    std::copy_n(jets.value(i.op, a, b, c).begin(), jets.size(), at(i.out));
  }
}

}  // namespace hyla::code
