#include "check/expressions.h"

#include <cmath>

#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/lookup.h"
#include "check/messages.h"
#include "check/passes.h"
#include "syntax/literals.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

ExprId ExpressionChecker::error(NodeId node) { return make_error(context_, span(node)); }

ExprId ExpressionChecker::check(NodeId node) {
  ++context_.expression_depth;
  const ExprId id = check_node(node);
  --context_.expression_depth;
  return id;
}

ExprId ExpressionChecker::check_node(NodeId node) {
  switch (tree_.kind(node)) {
    case NodeKind::NumberLiteral:
      return check_number(node);
    case NodeKind::UnitLiteral:
      return check_unit_literal(node);
    case NodeKind::StringLiteral: {
      const ExprId id = make_expr(context_, Op::String, string_type(), span(node));
      context_.model.exprs[id].ref = static_cast<std::uint32_t>(context_.model.strings.size());
      context_.model.strings.push_back(syntax::string_value(tree_.text(node)));
      return id;
    }
    case NodeKind::BooleanLiteral: {
      const ExprId id = make_expr(context_, Op::Boolean, boolean_type(), span(node));
      Expr& expr = context_.model.exprs[id];
      expr.number = tree_.first_token_kind(node) == TokenKind::WordTrue ? 1 : 0;
      expr.known = Known::Always;
      return id;
    }
    case NodeKind::NoneLiteral:
      return make_expr(context_, Op::None, {TypeKind::None, 0, UINT32_MAX}, span(node));
    case NodeKind::ThisExpr:
      if (!place_.object_class) {
        context_.sink.report(Kind::WrongNameKind, span(node), "there is no object here that `this` could be");
        return error(node);
      }
      return make_expr(context_, Op::This, {TypeKind::Object, 0, place_.object_class.index}, span(node));
    case NodeKind::NameExpr:
    case NodeKind::MemberExpr:
    case NodeKind::IndexExpr:
      return value_of(resolve(node), node);
    case NodeKind::DerExpr:
      return check_der(node);
    case NodeKind::InStateExpr:
      return check_in_state(node);
    case NodeKind::ParenExpr:
      return check(tree_.child(node, 0));
    case NodeKind::TupleExpr:
      return check_tuple(node);
    case NodeKind::ArrayLiteral:
      return check_array(node);
    case NodeKind::CallExpr:
      return check_call(node);
    case NodeKind::IfExpr:
      return check_if(node);
    case NodeKind::OrExpr:
      return check_logic(node, Op::Or);
    case NodeKind::AndExpr:
      return check_logic(node, Op::And);
    case NodeKind::NotExpr:
      return check_not(node);
    case NodeKind::CompareExpr:
      return check_comparison(node);
    case NodeKind::IsExpr:
      return check_is(node);
    case NodeKind::SumExpr:
      return check_sum(node);
    case NodeKind::ProductExpr:
      return check_product(node);
    case NodeKind::SignExpr:
      return check_sign(node);
    case NodeKind::PowerExpr:
      return check_power(node);
    default:
      return error(node);  // a mistake the parser has reported
  }
}

ExprId ExpressionChecker::value_of(const Resolved& resolved, NodeId node) {
  if (resolved.value) return resolved.value;
  if (!resolved.failed) {
    auto entry = context_.sink.report(Kind::WrongNameKind, span(node),
                                      fmt::format("`{}` is {}, not a value", tree_.text(node),
                                                  base::with_article(word_for(context_, resolved.entity))));
    if (const Span declared = declaration_span(context_, resolved.entity); declared.file)
      entry.label(declared, "declared here");
    if (resolved.entity.kind == EntityKind::State)
      entry.hint(fmt::format("`in({})` tells whether it is active", tree_.text(node)));
    if (resolved.entity.kind == EntityKind::Function) entry.hint("call it with `(…)`");
  }
  return error(node);
}

ExprId ExpressionChecker::check_number(NodeId node) {
  const std::string_view text = tree_.text(node);
  const bool whole = text.find_first_of(".eE") == std::string_view::npos;
  const ExprId id =
      make_expr(context_, whole ? Op::Integer : Op::Real, whole ? integer_type() : real_type(), span(node));
  Expr& expr = context_.model.exprs[id];
  expr.number = syntax::number_value(text);
  expr.known = Known::Always;
  expr.unit = kBareUnit;
  // Whole numbers beyond 2^53 cannot be kept exactly and count as Real.
  if (whole && expr.number > 9007199254740992.0) {
    expr.op = Op::Real;
    expr.type = real_type();
  }
  return id;
}

ExprId ExpressionChecker::check_unit_literal(NodeId node) {
  const ExprId id = check_number(tree_.child(node, 0));
  const NodeId unit_node = tree_.find(node, NodeKind::UnitText);
  Expr& expr = context_.model.exprs[id];
  expr.op = Op::Real;
  expr.type = real_type();
  expr.span = span(node);
  expr.unit = unit_node ? read_unit(context_, tree_.text(unit_node), span(unit_node)) : UnitId{};
  return id;
}

ExprId ExpressionChecker::check_array(NodeId node) {
  std::vector<ExprId> elements;
  for (NodeId child : tree_.children(node)) elements.push_back(check(child));
  Type type = error_type();
  UnitId unit = kBareUnit;
  Shape shape;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Expr expr = context_.model.exprs[elements[i]];
    if (i == 0 || type.is_error()) {
      type = expr.type;
      unit = expr.unit;
      shape.dimensions = expr.shape ? context_.model.shapes[expr.shape].dimensions : std::vector<Dimension>{};
      continue;
    }
    if (assignable(context_, expr.type, type) && !assignable(context_, type, expr.type)) type = expr.type;
    if (!assignable(context_, type, expr.type)) {
      context_.sink
          .report(Kind::TypeMismatch, expr.span,
                  fmt::format("an array of {} cannot hold {}", context_.model.type_name(type),
                              base::with_article(context_.model.type_name(expr.type))))
          .label(context_.model.exprs[elements[0]].span,
                 fmt::format("the first element is {}", base::with_article(context_.model.type_name(type))));
      return error(node);
    }
    const ExprId first = elements[0];
    if (!shapes_agree(context_, context_.model.exprs[first].shape, expr.shape)) {
      context_.sink.report(Kind::ArrayShape, expr.span, "the rows of this array have different lengths")
          .text(shape_name(context_, expr.shape))
          .label(context_.model.exprs[first].span, shape_name(context_, context_.model.exprs[first].shape));
    }
    unit = join_units(context_, first, elements[i], expr.span, "an array holds");
  }
  const ExprId id =
      make_expr(context_, Op::Array, type.is_error() ? type : type.with_rank(type.rank + 1U), span(node), elements);
  shape.dimensions.insert(shape.dimensions.begin(), Dimension{static_cast<std::int64_t>(elements.size()), {}});
  const ShapeId shape_id = context_.model.intern_shape(shape);
  context_.model.exprs[id].shape = shape_id;
  context_.model.exprs[id].unit = elements.empty() ? UnitId{} : unit;
  return id;
}

ExprId ExpressionChecker::check_tuple(NodeId node) {
  std::vector<ExprId> values;
  for (NodeId child : tree_.children(node)) values.push_back(check(child));
  return make_expr(context_, Op::Tuple, {TypeKind::Tuple, 0, UINT32_MAX}, span(node), values);
}

ExprId ExpressionChecker::check_if(NodeId node) {
  const ExprId condition = check_condition(tree_.child(node, 0));
  const ExprId yes = check(tree_.child(node, 1));
  const ExprId no = check(tree_.child(node, 2));
  const Type a = context_.model.exprs[yes].type;
  const Type b = context_.model.exprs[no].type;
  const Span word = tree_.span(tree_.token(tree_.node(node).first_token));
  const bool forth = assignable(context_, a, b);
  if (!forth && !assignable(context_, b, a)) {
    context_.sink.report(Kind::TypeMismatch, word, "the two branches of this `if` have different types")
        .label(context_.model.exprs[yes].span, context_.model.type_name(a))
        .label(context_.model.exprs[no].span, context_.model.type_name(b));
    return error(node);
  }
  if (!shapes_agree(context_, context_.model.exprs[yes].shape, context_.model.exprs[no].shape)) {
    context_.sink.report(Kind::ArrayShape, word, "the two branches of this `if` have different sizes")
        .label(context_.model.exprs[yes].span, shape_name(context_, context_.model.exprs[yes].shape))
        .label(context_.model.exprs[no].span, shape_name(context_, context_.model.exprs[no].shape));
  }
  const UnitId unit = join_units(context_, yes, no, word, "the branches of this `if` are in");
  const ExprId id = make_expr(context_, Op::If, forth ? a : b, span(node), {condition, yes, no});
  context_.model.exprs[id].unit = unit;
  context_.model.exprs[id].shape = context_.model.exprs[yes].shape;
  fold(context_, id);
  return id;
}

ExprId ExpressionChecker::check_der(NodeId node) {
  const ExprId inner = check(tree_.child(node, 0));
  const Expr expr = context_.model.exprs[inner];
  if (expr.type.is_error()) return inner;
  ExprId base = inner;
  while (context_.model.exprs[base].op == Op::Index) base = context_.model.operand(context_.model.exprs[base], 0);
  const Expr& root = context_.model.exprs[base];
  const Variable* variable =
      root.entity == EntityKind::Variable ? &context_.model.variables[VariableId(root.ref)] : nullptr;
  if (variable == nullptr) {
    context_.sink.report(Kind::TypeMismatch, expr.span, "`der` takes a variable")
        .hint("give the expression a variable of its own: `var z = …;`, then `der(z)`");
    return error(node);
  }
  if (variable->is_discrete() || variable->is_fixed()) {
    auto entry = context_.sink.report(
        Kind::DerOfDiscrete, expr.span,
        fmt::format("`{}` does not change with time, so it has no derivative", context_.name(variable->name)));
    entry.label(variable->span, fmt::format("{} {}", variable->is_fixed() ? "a" : "a discrete",
                                            variable->is_fixed() ? word_for(context_, root.target())
                                                                 : context_.model.type_name(variable->type)));
    if (variable->kind == VariableKind::Discrete)
      entry.hint("declare it `var` to give it a differential equation");
    else if (!variable->is_fixed())
      entry.hint("only a Real changes continuously");
    return error(node);
  }
  if (place_.use == Use::Function || place_.use == Use::Constant || place_.use == Use::Parameter) {
    context_.sink.report(Kind::NotConstant, span(node), "a derivative is not known here");
  }
  const ExprId id = make_expr(context_, Op::Der, expr.type, span(node), {inner});
  context_.model.exprs[id].shape = expr.shape;
  const UnitId unit = is_known(expr.unit) ? multiply_units(context_, expr.unit, context_.time_unit, true) : UnitId{};
  context_.model.exprs[id].unit = unit;
  return id;
}

ExprId ExpressionChecker::check_in_state(NodeId node) {
  const NodeId reference = tree_.child(node, 0);
  Resolved resolved;
  // The chart need not be named if only one has such a state.
  if (tree_.kind(reference) == NodeKind::NameExpr && tree_.find(reference, NodeKind::Name)) {
    const SymbolId name = context_.intern(tree_.name(tree_.find(reference, NodeKind::Name)));
    if (!find_name(context_, place_.scope, place_.module, name)) {
      resolved.entity = find_state_in_charts(context_, place_.scope, name);
    }
  }
  if (!resolved.entity) resolved = resolve(reference);
  if (resolved.failed) return error(node);
  if (resolved.entity.kind != EntityKind::State) {
    context_.sink
        .report(Kind::WrongNameKind, span(tree_.child(node, 0)),
                fmt::format("`in` takes a state, `{}` is {}", tree_.text(tree_.child(node, 0)),
                            base::with_article(word_for(context_, resolved.entity))))
        .hint("`in(S)`, `in(chart.S)` or `in(object.chart.S)`");
    return error(node);
  }
  std::vector<ExprId> operands;
  if (resolved.object) operands.push_back(resolved.object);
  const ExprId id = make_expr(context_, Op::InState, boolean_type(), span(node), operands);
  context_.model.exprs[id].entity = EntityKind::State;
  context_.model.exprs[id].ref = resolved.entity.index;
  return id;
}

ExprId ExpressionChecker::check_is(NodeId node) {
  const ExprId value = check(tree_.child(node, 0));
  const NodeId reference = tree_.child(node, 1);
  const Type type = context_.model.exprs[value].type;
  if (!type.is_error() && type.kind != TypeKind::AnyMessage && type.kind != TypeKind::Message) {
    context_.sink.report(Kind::TypeMismatch, context_.model.exprs[value].span, "`is` asks for the kind of a message")
        .text(fmt::format("this is {}", base::with_article(context_.model.type_name(type))));
  }
  const MessageReference message = resolve_message(context_, place_, reference);
  if (!message.message) return error(node);
  std::vector<ExprId> operands = {value};
  if (message.port) operands.push_back(message.port);
  const ExprId id = make_expr(context_, Op::IsMessage, boolean_type(), span(node), operands);
  context_.model.exprs[id].ref = message.message.index;
  return id;
}

bool ExpressionChecker::fits(ExprId value, const TypeInfo& wanted, std::string_view what) {
  const Expr expr = context_.model.exprs[value];
  if (expr.type.kind == TypeKind::Nothing && !wanted.type.is_error()) {
    context_.sink.report(Kind::TypeMismatch, expr.span, "this gives no value");
    return false;
  }
  if (!assignable(context_, wanted.type, expr.type)) {
    auto entry = context_.sink.report(
        Kind::TypeMismatch, expr.span,
        fmt::format("{} is {}, this is {}", what, base::with_article(context_.model.type_name(wanted.type)),
                    base::with_article(context_.model.type_name(expr.type))));
    if (wanted.type.is_scalar(TypeKind::Integer) && expr.type.is_scalar(TypeKind::Real)) {
      const bool fixed = expr.op == Op::Entity && expr.entity == EntityKind::Variable && expr.operand_count == 0 &&
                         context_.model.variables[VariableId(expr.ref)].is_fixed();
      entry.hint(fixed ? fmt::format("numbers are Real unless declared otherwise: `{}: Integer`",
                                     context_.name(context_.model.variables[VariableId(expr.ref)].name))
                       : std::string("`round`, `floor`, `ceil` or `integer` make an Integer"));
    } else if (wanted.type.rank > 0 && expr.type.rank == 0 && expr.type.is_number()) {
      entry.hint("`fill(value, n)` makes an array of n equal values");
    } else if (wanted.type.kind == TypeKind::Boolean && expr.type.is_number()) {
      entry.hint(expr.op == Op::Integer ? "write `true` or `false`" : "compare it: `… > 0`");
    } else if (expr.type.is_scalar(TypeKind::Boolean) && wanted.type.is_number() && wanted.type.rank == 0) {
      entry.hint("`if … then 1 else 0` makes a number of a condition");
    } else if (wanted.type.is_scalar(TypeKind::Enum)) {
      const Enum& list = context_.model.enums[EnumId(wanted.type.ref)];
      std::vector<std::string> values;
      for (SymbolId symbol : list.values)
        values.push_back(fmt::format("{}.{}", context_.name(list.name), context_.name(symbol)));
      const std::vector<std::string_view> names(values.begin(), values.end());
      entry.hint(fmt::format("its values are {}", base::quoted_list(names)));
    } else if (wanted.type.is_scalar(TypeKind::String)) {
      entry.hint("`string(x)` makes a text of a value");
    }
    return false;
  }
  if (!shapes_agree(context_, wanted.shape, expr.shape)) {
    context_.sink.report(Kind::ArrayShape, expr.span,
                         fmt::format("{} has size {}, this has {}", what, shape_name(context_, wanted.shape),
                                     shape_name(context_, expr.shape)));
    return false;
  }
  return require_unit(context_, value, wanted.unit, what);
}

ExprId ExpressionChecker::check_as(NodeId node, const TypeInfo& wanted, std::string_view what) {
  const ExprId value = check(node);
  fits(value, wanted, what);
  return value;
}

ExprId ExpressionChecker::check_condition(NodeId node) {
  return check_as(node, {boolean_type(), {}, {}, {}}, "a condition");
}

ExprId ExpressionChecker::check_integer(NodeId node, std::string_view what) {
  return check_as(node, {integer_type(), {}, {}, {}}, what);
}

ExprId ExpressionChecker::check_real(NodeId node, std::string_view what) {
  return check_as(node, {real_type(), {}, {}, {}}, what);
}

ExprId ExpressionChecker::check_duration(NodeId node, std::string_view what) {
  const ExprId value = check_as(node, {real_type(), context_.time_unit, {}, {}}, what);
  if (const auto known = known_value(context_, value, Known::Always); known && *known < 0) {
    context_.sink.report(Kind::BadValue, span(node), fmt::format("{} cannot be negative", what));
  }
  return value;
}

ExprId ExpressionChecker::check_range(NodeId node, Type& element) {
  element = error_type();
  if (tree_.kind(node) == NodeKind::Range) {
    std::vector<ExprId> bounds;
    bool whole = true;
    for (NodeId child : tree_.children(node)) {
      bounds.push_back(check_real(child, "a bound of a range"));
      whole = whole && context_.model.exprs[bounds.back()].type.kind == TypeKind::Integer;
    }
    const bool poisoned = std::any_of(bounds.begin(), bounds.end(),
                                      [&](ExprId bound) { return context_.model.exprs[bound].type.is_error(); });
    element = poisoned ? error_type() : whole ? integer_type() : real_type();
    const ExprId id = make_expr(context_, Op::Range, element.with_rank(1), span(node), bounds);
    const UnitId unit =
        bounds.size() > 1 ? join_units(context_, bounds[0], bounds[1], span(node), "a range runs between") : UnitId{};
    context_.model.exprs[id].unit = unit;
    const auto step = bounds.size() > 2 ? known_value(context_, bounds[2], Known::Always) : std::nullopt;
    if (step && *step == 0)
      context_.sink.report(Kind::BadValue, span(tree_.child(node, 2)), "the step of a range cannot be 0");
    return id;
  }
  const ExprId id = check(node);
  const Type type = context_.model.exprs[id].type;
  switch (type.kind) {
    case TypeKind::Population:
      element = {TypeKind::Object, 0, type.ref};
      break;
    case TypeKind::Bag:
      element = {TypeKind::AnyMessage, 0, UINT32_MAX};
      break;
    default:
      if (type.rank > 0) {
        element = type.with_rank(type.rank - 1U);
      } else if (!type.is_error()) {
        context_.sink
            .report(
                Kind::TypeMismatch, context_.model.exprs[id].span,
                fmt::format("this is {}; one cannot run over it", base::with_article(context_.model.type_name(type))))
            .hint("a range `1..n`, an array, a population or a bag is needed");
      }
  }
  return id;
}

}  // namespace hyla::check
