// Statements that reach beyond the block: messages, processes, objects, connections, waiting.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/block_checker.h"
#include "check/build.h"
#include "check/lookup.h"
#include "check/messages.h"
#include "check/passes.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

bool BlockChecker::is_operation(NodeKind kind) const {
  return kind == NodeKind::Send || kind == NodeKind::Start || kind == NodeKind::New || kind == NodeKind::Connect;
}

Type BlockChecker::check_operation(NodeId node, const ResultPlace& result) {
  Action action = make(ActionKind::Send, node);
  action.result = result;
  Type type = error_type();
  switch (tree_.kind(node)) {
    case NodeKind::Send:
      type = check_send(node, action);
      break;
    case NodeKind::Start:
      type = check_start(node, action);
      break;
    case NodeKind::New:
      type = check_new(node, action);
      break;
    case NodeKind::Connect: {
      action.kind = ActionKind::Connect;
      const ConnectionId id = check_connection(context_, {place_.module, node, place_.scope, false}, place_.body, node);
      if (!id) return type;
      action.ref = id.index;
      context_.action_connections[place_.object_class].push_back(id);
      type = {TypeKind::Connection, 0, UINT32_MAX};
      break;
    }
    default:
      return type;
  }
  if (kind_ == BlockKind::Devs && action.kind != ActionKind::Send) {
    context_.sink.report(Kind::MisplacedStatement, span(node),
                         "the functions of an atomic model assign and send, nothing else");
    return type;
  }
  if (!type.is_error()) add(std::move(action));
  return type;
}

Type BlockChecker::check_send(NodeId node, Action& action) {
  const NodeId reference = tree_.child(node, 0);
  const NodeId arguments = tree_.find(node, NodeKind::Arguments);
  const NodeId pass_on = tree_.find(node, NodeKind::PassOn);
  const MessageReference delivery = resolve_delivery(context_, place_, reference, static_cast<bool>(pass_on));
  ExpressionChecker checker = expressions();
  for (const auto& [kind, delay] :
       {std::pair(NodeKind::DelayAfter, DelayKind::After), std::pair(NodeKind::DelayAt, DelayKind::At)}) {
    if (const NodeId holder = tree_.find(node, kind)) {
      action.delay_kind = delay;
      action.delay = checker.check_duration(tree_.child(holder, 0), delay == DelayKind::After ? "a delay" : "a time");
    }
  }
  if (delivery.failed) return error_type();
  action.exprs = {delivery.port};
  if (pass_on) {
    const ExprId value = checker.check(tree_.child(pass_on, 0));
    const Expr& expr = context_.model.exprs[value];
    action.exprs.push_back(value);
    if (!expr.type.is_error() && expr.type.kind != TypeKind::Message && expr.type.kind != TypeKind::AnyMessage) {
      context_.sink.report(Kind::TypeMismatch, expr.span,
                           fmt::format("only a message can be passed on, this is {}",
                                       base::with_article(context_.model.type_name(expr.type))));
      return error_type();
    }
    const Expr& port = context_.model.exprs[delivery.port];
    if (expr.type.kind == TypeKind::Message && port.type.kind == TypeKind::Port) {
      const std::vector<MessageId>& sent = messages_of(context_.model.ports[PortId(port.type.ref)], Flow::Send);
      if (std::find(sent.begin(), sent.end(), MessageId(expr.type.ref)) == sent.end()) {
        context_.sink
            .report(Kind::PortDirection, expr.span,
                    fmt::format("this port does not send {}", context_.model.type_name(expr.type)))
            .label(context_.model.ports[PortId(port.type.ref)].span, "the port");
        return error_type();
      }
    }
    return {TypeKind::Delivery, 0, UINT32_MAX};
  }
  action.ref = delivery.message.index;
  settle_message(context_, delivery.message);
  const std::vector<Field> fields = context_.model.messages[delivery.message].fields;
  // `send p.Job(m)` passes m on if m is a Job and the message's own fields do not take one.
  const std::span<const NodeId> given = arguments ? tree_.children(arguments) : std::span<const NodeId>{};
  if (given.size() == 1 && tree_.kind(given[0]) == NodeKind::NameExpr) {
    const diag::Sink::Mute mute(context_.sink);
    const ExprId value = checker.check(given[0]);
    if (context_.model.exprs[value].type == Type{TypeKind::Message, 0, delivery.message.index}) {
      action.exprs.push_back(value);
      action.flag = true;
      return {TypeKind::Delivery, 0, UINT32_MAX};
    }
  }
  const std::vector<ExprId> values = checker.match_fields(
      arguments, fields, span(node), context_.name(context_.model.messages[delivery.message].name));
  action.exprs.insert(action.exprs.end(), values.begin(), values.end());
  return {TypeKind::Delivery, 0, UINT32_MAX};
}

Type BlockChecker::check_start(NodeId node, Action& action) {
  action.kind = ActionKind::Start;
  const NodeId reference = tree_.child(node, 0);
  const Resolved resolved = expressions().resolve(reference);
  if (resolved.failed) return error_type();
  if (resolved.entity.kind != EntityKind::Process || resolved.object) {
    context_.sink.report(Kind::WrongNameKind, span(reference),
                         fmt::format("`start` needs a process of the object itself, `{}` is {}", tree_.text(reference),
                                     base::with_article(word_for(context_, resolved.entity))));
    return error_type();
  }
  const ProcessId id(resolved.entity.index);
  settle_process(context_, id);
  action.ref = id.index;
  std::vector<SymbolId> names;
  std::vector<TypeInfo> types;
  for (LocalId local : context_.model.processes[id].parameters) {
    const Local& record = context_.model.locals[local];
    names.push_back(record.name);
    types.push_back({record.type, record.unit, record.shape, {}});
  }
  const std::vector<ExprId> defaults = context_.model.processes[id].defaults;
  action.exprs = expressions().match_arguments(tree_.find(node, NodeKind::Arguments), names, types, defaults,
                                               span(node), tree_.text(reference));
  return {TypeKind::Process, 0, UINT32_MAX};
}

std::optional<Occupant> check_new_object(Context& context, const Place& place, NodeId node, ClassId wanted) {
  const syntax::Tree& tree = context.tree(place.module);
  const bool call = tree.kind(node) == NodeKind::CallExpr;
  const NodeId callee = call ? tree.child(node, 0) : node;
  const Resolved resolved = ExpressionChecker(context, place).resolve(callee);
  if (resolved.failed) return std::nullopt;
  if (resolved.entity.kind != EntityKind::Class) {
    context.sink
        .report(Kind::WrongNameKind, tree.span(callee),
                fmt::format("a new object is needed here, `{}` is {}", tree.text(callee),
                            base::with_article(word_for(context, resolved.entity))))
        .hint("write `Model(…)`, or `none` for an empty place");
    return std::nullopt;
  }
  Occupant occupant;
  occupant.object_class = ClassId(resolved.entity.index);
  occupant.span = tree.span(node);
  const Class& object_class = context.model.classes[occupant.object_class];
  if (object_class.is_abstract) {
    context.sink
        .report(Kind::AbstractObject, tree.span(callee),
                fmt::format("`{}` is abstract and has no objects of its own", tree.text(callee)))
        .label(object_class.span, "declared `abstract` here")
        .hint("name a model that extends it");
  }
  if (wanted && !context.model.extends(occupant.object_class, wanted)) {
    context.sink
        .report(Kind::TypeMismatch, tree.span(callee),
                fmt::format("`{}` does not extend `{}`", tree.text(callee),
                            context.name(context.model.classes[wanted].name)))
        .label(object_class.span, "declared here");
  }
  if (call)
    occupant.arguments =
        ExpressionChecker(context, place).check_arguments(tree.find(node, NodeKind::Arguments), occupant.object_class);
  require_parameters(context, occupant.object_class, occupant.arguments, tree.span(callee));
  return occupant;
}

Type BlockChecker::check_new(NodeId node, Action& action) {
  action.kind = ActionKind::New;
  const NodeId path = tree_.find(node, NodeKind::Path);
  if (!path) return error_type();
  const Entity entity = resolve_path(context_, place_.scope, place_.module, path, EntityKind::Class, "model");
  ClassId population;
  if (const NodeId holder = tree_.find(node, NodeKind::InPopulation)) {
    const ExprId in = expressions().check(tree_.child(holder, 0));
    const Expr& expr = context_.model.exprs[in];
    if (!expr.type.is_error() && expr.type.kind != TypeKind::Population) {
      context_.sink.report(
          Kind::TypeMismatch, expr.span,
          fmt::format("a population is needed, this is {}", base::with_article(context_.model.type_name(expr.type))));
    } else if (!expr.type.is_error()) {
      population = ClassId(expr.type.ref);
      action.exprs = {in};
    }
  }
  if (!entity) return error_type();
  Occupant occupant;
  occupant.object_class = ClassId(entity.index);
  occupant.span = span(node);
  const Class& object_class = context_.model.classes[occupant.object_class];
  if (object_class.is_abstract) {
    context_.sink
        .report(Kind::AbstractObject, span(path),
                fmt::format("`{}` is abstract and has no objects of its own", tree_.text(path)))
        .label(object_class.span, "declared `abstract` here")
        .hint("name a model that extends it");
  }
  if (population && !context_.model.extends(occupant.object_class, population)) {
    context_.sink.report(Kind::TypeMismatch, span(path),
                         fmt::format("the population holds objects of `{}`; `{}` does not extend it",
                                     context_.name(context_.model.classes[population].name), tree_.text(path)));
  }
  occupant.arguments = expressions().check_arguments(tree_.find(node, NodeKind::Arguments), occupant.object_class);
  require_parameters(context_, occupant.object_class, occupant.arguments, span(path));
  action.ref = static_cast<std::uint32_t>(context_.model.occupants.size());
  const Type type{TypeKind::Object, 0, occupant.object_class.index};
  context_.model.occupants.push_back(std::move(occupant));
  return type;
}

void BlockChecker::check_raise(NodeId node) {
  const NodeId name = tree_.child(node, 0);
  if (tree_.kind(name) != NodeKind::Name) return;
  const Entity entity = find_name(context_, place_.scope, place_.module, context_.intern(tree_.name(name)));
  if (!entity) return report_unknown(context_, place_.scope, place_.module, tree_.name(name), span(name), "signal");
  if (entity.kind != EntityKind::Signal) {
    context_.sink
        .report(Kind::WrongNameKind, span(name),
                fmt::format("`raise` needs a signal, `{}` is {}", tree_.name(name),
                            base::with_article(word_for(context_, entity))))
        .hint("messages are sent: `send port.Message;`");
    return;
  }
  Action action = make(ActionKind::Raise, node);
  action.ref = entity.index;
  add(std::move(action));
}

void BlockChecker::check_stop(NodeId node) {
  const NodeId reference = tree_.child(node, 0);
  const Resolved resolved = expressions().resolve(reference);
  if (resolved.failed) return;
  Action action = make(ActionKind::Stop, node);
  if (resolved.entity.kind == EntityKind::Process) {
    action.ref = resolved.entity.index;
    return add(std::move(action));
  }
  if (!resolved.value || context_.model.exprs[resolved.value].type.kind != TypeKind::Process) {
    context_.sink.report(
        Kind::WrongNameKind, span(reference),
        fmt::format(
            "`stop` needs a process, `{}` is {}", tree_.text(reference),
            base::with_article(resolved.entity ? std::string(word_for(context_, resolved.entity))
                                               : context_.model.type_name(context_.model.exprs[resolved.value].type))));
    return;
  }
  action.exprs = {resolved.value};
  add(std::move(action));
}

void BlockChecker::check_cancel(NodeId node) {
  Action action = make(ActionKind::Cancel, node);
  const ExprId value = expressions().check(tree_.child(node, 0));
  const Expr& expr = context_.model.exprs[value];
  if (!expr.type.is_error() && expr.type.kind != TypeKind::Delivery) {
    context_.sink.report(Kind::TypeMismatch, expr.span, "only a message under way can be cancelled")
        .hint("keep it: `let t = send … after 2;`, then `cancel t;`");
    return;
  }
  action.exprs = {value};
  add(std::move(action));
}

void BlockChecker::check_delete(NodeId node) {
  Action action = make(ActionKind::Delete, node);
  const ExprId value = expressions().check(tree_.child(node, 0));
  const Expr& expr = context_.model.exprs[value];
  if (!expr.type.is_error() && expr.type.kind != TypeKind::Object) {
    context_.sink.report(Kind::TypeMismatch, expr.span,
                         fmt::format("only objects can be deleted, this is {}",
                                     base::with_article(context_.model.type_name(expr.type))));
    return;
  }
  if (expr.op == Op::Entity && expr.entity == EntityKind::Part &&
      context_.model.parts[PartId(expr.ref)].kind == PartKind::Object) {
    context_.sink.report(Kind::NotAssignable, expr.span, "a declared object lives as long as its container")
        .label(context_.model.parts[PartId(expr.ref)].span, "declared here")
        .hint("declare it `dynamic` and write `:= none`, or make it with `new`");
    return;
  }
  action.exprs = {value};
  action.flag = static_cast<bool>(tree_.find(node, NodeKind::Modifier));
  add(std::move(action));
}

/// `disconnect` names a connection that stands in a body: it lasts as long as the body.
bool BlockChecker::is_declared_connection(NodeId node) {
  const auto is_same = [&](const Origin& origin) {
    if (origin.module != place_.module || tree_.kind(origin.node) != NodeKind::Connect) return false;
    const std::span<const NodeId> ends = tree_.children(node);
    const std::span<const NodeId> declared = tree_.children(origin.node);
    return ends.size() == declared.size() && std::equal(ends.begin(), ends.end(), declared.begin(),
                                                        [&](auto a, auto b) { return tree_.text(a) == tree_.text(b); });
  };
  for (BodyId body = place_.body; body; body = context_.model.bodies[body].parent) {
    for (const Origin& origin : context_.loose_items[body]) {
      if (!is_same(origin)) continue;
      context_.sink.report(Kind::ConnectionKind, span(node), "this connection lasts as long as its body")
          .label(context_.span(origin), "made here")
          .hint("make it by `connect` in an action, or in a state that can be left");
      return true;
    }
  }
  return false;
}

void BlockChecker::check_disconnect(NodeId node) {
  Action action = make(ActionKind::Disconnect, node);
  if (tree_.children(node).size() > 1) {
    const ConnectionId id = check_connection(context_, {place_.module, node, place_.scope, false}, place_.body, node);
    if (!id || is_declared_connection(node)) return;
    action.ref = id.index;
    return add(std::move(action));
  }
  const ExprId value = expressions().check(tree_.child(node, 0));
  const Expr& expr = context_.model.exprs[value];
  if (!expr.type.is_error() && expr.type.kind != TypeKind::Connection) {
    context_.sink.report(Kind::TypeMismatch, expr.span, "this is not a connection")
        .hint("write `disconnect a -> b;`, or keep it: `let c = connect a -> b;`");
    return;
  }
  action.exprs = {value};
  add(std::move(action));
}

void BlockChecker::check_wait(NodeId node) {
  const bool until = tree_.kind(node) == NodeKind::WaitUntil;
  Action action = make(until ? ActionKind::WaitUntil : ActionKind::Wait, node);
  if (until) {
    Place at = place_;
    at.use = Use::Condition;
    action.exprs = {ExpressionChecker(context_, at).check_condition(tree_.child(node, 0))};
  } else {
    const ExprId value = expressions().check(tree_.child(node, 0));
    if (context_.model.exprs[value].type.is_scalar(TypeKind::Boolean)) {
      context_.sink
          .report(Kind::TypeMismatch, context_.model.exprs[value].span, "`wait` takes a duration, this is a condition")
          .hint("write `wait until …`");
      return;
    }
    action.exprs = {expressions().check_duration(tree_.child(node, 0), "a duration")};
  }
  add(std::move(action));
}

Awaited BlockChecker::check_awaited(NodeId node, ScopeId scope) {
  const NodeId event = tree_.find(node, NodeKind::Event);
  if (!event) return {};
  Awaited awaited = check_event(context_, place_, event, tree_.find(node, NodeKind::Alias), scope);
  if (const NodeId where = tree_.find(node, NodeKind::Where)) {
    awaited.where = ExpressionChecker(context_, place_in(scope)).check_condition(tree_.child(where, 0));
  }
  return awaited;
}

void BlockChecker::check_receive(NodeId node) {
  Action action = make(ActionKind::Receive, node);
  // The names bound by `receive` are known to the statements behind it.
  action.awaited = {check_awaited(node, place_.scope)};
  add(std::move(action));
}

void BlockChecker::check_first_of(NodeId node) {
  Action action = make(ActionKind::FirstOf, node);
  std::vector<Branch> branches;
  for (NodeId child : tree_.children(node)) {
    const NodeId block = tree_.find(child, NodeKind::Block);
    if (!block) continue;
    const ScopeId scope = context_.scopes.add(ScopeKind::Block, place_.scope);
    Branch branch;
    branch.span = span(child);
    switch (tree_.kind(child)) {
      case NodeKind::ReceiveBranch:
        branch.kind = Branch::Kind::Receive;
        branch.awaited = check_awaited(child, scope);
        break;
      case NodeKind::UntilBranch: {
        branch.kind = Branch::Kind::Until;
        Place at = place_;
        at.use = Use::Condition;
        branch.condition = ExpressionChecker(context_, at).check_condition(tree_.child(child, 0));
        break;
      }
      case NodeKind::AfterBranch:
      case NodeKind::AtBranch:
        branch.kind = tree_.kind(child) == NodeKind::AfterBranch ? Branch::Kind::After : Branch::Kind::At;
        branch.condition = expressions().check_duration(tree_.child(child, 0),
                                                        branch.kind == Branch::Kind::After ? "a duration" : "a time");
        break;
      default:
        continue;
    }
    branch.block = inner(block, scope, false);
    branches.push_back(std::move(branch));
  }
  if (branches.empty()) {
    context_.sink.report(Kind::NoEffect, span(node), "`first_of` waits for nothing")
        .hint("write `receive`, `until`, `after` or `at` branches");
    return;
  }
  action.ref = static_cast<std::uint32_t>(context_.model.branches.size());
  action.branch_count = static_cast<std::uint32_t>(branches.size());
  context_.model.branches.insert(context_.model.branches.end(), branches.begin(), branches.end());
  add(std::move(action));
}

}  // namespace hyla::check
