#include <cmath>

#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/spans.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

bool is_comparable(const Type& type) {
  return type.rank == 0 &&
         (type.is_number() || type.kind == TypeKind::Boolean || type.kind == TypeKind::String ||
          type.kind == TypeKind::Enum || type.kind == TypeKind::None || type.kind == TypeKind::Object ||
          type.kind == TypeKind::Message || type.kind == TypeKind::AnyMessage || type.kind == TypeKind::Reference);
}

Op comparison_op(TokenKind sign) {
  switch (sign) {
    case TokenKind::Less:
      return Op::Less;
    case TokenKind::LessEqual:
      return Op::LessEqual;
    case TokenKind::Greater:
      return Op::Greater;
    case TokenKind::GreaterEqual:
      return Op::GreaterEqual;
    case TokenKind::NotEqual:
      return Op::NotEqual;
    default:
      return Op::Equal;
  }
}

/// The result of an operation on two shapes that agree: the one that knows more.
ShapeId better_shape(const Context& context, ShapeId a, ShapeId b) {
  if (!a || !b) return a ? a : b;
  for (const Dimension& dimension : context.model.shapes[a].dimensions) {
    if (!dimension.size) return b;
  }
  return a;
}

}  // namespace

ExprId ExpressionChecker::check_logic(NodeId node, Op op) {
  ExprId left;
  for (NodeId child : tree_.children(node)) {
    const ExprId right = check_condition(child);
    if (!left) {
      left = right;
      continue;
    }
    const Span both = diag::join(context_.model.exprs[left].span, context_.model.exprs[right].span);
    left = make_expr(context_, op, boolean_type(), both, {left, right});
    fold(context_, left);
  }
  return left ? left : error(node);
}

ExprId ExpressionChecker::check_not(NodeId node) {
  const ExprId inner = check_condition(tree_.child(node, 0));
  const ExprId id = make_expr(context_, Op::Not, boolean_type(), span(node), {inner});
  fold(context_, id);
  return id;
}

ExprId ExpressionChecker::check_comparison(NodeId node) {
  const ExprId left = check(tree_.child(node, 0));
  const NodeId sign = tree_.child(node, 1);
  const ExprId right = check(tree_.child(node, 2));
  const Op op = comparison_op(tree_.first_token_kind(sign));
  const bool equality = op == Op::Equal || op == Op::NotEqual;
  const Type a = context_.model.exprs[left].type;
  const Type b = context_.model.exprs[right].type;
  const bool fit = assignable(context_, a, b) || assignable(context_, b, a);
  const bool ordered = (a.is_number() && b.is_number()) ||
                       (a.kind == b.kind && (a.kind == TypeKind::String || a.kind == TypeKind::Enum));
  if (a.is_error() || b.is_error()) return error(node);
  if (!fit || !is_comparable(a) || !is_comparable(b) || (!equality && !ordered)) {
    context_.sink
        .report(Kind::TypeMismatch, span(sign),
                fmt::format("`{}` cannot compare {} with {}", tree_.text(sign),
                            base::with_article(context_.model.type_name(a)),
                            base::with_article(context_.model.type_name(b))))
        .label(context_.model.exprs[left].span, context_.model.type_name(a))
        .label(context_.model.exprs[right].span, context_.model.type_name(b));
    return error(node);
  }
  const bool real = a.kind == TypeKind::Real || b.kind == TypeKind::Real;
  if (equality && real && (place_.use == Use::Condition || place_.use == Use::Equation)) {
    context_.sink
        .report(Kind::RealEquality, span(sign),
                fmt::format("`{}` between Reals is never met exactly while they vary", tree_.text(sign)))
        .hint("`crosses(a - b)` holds when a passes b, `abs(a - b) < eps` while they nearly agree");
  }
  join_units(context_, left, right, span(sign), fmt::format("`{}` compares", tree_.text(sign)));
  const ExprId id = make_expr(context_, op, boolean_type(), span(node), {left, right});
  fold(context_, id);
  return id;
}

ExprId ExpressionChecker::add(ExprId left, ExprId right, bool subtract, Span operation) {
  const Expr a = context_.model.exprs[left];
  const Expr b = context_.model.exprs[right];
  const Span both = diag::join(a.span, b.span);
  if (a.type.is_error() || b.type.is_error()) return make_error(context_, both);
  const std::string_view sign = subtract ? "-" : "+";
  const bool text = !subtract && a.type.is_scalar(TypeKind::String) && b.type.is_scalar(TypeKind::String);
  const bool numbers = a.type.is_number() && b.type.is_number() && a.type.rank == b.type.rank;
  if (!text && !numbers) {
    auto entry = context_.sink.report(
        Kind::TypeMismatch, operation,
        fmt::format("`{}` cannot join {} and {}", sign, base::with_article(context_.model.type_name(a.type)),
                    base::with_article(context_.model.type_name(b.type))));
    entry.label(a.span, context_.model.type_name(a.type)).label(b.span, context_.model.type_name(b.type));
    if (a.type.kind == TypeKind::String || b.type.kind == TypeKind::String)
      entry.hint("`string(x)` makes a text of a value");
    if (a.type.is_number() && b.type.is_number()) entry.hint("`fill(value, n)` makes an array of n equal values");
    return make_error(context_, both);
  }
  if (!shapes_agree(context_, a.shape, b.shape)) {
    context_.sink.report(Kind::ArrayShape, operation, fmt::format("`{}` joins arrays of different sizes", sign))
        .label(a.span, shape_name(context_, a.shape))
        .label(b.span, shape_name(context_, b.shape));
  }
  const UnitId unit = text ? UnitId{} : join_units(context_, left, right, operation, fmt::format("`{}` joins", sign));
  const bool real = a.type.kind == TypeKind::Real || b.type.kind == TypeKind::Real;
  Type type = real ? real_type() : integer_type();
  if (text) type = string_type();
  const ExprId id =
      make_expr(context_, subtract ? Op::Subtract : Op::Add, type.with_rank(a.type.rank), both, {left, right});
  context_.model.exprs[id].unit = unit;
  context_.model.exprs[id].shape = better_shape(context_, a.shape, b.shape);
  if (!text) fold(context_, id);
  return id;
}

ExprId ExpressionChecker::multiply(ExprId left, ExprId right, bool divide, Span operation) {
  const Expr a = context_.model.exprs[left];
  const Expr b = context_.model.exprs[right];
  const Span both = diag::join(a.span, b.span);
  if (a.type.is_error() || b.type.is_error()) return make_error(context_, both);
  const std::string_view sign = divide ? "/" : "*";
  const std::size_t ra = a.type.rank;
  const std::size_t rb = b.type.rank;
  const bool matrices = !divide && ra + rb > 2 && ra > 0 && rb > 0 && ra <= 2 && rb <= 2;
  const bool scalars = rb == 0 || (!divide && ra == 0);
  if (!a.type.is_number() || !b.type.is_number() || (!matrices && !scalars && ra != rb)) {
    context_.sink
        .report(Kind::TypeMismatch, operation,
                fmt::format("`{}` cannot join {} and {}", sign, base::with_article(context_.model.type_name(a.type)),
                            base::with_article(context_.model.type_name(b.type))))
        .label(a.span, context_.model.type_name(a.type))
        .label(b.span, context_.model.type_name(b.type));
    return make_error(context_, both);
  }
  const bool real = divide || a.type.kind == TypeKind::Real || b.type.kind == TypeKind::Real;
  Type type = (real ? real_type() : integer_type()).with_rank(matrices ? ra + rb - 2 : std::max(ra, rb));
  ShapeId shape = better_shape(context_, ra > 0 ? a.shape : b.shape, rb > 0 ? b.shape : a.shape);
  bool agree = scalars || matrices || shapes_agree(context_, a.shape, b.shape);
  if (matrices) {
    const auto inner_a = known_size(context_, a.shape, ra - 1);
    const auto inner_b = known_size(context_, b.shape, 0);
    agree = !inner_a || !inner_b || *inner_a == *inner_b;
    Shape product;
    if (ra == 2 && a.shape) product.dimensions.push_back(context_.model.shapes[a.shape].dimensions[0]);
    if (rb == 2 && b.shape) product.dimensions.push_back(context_.model.shapes[b.shape].dimensions[1]);
    shape = context_.model.intern_shape(product);
  }
  if (!agree) {
    context_.sink.report(Kind::ArrayShape, operation, fmt::format("`{}` joins arrays whose sizes do not fit", sign))
        .label(a.span, shape_name(context_, a.shape))
        .label(b.span, shape_name(context_, b.shape));
  }
  const UnitId unit = multiply_units(context_, a.unit, b.unit, divide);
  const ExprId id = make_expr(context_,
                              matrices ? Op::MatrixProduct
                              : divide ? Op::Divide
                                       : Op::Multiply,
                              type, both, {left, right});
  context_.model.exprs[id].unit = unit;
  context_.model.exprs[id].shape = shape;
  fold(context_, id);
  return id;
}

ExprId ExpressionChecker::check_sum(NodeId node) {
  const std::span<const NodeId> children = tree_.children(node);
  ExprId left = check(children[0]);
  for (std::size_t i = 1; i + 1 < children.size(); i += 2) {
    const ExprId right = check(children[i + 1]);
    left = add(left, right, tree_.first_token_kind(children[i]) == TokenKind::Minus, span(children[i]));
  }
  return left;
}

ExprId ExpressionChecker::check_product(NodeId node) {
  const std::span<const NodeId> children = tree_.children(node);
  ExprId left = check(children[0]);
  for (std::size_t i = 1; i + 1 < children.size(); i += 2) {
    const ExprId right = check(children[i + 1]);
    left = multiply(left, right, tree_.first_token_kind(children[i]) == TokenKind::Slash, span(children[i]));
  }
  return left;
}

ExprId ExpressionChecker::check_sign(NodeId node) {
  const ExprId inner = check(tree_.child(node, 0));
  const Expr expr = context_.model.exprs[inner];
  if (expr.type.is_error()) return inner;
  if (!expr.type.is_number()) {
    context_.sink.report(
        Kind::TypeMismatch, expr.span,
        fmt::format("a sign needs a number, this is {}", base::with_article(context_.model.type_name(expr.type))));
    return error(node);
  }
  if (tree_.first_token_kind(node) == TokenKind::Plus) return inner;
  const ExprId id = make_expr(context_, Op::Negate, expr.type, span(node), {inner});
  context_.model.exprs[id].unit = expr.unit;
  context_.model.exprs[id].shape = expr.shape;
  fold(context_, id);
  return id;
}

ExprId ExpressionChecker::check_power(NodeId node) {
  const ExprId left = check(tree_.child(node, 0));
  const ExprId right = check(tree_.child(node, 1));
  const Expr a = context_.model.exprs[left];
  const Expr b = context_.model.exprs[right];
  if (a.type.is_error() || b.type.is_error()) return error(node);
  if (!a.type.is_number() || !b.type.is_number() || b.type.rank != 0) {
    context_.sink
        .report(Kind::TypeMismatch, sign_span(tree_, tree_.child(node, 0), tree_.child(node, 1), TokenKind::Caret),
                "`^` takes a number and an exponent")
        .label(a.span, context_.model.type_name(a.type))
        .label(b.span, context_.model.type_name(b.type));
    return error(node);
  }
  require_dimensionless(context_, right, "an exponent");
  UnitId unit = a.unit == kBareUnit ? kBareUnit : UnitId{};
  if (is_known(a.unit)) {
    const auto exponent = known_value(context_, right, Known::Always);
    if (const auto powered = exponent ? model::power(context_.model.units[a.unit], *exponent) : std::nullopt) {
      unit = context_.model.intern_unit(*powered);
    } else if (!context_.model.units[a.unit].is_one()) {
      context_.sink
          .report(
              Kind::UnitMismatch, b.span,
              fmt::format("the exponent of a quantity in `{}` must be a constant", context_.model.unit_name(a.unit)))
          .label(a.span, fmt::format("`{}`", context_.model.unit_name(a.unit)));
    }
  }
  const ExprId id = make_expr(context_, Op::Power, real_type().with_rank(a.type.rank), span(node), {left, right});
  context_.model.exprs[id].unit = unit;
  context_.model.exprs[id].shape = a.shape;
  fold(context_, id);
  return id;
}

}  // namespace hyla::check
