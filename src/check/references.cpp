// Names, members and indices: what they lead to and whether they may be used here.
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/passes.h"
#include "syntax/words.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

ExprId constant(Context& context, double value, Span span) {
  const ExprId id = make_expr(context, Op::Real, real_type(), span);
  Expr& expr = context.model.exprs[id];
  expr.number = value;
  expr.known = Known::Always;
  expr.unit = kBareUnit;
  return id;
}

}  // namespace

Resolved ExpressionChecker::resolve(NodeId node) {
  switch (tree_.kind(node)) {
    case NodeKind::NameExpr:
      return resolve_name(node);
    case NodeKind::MemberExpr:
      return resolve_member(node);
    case NodeKind::IndexExpr:
      return resolve_index(node);
    case NodeKind::Invalid:
      return Resolved::failure();
    default: {
      Resolved resolved;
      resolved.value = check(node);
      resolved.failed = context_.model.exprs[resolved.value].type.is_error();
      return resolved;
    }
  }
}

Resolved ExpressionChecker::resolve_name(NodeId node) {
  const NodeId name_node = tree_.find(node, NodeKind::Name);
  if (!name_node) return Resolved::failure();
  const std::string_view name = tree_.name(name_node);
  const Entity entity = find_name(context_, place_.scope, place_.module, context_.intern(name));
  Resolved resolved;
  if (!entity) {
    if (name == "time" && place_.use != Use::Function && place_.use != Use::Constant && place_.use != Use::Parameter) {
      resolved.value = make_expr(context_, Op::Time, real_type(), span(node));
      context_.model.exprs[resolved.value].unit = context_.time_unit;
      return resolved;
    }
    if (name == "pi" || name == "infinity") {
      resolved.value =
          constant(context_, name == "pi" ? std::numbers::pi : std::numeric_limits<double>::infinity(), span(node));
      return resolved;
    }
    if (name == "time") {
      context_.sink.report(Kind::NotConstant, span(node), "the time is not known here")
          .hint("pass it as an argument, or use it in an equation or action");
      return Resolved::failure();
    }
    if (model::find_builtin(name) != Builtin::None) {
      resolved.entity = {EntityKind::Function, UINT32_MAX};
      return resolved;
    }
    if (!syntax::is_reserved(tree_.first_token_kind(name_node)))  // a reserved word was reported before
      report_unknown(context_, place_.scope, place_.module, name, span(node), "name");
    return Resolved::failure();
  }
  if (!check_visible(entity, span(node))) return Resolved::failure();
  return entity_value(entity, {}, span(node));
}

/// Names of an object mean nothing inside a function or a constant of a module, though they may be in sight.
bool ExpressionChecker::check_visible(Entity entity, Span at) {
  if (place_.use != Use::Function) return check_own_object(entity, at);
  const bool member = entity.kind == EntityKind::Part || entity.kind == EntityKind::Plug ||
                      entity.kind == EntityKind::Port || entity.kind == EntityKind::Mailbox ||
                      entity.kind == EntityKind::Statistic || entity.kind == EntityKind::State ||
                      (entity.kind == EntityKind::Variable &&
                       context_.model.variables[VariableId(entity.index)].kind != VariableKind::Constant);
  if (!member) return true;
  context_.sink
      .report(Kind::ImpureFunction, at,
              fmt::format("a function cannot use the {} of an object", word_for(context_, entity)))
      .label(declaration_span(context_, entity), "declared here")
      .hint("pass it as an argument");
  return false;
}

/// A model inside a model sees the types, functions and constants around it, but no object of the outer model.
bool ExpressionChecker::check_own_object(Entity entity, Span at) {
  BodyId home;
  switch (entity.kind) {
    case EntityKind::Variable:
      if (context_.model.variables[VariableId(entity.index)].kind != VariableKind::Constant)
        home = context_.model.variables[VariableId(entity.index)].body;
      break;
    case EntityKind::Part:
      home = context_.model.parts[PartId(entity.index)].body;
      break;
    case EntityKind::Port:
      home = context_.model.ports[PortId(entity.index)].body;
      break;
    case EntityKind::Mailbox:
      home = context_.model.mailboxes[MailboxId(entity.index)].body;
      break;
    default:
      break;
  }
  const ClassId owner = home ? context_.model.bodies[home].object_class : ClassId{};
  if (!owner || !place_.object_class || owner == place_.object_class) return true;
  context_.sink
      .report(Kind::WrongNameKind, at,
              fmt::format("this {} belongs to objects of the outer model `{}`", word_for(context_, entity),
                          context_.name(context_.model.classes[owner].name)))
      .label(declaration_span(context_, entity), "declared here")
      .hint("give the inner model a parameter or input of its own");
  return false;
}

Resolved ExpressionChecker::entity_value(Entity entity, ExprId object, Span at) {
  Resolved resolved;
  resolved.entity = entity;
  resolved.object = object;
  Type type;
  UnitId unit;
  ShapeId shape;
  Known known = Known::No;
  double number = 0;
  const auto rank_of = [&](ShapeId s) { return s ? context_.model.shapes[s].dimensions.size() : 0; };
  switch (entity.kind) {
    case EntityKind::Local:
      resolved.value = make_local(context_, LocalId(entity.index), at);
      return resolved;
    case EntityKind::EnumValue: {
      const auto [id, index] = context_.enum_values[entity.index];
      resolved.value = make_expr(context_, Op::EnumValue, {TypeKind::Enum, 0, id.index}, at);
      Expr& expr = context_.model.exprs[resolved.value];
      expr.ref = index;
      expr.number = index;
      expr.known = Known::Always;
      return resolved;
    }
    case EntityKind::Variable: {
      settle_variable(context_, VariableId(entity.index));
      const Variable& variable = context_.model.variables[VariableId(entity.index)];
      type = variable.type;
      unit = variable.unit;
      shape = variable.shape;
      if (variable.value && !object) {
        known = variable.kind == VariableKind::Constant ? Known::Always : Known::ByDefault;
        number = *variable.value;
      }
      if (!check_allowed(variable, at)) return Resolved::failure();
      break;
    }
    case EntityKind::Part: {
      settle_part(context_, PartId(entity.index));
      const Part& part = context_.model.parts[PartId(entity.index)];
      shape = part.shape;
      type = {part.kind == PartKind::Population ? TypeKind::Population
              : part.external                   ? TypeKind::External
                                                : TypeKind::Object,
              static_cast<std::uint8_t>(rank_of(shape)), part.external ? part.external.index : part.object_class.index};
      if (!part.external && !part.object_class) type = error_type();
      break;
    }
    case EntityKind::Plug: {
      settle_plug(context_, PlugId(entity.index));
      const Plug& plug = context_.model.plugs[PlugId(entity.index)];
      shape = plug.shape;
      type = {TypeKind::Connector, static_cast<std::uint8_t>(rank_of(shape)), plug.connector.index};
      if (!plug.connector) type = error_type();
      break;
    }
    case EntityKind::Port: {
      settle_port(context_, PortId(entity.index));
      shape = context_.model.ports[PortId(entity.index)].shape;
      type = {TypeKind::Port, static_cast<std::uint8_t>(rank_of(shape)), entity.index};
      break;
    }
    case EntityKind::Mailbox: {
      settle_mailbox(context_, MailboxId(entity.index));
      shape = context_.model.mailboxes[MailboxId(entity.index)].shape;
      type = {TypeKind::Mailbox, static_cast<std::uint8_t>(rank_of(shape)), entity.index};
      break;
    }
    case EntityKind::Statistic:
      type = {TypeKind::Statistic, 0, entity.index};
      unit = context_.model.statistics[StatisticId(entity.index)].unit;
      break;
    default:
      return resolved;
  }
  std::vector<ExprId> operands;
  if (object) operands.push_back(object);
  resolved.value = make_expr(context_, Op::Entity, type, at, operands);
  Expr& expr = context_.model.exprs[resolved.value];
  expr.entity = entity.kind;
  expr.ref = entity.index;
  expr.unit = unit;
  expr.shape = shape;
  expr.known = known;
  expr.number = number;
  resolved.failed = type.is_error();
  return resolved;
}

bool ExpressionChecker::check_allowed(const Variable& variable, Span at) {
  if (variable.kind == VariableKind::Constant) return true;
  const std::string_view name = context_.name(variable.name);
  if (place_.use == Use::Constant) {
    context_.sink.report(Kind::NotConstant, at, fmt::format("`{}` is not a constant", name))
        .label(variable.span, "declared here")
        .hint("only constants are known when the model is compiled");
  } else if (place_.use == Use::Parameter && variable.kind != VariableKind::Parameter) {
    context_.sink
        .report(Kind::NotConstant, at, fmt::format("`{}` changes during a run, but a fixed value is needed here", name))
        .label(variable.span, "declared here")
        .hint("only constants and parameters can be used here");
  } else if (place_.use == Use::Start && variable.kind != VariableKind::Parameter && variable.body == place_.body) {
    context_.sink.report(Kind::NotConstant, at, fmt::format("a start value cannot depend on the variable `{}`", name))
        .label(variable.span, "declared here")
        .hint("use parameters, or write the assignment into `initial { … }`");
  } else {
    return true;
  }
  return false;
}

bool ExpressionChecker::state_is_open(BodyId body) const {
  if (place_.use == Use::Observation) return true;
  for (BodyId enclosing = place_.body; enclosing; enclosing = context_.model.bodies[enclosing].parent) {
    if (enclosing == body) return true;
  }
  if (place_.open_states == nullptr) return false;
  for (StateId state : *place_.open_states) {
    for (BodyId open = context_.model.states[state].body; open; open = context_.model.bodies[open].parent) {
      if (open == body) return true;
    }
  }
  return false;
}

Resolved ExpressionChecker::resolve_index(NodeId node) {
  const std::span<const NodeId> children = tree_.children(node);
  const Resolved base = resolve(children[0]);
  if (base.failed) return Resolved::failure();
  if (!base.value) {
    value_of(base, children[0]);
    return Resolved::failure();
  }
  const Expr expr = context_.model.exprs[base.value];
  std::vector<ExprId> operands = {base.value};
  const std::size_t count = children.size() - 1;
  if (expr.type.rank == 0) {
    context_.sink.report(Kind::ArrayShape, expr.span, fmt::format("`{}` is not an array", tree_.text(children[0])));
    return Resolved::failure();
  }
  if (count > expr.type.rank) {
    context_.sink.report(Kind::ArrayShape, span(node),
                         fmt::format("{} indices for an array of {} dimension{}", count, expr.type.rank,
                                     expr.type.rank == 1 ? "" : "s"));
    return Resolved::failure();
  }
  Shape shape;
  const std::vector<Dimension> dimensions =
      expr.shape ? context_.model.shapes[expr.shape].dimensions : std::vector<Dimension>(expr.type.rank);
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId index = children[i + 1];
    const std::int64_t size = i < dimensions.size() ? dimensions[i].size.value_or(-1) : -1;  // -1: not known
    if (tree_.kind(index) == NodeKind::WholeRange) {
      operands.push_back(make_expr(context_, Op::Whole, integer_type().with_rank(1), span(index)));
      shape.dimensions.push_back(i < dimensions.size() ? dimensions[i] : Dimension{});
      continue;
    }
    if (tree_.kind(index) == NodeKind::Range) {
      Type element;
      const ExprId range = check_range(index, element);
      if (element.kind == TypeKind::Real)
        context_.sink.report(Kind::TypeMismatch, span(index), "an index is an Integer");
      operands.push_back(range);
      const Expr& bounds = context_.model.exprs[range];
      const auto first = known_value(context_, context_.model.operand(bounds, 0), Known::Always);
      const auto last = bounds.operand_count == 2
                            ? known_value(context_, context_.model.operand(bounds, 1), Known::Always)
                            : std::nullopt;
      if (first && last && (*first < 1 || (size >= 0 && *last > static_cast<double>(size))) && *first <= *last) {
        context_.sink
            .report(Kind::ArrayShape, span(index),
                    size >= 0 ? fmt::format("{}..{} reaches outside 1..{}", *first, *last, size)
                              : std::string("indices start at 1"))
            .label(expr.span, "of this array");
      }
      if (first && last) {
        shape.dimensions.push_back({std::max<std::int64_t>(0, static_cast<std::int64_t>(*last - *first) + 1), {}});
      } else {
        shape.dimensions.push_back({});
      }
      continue;
    }
    const ExprId value = check_integer(index, "an index");
    operands.push_back(value);
    const auto known = known_value(context_, value, Known::Always);
    if (known && (*known < 1 || (size >= 0 && *known > static_cast<double>(size)))) {
      context_.sink
          .report(
              Kind::ArrayShape, span(index),
              size >= 0 ? fmt::format("index {} is outside 1..{}", *known, size) : std::string("indices start at 1"))
          .label(expr.span, "of this array");
    }
  }
  for (std::size_t i = count; i < dimensions.size(); ++i) shape.dimensions.push_back(dimensions[i]);
  Resolved resolved;
  resolved.entity = base.entity;
  resolved.object = base.object;
  resolved.value = make_expr(context_, Op::Index, expr.type.with_rank(shape.dimensions.size()), span(node), operands);
  if (!shape.dimensions.empty()) {
    const ShapeId id = context_.model.intern_shape(shape);
    context_.model.exprs[resolved.value].shape = id;
  }
  context_.model.exprs[resolved.value].unit = expr.unit;
  return resolved;
}

}  // namespace hyla::check
