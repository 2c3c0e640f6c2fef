// Parts, ports, mailboxes, records, messages, connectors and protocols: their types and
// signatures, on demand.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/passes.h"
#include "syntax/literals.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

/// `valve[3]` or `valve[i in 1..3]`: the sizes behind a name.
ShapeId declared_shape(Context& context, const Origin& origin, NodeId declarator, BodyId body) {
  const syntax::Tree& tree = context.tree(origin.module);
  const NodeId dimensions = tree.find(declarator, NodeKind::Dimensions);
  if (!dimensions) return {};
  Place place;
  place.module = origin.module;
  place.scope = origin.scope;
  place.body = body;
  place.object_class = context.model.bodies[body].object_class;
  place.use = Use::Parameter;
  ExpressionChecker checker(context, place);
  Shape shape;
  for (NodeId node : tree.children(dimensions)) {
    Dimension dimension;
    if (tree.kind(node) == NodeKind::FamilyIndex) {
      Type element;
      dimension.expr = checker.check_range(tree.child(node, 1), element);
      const Expr& range = context.model.exprs[dimension.expr];
      if (range.op == Op::Range && range.operand_count == 2) {
        const auto first = known_value(context, context.model.operand(range, 0), Known::Always);
        const auto last = known_value(context, context.model.operand(range, 1), Known::Always);
        if (first && *first != 1) {
          context.sink.report(Kind::BadValue, tree.span(tree.child(node, 1)), "a family of objects is counted from 1")
              .hint("write `i in 1..n`");
        }
        if (first && last) dimension.size = std::max<std::int64_t>(0, static_cast<std::int64_t>(*last - *first) + 1);
      } else if (range.op != Op::Range && !range.type.is_error()) {
        context.sink.report(Kind::TypeMismatch, tree.span(tree.child(node, 1)),
                            "a family of objects runs over a range `1..n`");
      }
    } else if (tree.kind(node) != NodeKind::WholeRange && tree.kind(node) != NodeKind::Invalid) {
      dimension.expr = checker.check_integer(node, "the number of elements");
      if (const auto known = known_value(context, dimension.expr, Known::Always))
        dimension.size = static_cast<std::int64_t>(*known);
      if (const auto known = known_value(context, dimension.expr); known && *known < 0) {
        context.sink.report(Kind::BadValue, tree.span(node), fmt::format("there cannot be {} of them", *known));
      }
    }
    shape.dimensions.push_back(dimension);
  }
  return context.model.intern_shape(shape);
}

std::vector<MessageId> read_messages(Context& context, const Origin& origin, NodeId holder) {
  const syntax::Tree& tree = context.tree(origin.module);
  std::vector<MessageId> messages;
  std::vector<Span> places;
  for (NodeId path : tree.children(holder)) {
    if (tree.kind(path) != NodeKind::Path) continue;
    const Entity entity = resolve_path(context, origin.scope, origin.module, path, EntityKind::Message, "message");
    if (!entity) continue;
    const MessageId id(entity.index);
    if (std::find(messages.begin(), messages.end(), id) != messages.end()) {
      const auto place = std::find(messages.begin(), messages.end(), id) - messages.begin();
      context.sink.report(Kind::DuplicateName, tree.span(path), fmt::format("`{}` is listed twice", tree.text(path)))
          .text("here again")
          .label(places[static_cast<std::size_t>(place)], "first here");
      continue;
    }
    messages.push_back(id);
    places.push_back(tree.span(path));
  }
  return messages;
}

void read_directions(Context& context, const Origin& origin, std::vector<MessageId>& receives,
                     std::vector<MessageId>& sends) {
  const syntax::Tree& tree = context.tree(origin.module);
  for (NodeId node : tree.children(origin.node)) {
    if (tree.kind(node) != NodeKind::Direction) continue;
    const std::vector<MessageId> messages = read_messages(context, origin, node);
    std::vector<MessageId>& list = tree.first_token_kind(node) == TokenKind::WordSends ? sends : receives;
    list.insert(list.end(), messages.begin(), messages.end());
  }
}

Place reference_place(const Context& context, const Origin& origin, BodyId body) {
  Place place;
  place.module = origin.module;
  place.scope = origin.scope;
  place.body = body;
  place.object_class = context.model.bodies[body].object_class;
  place.use = Use::Observation;
  return place;
}

}  // namespace

std::vector<Field> read_fields(Context& context, const Origin& origin, NodeKind field_kind) {
  const syntax::Tree& tree = context.tree(origin.module);
  std::vector<Field> fields;
  for (NodeId group : tree.children(origin.node)) {
    if (tree.kind(group) != field_kind) continue;
    const std::span<const NodeId> declarators = tree.children(group);
    for (std::size_t i = 0; i < declarators.size(); ++i) {
      if (tree.kind(declarators[i]) != NodeKind::Declarator) continue;
      const NodeId name = tree.find(declarators[i], NodeKind::Name);
      if (!name) continue;
      Field field;
      field.name = context.intern(tree.name(name));
      field.span = tree.span(name);
      field.is_flow = tree.has_modifier(group, TokenKind::WordFlow);
      NodeId type;
      for (std::size_t k = i; k < declarators.size() && !type; ++k) type = tree.find(declarators[k], NodeKind::TypeRef);
      TypeInfo info;
      info.type = real_type();
      if (type) info = resolve_type(context, origin.scope, origin.module, type);
      NodeId value = tree.find(declarators[i], NodeKind::Binding);
      if (!value) value = tree.find(declarators[i], NodeKind::InitialValue);
      if (value && !tree.children(value).empty()) {
        Place place;
        place.module = origin.module;
        place.scope = origin.scope;
        place.use = Use::Constant;
        ExpressionChecker checker(context, place);
        field.default_value = checker.check(tree.child(value, 0));
        const Expr& expr = context.model.exprs[field.default_value];
        if (!type && !expr.type.is_number()) info.type = expr.type;
        checker.fits(field.default_value, info, fmt::format("`{}`", tree.name(name)));
      }
      field.type = info.type;
      field.unit = info.unit;
      field.shape = info.shape;
      for (const Field& other : fields) {
        if (other.name != field.name) continue;
        context.sink.report(Kind::DuplicateName, field.span, fmt::format("`{}` is declared twice", tree.name(name)))
            .label(other.span, "first here");
      }
      if (field.type.kind == TypeKind::Object && field_kind == NodeKind::ConnectorField) {
        context.sink.report(Kind::TypeMismatch, field.span, "a connector carries numbers");
      }
      fields.push_back(field);
    }
  }
  return fields;
}

void settle_record(Context& context, RecordId id) {
  auto& [origin, progress] = context.record_origins[id];
  if (progress != Progress::Untouched) return;
  const diag::Sink::Voice voice(context.sink);
  progress = Progress::Busy;
  const Origin copy = origin;
  const TypeDescent descent(context, context.model.records[id].span);
  std::vector<Field> fields = read_fields(context, copy, NodeKind::Field);
  for (Field& field : fields) {
    if (field.type.kind != TypeKind::Record) continue;
    if (!descent) break;
    const RecordId inner(field.type.ref);
    settle_record(context, inner);
    if (context.record_origins[inner].second == Progress::Busy) {
      context.sink.report(Kind::RecursiveType, field.span,
                          fmt::format("record `{}` contains itself", context.name(context.model.records[id].name)));
      field.type = error_type();
    }
  }
  context.model.records[id].fields = std::move(fields);
  context.record_origins[id].second = Progress::Done;
}

void settle_message(Context& context, MessageId id) {
  if (context.message_origins[id].second != Progress::Untouched) return;
  const diag::Sink::Voice voice(context.sink);
  context.message_origins[id].second = Progress::Done;
  const Origin origin = context.message_origins[id].first;
  std::vector<Field> fields = read_fields(context, origin, NodeKind::Field);
  context.model.messages[id].fields = std::move(fields);
}

void settle_connector(Context& context, ConnectorId id) {
  if (context.connector_origins[id].second != Progress::Untouched) return;
  const diag::Sink::Voice voice(context.sink);
  context.connector_origins[id].second = Progress::Done;
  const Origin origin = context.connector_origins[id].first;
  std::vector<Field> fields = read_fields(context, origin, NodeKind::ConnectorField);
  for (const Field& field : fields) {
    if (!field.type.is_error() && field.type.kind != TypeKind::Real) {
      context.sink.report(Kind::TypeMismatch, field.span, "potentials and flows are Reals");
    }
  }
  context.model.connectors[id].fields = std::move(fields);
}

void settle_protocol(Context& context, ProtocolId id) {
  if (context.protocol_origins[id].second != Progress::Untouched) return;
  const diag::Sink::Voice voice(context.sink);
  context.protocol_origins[id].second = Progress::Done;
  const Origin origin = context.protocol_origins[id].first;
  Protocol protocol = context.model.protocols[id];
  read_directions(context, origin, protocol.receives, protocol.sends);
  context.model.protocols[id] = std::move(protocol);
}

void settle_part(Context& context, PartId id) {
  if (context.part_origins[id].second != Progress::Untouched) return;
  context.part_origins[id].second = Progress::Done;
  const Origin origin = context.part_origins[id].first;
  const syntax::Tree& tree = context.tree(origin.module);
  const diag::Sink::Voice voice(context.sink, !origin.inherited);
  const ShapeId shape = declared_shape(context, origin, origin.node, context.model.parts[id].body);
  context.model.parts[id].shape = shape;
  const NodeId type = context.part_types[id];
  const NodeId path = type ? tree.find(type, NodeKind::Path) : NodeId{};
  if (!path) {
    context.sink.report(Kind::Expected, tree.span(origin.node), "an object needs a model")
        .hint(context.model.parts[id].kind == PartKind::Dynamic ? "write `dynamic name: Model := …;`"
                                                                : "write `object name: Model;`");
    return;
  }
  const Entity entity = resolve_path(context, origin.scope, origin.module, path, "model");
  Part& part = context.model.parts[id];
  if (entity.kind == EntityKind::Class) {
    part.object_class = ClassId(entity.index);
    const Class& object_class = context.model.classes[part.object_class];
    if (object_class.is_abstract && part.kind == PartKind::Object && !object_class.package) {
      context.sink
          .report(Kind::AbstractObject, tree.span(path),
                  fmt::format("`{}` is abstract and has no objects of its own", tree.text(path)))
          .label(object_class.span, "declared `abstract` here")
          .hint("name a model that extends it, or declare the object `dynamic`");
    }
  } else if (entity.kind == EntityKind::ExternalObject && part.kind == PartKind::Object) {
    part.external = ExternalObjectId(entity.index);
    settle_external_object(context, part.external);
  } else if (entity) {
    auto entry = context.sink.report(
        Kind::WrongNameKind, tree.span(path),
        fmt::format("`{}` is {}, not a model", tree.text(path), base::with_article(word_for(context, entity))));
    if (const Span declared = declaration_span(context, entity); declared.file) entry.label(declared, "declared here");
  }
}

namespace {

ShapeId joined_shape(Context& context, ShapeId outer, ShapeId inner) {
  if (!outer || !inner) return outer ? outer : inner;
  Shape shape = context.model.shapes[outer];
  const std::vector<Dimension>& more = context.model.shapes[inner].dimensions;
  shape.dimensions.insert(shape.dimensions.end(), more.begin(), more.end());
  return context.model.intern_shape(shape);
}

/// Every potential and flow of a plug is a variable of the object, reached as `plug.field` only.
void declare_plug_variables(Context& context, PlugId id) {
  const Plug plug = context.model.plugs[id];
  const std::vector<Field> fields = context.model.connectors[plug.connector].fields;
  for (const Field& field : fields) {
    Variable variable;
    variable.name = context.intern(fmt::format("{}.{}", context.name(plug.name), context.name(field.name)));
    variable.span = plug.span;
    variable.kind = VariableKind::Output;
    variable.shape = joined_shape(context, plug.shape, field.shape);
    const std::size_t rank = variable.shape ? context.model.shapes[variable.shape].dimensions.size() : 0;
    variable.type = field.type.with_rank(rank);
    variable.unit = field.unit;
    variable.initial = rank == field.type.rank ? field.default_value : ExprId{};
    variable.body = plug.body;
    variable.plug = id;
    const VariableId added = context.model.variables.add(std::move(variable));
    VariableOrigin& origin = context.variable_origins[added];
    origin.origin = context.plug_origins[id];
    origin.type_progress = Progress::Done;
    origin.value_checked = true;
    context.model.plugs[id].variables.push_back(added);
    context.model.bodies[plug.body].variables.push_back(added);
  }
}

}  // namespace

void settle_plug(Context& context, PlugId id) {
  if (context.plug_progress[id] != Progress::Untouched) return;
  context.plug_progress[id] = Progress::Done;
  const Origin origin = context.plug_origins[id];
  const syntax::Tree& tree = context.tree(origin.module);
  const diag::Sink::Voice voice(context.sink, !origin.inherited);
  const ShapeId shape = declared_shape(context, origin, origin.node, context.model.plugs[id].body);
  context.model.plugs[id].shape = shape;
  const NodeId type = context.plug_types[id];
  const NodeId path = type ? tree.find(type, NodeKind::Path) : NodeId{};
  if (!path) {
    context.sink.report(Kind::Expected, tree.span(origin.node), "a plug needs a connector")
        .hint("write `plug name: Connector;`");
    return;
  }
  const Entity entity = resolve_path(context, origin.scope, origin.module, path, EntityKind::Connector, "connector");
  if (!entity) return;
  context.model.plugs[id].connector = ConnectorId(entity.index);
  settle_connector(context, ConnectorId(entity.index));
  declare_plug_variables(context, id);
}

void settle_port(Context& context, PortId id) {
  if (context.port_origins[id].second != Progress::Untouched) return;
  context.port_origins[id].second = Progress::Busy;
  const Origin origin = context.port_origins[id].first;
  const syntax::Tree& tree = context.tree(origin.module);
  const diag::Sink::Voice voice(context.sink, !origin.inherited);
  const BodyId body = context.model.ports[id].body;
  const ShapeId shape = declared_shape(context, origin, context.port_declarators[id], body);
  Port port = context.model.ports[id];
  port.shape = shape;
  read_directions(context, origin, port.receives, port.sends);
  if (const NodeId path = tree.find(origin.node, NodeKind::Path)) {
    port.conjugate = tree.has_modifier(origin.node, TokenKind::WordConjugate);
    const Entity entity = resolve_path(context, origin.scope, origin.module, path, EntityKind::Protocol, "protocol");
    if (entity) {
      port.protocol = ProtocolId(entity.index);
      settle_protocol(context, port.protocol);
      const Protocol& protocol = context.model.protocols[port.protocol];
      port.receives = port.conjugate ? protocol.sends : protocol.receives;
      port.sends = port.conjugate ? protocol.receives : protocol.sends;
    }
  }
  if (const NodeId binding = tree.find(origin.node, NodeKind::Binding)) {
    const Resolved inner =
        ExpressionChecker(context, reference_place(context, origin, body)).resolve(tree.child(binding, 0));
    if (inner.value && context.model.exprs[inner.value].type.kind == TypeKind::Port) {
      const Port& relayed = context.model.ports[PortId(context.model.exprs[inner.value].type.ref)];
      port.receives = relayed.receives;
      port.sends = relayed.sends;
      port.relayed = inner.value;
    } else if (!inner.failed) {
      context.sink
          .report(Kind::WrongNameKind, tree.span(binding),
                  fmt::format("`{}` is not a port", tree.text(tree.child(binding, 0))))
          .hint("`port a = part.port;` exports a port of a part");
    }
  }
  context.model.ports[id] = std::move(port);
  context.port_origins[id].second = Progress::Done;
}

void settle_mailbox(Context& context, MailboxId id) {
  if (context.mailbox_origins[id].second != Progress::Untouched) return;
  context.mailbox_origins[id].second = Progress::Busy;
  const Origin origin = context.mailbox_origins[id].first;
  const syntax::Tree& tree = context.tree(origin.module);
  const diag::Sink::Voice voice(context.sink, !origin.inherited);
  Mailbox box = context.model.mailboxes[id];
  box.shape = declared_shape(context, origin, tree.find(origin.node, NodeKind::Declarator), box.body);
  box.messages = read_messages(context, origin, origin.node);
  if (const NodeId binding = tree.find(origin.node, NodeKind::Binding)) {
    const Resolved inner =
        ExpressionChecker(context, reference_place(context, origin, box.body)).resolve(tree.child(binding, 0));
    if (inner.value && context.model.exprs[inner.value].type.kind == TypeKind::Mailbox) {
      box.messages = context.model.mailboxes[MailboxId(context.model.exprs[inner.value].type.ref)].messages;
      box.relayed = inner.value;
    } else if (!inner.failed) {
      context.sink.report(Kind::WrongNameKind, tree.span(binding),
                          fmt::format("`{}` is not a mailbox", tree.text(tree.child(binding, 0))));
    }
  }
  const Type message = box.messages.size() == 1 ? Type{TypeKind::Message, 0, box.messages[0].index}
                                                : Type{TypeKind::AnyMessage, 0, UINT32_MAX};
  context.model.mailboxes[id] = box;
  context.mailbox_origins[id].second = Progress::Done;
  const NodeId order = tree.find(origin.node, NodeKind::OrderBy);
  if (!order || tree.children(order).empty()) return;
  // `by size` names a field of the message; `by m.size` says the same.
  Place place = reference_place(context, origin, box.body);
  place.scope = context.scopes.add(ScopeKind::Block, origin.scope);
  const LocalId local = context.model.locals.add({context.intern("m"), box.span, message, {}, {}, false});
  context.scopes.declare(place.scope, context.intern("m"), {EntityKind::Local, local.index});
  const NodeId key = tree.child(order, 0);
  ExprId expr;
  if (message.kind == TypeKind::Message && tree.kind(key) == NodeKind::NameExpr) {
    settle_message(context, MessageId(message.ref));
    const std::vector<Field>& fields = context.model.messages[MessageId(message.ref)].fields;
    for (std::uint32_t i = 0; i < fields.size(); ++i) {
      if (context.name(fields[i].name) != tree.text(key)) continue;
      const Type type = fields[i].type;
      expr = make_expr(context, Op::Field, type, tree.span(key), {make_local(context, local, tree.span(key))});
      context.model.exprs[expr].ref = i;
    }
  }
  if (!expr) expr = ExpressionChecker(context, place).check_real(key, "the order of a mailbox");
  context.model.mailboxes[id].order = expr;
  context.model.mailboxes[id].order_message = local;
}

}  // namespace hyla::check
