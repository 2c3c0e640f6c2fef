// Units: reading them, and the rules for built-in functions.
#include <algorithm>

#include <fmt/core.h>

#include "check/build.h"
#include "check/passes.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

UnitId read_unit(Context& context, std::string_view text, Span span) {
  UnitError error;
  if (const auto unit = parse_unit(text, error)) return context.model.intern_unit(*unit);
  // The span of a string includes its quotes; that of a literal's unit does not.
  const std::uint32_t lead = span.end - span.begin > text.size() ? 1 : 0;
  Span narrow = span;
  narrow.begin = span.begin + lead + static_cast<std::uint32_t>(error.offset);
  narrow.end = narrow.begin + static_cast<std::uint32_t>(error.length);
  if (narrow.end > span.end || narrow.begin >= narrow.end) narrow = span;
  auto entry = context.sink.report(Kind::UnknownUnit, narrow, error.message);
  if (!error.hint.empty()) entry.hint(error.hint);
  return {};
}

namespace {

/// Numbers without a unit and `time`, as in `sin(314 * time)`: the numbers fit any unit, so this is no mistake.
bool is_plain_time(const Context& context, ExprId id) {
  const Expr& expr = context.model.exprs[id];
  if (expr.op == Op::Time || expr.unit == kBareUnit) return true;
  if (expr.op != Op::Add && expr.op != Op::Subtract && expr.op != Op::Multiply && expr.op != Op::Divide &&
      expr.op != Op::Negate && expr.op != Op::Power)
    return false;
  const std::span<const ExprId> operands = context.model.operands_of(expr);
  return std::all_of(operands.begin(), operands.end(), [&](ExprId operand) { return is_plain_time(context, operand); });
}

}  // namespace

UnitId builtin_unit(Context& context, const BuiltinInfo& builtin, std::span<const ExprId> arguments, Span call) {
  const auto unit_of = [&](std::size_t i) { return context.model.exprs[arguments[i]].unit; };
  const auto joined = [&] {
    UnitId unit = arguments.empty() ? UnitId{} : unit_of(0);
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      unit = join_units(context, arguments[0], arguments[i], call, fmt::format("`{}` joins", builtin.name));
    }
    return unit;
  };
  const auto root = [&](double exponent) {
    const UnitId unit = unit_of(0);
    if (!is_known(unit)) return unit;
    const auto powered = power(context.model.units[unit], exponent);
    return powered ? context.model.intern_unit(*powered) : UnitId{};
  };
  switch (builtin.unit_rule) {
    case UnitRule::Free:
      return {};
    case UnitRule::Same:
      return joined();
    case UnitRule::SameToOne:
      joined();
      return context.model.intern_unit(Unit{{}, 1.0, "1"});
    case UnitRule::Keep:
      return arguments.empty() ? UnitId{} : unit_of(0);
    case UnitRule::Root:
      return root(0.5);
    case UnitRule::CubeRoot:
      return root(1.0 / 3.0);
    case UnitRule::Multiply:
      return arguments.size() < 2 ? UnitId{} : multiply_units(context, unit_of(0), unit_of(1), false);
    case UnitRule::Dimensionless: {
      bool bare = true;
      for (ExprId argument : arguments) {
        if (is_plain_time(context, argument)) continue;
        require_dimensionless(context, argument, fmt::format("the argument of `{}`", builtin.name));
        bare = bare && context.model.exprs[argument].unit == kBareUnit;
      }
      return bare ? kBareUnit : context.model.intern_unit(Unit{{}, 1.0, "1"});
    }
  }
  return {};
}

}  // namespace hyla::check
