#include "check/messages.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/lookup.h"
#include "check/passes.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

std::vector<std::string_view> names_of(const Context& context, const std::vector<MessageId>& messages) {
  std::vector<std::string_view> names;
  for (MessageId id : messages) names.push_back(context.name(context.model.messages[id].name));
  return names;
}

class MessageResolver {
 public:
  MessageResolver(Context& context, const Place& place)
      : context_(context), place_(place), tree_(context.tree(place.module)) {}

  MessageReference fail() const {
    MessageReference reference;
    reference.failed = true;
    return reference;
  }

  /// The port or mailbox that an expression leads to, as a value; reports anything else.
  ExprId channel(NodeId node) {
    const Resolved resolved = ExpressionChecker(context_, place_).resolve(node);
    if (resolved.failed) return {};
    const TypeKind kind = resolved.value ? context_.model.exprs[resolved.value].type.kind : TypeKind::Error;
    if (kind != TypeKind::Port && kind != TypeKind::Mailbox) {
      context_.sink
          .report(Kind::WrongNameKind, tree_.span(node),
                  fmt::format("`{}` is {}, not a port", tree_.text(node),
                              base::with_article(word_for(context_, resolved.entity))))
          .hint("messages pass through ports and mailboxes");
      return {};
    }
    return resolved.value;
  }

  /// Messages that can be waited for at, or sent through, a channel.
  const std::vector<MessageId>& passing(ExprId channel, Flow flow) const {
    const Expr& expr = context_.model.exprs[channel];
    if (expr.type.kind == TypeKind::Mailbox) return context_.model.mailboxes[MailboxId(expr.type.ref)].messages;
    return messages_of(context_.model.ports[PortId(expr.type.ref)], flow);
  }

  MessageReference at_channel(ExprId channel, NodeId name_node, Flow flow) {
    MessageReference reference;
    reference.port = channel;
    reference.span = tree_.span(name_node);
    const SymbolId symbol = context_.intern(tree_.name(name_node));
    for (MessageId id : passing(channel, flow)) {
      if (context_.model.messages[id].name == symbol) reference.message = id;
    }
    if (reference.message) return reference;
    const std::string_view name = tree_.name(name_node);
    const Expr& expr = context_.model.exprs[channel];
    const bool is_port = expr.type.kind == TypeKind::Port;
    const Span declared = is_port ? context_.model.ports[PortId(expr.type.ref)].span
                                  : context_.model.mailboxes[MailboxId(expr.type.ref)].span;
    const Flow other = flow == Flow::Receive ? Flow::Send : Flow::Receive;
    if (is_port) {
      for (MessageId id : passing(channel, other)) {
        if (context_.model.messages[id].name != symbol) continue;
        context_.sink
            .report(Kind::PortDirection, tree_.span(name_node),
                    flow == Flow::Receive ? fmt::format("`{}` is sent through this port, not received", name)
                                          : fmt::format("`{}` is received through this port, not sent", name))
            .label(declared, "the port")
            .hint(direction_hint(channel, flow, name));
        return fail();
      }
    }
    auto entry = context_.sink.report(
        Kind::UnknownName, tree_.span(name_node),
        is_port ? fmt::format("no message `{}` {} here", name, flow == Flow::Receive ? "arrives" : "is sent")
                : fmt::format("this mailbox does not hold `{}`", name));
    entry.label(declared, is_port ? "the port" : "the mailbox");
    const std::vector<std::string_view> names = names_of(context_, passing(channel, flow));
    if (const auto near = base::nearest(name, names)) {
      entry.hint(fmt::format("did you mean `{}`?", *near));
    } else if (!names.empty()) {
      const std::string_view verb = !is_port ? "holds" : flow == Flow::Receive ? "receives" : "sends";
      entry.hint(fmt::format("it {} {}", verb, base::quoted_list(names)));
    }
    return fail();
  }

  /// What a port does pass in this direction, or how to let it.
  std::string direction_hint(ExprId channel, Flow flow, std::string_view name) const {
    const std::string_view verb = flow == Flow::Receive ? "receives" : "sends";
    const std::vector<std::string_view> names = names_of(context_, passing(channel, flow));
    if (!names.empty()) return fmt::format("this port {} {}", verb, base::quoted_list(names));
    return fmt::format("declare the port with `{} {}`, or name another port", verb, name);
  }

  /// Whether the text names a message rather than a channel: the last name of `port.Job`.
  bool last_is_message(NodeId node) {
    if (tree_.kind(node) != NodeKind::MemberExpr) return false;
    const diag::Sink::Mute mute(context_.sink);
    const Resolved base = ExpressionChecker(context_, place_).resolve(tree_.child(node, 0));
    if (base.failed || !base.value) return false;
    const TypeKind kind = context_.model.exprs[base.value].type.kind;
    return kind == TypeKind::Port || kind == TypeKind::Mailbox;
  }

  Context& context_;
  const Place& place_;
  const syntax::Tree& tree_;
};

Entity plain_entity(Context& context, const Place& place, NodeId reference) {
  const syntax::Tree& tree = context.tree(place.module);
  if (tree.kind(reference) != NodeKind::NameExpr) return {};
  const NodeId name = tree.find(reference, NodeKind::Name);
  return name ? find_name(context, place.scope, place.module, context.intern(tree.name(name))) : Entity{};
}

void check_own(Context& context, const Place& place, NodeId reference, ExprId channel) {
  // An object's behaviour waits at its own ports; those of its parts belong to them.
  const Expr* expr = &context.model.exprs[channel];
  while (expr->op == Op::Index) expr = &context.model.exprs[context.model.operand(*expr, 0)];
  if (expr->op != Op::Entity || expr->entity != EntityKind::Port) return;
  const Port& port = context.model.ports[PortId(expr->ref)];
  const syntax::Tree& tree = context.tree(place.module);
  if (expr->operand_count > 0) {
    context.sink.report(Kind::PortDirection, tree.span(reference), "an object waits at its own ports only")
        .label(port.span, "this port belongs to another object")
        .hint("declare a port here and join the two: `connect own -- other.port;`");
  } else if (port.relayed) {
    context.sink
        .report(Kind::PortDirection, tree.span(reference), "an exported port passes its messages on and keeps none")
        .label(port.span, "exported here")
        .hint("declare a port of its own for the container");
  }
}

}  // namespace

const std::vector<MessageId>& messages_of(const Port& port, Flow flow) {
  return flow == Flow::Receive ? port.receives : port.sends;
}

MessageReference resolve_message(Context& context, const Place& place, NodeId reference) {
  const syntax::Tree& tree = context.tree(place.module);
  MessageResolver resolver(context, place);
  if (resolver.last_is_message(reference)) {
    const ExprId channel = resolver.channel(tree.child(reference, 0));
    return channel ? resolver.at_channel(channel, tree.child(reference, 1), Flow::Receive) : resolver.fail();
  }
  const Resolved resolved = ExpressionChecker(context, place).resolve(reference);
  if (resolved.failed) return resolver.fail();
  if (resolved.entity.kind != EntityKind::Message) {
    context.sink.report(Kind::WrongNameKind, tree.span(reference),
                        fmt::format("`{}` is not a message", tree.text(reference)));
    return resolver.fail();
  }
  MessageReference result;
  result.message = MessageId(resolved.entity.index);
  result.span = tree.span(reference);
  return result;
}

MessageReference resolve_event(Context& context, const Place& place, NodeId reference) {
  const syntax::Tree& tree = context.tree(place.module);
  MessageResolver resolver(context, place);
  if (const Entity entity = plain_entity(context, place, reference); entity.kind == EntityKind::Signal) {
    MessageReference result;
    result.signal = SignalId(entity.index);
    result.span = tree.span(reference);
    return result;
  } else if (entity.kind == EntityKind::Message) {
    context.sink
        .report(Kind::WrongNameKind, tree.span(reference),
                fmt::format("`{}` is a message; say at which port it arrives", tree.text(reference)))
        .hint(fmt::format("write `port.{}`", tree.text(reference)));
    return resolver.fail();
  }
  const bool message = resolver.last_is_message(reference);
  const NodeId channel_node = message ? tree.child(reference, 0) : reference;
  const ExprId channel = resolver.channel(channel_node);
  if (!channel) return resolver.fail();
  check_own(context, place, channel_node, channel);
  if (message) return resolver.at_channel(channel, tree.child(reference, 1), Flow::Receive);
  MessageReference result;
  result.port = channel;
  result.span = tree.span(reference);
  const std::vector<MessageId>& incoming = resolver.passing(channel, Flow::Receive);
  if (incoming.size() == 1) result.message = incoming.front();
  if (incoming.empty()) {
    context.sink.report(Kind::PortDirection, tree.span(reference), "nothing arrives at this port")
        .label(declaration_span(context, context.model.exprs[channel].target()), "the port")
        .hint("it only sends; declare what it `receives`, or name another port");
  }
  return result;
}

MessageReference resolve_delivery(Context& context, const Place& place, NodeId reference, bool passes_on) {
  const syntax::Tree& tree = context.tree(place.module);
  MessageResolver resolver(context, place);
  if (passes_on) {
    MessageReference result;
    result.port = resolver.channel(reference);
    result.failed = !result.port;
    result.span = tree.span(reference);
    return result;
  }
  if (!resolver.last_is_message(reference)) {
    if (tree.kind(reference) == NodeKind::MemberExpr) {
      const Resolved base = ExpressionChecker(context, place).resolve(tree.child(reference, 0));
      if (base.failed) return resolver.fail();
    }
    const Resolved resolved = ExpressionChecker(context, place).resolve(reference);
    if (!resolved.failed) {
      context.sink.report(Kind::WrongNameKind, tree.span(reference), "`send` needs a port and a message")
          .hint("write `send port.Message(…);`, or `send port.(m);` to pass a message on");
    }
    return resolver.fail();
  }
  const ExprId channel = resolver.channel(tree.child(reference, 0));
  if (!channel) return resolver.fail();
  const Expr* expr = &context.model.exprs[channel];
  while (expr->op == Op::Index) expr = &context.model.exprs[context.model.operand(*expr, 0)];
  if (expr->op == Op::Entity && expr->entity == EntityKind::Port && expr->operand_count > 0) {
    // Sending to another object's port delivers there: what it receives can be sent.
    return resolver.at_channel(channel, tree.child(reference, 1), Flow::Receive);
  }
  return resolver.at_channel(channel, tree.child(reference, 1),
                             expr->type.kind == TypeKind::Mailbox ? Flow::Receive : Flow::Send);
}

Awaited check_event(Context& context, const Place& place, NodeId event, NodeId alias, ScopeId scope) {
  const syntax::Tree& tree = context.tree(place.module);
  Awaited awaited;
  const MessageReference reference = resolve_event(context, place, tree.child(event, 0));
  Type type{TypeKind::AnyMessage, 0, UINT32_MAX};
  if (reference.message) type = {TypeKind::Message, 0, reference.message.index};
  if (reference.failed) type = error_type();
  awaited.source = reference.port;
  awaited.message = reference.message;
  if (reference.signal) {
    awaited.source = make_expr(context, Op::Entity, {TypeKind::Nothing, 0, UINT32_MAX}, reference.span);
    context.model.exprs[awaited.source].entity = EntityKind::Signal;
    context.model.exprs[awaited.source].ref = reference.signal.index;
    type = {TypeKind::Nothing, 0, UINT32_MAX};
  }
  if (alias) {
    const NodeId name = tree.child(alias, 0);
    awaited.whole = context.model.locals.add({context.intern(tree.name(name)), tree.span(name), type, {}, {}, false});
    declare_name(context, scope, context.intern(tree.name(name)), {EntityKind::Local, awaited.whole.index},
                 tree.span(name));
    if (reference.signal) {
      context.sink.report(Kind::TypeMismatch, tree.span(alias), "a signal carries nothing that could be named")
          .hint("use a message for data");
    }
  }
  const NodeId binders = tree.find(event, NodeKind::Binders);
  if (!binders) return awaited;
  if (!reference.message) {
    // The names are entered all the same, so that their uses give no further messages.
    for (NodeId name : tree.children(binders)) {
      if (tree.kind(name) != NodeKind::Name) continue;
      const SymbolId symbol = context.intern(tree.name(name));
      const LocalId local = context.model.locals.add({symbol, tree.span(name), error_type(), {}, {}, false});
      declare_name(context, scope, symbol, {EntityKind::Local, local.index}, tree.span(name));
    }
    if (!reference.failed) {
      context.sink.report(Kind::TypeMismatch, tree.span(binders), "fields can be named only if the message is known")
          .hint("write `on port.Message(field, …)`");
    }
    return awaited;
  }
  settle_message(context, reference.message);
  const std::vector<Field> fields = context.model.messages[reference.message].fields;
  awaited.fields.resize(fields.size());
  for (NodeId name : tree.children(binders)) {
    if (tree.kind(name) != NodeKind::Name) continue;
    const SymbolId symbol = context.intern(tree.name(name));
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == symbol; });
    if (field == fields.end()) {
      std::vector<std::string_view> names;
      for (const Field& f : fields) names.push_back(context.name(f.name));
      auto entry = context.sink.report(
          Kind::UnknownName, tree.span(name),
          fmt::format("message `{}` has no field `{}`", context.name(context.model.messages[reference.message].name),
                      tree.name(name)));
      const auto near = base::nearest(tree.name(name), names);
      if (near) {
        entry.hint(fmt::format("did you mean `{}`?", *near));
      } else if (!names.empty()) {
        entry.hint(fmt::format("it has {}; fields are bound by their own names", base::quoted_list(names)));
      }
      const LocalId local = context.model.locals.add({symbol, tree.span(name), error_type(), {}, {}, false});
      declare_name(context, scope, symbol, {EntityKind::Local, local.index}, tree.span(name));
      continue;
    }
    const LocalId local =
        context.model.locals.add({symbol, tree.span(name), field->type, field->unit, field->shape, false});
    awaited.fields[static_cast<std::size_t>(field - fields.begin())] = local;
    declare_name(context, scope, symbol, {EntityKind::Local, local.index}, tree.span(name),
                 fmt::format("name the whole message: `as m`, and write `m.{}`", tree.name(name)));
  }
  return awaited;
}

}  // namespace hyla::check
