#include "engine/draw.h"

#include <array>

#include "code/heap.h"
#include "random/arguments.h"
#include "random/distributions.h"

namespace hyla::engine {
namespace {

using code::Slot;
using model::Builtin;
using random::Distribution;

std::span<const double> reals_of(const code::Box* box) {
  static_assert(sizeof(Slot) == sizeof(double));
  return {reinterpret_cast<const double*>(box->slots()), box->size};
}

Slot real(double value) { return Slot(value); }
Slot integer(std::int64_t value) { return Slot(value); }

const char* draw_index(random::Stream& stream, std::span<const double> p, Slot& result) {
  if (const char* complaint = random::argument_error(Distribution::Discrete, p)) return complaint;
  result = integer(random::discrete(stream, p));
  return nullptr;
}

const char* draw_value(random::Stream& stream, std::span<const double> x, std::span<const double> p, Slot& result) {
  if (const char* complaint = random::empirical_argument_error(x, p)) return complaint;
  result = real(random::empirical(stream, x, p));
  return nullptr;
}

}  // namespace

bool short_value(const Object& object, const code::ShortForm& form, Slot& result) {
  if (form.kind == code::ShortForm::Kind::None) return false;
  const auto value = [&](const code::ShortForm::Operand& operand) {
    return operand.own_slot ? object.slots[operand.value.integer] : operand.value;
  };
  if (form.kind == code::ShortForm::Kind::Value) {
    result = value(form.operands[0]);
    return true;
  }
  const Slot arguments[] = {value(form.operands[0]), value(form.operands[1])};
  return draw_quickly(object.streams[form.stream], form.distribution, arguments, result);
}

const char* draw_from(random::Stream& stream, Builtin distribution, std::span<const Slot> arguments, Slot& result) {
  if (distribution == Builtin::DiscreteDistribution) return draw_index(stream, reals_of(arguments[0].box), result);
  if (distribution == Builtin::Empirical) {
    return draw_value(stream, reals_of(arguments[0].box), reals_of(arguments[1].box), result);
  }
  // The first argument of `erlang` and `binomial` is an Integer, all others are Reals.
  std::array<double, 3> a{};
  for (std::size_t i = 0; i < arguments.size(); ++i) a[i] = arguments[i].real;
  if (distribution == Builtin::Erlang || distribution == Builtin::Binomial) {
    a[0] = static_cast<double>(arguments[0].integer);
  }
  const auto fits = [&](Distribution which) { return random::argument_error(which, {a.data(), arguments.size()}); };
  const char* complaint = nullptr;
  switch (distribution) {
    case Builtin::Uniform:
      if ((complaint = fits(Distribution::Uniform)) == nullptr) result = real(random::uniform(stream, a[0], a[1]));
      break;
    case Builtin::Exponential:
      if ((complaint = fits(Distribution::Exponential)) == nullptr) result = real(random::exponential(stream, a[0]));
      break;
    case Builtin::Normal:
      if ((complaint = fits(Distribution::Normal)) == nullptr) result = real(random::normal(stream, a[0], a[1]));
      break;
    case Builtin::Triangular:
      if ((complaint = fits(Distribution::Triangular)) == nullptr) {
        result = real(random::triangular(stream, a[0], a[1], a[2]));
      }
      break;
    case Builtin::Erlang:
      if ((complaint = fits(Distribution::Erlang)) == nullptr) result = real(random::erlang(stream, a[0], a[1]));
      break;
    case Builtin::Gamma:
      if ((complaint = fits(Distribution::Gamma)) == nullptr) result = real(random::gamma(stream, a[0], a[1]));
      break;
    case Builtin::Beta:
      if ((complaint = fits(Distribution::Beta)) == nullptr) result = real(random::beta(stream, a[0], a[1]));
      break;
    case Builtin::Weibull:
      if ((complaint = fits(Distribution::Weibull)) == nullptr) result = real(random::weibull(stream, a[0], a[1]));
      break;
    case Builtin::Lognormal:
      if ((complaint = fits(Distribution::Lognormal)) == nullptr) result = real(random::lognormal(stream, a[0], a[1]));
      break;
    case Builtin::Poisson:
      if ((complaint = fits(Distribution::Poisson)) == nullptr) result = integer(random::poisson(stream, a[0]));
      break;
    case Builtin::Bernoulli:
      if ((complaint = fits(Distribution::Bernoulli)) == nullptr) {
        result = integer(random::bernoulli(stream, a[0]) ? 1 : 0);
      }
      break;
    case Builtin::Geometric:
      if ((complaint = fits(Distribution::Geometric)) == nullptr) result = integer(random::geometric(stream, a[0]));
      break;
    case Builtin::Binomial:
      if ((complaint = fits(Distribution::Binomial)) == nullptr) result = integer(random::binomial(stream, a[0], a[1]));
      break;
    default:
      complaint = "this is not a distribution";
      break;
  }
  return complaint;
}

}  // namespace hyla::engine
