// Local names, assignments and initial equations in blocks.
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

void BlockChecker::check_let(NodeId node) {
  const NodeId names = tree_.child(node, 0);
  const NodeId value_node = tree_.children(node).back();
  if (is_operation(tree_.kind(value_node))) {
    if (tree_.kind(names) != NodeKind::Name) {
      context_.sink.report(Kind::WrongArguments, span(names), "this gives one result");
      return;
    }
    if (kind_ == BlockKind::Function) {
      context_.sink.report(Kind::ImpureFunction, span(value_node),
                           "a function computes its result and does nothing else");
      return;
    }
    // The result is named after the operation is checked, so that it cannot use itself.
    ResultPlace result;
    result.local =
        context_.model.locals.add({context_.intern(tree_.name(names)), span(names), error_type(), {}, {}, false});
    const Type type = check_operation(value_node, result);
    context_.model.locals[result.local].type = type;
    declare_name(context_, place_.scope, context_.intern(tree_.name(names)), {EntityKind::Local, result.local.index},
                 span(names));
    return;
  }
  Action action = make(ActionKind::Let, node);
  const ExprId value = expressions().check(value_node);
  const Expr expr = context_.model.exprs[value];
  action.exprs = {value};
  if (tree_.kind(names) == NodeKind::Name) {
    if (expr.type.kind == TypeKind::Nothing || expr.type.kind == TypeKind::Tuple) {
      context_.sink
          .report(Kind::TypeMismatch, expr.span,
                  expr.type.kind == TypeKind::Tuple ? "this gives several results" : "this gives no result")
          .hint("write `let (a, b) = …` for several results");
    }
    action.locals = {declare_local(names, {expr.type, expr.unit, expr.shape, {}}, false)};
    return add(std::move(action));
  }
  // `let (a, b) = f(x);` or `let (a, b) = (1, 2);`
  std::vector<TypeInfo> types;
  if (expr.op == Op::Tuple) {
    for (ExprId operand : context_.model.operands_of(expr)) {
      const Expr& part = context_.model.exprs[operand];
      types.push_back({part.type, part.unit, part.shape, {}});
    }
  } else if (expr.type.kind == TypeKind::Tuple && expr.op == Op::Call) {
    for (const Field& field : context_.model.functions[FunctionId(expr.type.ref)].results)
      types.push_back({field.type, field.unit, field.shape, {}});
  }
  const std::span<const NodeId> list = tree_.children(names);
  if (!expr.type.is_error() && types.size() != list.size()) {
    context_.sink.report(Kind::WrongArguments, span(names),
                         fmt::format("{} names for {} value{}", list.size(), std::max<std::size_t>(types.size(), 1),
                                     types.size() > 1 ? "s" : ""));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (tree_.kind(list[i]) == NodeKind::Name)
      action.locals.push_back(declare_local(list[i], i < types.size() ? types[i] : TypeInfo{}, false));
  }
  add(std::move(action));
}

void BlockChecker::check_variable(NodeId node) {
  const NodeId kind = tree_.find(node, NodeKind::VariableKind);
  if (kind && tree_.first_token_kind(kind) != TokenKind::WordVar) {
    context_.sink
        .report(Kind::MisplacedStatement, span(kind), fmt::format("`{}` cannot stand in an action", tree_.text(kind)))
        .hint("`var x := …;` declares a local variable, `let x = …;` a local constant");
    return;
  }
  for (NodeId declarator : tree_.children(node)) {
    if (tree_.kind(declarator) != NodeKind::Declarator) continue;
    const NodeId name = tree_.find(declarator, NodeKind::Name);
    if (!name) continue;
    Action action = make(ActionKind::Variable, declarator);
    TypeInfo info;
    info.type = real_type();
    const NodeId type = tree_.find(declarator, NodeKind::TypeRef);
    if (type) info = resolve_type(context_, place_.scope, place_.module, type);
    if (const NodeId binding = tree_.find(declarator, NodeKind::Binding)) {
      context_.sink.report(Kind::EquationInAction, span(binding), "an equation `=` cannot stand in an action")
          .hint("write `:=` for its value now");
      action.locals = {declare_local(name, info, true)};
      add(std::move(action));
      continue;
    }
    if (const NodeId initial = tree_.find(declarator, NodeKind::InitialValue)) {
      ExpressionChecker checker = expressions();
      const ExprId value = checker.check(tree_.child(initial, 0));
      const Expr expr = context_.model.exprs[value];
      action.exprs = {value};
      if (!type && !expr.type.is_number()) info.type = expr.type;
      if (!type && expr.type.is_number() && expr.type.rank > 0) {
        info.type = real_type().with_rank(expr.type.rank);
        info.shape = expr.shape;
      }
      if (!type) info.unit = is_known(expr.unit) ? expr.unit : UnitId{};
      checker.fits(value, info, fmt::format("`{}`", tree_.name(name)));
    }
    action.locals = {declare_local(name, info, true)};
    add(std::move(action));
  }
}

bool BlockChecker::check_target(ExprId target) {
  const Expr* expr = &context_.model.exprs[target];
  if (expr->type.is_error()) return false;
  const Span whole = expr->span;
  while (expr->op == Op::Index || expr->op == Op::Field) {
    expr = &context_.model.exprs[context_.model.operand(*expr, 0)];
  }
  const auto refuse = [&](std::string message, Span declared, std::string hint) {
    auto entry = context_.sink.report(Kind::NotAssignable, whole, std::move(message));
    if (declared.file) entry.label(declared, "declared here");
    entry.hint(std::move(hint));
    return false;
  };
  if (expr->op == Op::Der)
    return refuse("a derivative cannot be assigned", {},
                  "assign the variable itself, or write an equation `der(x) = …`");
  if (expr->op != Op::Entity)
    return refuse("only a variable can be assigned", {}, "the left side of `:=` is a variable");
  if (expr->entity == EntityKind::Local) {
    const Local& local = context_.model.locals[LocalId(expr->ref)];
    if (local.assignable) return true;
    return refuse(fmt::format("`{}` cannot change", context_.name(local.name)), local.span,
                  "`let`, message fields and loop indices are fixed; `var` declares what can be assigned");
  }
  if (expr->entity != EntityKind::Variable) {
    return refuse(fmt::format("{} cannot be assigned", base::with_article(word_for(context_, expr->target()))),
                  declaration_span(context_, expr->target()), "declare an object `dynamic` to exchange it");
  }
  const Variable& variable = context_.model.variables[VariableId(expr->ref)];
  const std::string_view name = context_.name(variable.name);
  if (variable.plug) {
    return refuse("potentials and flows of a plug cannot be assigned", variable.span, "write an equation");
  }
  if (expr->operand_count > 0) {
    return refuse(fmt::format("`{}` belongs to another object", name), variable.span,
                  "objects change only themselves: send a message and let the other object react");
  }
  if (kind_ == BlockKind::Function)
    return refuse("a function cannot assign variables of an object", variable.span, "return the value");
  switch (variable.kind) {
    case VariableKind::Constant:
      return refuse(fmt::format("`{}` is a constant", name), variable.span, "declare it `discrete` or `var`");
    case VariableKind::Parameter:
      return refuse(fmt::format("the parameter `{}` is fixed during a run", name), variable.span,
                    "declare it `discrete` to change it by assignments");
    case VariableKind::Input:
      return refuse(fmt::format("the input `{}` is given from outside", name), variable.span,
                    "declare it `var` or `discrete` if it is set here");
    default:
      return true;
  }
}

bool BlockChecker::assign_dynamic(NodeId node, NodeId target_node, NodeId value_node) {
  ExprId target;
  {
    const diag::Sink::Mute mute(context_.sink);
    const Resolved resolved = expressions().resolve(target_node);
    if (resolved.failed || !resolved.value) return false;
    target = resolved.value;
  }
  const Expr expr = context_.model.exprs[target];
  const Expr* root = &expr;
  while (root->op == Op::Index) root = &context_.model.exprs[context_.model.operand(*root, 0)];
  const bool part = root->op == Op::Entity && root->entity == EntityKind::Part && root->operand_count == 0;
  if (!part) return false;
  if (context_.model.parts[PartId(root->ref)].kind != PartKind::Dynamic) {
    check_target(target);
    return true;
  }
  Action action = make(ActionKind::Assign, node);
  ExprId value;
  if (tree_.kind(value_node) == NodeKind::NoneLiteral) {
    value = expressions().check(value_node);
  } else {
    const auto occupant = check_new_object(context_, place_, value_node, ClassId(expr.type.ref));
    if (!occupant) return true;
    value = make_expr(context_, Op::Occupant, {TypeKind::Object, 0, occupant->object_class.index}, span(value_node));
    context_.model.exprs[value].ref = static_cast<std::uint32_t>(context_.model.occupants.size());
    context_.model.occupants.push_back(*occupant);
  }
  action.exprs = {target, value};
  add(std::move(action));
  return true;
}

void BlockChecker::check_assign(NodeId node) {
  const std::span<const NodeId> children = tree_.children(node);
  const NodeId target_node = children[children.size() - 2];
  const NodeId value_node = children[children.size() - 1];
  if (is_operation(tree_.kind(value_node))) {
    ResultPlace result;
    result.target = expressions().check(target_node);
    check_target(result.target);
    const Type type = check_operation(value_node, result);
    const Expr& expr = context_.model.exprs[result.target];
    if (!assignable(context_, expr.type, type)) {
      context_.sink.report(Kind::TypeMismatch, span(value_node),
                           fmt::format("`{}` is {}, this gives {}", tree_.text(target_node),
                                       base::with_article(context_.model.type_name(expr.type)),
                                       base::with_article(context_.model.type_name(type))));
    }
    return;
  }
  if (assign_dynamic(node, target_node, value_node)) return;
  Action action = make(ActionKind::Assign, node);
  const bool tuple = tree_.kind(target_node) == NodeKind::TupleExpr;
  const std::vector<NodeId> targets =
      tuple ? std::vector<NodeId>(tree_.children(target_node).begin(), tree_.children(target_node).end())
            : std::vector<NodeId>{target_node};
  // What is hidden in another object is not assigned either; check_target says so.
  Place anywhere = place_;
  anywhere.reads_all = true;
  for (NodeId target : targets) action.exprs.push_back(ExpressionChecker(context_, anywhere).check(target));
  for (ExprId& target : action.exprs) {
    // What cannot be assigned at all needs no second message about its value.
    if (!check_target(target)) target = make_error(context_, context_.model.exprs[target].span);
  }
  ExpressionChecker checker = expressions();
  const auto wanted = [&](std::size_t i) {
    const Expr& expr = context_.model.exprs[action.exprs[i]];
    return TypeInfo{expr.type, expr.unit, expr.shape, {}};
  };
  if (!tuple) {
    action.exprs.push_back(checker.check_as(value_node, wanted(0), fmt::format("`{}`", tree_.text(target_node))));
    return add(std::move(action));
  }
  const ExprId value = checker.check(value_node);
  const Expr expr = context_.model.exprs[value];
  std::vector<ExprId> values;
  std::size_t count = 1;
  if (expr.op == Op::Tuple) {
    for (ExprId operand : context_.model.operands_of(expr)) values.push_back(operand);
    count = values.size();
    for (std::size_t i = 0; i < std::min(values.size(), targets.size()); ++i)
      checker.fits(values[i], wanted(i), fmt::format("`{}`", tree_.text(targets[i])));
  } else if (expr.type.kind == TypeKind::Tuple && expr.op == Op::Call) {
    const std::vector<Field>& results = context_.model.functions[FunctionId(expr.type.ref)].results;
    count = results.size();
    for (std::size_t i = 0; i < std::min(count, targets.size()); ++i) {
      if (assignable(context_, wanted(i).type, results[i].type)) continue;
      context_.sink.report(Kind::TypeMismatch, span(targets[i]),
                           fmt::format("`{}` is {}, result {} is {}", tree_.text(targets[i]),
                                       base::with_article(context_.model.type_name(wanted(i).type)), i + 1,
                                       base::with_article(context_.model.type_name(results[i].type))));
    }
    values = {value};
  }
  if (count != targets.size() && !expr.type.is_error()) {
    context_.sink.report(
        Kind::WrongArguments, span(node),
        fmt::format("{} variables are assigned {} value{}", targets.size(), count, count == 1 ? "" : "s"));
    return;
  }
  action.exprs.insert(action.exprs.end(), values.begin(), values.end());
  add(std::move(action));
}

void BlockChecker::check_equation(NodeId node) {
  const std::span<const NodeId> children = tree_.children(node);
  Place at = place_;
  at.use = Use::Equation;
  ExpressionChecker checker(context_, at);
  Action action = make(ActionKind::Equation, node);
  const ExprId left = checker.check(children[children.size() - 2]);
  const ExprId right = checker.check(children[children.size() - 1]);
  const Expr a = context_.model.exprs[left];
  const Expr b = context_.model.exprs[right];
  if (!a.type.is_error() && !b.type.is_error()) {
    if (!a.type.is_number() || !b.type.is_number() || a.type.rank != b.type.rank) {
      context_.sink.report(Kind::TypeMismatch, span(node), "an initial equation is between numbers")
          .label(a.span, context_.model.type_name(a.type))
          .label(b.span, context_.model.type_name(b.type));
    } else {
      join_units(context_, left, right, equal_sign(node), "an equation between");
    }
  }
  action.exprs = {left, right};
  add(std::move(action));
}

}  // namespace hyla::check
