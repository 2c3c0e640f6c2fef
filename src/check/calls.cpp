// Calls: built-in functions, functions of the model, constructors, methods, reductions.
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

/// "2 arguments", "1 or more arguments": what a signature of builtins.def asks for.
std::string wanted_count(std::string_view letters) {
  const bool repeats = letters.ends_with('*');
  const bool optional = letters.ends_with('?');
  const std::size_t count = letters.size() - (repeats || optional ? 1 : 0);
  if (repeats) return fmt::format("{} or more arguments", count);
  if (optional) return fmt::format("{} or {} arguments", count - 1, count);
  return fmt::format("{} argument{}", count, count == 1 ? "" : "s");
}

}  // namespace

bool is_plain_argument(NodeKind kind) {
  return kind != NodeKind::NamedArgument && kind != NodeKind::InitialArgument && kind != NodeKind::Comprehension &&
         kind != NodeKind::WhereArgument;
}

ExprId ExpressionChecker::check_call(NodeId node) {
  const NodeId callee = tree_.child(node, 0);
  const NodeId arguments = tree_.find(node, NodeKind::Arguments);
  if (!arguments) return error(node);
  if (tree_.kind(callee) == NodeKind::NameExpr && tree_.find(callee, NodeKind::Name)) {
    const std::string_view name = tree_.name(tree_.find(callee, NodeKind::Name));
    const Entity entity = find_name(context_, place_.scope, place_.module, context_.intern(name));
    const bool callable = entity.kind >= EntityKind::Module;
    const Builtin builtin = model::find_builtin(name);
    // A variable may be called `gamma` or `max` and the function still be used: only functions are called.
    if (!callable && builtin != Builtin::None) return call_builtin(builtin, node, arguments);
    if (!entity && syntax::is_reserved(tree_.first_token_kind(callee))) return error(node);  // reported before
    if (!entity) {
      auto entry =
          context_.sink.report(Kind::UnknownName, span(callee), fmt::format("there is no function `{}`", name));
      std::vector<std::string_view> names;
      for (const BuiltinInfo& info : model::all_builtins()) {
        if (info.group != BuiltinClass::Member) names.push_back(info.name);
      }
      const auto own = nearest_name(context_, place_.scope, name);
      const auto near = own ? std::optional<std::string_view>(*own) : base::nearest(name, names);
      if (near) entry.hint(fmt::format("did you mean `{}`?", *near));
      return error(node);
    }
  }
  if (tree_.kind(callee) == NodeKind::MemberExpr) {
    const Resolved base = resolve(tree_.child(callee, 0));
    if (base.failed) return error(node);
    if (base.value) return call_method(base.value, node, tree_.child(callee, 1), arguments);
  }
  const Resolved resolved = resolve(callee);
  if (resolved.failed) return error(node);
  switch (resolved.entity.kind) {
    case EntityKind::Function:
      return call_function(FunctionId(resolved.entity.index), node, arguments);
    case EntityKind::Record:
    case EntityKind::Message:
    case EntityKind::Class:
      return construct(resolved.entity, node, arguments);
    default:
      break;
  }
  auto entry = context_.sink.report(Kind::WrongNameKind, span(callee),
                                    fmt::format("`{}` is {} and cannot be called", tree_.text(callee),
                                                base::with_article(word_for(context_, resolved.entity))));
  if (const Span declared = declaration_span(context_, resolved.entity); declared.file)
    entry.label(declared, "declared here");
  return error(node);
}

/// `dot` and `cross` take vectors that fit together.
void ExpressionChecker::check_vectors(Builtin builtin, const std::vector<ExprId>& values, Span call) {
  if ((builtin != Builtin::Dot && builtin != Builtin::Cross) || values.size() != 2) return;
  const ShapeId a = context_.model.exprs[values[0]].shape;
  const ShapeId b = context_.model.exprs[values[1]].shape;
  const auto size_a = known_size(context_, a, 0);
  const auto size_b = known_size(context_, b, 0);
  const bool cross = builtin == Builtin::Cross;
  if (cross ? (!size_a || *size_a == 3) && (!size_b || *size_b == 3) : !size_a || !size_b || *size_a == *size_b) return;
  context_.sink
      .report(Kind::ArrayShape, call,
              cross ? "`cross` takes vectors of 3 elements" : "`dot` takes vectors of the same size")
      .label(context_.model.exprs[values[0]].span, shape_name(context_, a))
      .label(context_.model.exprs[values[1]].span, shape_name(context_, b));
}

ExprId ExpressionChecker::call_builtin(Builtin builtin, NodeId node, NodeId arguments) {
  const BuiltinInfo& info = model::info(builtin);
  const std::span<const NodeId> given = tree_.children(arguments);
  if (given.size() == 1 && tree_.kind(given[0]) == NodeKind::Comprehension)
    return check_reduction(builtin, node, given[0]);
  if (info.group == BuiltinClass::Random && place_.use != Use::Action && !place_.draws) {
    context_.sink
        .report(Kind::MisplacedRandom, span(node),
                fmt::format("`{}` draws a random number, which only actions and processes may do", info.name))
        .hint("draw it in an action into a `discrete` variable and use that");
  }
  if (info.group == BuiltinClass::Observer && place_.use != Use::Observation) {
    context_.sink.report(Kind::WrongNameKind, span(node), fmt::format("`{}` is for experiments only", info.name));
    return error(node);
  }
  if (info.group == BuiltinClass::Procedure && place_.use == Use::Function) {
    context_.sink.report(Kind::ImpureFunction, span(node), "a function computes its result and does nothing else")
        .hint("do this in an action");
    return error(node);
  }
  if (info.group == BuiltinClass::Procedure && place_.use != Use::Action) {
    context_.sink.report(Kind::MisplacedStatement, span(node),
                         fmt::format("`{}` acts; it can only stand in an action", info.name));
    return error(node);
  }
  const std::size_t colon = info.signature.find(':');
  const std::string_view letters = info.signature.substr(0, colon);
  const std::string_view result = info.signature.substr(colon + 1);
  const bool repeats = letters.ends_with('*');
  const bool optional = letters.ends_with('?');
  const std::size_t most = letters.size() - (repeats || optional ? 1 : 0);
  std::vector<ExprId> values;
  bool poisoned = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!is_plain_argument(tree_.kind(given[i]))) {
      context_.sink.report(Kind::UnknownArgument, span(given[i]),
                           fmt::format("`{}` takes its arguments by position", info.name));
      return error(node);
    }
    values.push_back(check(given[i]));
    poisoned = poisoned || context_.model.exprs[values.back()].type.is_error();
  }
  // One argument of an experiment's min or max is taken over time.
  const bool too_few = values.size() < most - (optional ? 1 : 0);
  if (too_few || (!repeats && values.size() > most)) {
    context_.sink.report(Kind::WrongArguments, span(node),
                         fmt::format("`{}` takes {}, not {}", info.name, wanted_count(letters), values.size()));
    return error(node);
  }
  if (poisoned) return error(node);
  Type widest = integer_type();
  std::size_t rank = 0;
  ShapeId shape;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Expr expr = context_.model.exprs[values[i]];
    const char letter = letters[std::min(i, most - 1)];
    bool fit = true;
    std::string_view want = "a number";
    switch (letter) {
      case 'r':
      case 'n':
        fit = expr.type.is_number();
        break;
      case 'i':
        fit = expr.type.is_scalar(TypeKind::Integer);
        want = "an Integer";
        break;
      case 'b':
        fit = expr.type.kind == TypeKind::Boolean;
        want = "a condition";
        break;
      case 's':
        fit = expr.type.is_scalar(TypeKind::String);
        want = "a text";
        break;
      case 'a':
        fit = expr.type.is_number() && expr.type.rank > 0;
        want = "an array of numbers";
        break;
      case 'v':
        fit = expr.type.is_number() && expr.type.rank == 1;
        want = "a vector";
        break;
      case 'm':
        fit = expr.type.is_number() && expr.type.rank == 2;
        want = "a matrix";
        break;
      default:
        if (builtin != Builtin::ToInteger) break;
        fit = expr.type.is_number() || expr.type.kind == TypeKind::Boolean || expr.type.kind == TypeKind::Enum;
        want = "a number, a Boolean or a value of an enumeration";
        break;
    }
    if (!fit) {
      context_.sink.report(Kind::TypeMismatch, expr.span,
                           fmt::format("`{}` takes {}, this is {}", info.name, want,
                                       base::with_article(context_.model.type_name(expr.type))));
      return error(node);
    }
    if (expr.type.kind == TypeKind::Real) widest = real_type();
    if (expr.type.rank > rank) {
      rank = expr.type.rank;
      shape = expr.shape;
    }
  }
  check_vectors(builtin, values, span(node));
  const bool whole_array = values.size() == 1 && (builtin == Builtin::Min || builtin == Builtin::Max);
  Type type;
  if (!result.empty()) {
    switch (result[0]) {
      case 'r':
        type = real_type().with_rank(letters[0] == 'v' ? 0 : rank);
        break;
      case 'n':
        type = widest.with_rank(letters[0] == 'a' || letters[0] == 'v' || whole_array ? 0 : rank);
        break;
      case 'i':
        type = integer_type().with_rank(letters[0] == 'r' || letters[0] == 'n' ? rank : 0);
        break;
      case 'b':
      case 'c':
        type = boolean_type();
        break;
      case 's':
        type = string_type();
        break;
      case 'v':
        type = widest.with_rank(1);
        break;
      case 'm':
        type = (values.empty() || letters[0] == 'i' ? real_type() : widest).with_rank(2);
        break;
      case 'a':
        type = context_.model.exprs[values[0]].type.with_rank(values.size() - 1);
        break;
      case 'x':
        type = context_.model.exprs[values[0]].type;
        break;
      default:
        break;
    }
  } else {
    type = {TypeKind::Nothing, 0, UINT32_MAX};
  }
  const UnitId unit = builtin_unit(context_, info, values, span(node));
  const ExprId id = make_expr(context_, Op::Builtin, type, span(node), values);
  if (builtin == Builtin::Fill) {
    Shape filled;
    for (std::size_t i = 1; i < values.size(); ++i) {
      const auto size = known_value(context_, values[i], Known::Always);
      filled.dimensions.push_back(
          {size ? std::optional<std::int64_t>(static_cast<std::int64_t>(*size)) : std::nullopt, values[i]});
    }
    shape = context_.model.intern_shape(filled);
  }
  Expr& expr = context_.model.exprs[id];
  expr.builtin = builtin;
  expr.unit = unit;
  if (type.rank > 0) expr.shape = shape;
  if (info.group == BuiltinClass::Function) fold(context_, id);
  return id;
}

ExprId ExpressionChecker::check_reduction(Builtin builtin, NodeId node, NodeId comprehension) {
  switch (builtin) {
    case Builtin::Sum:
    case Builtin::Product:
    case Builtin::Min:
    case Builtin::Max:
    case Builtin::All:
    case Builtin::Any:
      break;
    default:
      context_.sink
          .report(Kind::WrongArguments, span(comprehension),
                  fmt::format("`{}` cannot run over a family", model::info(builtin).name))
          .hint("`sum`, `product`, `min`, `max`, `all` and `any` can");
      return error(node);
  }
  const NodeId name = tree_.child(comprehension, 1);
  Type element;
  const ExprId range = check_range(tree_.child(comprehension, 2), element);
  Place inner = place_;
  inner.scope = context_.scopes.add(ScopeKind::Block, place_.scope);
  const LocalId local =
      context_.model.locals.add({context_.intern(tree_.name(name)), span(name), element, {}, {}, false});
  declare_name(context_, inner.scope, context_.intern(tree_.name(name)), {EntityKind::Local, local.index}, span(name));
  ExpressionChecker checker(context_, inner);
  const bool logic = builtin == Builtin::All || builtin == Builtin::Any;
  const ExprId term =
      logic ? checker.check_condition(tree_.child(comprehension, 0)) : checker.check(tree_.child(comprehension, 0));
  const Expr expr = context_.model.exprs[term];
  if (!logic && !expr.type.is_error() && !expr.type.is_number()) {
    context_.sink.report(Kind::TypeMismatch, expr.span,
                         fmt::format("`{}` takes numbers, this is {}", model::info(builtin).name,
                                     base::with_article(context_.model.type_name(expr.type))));
    return error(node);
  }
  const ExprId id = make_expr(context_, Op::Reduce, expr.type, span(node), {term, range});
  Expr& reduce = context_.model.exprs[id];
  reduce.builtin = builtin;
  reduce.ref = local.index;
  reduce.shape = expr.shape;
  if (builtin != Builtin::Product) reduce.unit = expr.unit;
  return id;
}

ExprId ExpressionChecker::call_function(FunctionId function, NodeId node, NodeId arguments) {
  if (function.index == UINT32_MAX) return error(node);
  settle_function(context_, function);
  const Function record = context_.model.functions[function];
  std::vector<SymbolId> names;
  std::vector<TypeInfo> types;
  for (LocalId id : record.parameters) {
    const Local& local = context_.model.locals[id];
    names.push_back(local.name);
    types.push_back({local.type, local.unit, local.shape, {}});
  }
  const std::vector<ExprId> values =
      match_arguments(arguments, names, types, record.defaults, span(node), context_.name(record.name));
  Type type{TypeKind::Nothing, 0, UINT32_MAX};
  if (record.results.size() == 1) type = record.results[0].type;
  if (record.results.size() > 1) type = {TypeKind::Tuple, 0, function.index};
  const ExprId id = make_expr(context_, Op::Call, type, span(node), values);
  Expr& expr = context_.model.exprs[id];
  expr.ref = function.index;
  if (record.results.size() == 1) {
    expr.unit = record.results[0].unit;
    expr.shape = record.results[0].shape;
  }
  return id;
}

ExprId ExpressionChecker::construct(Entity entity, NodeId node, NodeId arguments) {
  if (entity.kind == EntityKind::Class) {
    context_.sink
        .report(Kind::WrongNameKind, span(node),
                fmt::format("a new object of `{}` cannot stand here", tree_.text(tree_.child(node, 0))))
        .hint("`new M(…)` in an action makes an object; `engine := M(…)` exchanges a dynamic one");
    return error(node);
  }
  const bool message = entity.kind == EntityKind::Message;
  if (message) {
    settle_message(context_, MessageId(entity.index));
  } else {
    settle_record(context_, RecordId(entity.index));
  }
  const std::vector<Field> fields = message ? context_.model.messages[MessageId(entity.index)].fields
                                            : context_.model.records[RecordId(entity.index)].fields;
  const std::vector<ExprId> values = match_fields(arguments, fields, span(node), tree_.text(tree_.child(node, 0)));
  return make_expr(context_, Op::Construct, {message ? TypeKind::Message : TypeKind::Record, 0, entity.index},
                   span(node), values);
}

/// A name before a `.` that stands for nothing: probably the element, called by another name.
NodeId ExpressionChecker::unknown_owner(const Place& place, NodeId node) const {
  for (NodeId child : tree_.children(node)) {
    const bool owner = tree_.kind(node) == NodeKind::MemberExpr && tree_.kind(child) == NodeKind::NameExpr;
    const NodeId name = owner ? tree_.find(child, NodeKind::Name) : NodeId{};
    if (name && !find_name(context_, place.scope, place.module, context_.intern(tree_.name(name)))) return child;
    if (const NodeId found = unknown_owner(place, child)) return found;
  }
  return {};
}

}  // namespace hyla::check
