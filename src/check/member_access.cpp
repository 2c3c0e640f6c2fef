// What stands behind a point: members of modules, states, enumerations, objects, records, messages and plugs.
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

Resolved ExpressionChecker::resolve_member(NodeId node) {
  const NodeId base_node = tree_.child(node, 0);
  const NodeId name_node = tree_.child(node, 1);
  if (tree_.kind(name_node) != NodeKind::Name) return Resolved::failure();
  const Resolved base = resolve(base_node);
  if (base.failed) return Resolved::failure();
  if (base.value) return resolve_member_of_value(base.value, node, name_node);
  const std::string_view name = tree_.name(name_node);
  const SymbolId symbol = context_.intern(name);
  if (base.entity.kind == EntityKind::Enum) {
    const EnumId id(base.entity.index);
    const std::vector<SymbolId>& values = context_.model.enums[id].values;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      if (values[i] != symbol) continue;
      context_.enum_values.emplace_back(id, i);
      return entity_value({EntityKind::EnumValue, static_cast<std::uint32_t>(context_.enum_values.size() - 1)}, {},
                          span(node));
    }
    std::vector<std::string_view> names;
    for (SymbolId value : values) names.push_back(context_.name(value));
    auto entry =
        context_.sink.report(Kind::UnknownName, span(name_node),
                             fmt::format("`{}` has no value `{}`", context_.name(context_.model.enums[id].name), name));
    const auto near = base::nearest(name, names);
    entry.hint(near ? fmt::format("did you mean `{}`?", *near)
                    : fmt::format("its values are {}", base::quoted_list(names)));
    return Resolved::failure();
  }
  const ScopeId scope = scope_of(context_, base.entity);
  const Entity member = scope ? find_in_body(context_, scope, symbol) : Entity{};
  if (!member && is_incomplete(context_, scope)) return Resolved::failure();
  if (!member) {
    auto entry = context_.sink.report(
        Kind::UnknownName, span(name_node),
        fmt::format("{} `{}` has no `{}`", word_for(context_, base.entity), tree_.text(base_node), name));
    if (const auto near = nearest_member(context_, scope, name)) entry.hint(fmt::format("did you mean `{}`?", *near));
    return Resolved::failure();
  }
  const std::uint64_t key = (static_cast<std::uint64_t>(member.kind) << 32) | member.index;
  if (base.entity.kind == EntityKind::Module && base.entity.index != place_.module &&
      context_.private_names.contains(key)) {
    context_.sink.report(Kind::PrivateName, span(name_node), fmt::format("`{}` is private to its module", name))
        .label(declaration_span(context_, member), "declared `private` here");
  }
  if (base.entity.kind == EntityKind::Class && member.kind < EntityKind::Module) {
    context_.sink
        .report(Kind::WrongNameKind, span(base_node),
                fmt::format("`{}` is a model; its {}s belong to its objects", tree_.text(base_node),
                            word_for(context_, member)))
        .hint("name an object of that model instead");
    return Resolved::failure();
  }
  if (base.entity.kind == EntityKind::State && member.kind != EntityKind::State && member.kind != EntityKind::Chart) {
    const StateId state(base.entity.index);
    if (!state_is_open(context_.model.states[state].body)) {
      context_.sink
          .report(
              Kind::InactiveState, span(node),
              fmt::format("`{}` exists only while the state `{}` is active", tree_.text(node), tree_.text(base_node)))
          .label(declaration_span(context_, member), "declared in the state")
          .hint("use it in the state and its transitions, or declare it outside the state");
      return Resolved::failure();
    }
  }
  return entity_value(member, base.object, span(node));
}

Resolved ExpressionChecker::resolve_member_of_value(ExprId base, NodeId node, NodeId name_node) {
  const Expr expr = context_.model.exprs[base];
  const std::string_view name = tree_.name(name_node);
  const SymbolId symbol = context_.intern(name);
  const auto unknown = [&](std::string_view thing, const std::vector<std::string_view>& names) {
    auto entry = context_.sink.report(Kind::UnknownName, span(name_node),
                                      fmt::format("{} has no `{}`", base::with_article(thing), name));
    if (const auto near = base::nearest(name, names)) {
      entry.hint(fmt::format("did you mean `{}`?", *near));
    } else if (!names.empty()) {
      entry.hint(fmt::format("it has {}", base::quoted_list(names)));
    }
    return Resolved::failure();
  };
  if (expr.type.is_error()) return Resolved::failure();
  if (expr.type.rank > 0) {
    context_.sink
        .report(Kind::ArrayShape, expr.span, fmt::format("`{}` belongs to one element, this is an array", name))
        .hint("name the element: `[i]`");
    return Resolved::failure();
  }
  Resolved resolved;
  const std::vector<Field>* fields = nullptr;
  switch (expr.type.kind) {
    case TypeKind::Record:
      settle_record(context_, RecordId(expr.type.ref));
      fields = &context_.model.records[RecordId(expr.type.ref)].fields;
      break;
    case TypeKind::Message:
      settle_message(context_, MessageId(expr.type.ref));
      fields = &context_.model.messages[MessageId(expr.type.ref)].fields;
      break;
    case TypeKind::Connector:
      settle_connector(context_, ConnectorId(expr.type.ref));
      fields = &context_.model.connectors[ConnectorId(expr.type.ref)].fields;
      break;
    case TypeKind::Object:
      return member_of_object(base, ClassId(expr.type.ref), node, name_node);
    case TypeKind::Mailbox:
    case TypeKind::Population:
    case TypeKind::Statistic: {
      const Builtin member = model::find_member(name);
      const bool is_size = member == Builtin::SizeOf && expr.type.kind != TypeKind::Statistic;
      const bool is_moment =
          expr.type.kind == TypeKind::Statistic && member >= Builtin::CountOf && member <= Builtin::HalfWidthOf;
      if (!is_size && !is_moment) {
        if (expr.type.kind == TypeKind::Statistic)
          return unknown("statistic", {"count", "mean", "min", "max", "final_value", "stddev", "half_width"});
        return unknown(expr.type.kind == TypeKind::Mailbox ? "mailbox" : "population", {"size"});
      }
      const bool whole = is_size || member == Builtin::CountOf;
      resolved.value = make_expr(context_, Op::Property, whole ? integer_type() : real_type(), span(node), {base});
      context_.model.exprs[resolved.value].builtin = member;
      if (!whole) context_.model.exprs[resolved.value].unit = expr.unit;
      return resolved;
    }
    default:
      context_.sink.report(Kind::TypeMismatch, expr.span,
                           fmt::format("{} has no members", base::with_article(context_.model.type_name(expr.type))));
      return Resolved::failure();
  }
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i < fields->size(); ++i) {
    const Field& field = (*fields)[i];
    names.push_back(context_.name(field.name));
    if (field.name != symbol) continue;
    if (expr.type.kind == TypeKind::Connector) return plug_variable(base, i, span(node));
    const Field copy = field;
    resolved.value = make_expr(context_, Op::Field, copy.type, span(node), {base});
    Expr& value = context_.model.exprs[resolved.value];
    value.ref = i;
    value.unit = copy.unit;
    value.shape = copy.shape;
    return resolved;
  }
  return unknown(context_.model.type_name(expr.type), names);
}

/// `p.v` is a variable of the object that has the plug; `p[2].v` an element of it.
Resolved ExpressionChecker::plug_variable(ExprId base, std::uint32_t field, Span at) {
  const Expr plug = context_.model.exprs[base];
  const bool indexed = plug.op == Op::Index;
  const Expr entity = indexed ? context_.model.exprs[context_.model.operand(plug, 0)] : plug;
  const VariableId id = context_.model.plugs[PlugId(entity.ref)].variables[field];
  const ExprId object = entity.operand_count > 0 ? context_.model.operand(entity, 0) : ExprId{};
  Resolved resolved = entity_value({EntityKind::Variable, id.index}, object, at);
  if (!indexed || resolved.failed) return resolved;
  std::vector<ExprId> operands = {resolved.value};
  for (std::size_t i = 1; i < plug.operand_count; ++i) operands.push_back(context_.model.operand(plug, i));
  const Type type = context_.model.connectors[ConnectorId(plug.type.ref)].fields[field].type;
  const ShapeId shape = context_.model.connectors[ConnectorId(plug.type.ref)].fields[field].shape;
  const UnitId unit = context_.model.exprs[resolved.value].unit;
  resolved.value = make_expr(context_, Op::Index, type, at, operands);
  context_.model.exprs[resolved.value].shape = shape;
  context_.model.exprs[resolved.value].unit = unit;
  return resolved;
}

Resolved ExpressionChecker::member_of_object(ExprId base, ClassId object_class, NodeId node, NodeId name_node) {
  const std::string_view name = tree_.name(name_node);
  const ScopeId scope = context_.class_origins[object_class].scope;
  const Entity member = find_in_body(context_, scope, context_.intern(name));
  if (!member && is_incomplete(context_, scope)) return Resolved::failure();
  if (!member) {
    auto entry = context_.sink.report(
        Kind::UnknownName, span(name_node),
        fmt::format("model `{}` has no `{}`", context_.name(context_.model.classes[object_class].name), name));
    if (const auto near = nearest_member(context_, scope, name)) entry.hint(fmt::format("did you mean `{}`?", *near));
    return Resolved::failure();
  }
  const bool own = context_.model.exprs[base].op == Op::This;
  if (member.kind == EntityKind::Variable && !own && place_.use != Use::Observation && !place_.reads_all) {
    const Variable& variable = context_.model.variables[VariableId(member.index)];
    if (variable.kind == VariableKind::Var || variable.kind == VariableKind::Discrete) {
      context_.sink
          .report(Kind::PrivateMember, span(name_node),
                  fmt::format("`{}` is not part of the interface of `{}`", name,
                              context_.name(context_.model.classes[object_class].name)))
          .label(variable.span,
                 fmt::format("declared `{}` here", variable.kind == VariableKind::Var ? "var" : "discrete"))
          .hint(fmt::format("declare it `output {}` to let others read it", name));
      return Resolved::failure();
    }
  }
  return entity_value(member, own ? ExprId{} : base, span(node));
}

}  // namespace hyla::check
