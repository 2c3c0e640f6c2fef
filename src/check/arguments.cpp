// Argument lists: of objects, of functions, of messages and records.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/passes.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

/// `model Tall extends Tank(area = 2)`: the class or one of its bases gives the parameter its value.
bool set_by_extends(const Context& context, ClassId id, std::string_view parameter) {
  for (; id; id = context.model.classes[id].base) {
    const Origin& origin = context.class_origins[id].origin;
    const syntax::Tree& tree = context.tree(origin.module);
    const NodeId extends = tree.find(origin.node, NodeKind::Extends);
    const NodeId arguments = extends ? tree.find(extends, NodeKind::Arguments) : NodeId{};
    if (!arguments) continue;
    for (NodeId node : tree.children(arguments)) {
      if (tree.kind(node) == NodeKind::NamedArgument && tree.text(tree.child(node, 0)) == parameter) return true;
    }
  }
  return false;
}

}  // namespace

void require_parameters(Context& context, ClassId object_class, const std::vector<Argument>& given, Span at) {
  const std::vector<VariableId> variables = context.model.bodies[context.model.classes[object_class].body].variables;
  for (VariableId id : variables) {
    if (context.model.variables[id].kind != VariableKind::Parameter) continue;
    settle_variable(context, id);
    const Variable& variable = context.model.variables[id];
    if (variable.binding || variable.initial || variable.type.is_error() || variable.attributes.fixed == false)
      continue;
    const bool is_given = std::any_of(given.begin(), given.end(), [&](const Argument& argument) {
      const Expr* target = &context.model.exprs[argument.target];
      while (target->op == Op::Index) target = &context.model.exprs[context.model.operand(*target, 0)];
      return target->op == Op::Entity && target->entity == EntityKind::Variable && target->ref == id.index;
    });
    const std::string_view name = context.name(variable.name);
    if (is_given || set_by_extends(context, object_class, name)) continue;
    context.sink
        .report(Kind::WrongArguments, at,
                fmt::format("an object of `{}` needs a value for its parameter `{}`",
                            context.name(context.model.classes[object_class].name), name))
        .label(variable.span, "has no value of its own")
        .hint(fmt::format("write `{}({} = …)`", context.name(context.model.classes[object_class].name), name));
  }
}

std::vector<Argument> ExpressionChecker::check_arguments(NodeId arguments, ClassId object_class) {
  std::vector<Argument> result;
  if (!arguments || !object_class) return result;
  Place inner;
  inner.module = place_.module;
  inner.scope = context_.class_origins[object_class].scope;
  inner.object_class = object_class;
  inner.body = context_.model.classes[object_class].body;
  inner.use = Use::Observation;
  const std::string class_name(context_.name(context_.model.classes[object_class].name));
  std::vector<std::pair<std::string_view, Span>> seen;
  for (NodeId node : tree_.children(arguments)) {
    const NodeKind kind = tree_.kind(node);
    if (kind == NodeKind::Invalid) continue;
    if (kind != NodeKind::NamedArgument && kind != NodeKind::InitialArgument) {
      context_.sink.report(Kind::WrongArguments, span(node), "an object's arguments are named")
          .hint("write `parameter = value`");
      continue;
    }
    const NodeId target_node = tree_.child(node, 0);
    const bool initial = kind == NodeKind::InitialArgument;
    NodeId first = target_node;
    while (tree_.kind(first) == NodeKind::MemberExpr || tree_.kind(first) == NodeKind::IndexExpr)
      first = tree_.child(first, 0);
    // The first name is a member of the new object; anything else in sight of its class does not count.
    const NodeId first_name = tree_.kind(first) == NodeKind::NameExpr ? tree_.find(first, NodeKind::Name) : NodeId{};
    if (!first_name) continue;
    if (!find_in_body(context_, inner.scope, context_.intern(tree_.name(first_name)))) {
      const diag::Sink::Mute mute(context_.sink, is_incomplete(context_, inner.scope));
      auto entry = context_.sink.report(Kind::UnknownArgument, span(first_name),
                                        fmt::format("model `{}` has no `{}`", class_name, tree_.name(first_name)));
      if (const auto near = nearest_member(context_, inner.scope, tree_.name(first_name)))
        entry.hint(fmt::format("did you mean `{}`?", *near));
      continue;
    }
    for (const auto& [text, before] : seen) {
      if (text != tree_.text(target_node)) continue;
      context_.sink.report(Kind::WrongArguments, span(target_node), fmt::format("`{}` is given twice", text))
          .label(before, "first here");
    }
    seen.emplace_back(tree_.text(target_node), span(target_node));
    const ExprId target = ExpressionChecker(context_, inner).check(target_node);
    const ExprId value = check(tree_.child(node, 1));
    const Expr expr = context_.model.exprs[target];
    result.push_back({target, initial, value});
    if (expr.type.is_error()) continue;
    const Expr* root = &expr;
    while (root->op == Op::Index) root = &context_.model.exprs[context_.model.operand(*root, 0)];
    const Variable* variable = root->op == Op::Entity && root->entity == EntityKind::Variable
                                   ? &context_.model.variables[VariableId(root->ref)]
                                   : nullptr;
    if (variable == nullptr) {
      context_.sink.report(Kind::UnknownArgument, span(target_node),
                           fmt::format("`{}` is {}; it cannot be set by an argument", tree_.text(target_node),
                                       base::with_article(word_for(context_, root->target()))));
      continue;
    }
    const bool takes_value = variable->kind == VariableKind::Parameter || variable->kind == VariableKind::Input;
    if (variable->kind == VariableKind::Constant) {
      context_.sink
          .report(Kind::NotAssignable, span(target_node), fmt::format("`{}` is a constant", tree_.text(target_node)))
          .label(variable->span, "declared here")
          .hint("declare it `parameter` to set it from outside");
    } else if (!initial && !takes_value) {
      context_.sink
          .report(Kind::NotAssignable, span(target_node),
                  fmt::format("`{} = …` sets parameters and inputs; `{}` is {}", tree_.text(target_node),
                              tree_.text(target_node), base::with_article(word_for(context_, root->target()))))
          .label(variable->span, "declared here")
          .hint(fmt::format("write `{} := …` to give its initial value", tree_.text(target_node)));
    } else if (initial && takes_value) {
      context_.sink
          .report(Kind::NotAssignable, span(target_node),
                  fmt::format("`{}` is {}; it is bound with `=`", tree_.text(target_node),
                              base::with_article(word_for(context_, root->target()))))
          .label(variable->span, "declared here")
          .hint(fmt::format("write `{} = …`", tree_.text(target_node)));
    }
    fits(value, {expr.type, expr.unit, expr.shape, {}}, fmt::format("`{}`", tree_.text(target_node)));
  }
  return result;
}

std::vector<ExprId> ExpressionChecker::match_fields(NodeId arguments, std::span<const Field> fields, Span call,
                                                    std::string_view callee) {
  std::vector<SymbolId> names;
  std::vector<TypeInfo> types;
  std::vector<ExprId> defaults;
  for (const Field& field : fields) {
    names.push_back(field.name);
    types.push_back({field.type, field.unit, field.shape, {}});
    defaults.push_back(field.default_value);
  }
  return match_arguments(arguments, names, types, defaults, call, callee);
}

std::vector<ExprId> ExpressionChecker::match_arguments(NodeId arguments, std::span<const SymbolId> names,
                                                       std::span<const TypeInfo> types,
                                                       std::span<const ExprId> defaults, Span call,
                                                       std::string_view callee) {
  std::vector<ExprId> values(names.size());
  std::size_t position = 0;
  bool too_many = false;
  bool unknown = false;  // a misspelt name leaves its slot empty: one mistake, one message
  std::vector<Span> places(names.size());
  const std::span<const NodeId> given = arguments ? tree_.children(arguments) : std::span<const NodeId>{};
  for (NodeId node : given) {
    std::size_t slot = names.size();
    NodeId value_node = node;
    if (tree_.kind(node) == NodeKind::Invalid) continue;
    if (tree_.kind(node) == NodeKind::NamedArgument) {
      const NodeId name_node = tree_.child(node, 0);
      value_node = tree_.child(node, 1);
      const SymbolId symbol = context_.intern(tree_.text(name_node));
      slot = static_cast<std::size_t>(std::find(names.begin(), names.end(), symbol) - names.begin());
      if (slot == names.size()) {
        unknown = true;
        std::vector<std::string_view> known;
        for (SymbolId name : names) known.push_back(context_.name(name));
        auto entry = context_.sink.report(Kind::UnknownArgument, span(name_node),
                                          fmt::format("`{}` has no `{}`", callee, tree_.text(name_node)));
        if (const auto near = base::nearest(tree_.text(name_node), known)) {
          entry.hint(fmt::format("did you mean `{}`?", *near));
        } else if (!known.empty()) {
          entry.hint(fmt::format("it has {}", base::quoted_list(known)));
        }
        unknown = true;
        check(value_node);
        continue;
      }
      if (values[slot]) {
        context_.sink
            .report(Kind::WrongArguments, span(name_node), fmt::format("`{}` is given twice", tree_.text(name_node)))
            .label(places[slot], "first here");
      }
    } else if (tree_.kind(node) == NodeKind::InitialArgument || tree_.kind(node) == NodeKind::Comprehension ||
               tree_.kind(node) == NodeKind::WhereArgument) {
      context_.sink.report(Kind::WrongArguments, span(node),
                           fmt::format("`{}` takes values, by position or as `name = value`", callee));
      continue;
    } else {
      slot = position++;
      if (slot >= names.size()) {
        if (!too_many) {
          context_.sink
              .report(Kind::WrongArguments, span(node),
                      fmt::format("`{}` takes {} argument{}", callee, names.size(), names.size() == 1 ? "" : "s"))
              .text("one too many");
        }
        too_many = true;
        check(node);
        continue;
      }
    }
    values[slot] = check(value_node);
    places[slot] = value_node == node ? span(node) : span(tree_.child(node, 0));
    fits(values[slot], types[slot], fmt::format("`{}`", context_.name(names[slot])));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) continue;
    values[i] = i < defaults.size() ? defaults[i] : ExprId{};
    if (values[i]) continue;
    if (!unknown)
      context_.sink.report(Kind::WrongArguments, call,
                           fmt::format("`{}` needs a value for `{}`", callee, context_.name(names[i])));
    unknown = true;
    values[i] = make_error(context_, call);
  }
  return values;
}

}  // namespace hyla::check
