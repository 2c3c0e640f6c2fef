// Methods of mailboxes, populations, statistics and external objects.
#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/passes.h"
#include "syntax/words.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

ExprId ExpressionChecker::check_where(NodeId argument, Type message, LocalId& local) {
  const std::span<const NodeId> children = tree_.children(argument);
  const bool named = children.size() == 2;
  const std::string_view name = named ? tree_.name(children[0]) : std::string_view("m");
  Place inner = place_;
  inner.scope = context_.scopes.add(ScopeKind::Block, place_.scope);
  local =
      context_.model.locals.add({context_.intern(name), span(named ? children[0] : argument), message, {}, {}, false});
  context_.scopes.declare(inner.scope, context_.intern(name), {EntityKind::Local, local.index});
  if (const NodeId stranger = named ? NodeId{} : unknown_owner(inner, children.back())) {
    context_.sink.report(Kind::UnknownName, span(stranger), fmt::format("there is no name `{}`", tree_.text(stranger)))
        .hint(fmt::format("what is looked at is called `m`; to call it `{0}` write `where ({0}) …`",
                          tree_.text(stranger)));
    return error(argument);
  }
  return ExpressionChecker(context_, inner).check_condition(children.back());
}

ExprId ExpressionChecker::call_method(ExprId base, NodeId node, NodeId name_node, NodeId arguments) {
  const Expr object = context_.model.exprs[base];
  if (object.type.is_error() || tree_.kind(name_node) != NodeKind::Name) return error(node);
  const std::string_view name = tree_.name(name_node);
  const std::span<const NodeId> given = tree_.children(arguments);
  if (object.type.kind == TypeKind::External) {
    if (place_.use != Use::Action) {
      context_.sink
          .report(Kind::MisplacedStatement, span(node),
                  "an external object has a state, so its functions are called in actions only")
          .hint("call it at an event and keep the result in a `discrete` variable");
      return error(node);
    }
    for (FunctionId id : context_.model.external_objects[ExternalObjectId(object.type.ref)].functions) {
      if (context_.model.functions[id].name != context_.intern(name)) continue;
      const ExprId call = call_function(id, node, arguments);
      std::vector<ExprId> operands = {base};
      const Expr record = context_.model.exprs[call];
      for (ExprId operand : context_.model.operands_of(record)) operands.push_back(operand);
      const ExprId method = make_expr(context_, Op::Method, record.type, span(node), operands);
      Expr& expr = context_.model.exprs[method];
      expr.ref = id.index;
      expr.unit = record.unit;
      expr.shape = record.shape;
      return method;
    }
  }
  const Builtin member = model::find_member(name);
  const bool mailbox = object.type.is_scalar(TypeKind::Mailbox) &&
                       (member == Builtin::Put || member == Builtin::Take || member == Builtin::Peek);
  const bool population = object.type.is_scalar(TypeKind::Population) && member == Builtin::First;
  const bool statistic = object.type.is_scalar(TypeKind::Statistic) && member == Builtin::Add;
  if (!mailbox && !population && !statistic) {
    auto entry = context_.sink.report(
        Kind::UnknownName, span(name_node),
        fmt::format("{} has no method `{}`", base::with_article(context_.model.type_name(object.type)), name));
    if (object.type.kind == TypeKind::Mailbox) entry.hint("a mailbox has `put`, `take`, `peek` and `size`");
    if (object.type.kind == TypeKind::Statistic)
      entry.hint("a tally has `add`, and `mean`, `min`, `max`, `count`, `stddev`, `half_width` without `(…)`");
    if (object.type.kind == TypeKind::Population) entry.hint("a population has `first` and `size`");
    if (object.type.kind == TypeKind::External) {
      std::vector<std::string_view> names;
      for (FunctionId id : context_.model.external_objects[ExternalObjectId(object.type.ref)].functions)
        names.push_back(context_.name(context_.model.functions[id].name));
      const auto near = base::nearest(name, names);
      if (near) entry.hint(fmt::format("did you mean `{}`?", *near));
      if (!near && !names.empty()) entry.hint(fmt::format("it has {}", base::quoted_list(names)));
    }
    if (object.type.kind == TypeKind::Object) entry.hint("objects are asked by messages: `send port.Message;`");
    return error(node);
  }
  if (place_.use != Use::Action && member != Builtin::Peek && member != Builtin::First) {
    context_.sink.report(Kind::MisplacedStatement, span(node),
                         fmt::format("`{}` changes {}; it can only stand in an action", name,
                                     base::with_article(context_.model.type_name(object.type))));
  }
  Type message = error_type();
  if (mailbox) {
    const Mailbox& box = context_.model.mailboxes[MailboxId(object.type.ref)];
    message = box.messages.size() == 1 ? Type{TypeKind::Message, 0, box.messages[0].index}
                                       : Type{TypeKind::AnyMessage, 0, UINT32_MAX};
  }
  std::vector<ExprId> operands = {base};
  Type type{TypeKind::Nothing, 0, UINT32_MAX};
  LocalId local;
  if (member == Builtin::Put || member == Builtin::Add) {
    if (given.size() != 1 || !is_plain_argument(tree_.kind(given[0]))) {
      context_.sink.report(Kind::WrongArguments, span(arguments), fmt::format("`{}` takes one value", name));
      return error(node);
    }
    const ExprId value = check(given[0]);
    operands.push_back(value);
    fits(value,
         {member == Builtin::Put ? message : real_type(), member == Builtin::Put ? UnitId{} : object.unit, {}, {}},
         member == Builtin::Put ? "what the mailbox holds" : "an observation");
    const Expr& expr = context_.model.exprs[value];
    if (member == Builtin::Put && expr.type.kind == TypeKind::Message) {
      const std::vector<MessageId>& accepted = context_.model.mailboxes[MailboxId(object.type.ref)].messages;
      if (std::find(accepted.begin(), accepted.end(), MessageId(expr.type.ref)) == accepted.end()) {
        context_.sink.report(Kind::TypeMismatch, expr.span,
                             fmt::format("this mailbox does not hold {}", context_.model.type_name(expr.type)));
      }
    }
  } else {
    type = population ? Type{TypeKind::Object, 0, object.type.ref} : message;
    if (given.size() > 1 || (given.size() == 1 && tree_.kind(given[0]) != NodeKind::WhereArgument)) {
      context_.sink
          .report(Kind::WrongArguments, span(arguments), fmt::format("`{}` takes nothing or a selection", name))
          .hint(fmt::format("write `{}(where m.size < 2)`", name));
      return error(node);
    }
    if (given.size() == 1) operands.push_back(check_where(given[0], type, local));
  }
  const ExprId id = make_expr(context_, Op::Method, type, span(node), operands);
  context_.model.exprs[id].builtin = member;
  if (local) context_.model.exprs[id].ref = local.index;
  return id;
}

}  // namespace hyla::check
