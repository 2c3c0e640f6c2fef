#include "check/build.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/text.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

ExprId make_expr(Context& context, Op op, Type type, Span span, std::span<const ExprId> operands) {
  Expr expr;
  expr.op = op;
  expr.type = type;
  expr.span = span;
  expr.first_operand = static_cast<std::uint32_t>(context.model.operands.size());
  expr.operand_count = static_cast<std::uint32_t>(operands.size());
  context.model.operands.insert(context.model.operands.end(), operands.begin(), operands.end());
  return context.model.exprs.add(expr);
}

ExprId make_expr(Context& context, Op op, Type type, Span span, std::initializer_list<ExprId> operands) {
  return make_expr(context, op, type, span, std::span(operands.begin(), operands.size()));
}

ExprId make_error(Context& context, Span span) { return make_expr(context, Op::Error, error_type(), span); }

ExprId make_local(Context& context, LocalId local, Span span) {
  const Local& record = context.model.locals[local];
  const ExprId id = make_expr(context, Op::Entity, record.type, span);
  Expr& expr = context.model.exprs[id];
  expr.entity = EntityKind::Local;
  expr.ref = local.index;
  expr.unit = record.unit;
  expr.shape = record.shape;
  return id;
}

bool assignable(const Context& context, Type to, Type from) {
  if (to.is_error() || from.is_error() || to.kind == TypeKind::Reference) return true;
  if (to.rank != from.rank || to.kind == TypeKind::Tuple) return false;
  if (to.kind == TypeKind::Real && from.kind == TypeKind::Integer) return true;
  if (from.kind == TypeKind::None) {
    return to.kind == TypeKind::Message || to.kind == TypeKind::AnyMessage || to.kind == TypeKind::Object ||
           to.kind == TypeKind::Process || to.kind == TypeKind::Delivery || to.kind == TypeKind::Connection ||
           to.kind == TypeKind::None;
  }
  if (to.kind == TypeKind::None) return assignable(context, from, to);
  if (to.kind == TypeKind::AnyMessage && from.kind == TypeKind::Message) return true;
  if (to.kind == TypeKind::Object && from.kind == TypeKind::Object) {
    if (to.ref == UINT32_MAX || from.ref == UINT32_MAX) return true;  // an object of any model
    return context.model.extends(ClassId(from.ref), ClassId(to.ref));
  }
  return to == from;
}

bool is_known(UnitId unit) { return unit && unit != kBareUnit; }

namespace {

/// "1 km = 1000 m", the larger of the two first.
std::string conversion(const Context& context, UnitId left, UnitId right) {
  if (context.model.units[left].factor < context.model.units[right].factor) std::swap(left, right);
  return fmt::format("1 {} = {:.10g} {}", context.model.unit_name(left),
                     context.model.units[left].factor / context.model.units[right].factor,
                     context.model.unit_name(right));
}

void report_units(Context& context, ExprId left, ExprId right, Span operation, std::string_view verb) {
  const Expr& a = context.model.exprs[left];
  const Expr& b = context.model.exprs[right];
  const std::string_view unit_a = context.model.unit_name(a.unit);
  const std::string_view unit_b = context.model.unit_name(b.unit);
  auto entry =
      context.sink.report(Kind::UnitMismatch, operation, fmt::format("{} `{}` and `{}`", verb, unit_a, unit_b));
  entry.label(a.span, fmt::format("`{}`", unit_a)).label(b.span, fmt::format("`{}`", unit_b));
  const Unit& first = context.model.units[a.unit];
  const Unit& second = context.model.units[b.unit];
  if (first.same_dimension(second)) entry.hint("both measure the same: " + conversion(context, a.unit, b.unit));
}

}  // namespace

UnitId join_units(Context& context, ExprId left, ExprId right, Span operation, std::string_view verb) {
  const UnitId a = context.model.exprs[left].unit;
  const UnitId b = context.model.exprs[right].unit;
  if (is_known(a) && is_known(b)) {
    if (!context.model.units[a].same_unit(context.model.units[b])) report_units(context, left, right, operation, verb);
    return a;
  }
  if (is_known(a)) return a;
  if (is_known(b)) return b;
  return a == kBareUnit && b == kBareUnit ? kBareUnit : UnitId{};
}

UnitId multiply_units(Context& context, UnitId left, UnitId right, bool divide) {
  // In `10 * sin(phi)` the bare number may carry any unit.
  const auto is_one = [&](UnitId id) { return is_known(id) && context.model.units[id].same_unit(Unit{}); };
  if ((left == kBareUnit && is_one(right)) || (right == kBareUnit && is_one(left))) return kBareUnit;
  return divide ? context.model.divide_units(left, right) : context.model.multiply_units(left, right);
}

namespace {

/// `2 * pi * time`, `-time`, `x / 3`: a bare number fits any unit, so as a factor it may well carry the missing one.
bool has_bare_factor(const Context& context, ExprId id) {
  std::vector<ExprId> pending = {id};
  while (!pending.empty()) {
    const Expr& expr = context.model.exprs[pending.back()];
    pending.pop_back();
    if (expr.op == Op::Time || expr.unit == kBareUnit) return true;
    if (expr.op != Op::Negate && expr.op != Op::Multiply && expr.op != Op::Divide) continue;
    for (ExprId operand : context.model.operands_of(expr)) pending.push_back(operand);
  }
  return false;
}

}  // namespace

void require_dimensionless(Context& context, ExprId value, std::string_view what) {
  const Expr& expr = context.model.exprs[value];
  if (!is_known(expr.unit)) return;
  const Unit& unit = context.model.units[expr.unit];
  if (unit.same_unit(Unit{}) || (!unit.same_dimension(Unit{}) && has_bare_factor(context, value))) return;
  const std::string_view name = context.model.unit_name(expr.unit);
  auto entry =
      context.sink.report(Kind::UnitMismatch, expr.span, fmt::format("{} must have no unit but has `{}`", what, name));
  if (unit.same_dimension(Unit{})) {
    entry.hint(fmt::format("1 {} = {:.10g}: convert it first", name, unit.factor));
  } else {
    entry.hint("divide by a quantity of the same unit");
  }
}

bool require_unit(Context& context, ExprId value, UnitId wanted, std::string_view what) {
  const Expr& expr = context.model.exprs[value];
  if (!is_known(expr.unit) || !is_known(wanted)) return true;
  const Unit& have = context.model.units[expr.unit];
  const Unit& want = context.model.units[wanted];
  if (have.same_unit(want)) return true;
  const std::string_view have_name = context.model.unit_name(expr.unit);
  const std::string_view want_name = context.model.unit_name(wanted);
  auto entry = context.sink.report(Kind::UnitMismatch, expr.span,
                                   fmt::format("{} is measured in `{}`, this is in `{}`", what, want_name, have_name));
  if (have.same_dimension(want)) {
    entry.hint(conversion(context, expr.unit, wanted));
  }
  return false;
}

std::optional<std::int64_t> known_size(const Context& context, ShapeId shape, std::size_t dimension) {
  if (!shape) return std::nullopt;
  const std::vector<Dimension>& dimensions = context.model.shapes[shape].dimensions;
  return dimension < dimensions.size() ? dimensions[dimension].size : std::nullopt;
}

bool shapes_agree(const Context& context, ShapeId left, ShapeId right) {
  if (!left || !right) return true;
  const std::size_t rank =
      std::min(context.model.shapes[left].dimensions.size(), context.model.shapes[right].dimensions.size());
  for (std::size_t i = 0; i < rank; ++i) {
    const auto a = known_size(context, left, i);
    const auto b = known_size(context, right, i);
    if (a && b && *a != *b) return false;
  }
  return true;
}

std::string shape_name(const Context& context, ShapeId shape) {
  if (!shape) return "";
  std::string text = "[";
  for (const Dimension& dimension : context.model.shapes[shape].dimensions) {
    if (text.size() > 1) text += ", ";
    text += dimension.size ? std::to_string(*dimension.size) : dimension.expr ? "n" : ":";
  }
  return text + "]";
}

std::optional<double> known_value(const Context& context, ExprId expr, Known at_least) {
  if (!expr) return std::nullopt;
  const Expr& record = context.model.exprs[expr];
  if (record.known < at_least || record.known == Known::No) return std::nullopt;
  return record.number;
}

namespace {

double fold_builtin(Builtin builtin, double a, double b, bool& possible) {
  switch (builtin) {
    case Builtin::Abs:
      return std::fabs(a);
    case Builtin::Sign:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    case Builtin::Sqrt:
      return std::sqrt(a);
    case Builtin::Cbrt:
      return std::cbrt(a);
    case Builtin::Exp:
      return std::exp(a);
    case Builtin::Log:
      return std::log(a);
    case Builtin::Log10:
      return std::log10(a);
    case Builtin::Log2:
      return std::log2(a);
    case Builtin::Sin:
      return std::sin(a);
    case Builtin::Cos:
      return std::cos(a);
    case Builtin::Tan:
      return std::tan(a);
    case Builtin::Asin:
      return std::asin(a);
    case Builtin::Acos:
      return std::acos(a);
    case Builtin::Atan:
      return std::atan(a);
    case Builtin::Atan2:
      return std::atan2(a, b);
    case Builtin::Sinh:
      return std::sinh(a);
    case Builtin::Cosh:
      return std::cosh(a);
    case Builtin::Tanh:
      return std::tanh(a);
    case Builtin::Hypot:
      return std::hypot(a, b);
    case Builtin::Pow:
      return std::pow(a, b);
    case Builtin::Floor:
      return std::floor(a);
    case Builtin::Ceil:
      return std::ceil(a);
    case Builtin::Round:
      return std::round(a);
    case Builtin::Mod:
      return a - std::floor(a / b) * b;
    case Builtin::Div:
      return std::trunc(a / b);
    case Builtin::Min:
      return std::min(a, b);
    case Builtin::Max:
      return std::max(a, b);
    case Builtin::NoEvent:
      return a;
    default:
      possible = false;
      return 0;
  }
}

double fold_operation(const Expr& expr, double a, double b, double c, bool& possible) {
  switch (expr.op) {
    case Op::Negate:
      return -a;
    case Op::Add:
      return a + b;
    case Op::Subtract:
      return a - b;
    case Op::Multiply:
      return a * b;
    case Op::Divide:
      return a / b;
    case Op::Power:
      return std::pow(a, b);
    case Op::Less:
      return a < b ? 1 : 0;
    case Op::LessEqual:
      return a <= b ? 1 : 0;
    case Op::Greater:
      return a > b ? 1 : 0;
    case Op::GreaterEqual:
      return a >= b ? 1 : 0;
    case Op::Equal:
      return a == b ? 1 : 0;
    case Op::NotEqual:
      return a != b ? 1 : 0;
    case Op::And:
      return a != 0 && b != 0 ? 1 : 0;
    case Op::Or:
      return a != 0 || b != 0 ? 1 : 0;
    case Op::Not:
      return a == 0 ? 1 : 0;
    case Op::If:
      return a != 0 ? b : c;
    case Op::Builtin:
      return fold_builtin(expr.builtin, a, b, possible);
    default:
      possible = false;
      return 0;
  }
}

}  // namespace

void fold(Context& context, ExprId id) {
  Expr& expr = context.model.exprs[id];
  if (expr.type.rank != 0 || expr.operand_count == 0 || expr.operand_count > 3) return;
  std::array<double, 3> values{};
  Known known = Known::Always;
  for (std::size_t i = 0; i < expr.operand_count; ++i) {
    const Expr& operand = context.model.exprs[context.model.operand(expr, i)];
    if (operand.type.rank != 0) return;
    known = std::min(known, operand.known);
    values[i] = operand.number;
  }
  if (known == Known::No) return;
  // min and max of three and more stay unknown; they are rare in constants.
  if (expr.op == Op::Builtin && expr.operand_count > 2) return;
  if (expr.op == Op::Builtin && (expr.builtin == Builtin::Min || expr.builtin == Builtin::Max) &&
      expr.operand_count == 1)
    return;
  bool possible = true;
  const double value = fold_operation(expr, values[0], values[1], values[2], possible);
  if (!possible) return;
  expr.known = known;
  expr.number = value;
  const bool finite_operands =
      std::all_of(values.begin(), values.begin() + expr.operand_count, [](double v) { return std::isfinite(v); });
  if (known == Known::Always && finite_operands && !std::isfinite(value)) {
    expr.known = Known::No;
    const bool by_zero = expr.op == Op::Divide && values[1] == 0;
    auto entry = context.sink.report(Kind::BadValue, expr.span,
                                     by_zero             ? "division by zero"
                                     : std::isnan(value) ? "this has no real value"
                                                         : "this has no finite value");
    if (by_zero || !std::isnan(value)) entry.hint("write `infinity` if an endless value is meant");
  }
}

}  // namespace hyla::check
