// Checks `connect`: kinds, directions, types, units, messages.
#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/messages.h"
#include "check/passes.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

/// One end of a connection.
struct End {
  ExprId value;
  Type type;
  Entity entity;     ///< what the end is, behind its indices
  bool own = false;  ///< of the object itself, not of a part
  Span span;
};

class ConnectionChecker {
 public:
  ConnectionChecker(Context& context, const Origin& origin, BodyId body)
      : context_(context), origin_(origin), tree_(context.tree(origin.module)) {
    place_.module = origin.module;
    place_.scope = origin.scope;
    place_.body = body;
    if (body) place_.object_class = context.model.bodies[body].object_class;
    place_.use = Use::Observation;
  }

  ConnectionId check(NodeId node) {
    std::vector<NodeId> ends;
    NodeId kind;
    for (NodeId child : tree_.children(node)) {
      if (tree_.kind(child) == NodeKind::ConnectKind) {
        kind = child;
      } else if (tree_.kind(child) != NodeKind::Annotation && tree_.kind(child) != NodeKind::Modifier) {
        ends.push_back(child);
      }
    }
    if (ends.size() != 2 || !kind) return {};
    const ConnectionId id = check_ends(node, ends, kind);
    // What the connection would have fed is not reported as fed by nothing.
    if (!id) {
      for (NodeId end : ends) spoil(end);
    }
    return id;
  }

 private:
  ConnectionId check_ends(NodeId node, const std::vector<NodeId>& ends, NodeId kind) {
    End from;
    End to;
    const bool from_found = resolve(ends[0], from);
    if (!resolve(ends[1], to) || !from_found) return {};
    const bool arrow = tree_.first_token_kind(kind) == TokenKind::Arrow;
    Connection connection;
    connection.span = tree_.span(node);
    connection.from = from.value;
    connection.to = to.value;
    const bool fits =
        arrow ? check_values(from, to, tree_.span(kind)) : check_joined(from, to, tree_.span(kind), connection.kind);
    return fits ? context_.model.connections.add(connection) : ConnectionId{};
  }

  void spoil(NodeId end) {
    while (tree_.kind(end) == NodeKind::MemberExpr || tree_.kind(end) == NodeKind::IndexExpr) end = tree_.child(end, 0);
    const NodeId name = tree_.kind(end) == NodeKind::NameExpr ? tree_.find(end, NodeKind::Name) : NodeId{};
    if (!name) return;
    const Entity entity = find_name(context_, place_.scope, place_.module, context_.intern(tree_.name(name)));
    if (entity.kind == EntityKind::Part) context_.spoiled_parts.insert(entity.index);
  }

  bool resolve(NodeId node, End& end) {
    const Resolved resolved = ExpressionChecker(context_, place_).resolve(node);
    if (resolved.failed) return false;
    end.span = tree_.span(node);
    if (!resolved.value) {
      context_.sink
          .report(Kind::ConnectionKind, end.span,
                  fmt::format("{} cannot be connected", base::with_article(word_for(context_, resolved.entity))))
          .hint("outputs, inputs, ports, mailboxes and plugs can");
      return false;
    }
    end.value = resolved.value;
    const Expr* expr = &context_.model.exprs[resolved.value];
    end.type = expr->type;
    while (expr->op == Op::Index) expr = &context_.model.exprs[context_.model.operand(*expr, 0)];
    end.entity = expr->target();
    end.own = expr->operand_count == 0;
    if (expr->op == Op::Entity) return !end.type.is_error();
    context_.sink.report(Kind::ConnectionKind, end.span, "this cannot be connected")
        .hint("outputs, inputs, ports, mailboxes and plugs can");
    return false;
  }

  std::string word(const End& end) const { return std::string(word_for(context_, end.entity)); }

  bool refuse(Kind kind, const End& from, const End& to, Span sign, std::string message, std::string hint) {
    auto entry = context_.sink.report(kind, sign, std::move(message));
    entry.label(from.span, word(from)).label(to.span, word(to));
    if (!hint.empty()) entry.hint(std::move(hint));
    return false;
  }

  /// `->`: from an output (or anything known here) to an input.
  bool check_values(const End& from, const End& to, Span sign) {
    if (from.entity.kind != EntityKind::Variable || to.entity.kind != EntityKind::Variable) {
      const bool joined = from.entity.kind == to.entity.kind || from.entity.kind == EntityKind::Port ||
                          to.entity.kind == EntityKind::Port;
      return refuse(Kind::ConnectionKind, from, to, sign,
                    fmt::format("`->` leads from an output to an input, not from {} to {}",
                                base::with_article(word(from)), base::with_article(word(to))),
                    from.entity.kind == EntityKind::Part || to.entity.kind == EntityKind::Part
                        ? "name an output or input of the object: `object.name`"
                    : joined ? "ports, mailboxes and plugs are joined by `--`"
                             : "");
    }
    const Variable& source = context_.model.variables[VariableId(from.entity.index)];
    const Variable& sink = context_.model.variables[VariableId(to.entity.index)];
    const bool source_ok =
        from.own || source.kind == VariableKind::Output || source.kind == VariableKind::Input || source.is_fixed();
    if (!source_ok) {
      context_.sink
          .report(Kind::ConnectionDirection, sign,
                  fmt::format("`{}` is not an output of its object", context_.name(source.name)))
          .label(from.span, word(from))
          .label(to.span, word(to))
          .label(source.span, "declared here")
          .hint(fmt::format("declare it `output {}`", context_.name(source.name)));
      return false;
    }
    // An input of a part takes values; so does an output of the container.
    const bool sink_ok =
        to.own ? sink.kind == VariableKind::Output || sink.kind == VariableKind::Var : sink.kind == VariableKind::Input;
    if (!sink_ok) {
      if (to.own && sink.kind == VariableKind::Input)
        return refuse(Kind::ConnectionDirection, from, to, sign,
                      fmt::format("the input `{}` is given from outside the model", context_.name(sink.name)),
                      "only inputs of parts are fed here; declare it `var` if it is computed in the model");
      const bool reversed = !from.own && source.kind == VariableKind::Input && sink.kind == VariableKind::Output;
      return refuse(Kind::ConnectionDirection, from, to, sign,
                    fmt::format("`{}` is {} and cannot be fed", context_.name(sink.name), base::with_article(word(to))),
                    reversed ? "turn the arrow round: outputs feed inputs" : "only inputs of parts can be fed");
    }
    check_types(from, to, sign);
    return true;  // what does not fit still feeds the input: it has been reported once
  }

  bool check_types(const End& from, const End& to, Span sign) {
    const Expr a = context_.model.exprs[from.value];
    const Expr b = context_.model.exprs[to.value];
    if (!assignable(context_, b.type, a.type)) {
      return refuse(Kind::ConnectionKind, from, to, sign,
                    fmt::format("{} cannot feed {}", base::with_article(context_.model.type_name(a.type)),
                                base::with_article(context_.model.type_name(b.type))),
                    "");
    }
    if (!shapes_agree(context_, a.shape, b.shape)) {
      return refuse(Kind::ArrayShape, from, to, sign,
                    fmt::format("{} cannot feed {}", shape_name(context_, a.shape), shape_name(context_, b.shape)), "");
    }
    join_units(context_, from.value, to.value, sign, "a connection between");
    return true;
  }

  /// `--`: ports with ports or mailboxes, plugs with plugs, mailboxes with mailboxes.
  bool check_joined(const End& a, const End& b, Span sign, ConnectionKind& kind) {
    const auto is = [](const End& end, EntityKind k) { return end.entity.kind == k; };
    if (is(a, EntityKind::Plug) && is(b, EntityKind::Plug)) {
      kind = ConnectionKind::Plugs;
      const ConnectorId first = context_.model.plugs[PlugId(a.entity.index)].connector;
      const ConnectorId second = context_.model.plugs[PlugId(b.entity.index)].connector;
      if (first != second) {
        return refuse(Kind::ConnectionKind, a, b, sign,
                      fmt::format("a `{}` does not fit a `{}`", context_.name(context_.model.connectors[first].name),
                                  context_.name(context_.model.connectors[second].name)),
                      "both plugs need the same connector");
      }
      return check_rank(a, b, sign);
    }
    if (is(a, EntityKind::Mailbox) && is(b, EntityKind::Mailbox)) {
      kind = ConnectionKind::Mailboxes;
      return check_mailboxes(a, b, sign);
    }
    const bool channels = (is(a, EntityKind::Port) || is(a, EntityKind::Mailbox)) &&
                          (is(b, EntityKind::Port) || is(b, EntityKind::Mailbox));
    if (channels) {
      kind = ConnectionKind::Messages;
      return check_messages(a, b, sign) && check_rank(a, b, sign);
    }
    const bool values = is(a, EntityKind::Variable) && is(b, EntityKind::Variable);
    return refuse(Kind::ConnectionKind, a, b, sign,
                  fmt::format("{} and {} cannot be joined", base::with_article(word(a)), base::with_article(word(b))),
                  is(a, EntityKind::Part) || is(b, EntityKind::Part)
                      ? "name a port or plug of the object: `object.name`"
                  : values ? "an output is led to an input by `->`"
                           : "`--` joins ports with ports, plugs with plugs, and mailboxes with ports or mailboxes");
  }

  bool check_rank(const End& a, const End& b, Span sign) {
    const ShapeId first = context_.model.exprs[a.value].shape;
    const ShapeId second = context_.model.exprs[b.value].shape;
    if (a.type.rank == b.type.rank && shapes_agree(context_, first, second)) return true;
    return refuse(Kind::ArrayShape, a, b, sign, "the two sides have different sizes", "name one element: `[i]`");
  }

  bool check_mailboxes(const End& a, const End& b, Span sign) {
    std::vector<MessageId> first = context_.model.mailboxes[MailboxId(a.entity.index)].messages;
    std::vector<MessageId> second = context_.model.mailboxes[MailboxId(b.entity.index)].messages;
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    if (first == second) return true;
    context_.sink.report(Kind::ProtocolMismatch, sign, "these mailboxes hold different messages")
        .label(a.span, fmt::format("holds {}", list(first)))
        .label(b.span, fmt::format("holds {}", list(second)))
        .hint("joined mailboxes are one: both must hold the same messages");
    return false;
  }

  const std::vector<MessageId>& passing(const End& port, Flow flow) const {
    return messages_of(context_.model.ports[PortId(port.entity.index)], flow);
  }

  /// Two ports meet face to face (one sends what the other receives), or a container's port relays for a part's (both
  /// receive, both send).
  bool check_messages(const End& a, const End& b, Span sign) {
    if (a.entity.kind == EntityKind::Mailbox || b.entity.kind == EntityKind::Mailbox)
      return check_port_to_mailbox(a, b, sign);
    if (agrees(passing(a, Flow::Send), passing(b, Flow::Receive)) &&
        agrees(passing(b, Flow::Send), passing(a, Flow::Receive)) && shares(a, b, false))
      return true;
    if (a.own != b.own && agrees(passing(a, Flow::Receive), passing(b, Flow::Receive)) &&
        agrees(passing(b, Flow::Send), passing(a, Flow::Send)) && shares(a, b, true))
      return true;
    return explain_mismatch(a, b, sign);
  }

  static bool agrees(const std::vector<MessageId>& sent, const std::vector<MessageId>& received) {
    return std::all_of(sent.begin(), sent.end(),
                       [&](MessageId id) { return std::find(received.begin(), received.end(), id) != received.end(); });
  }

  /// At least one message can pass.
  bool shares(const End& a, const End& b, bool relayed) const {
    return relayed ? !passing(a, Flow::Receive).empty() || !passing(a, Flow::Send).empty()
                   : !passing(a, Flow::Send).empty() || !passing(b, Flow::Send).empty();
  }

  bool check_port_to_mailbox(const End& a, const End& b, Span sign) {
    const End& port = a.entity.kind == EntityKind::Port ? a : b;
    const End& box = a.entity.kind == EntityKind::Port ? b : a;
    const std::vector<MessageId>& held = context_.model.mailboxes[MailboxId(box.entity.index)].messages;
    const std::vector<MessageId> arriving = passing(port, port.own ? Flow::Receive : Flow::Send);
    const std::vector<MessageId> other = passing(port, port.own ? Flow::Send : Flow::Receive);
    if (!arriving.empty() && agrees(arriving, held)) return true;
    if (arriving.empty() && !other.empty())
      return refuse(Kind::ConnectionDirection, a, b, sign, "no message comes from this port into the mailbox",
                    port.own ? "an own port must receive what the mailbox is to hold"
                             : "the port of a part must send what the mailbox is to hold");
    context_.sink.report(Kind::ProtocolMismatch, sign, "the mailbox does not hold all messages that arrive")
        .label(port.span, fmt::format("{} {}", port.own ? "receives" : "sends", list(arriving)))
        .label(box.span, fmt::format("holds {}", list(held)))
        .hint("declare the mailbox with all of them: `mailbox box: A, B;`");
    return false;
  }

  std::string list(const std::vector<MessageId>& messages) const {
    std::vector<std::string_view> names;
    for (MessageId id : messages) names.push_back(context_.name(context_.model.messages[id].name));
    return names.empty() ? "nothing" : base::quoted_list(names);
  }

  bool explain_mismatch(const End& a, const End& b, Span sign) {
    const Port& first = context_.model.ports[PortId(a.entity.index)];
    const Port& second = context_.model.ports[PortId(b.entity.index)];
    if (first.sends.empty() && second.sends.empty()) {
      return refuse(Kind::ConnectionDirection, a, b, sign, "both ports only receive",
                    first.protocol ? "declare one of them `conjugate`" : "one side must send");
    }
    if (first.receives.empty() && second.receives.empty())
      return refuse(Kind::ConnectionDirection, a, b, sign, "both ports only send", "one side must receive");
    auto entry = context_.sink.report(Kind::ProtocolMismatch, sign, "the two ports do not agree on their messages");
    std::array<std::string, 2> texts;
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      std::vector<std::string_view> lost;
      const std::vector<MessageId> received = passing(*to, Flow::Receive);
      for (MessageId id : passing(*from, Flow::Send)) {
        if (std::find(received.begin(), received.end(), id) == received.end())
          lost.push_back(context_.name(context_.model.messages[id].name));
      }
      if (lost.empty()) continue;
      std::string& at_sender = texts[from == &a ? 0 : 1];
      std::string& at_receiver = texts[from == &a ? 1 : 0];
      at_sender = fmt::format("sends {}, which the other side does not receive", base::quoted_list(lost));
      if (at_receiver.empty()) at_receiver = fmt::format("receives {}", list(received));
    }
    entry.label(a.span, texts[0]).label(b.span, texts[1]);
    if (first.protocol && first.protocol == second.protocol && first.conjugate == second.conjugate)
      entry.hint("declare one of the two ports `conjugate`");
    else
      entry.hint("each side must receive all that the other sends");
    return false;
  }

  Context& context_;
  const Origin& origin_;
  const syntax::Tree& tree_;
  Place place_;
};

}  // namespace

ConnectionId check_connection(Context& context, const Origin& origin, BodyId body, NodeId node) {
  return ConnectionChecker(context, origin, body).check(node);
}

}  // namespace hyla::check
