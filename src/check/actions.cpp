#include "check/actions.h"

#include <fmt/core.h>

#include "base/text.h"
#include "check/block_checker.h"
#include "check/build.h"
#include "check/lookup.h"
#include "check/messages.h"
#include "check/passes.h"
#include "check/spans.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

BlockId check_block(Context& context, const Place& place, BlockKind kind, NodeId block,
                    std::optional<FunctionId> function) {
  Place inner = place;
  inner.scope = context.scopes.add(ScopeKind::Block, place.scope);
  return BlockChecker(context, inner, kind, function).check(block);
}

Action BlockChecker::make(ActionKind kind, NodeId node) const {
  Action action;
  action.kind = kind;
  action.span = span(node);
  return action;
}

void BlockChecker::add(Action action) { actions_.push_back(context_.model.actions.add(std::move(action))); }

Place BlockChecker::place_in(ScopeId scope) const {
  Place place = place_;
  place.scope = scope;
  return place;
}

BlockId BlockChecker::check(NodeId block) {
  for (NodeId node : tree_.children(block)) check_statement(node);
  return context_.model.blocks.add({std::move(actions_)});
}

BlockId BlockChecker::inner(NodeId block, ScopeId scope, bool in_loop) {
  BlockChecker checker(context_, place_in(scope), kind_, function_);
  checker.in_loop_ = in_loop_ || in_loop;
  return checker.check(block);
}

LocalId BlockChecker::declare_local(NodeId name, const TypeInfo& info, bool assignable) {
  const SymbolId symbol = context_.intern(tree_.name(name));
  const LocalId local = context_.model.locals.add({symbol, span(name), info.type, info.unit, info.shape, assignable});
  declare_name(context_, place_.scope, symbol, {EntityKind::Local, local.index}, span(name));
  return local;
}

bool BlockChecker::allowed(NodeId node) {
  const NodeKind kind = tree_.kind(node);
  std::string_view what;
  switch (kind) {
    case NodeKind::Wait:
    case NodeKind::WaitUntil:
    case NodeKind::Receive:
    case NodeKind::FirstOf:
    case NodeKind::Loop:
      if (kind_ == BlockKind::Process || (kind_ == BlockKind::Function && kind == NodeKind::Loop)) return true;
      if (kind_ == BlockKind::Function) {
        context_.sink.report(Kind::ImpureFunction, span(node), "a function computes its result at once and cannot wait")
            .hint("do this in a process");
        return false;
      }
      what = kind == NodeKind::Loop      ? "`loop`"
             : kind == NodeKind::Receive ? "`receive`"
             : kind == NodeKind::FirstOf ? "`first_of`"
                                         : "`wait`";
      context_.sink.report(Kind::MisplacedStatement, span(node), fmt::format("{} can only stand in a process", what))
          .hint("actions happen at one instant; write `process name { … }` and `start name;`");
      return false;
    case NodeKind::OperationStatement:
    case NodeKind::Raise:
    case NodeKind::Stop:
    case NodeKind::Cancel:
    case NodeKind::Delete:
    case NodeKind::Disconnect:
      if (kind_ == BlockKind::Function || kind_ == BlockKind::Select) {
        context_.sink.report(Kind::ImpureFunction, span(node), "a function computes its result and does nothing else")
            .hint("do this in an action");
        return false;
      }
      if (kind_ == BlockKind::Devs && kind != NodeKind::OperationStatement) {
        context_.sink.report(Kind::MisplacedStatement, span(node),
                             "the functions of an atomic model assign and send, nothing else");
        return false;
      }
      return true;
    case NodeKind::Equation:
      if (kind_ == BlockKind::Initial) return true;
      context_.sink
          .report(Kind::EquationInAction, equal_sign(node),
                  kind_ == BlockKind::Function ? "an equation `=` cannot stand in a function"
                                               : "an equation `=` cannot stand in an action")
          .hint("write `:=` to assign at this instant; equations stand in models and states");
      return false;
    case NodeKind::Return:
      if (kind_ == BlockKind::Function || kind_ == BlockKind::Devs || kind_ == BlockKind::Select ||
          kind_ == BlockKind::Process)
        return true;
      context_.sink.report(Kind::MisplacedStatement, span(node), "`return` can only stand in a function or process");
      return false;
    case NodeKind::Break:
    case NodeKind::Continue:
      if (in_loop_) return true;
      context_.sink.report(
          Kind::MisplacedStatement, span(node),
          fmt::format("`{}` can only stand in a loop", kind == NodeKind::Break ? "break" : "continue"));
      return false;
    default:
      return true;
  }
}

void BlockChecker::check_statement(NodeId node) {
  if (!allowed(node)) return;
  switch (tree_.kind(node)) {
    case NodeKind::Let:
      return check_let(node);
    case NodeKind::VariableDecl:
      return check_variable(node);
    case NodeKind::Assign:
      return check_assign(node);
    case NodeKind::Equation:
      return check_equation(node);
    case NodeKind::If:
      return check_if(node);
    case NodeKind::For:
      return check_for(node);
    case NodeKind::While: {
      Action action = make(ActionKind::While, node);
      action.exprs = {expressions().check_condition(tree_.child(node, 0))};
      action.blocks = {inner(tree_.child(node, 1), context_.scopes.add(ScopeKind::Block, place_.scope), true)};
      return add(std::move(action));
    }
    case NodeKind::Loop: {
      Action action = make(ActionKind::Loop, node);
      action.blocks = {inner(tree_.child(node, 0), context_.scopes.add(ScopeKind::Block, place_.scope), true)};
      return add(std::move(action));
    }
    case NodeKind::Return:
      return check_return(node);
    case NodeKind::Break:
      return add(make(ActionKind::Break, node));
    case NodeKind::Continue:
      return add(make(ActionKind::Continue, node));
    case NodeKind::OperationStatement:
      check_operation(tree_.child(node, 0), {});
      return;
    case NodeKind::Raise:
      return check_raise(node);
    case NodeKind::Stop:
      return check_stop(node);
    case NodeKind::Cancel:
      return check_cancel(node);
    case NodeKind::Delete:
      return check_delete(node);
    case NodeKind::Disconnect:
      return check_disconnect(node);
    case NodeKind::Wait:
    case NodeKind::WaitUntil:
      return check_wait(node);
    case NodeKind::Receive:
      return check_receive(node);
    case NodeKind::FirstOf:
      return check_first_of(node);
    case NodeKind::ExprStatement:
      return check_expression(node);
    default:
      return;  // a mistake the parser has reported
  }
}

Span BlockChecker::equal_sign(NodeId equation) const {
  const std::span<const NodeId> children = tree_.children(equation);
  return sign_span(tree_, children[children.size() - 2], children.back(), TokenKind::Equal);
}

/// Inside `if m is port.Job { … }` m is a Job: a narrower name of its own, bound first. `and` may add further
/// conditions.
ActionId BlockChecker::narrow_message(ExprId condition, ScopeId scope, NodeId node) {
  const Expr* is = &context_.model.exprs[condition];
  while (is->op == Op::And) is = &context_.model.exprs[context_.model.operand(*is, 0)];
  if (is->op != Op::IsMessage) return {};
  const ExprId message = context_.model.operand(*is, 0);
  const Expr& value = context_.model.exprs[message];
  if (value.op != Op::Entity || value.entity != EntityKind::Local) return {};
  const Local wide = context_.model.locals[LocalId(value.ref)];
  const Type type{TypeKind::Message, 0, is->ref};
  const LocalId narrow = context_.model.locals.add({wide.name, wide.span, type, {}, {}, false});
  context_.scopes.declare(scope, wide.name, {EntityKind::Local, narrow.index});
  Action let = make(ActionKind::Let, node);
  let.exprs = {message};
  let.locals = {narrow};
  return context_.model.actions.add(std::move(let));
}

void BlockChecker::check_if(NodeId node) {
  Action action = make(ActionKind::If, node);
  const ExprId condition = expressions().check_condition(tree_.child(node, 0));
  action.exprs = {condition};
  const ScopeId scope = context_.scopes.add(ScopeKind::Block, place_.scope);
  const ActionId narrowing = narrow_message(condition, scope, tree_.child(node, 0));
  const BlockId then_block = inner(tree_.child(node, 1), scope, false);
  if (narrowing) {
    std::vector<ActionId>& actions = context_.model.blocks[then_block].actions;
    actions.insert(actions.begin(), narrowing);
  }
  action.blocks = {then_block};
  if (tree_.children(node).size() > 2) {
    const NodeId other = tree_.child(node, 2);
    const ScopeId other_scope = context_.scopes.add(ScopeKind::Block, place_.scope);
    if (tree_.kind(other) == NodeKind::If) {
      BlockChecker checker(context_, place_in(other_scope), kind_, function_);
      checker.in_loop_ = in_loop_;
      checker.check_if(other);
      action.blocks.push_back(context_.model.blocks.add({std::move(checker.actions_)}));
    } else {
      action.blocks.push_back(inner(other, other_scope, false));
    }
  }
  add(std::move(action));
}

void BlockChecker::check_for(NodeId node) {
  Action action = make(ActionKind::For, node);
  const NodeId name = tree_.child(node, 0);
  Type element;
  const ExprId range = expressions().check_range(tree_.child(node, 1), element);
  action.exprs = {range};
  const ScopeId scope = context_.scopes.add(ScopeKind::Block, place_.scope);
  const UnitId unit = element.is_number() ? context_.model.exprs[range].unit : UnitId{};
  const LocalId index =
      context_.model.locals.add({context_.intern(tree_.name(name)), span(name), element, unit, {}, false});
  declare_name(context_, scope, context_.intern(tree_.name(name)), {EntityKind::Local, index.index}, span(name));
  action.locals = {index};
  action.blocks = {inner(tree_.child(node, 2), context_.scopes.add(ScopeKind::Block, scope), true)};
  add(std::move(action));
}

void BlockChecker::check_return(NodeId node) {
  Action action = make(ActionKind::Return, node);
  std::vector<ExprId> values;
  if (!tree_.children(node).empty()) {
    const ExprId value = expressions().check(tree_.child(node, 0));
    const Expr& expr = context_.model.exprs[value];
    values = {value};
    if (expr.op == Op::Tuple)
      values.assign(context_.model.operands_of(expr).begin(), context_.model.operands_of(expr).end());
  }
  action.exprs = values;
  const bool any_poisoned =
      std::any_of(values.begin(), values.end(), [&](ExprId v) { return context_.model.exprs[v].type.is_error(); });
  if (function_ && !any_poisoned) {
    const std::vector<Field> results = context_.model.functions[*function_].results;
    if (values.size() != results.size()) {
      context_.sink
          .report(Kind::WrongArguments, span(node),
                  fmt::format("the function has {} result{}, this returns {}", results.size(),
                              results.size() == 1 ? "" : "s", values.size()))
          .label(context_.model.functions[*function_].span, "declared here");
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) {
        expressions().fits(values[i], {results[i].type, results[i].unit, results[i].shape, {}}, "the result");
      }
    }
  } else if (kind_ == BlockKind::Process && !values.empty()) {
    context_.sink.report(Kind::MisplacedStatement, span(node), "a process returns nothing").hint("`return;` ends it");
  } else if (kind_ == BlockKind::Devs && !any_poisoned && values.size() == 1) {
    expressions().fits(values[0], {real_type(), context_.time_unit, {}, {}}, "the time to the next internal event");
  }
  add(std::move(action));
}

bool BlockChecker::check_devs_call(NodeId expression) {
  const bool call = tree_.kind(expression) == NodeKind::CallExpr;
  const std::string_view name = tree_.text(call ? tree_.child(expression, 0) : expression);
  if (kind_ != BlockKind::Devs || (name != "internal" && name != "external")) return false;
  Action action = make(ActionKind::DevsCall, expression);
  action.ref = static_cast<std::uint32_t>(name == "internal" ? DevsFunctionKind::Internal : DevsFunctionKind::External);
  const std::span<const NodeId> arguments =
      call ? tree_.children(tree_.child(expression, 1)) : std::span<const NodeId>{};
  if (arguments.size() != (name == "internal" ? 0U : 2U)) {
    context_.sink.report(
        Kind::WrongArguments, span(expression),
        name == "internal" ? "`internal` takes no arguments" : "`external` takes the elapsed time and the bag");
    return true;
  }
  if (!arguments.empty()) {
    action.exprs = {expressions().check_duration(arguments[0], "the elapsed time"), expressions().check(arguments[1])};
    const Expr& bag = context_.model.exprs[action.exprs[1]];
    if (!bag.type.is_error() && bag.type.kind != TypeKind::Bag)
      context_.sink.report(Kind::TypeMismatch, bag.span, "this is not a bag of messages");
  }
  add(std::move(action));
  return true;
}

void BlockChecker::check_expression(NodeId node) {
  const NodeId expression = tree_.children(node).back();
  if (check_devs_call(expression)) return;
  const ExprId value = expressions().check(expression);
  const Expr& expr = context_.model.exprs[value];
  if (expr.type.is_error()) return;
  const bool acts = (expr.op == Op::Builtin && info(expr.builtin).group == BuiltinClass::Procedure) ||
                    expr.op == Op::Method ||
                    (expr.op == Op::Call && context_.model.functions[FunctionId(expr.ref)].library_symbol.size() > 0);
  if (!acts) {
    context_.sink.report(Kind::NoEffect, expr.span, "this does nothing")
        .hint(expr.op == Op::Equal ? "`:=` assigns, `==` compares" : "assign its value, or remove it");
    return;
  }
  Action action = make(ActionKind::Evaluate, node);
  action.exprs = {value};
  add(std::move(action));
}

}  // namespace hyla::check
