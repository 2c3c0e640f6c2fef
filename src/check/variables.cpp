// Variables: their types, on demand, and what stands behind `:=` and `=` in their declarations.
#include <algorithm>
#include <array>
#include <cmath>

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

Place place_of(const Context& context, const Origin& origin, BodyId body, Use use) {
  Place place;
  place.module = origin.module;
  place.scope = origin.scope;
  place.body = body;
  if (body) place.object_class = context.model.bodies[body].object_class;
  place.use = use;
  return place;
}

/// The dimensions behind a declared name, `T[n]`, come before those of its type.
void add_declared_dimensions(Context& context, const Origin& origin, NodeId declarator, TypeInfo& info) {
  const NodeId dimensions = context.tree(origin.module).find(declarator, NodeKind::Dimensions);
  if (!dimensions) return;
  const Shape inner = info.shape ? context.model.shapes[info.shape] : Shape{};
  info.shape = read_dimensions(context, origin.scope, origin.module, dimensions, {});
  if (!info.shape) return;
  Shape whole = context.model.shapes[info.shape];
  whole.dimensions.insert(whole.dimensions.end(), inner.dimensions.begin(), inner.dimensions.end());
  info.shape = context.model.intern_shape(whole);
  if (!info.type.is_error()) info.type = info.type.with_rank(whole.dimensions.size());
}

Use value_use(const Variable& variable, bool binding) {
  switch (variable.kind) {
    case VariableKind::Constant:
      return Use::Constant;
    case VariableKind::Parameter:
      return Use::Parameter;
    default:
      return binding ? Use::Equation : Use::Start;
  }
}

/// Why a variable cannot take its type from such a value; empty if it can.
std::string_view why_not_held(Type type) {
  switch (type.kind) {
    case TypeKind::None:
      return "`none` does not tell the type of the variable";
    case TypeKind::Nothing:
      return "this gives no value";
    case TypeKind::Tuple:
      return "this gives several values";
    case TypeKind::Connector:
      return "a plug is not a value; name its potential or flow";
    case TypeKind::Port:
    case TypeKind::Mailbox:
    case TypeKind::Population:
    case TypeKind::Statistic:
    case TypeKind::External:
      return "a variable cannot hold this";
    default:
      return {};
  }
}

void check_known_value(Context& context, VariableId id, ExprId value) {
  const auto known = known_value(context, value);
  if (!known) return;
  const Variable& variable = context.model.variables[id];
  const auto outside = [&](ExprId bound, bool above, std::string_view word) {
    const auto limit = known_value(context, bound);
    if (!limit || (above ? *known <= *limit : *known >= *limit)) return;
    context.sink
        .report(Kind::BadValue, context.model.exprs[value].span,
                fmt::format("{} is {} the {} of `{}`", base::format_number(*known), above ? "above" : "below", word,
                            context.name(variable.name)))
        .label(context.model.exprs[bound].span, fmt::format("the {} is {}", word, base::format_number(*limit)));
  };
  const auto least = known_value(context, variable.attributes.min);
  const auto most = known_value(context, variable.attributes.max);
  if (least && most && *least > *most) return;  // reported with the type
  outside(variable.attributes.min, false, "minimum");
  outside(variable.attributes.max, true, "maximum");
}

}  // namespace

namespace {

/// A value is asked for while it is being found: all that stand between form the circle.
void report_circle(Context& context, VariableId id) {
  const auto start = std::find(context.settling.begin(), context.settling.end(), id);
  const Variable& first = context.model.variables[id];
  const bool alone = context.settling.end() - start < 2;
  auto entry =
      context.sink.report(Kind::ConstantCycle, first.span,
                          alone ? fmt::format("`{}` is defined by itself", context.name(first.name))
                                : fmt::format("the value of `{}` leads back to itself", context.name(first.name)));
  if (alone) return;
  for (auto i = start; i != context.settling.end(); ++i) {
    const VariableId needed = i + 1 == context.settling.end() ? id : *(i + 1);
    const std::string text = fmt::format("needs `{}`", context.name(context.model.variables[needed].name));
    if (i == start) {
      entry.text(text);
    } else {
      entry.label(context.model.variables[*i].span, text);
    }
  }
  entry.hint("give one of them a value of its own");
}

}  // namespace

void settle_variable_now(Context& context, VariableId id) {
  if (context.variable_origins[id].type_progress != Progress::Untouched) {
    if (context.variable_origins[id].type_progress == Progress::Busy && context.model.variables[id].is_fixed()) {
      report_circle(context, id);
    }
    return;
  }
  context.variable_origins[id].type_progress = Progress::Busy;
  context.settling.push_back(id);
  const Origin origin = context.variable_origins[id].origin;
  const NodeId type_node = context.variable_origins[id].type_node;
  const syntax::Tree& tree = context.tree(origin.module);
  const diag::Sink::Voice voice(context.sink, !origin.inherited);
  TypeInfo info;
  // A number without a type is Real. It stays so if a value refers back to the variable while its type is being found.
  context.model.variables[id].type = real_type();
  if (type_node) info = resolve_type(context, origin.scope, origin.module, type_node);
  if (!type_node) info.type = real_type();
  add_declared_dimensions(context, origin, origin.node, info);
  {
    Variable& variable = context.model.variables[id];
    variable.type = info.type;
    variable.unit = info.unit;
    variable.shape = info.shape;
    variable.attributes = info.attributes;
  }
  if (type_node) {
    const bool fixed = context.model.variables[id].is_fixed();
    if (!fixed) context.variable_origins[id].type_progress = Progress::Done;
    context.variable_origins[id].declared_type = true;
  }
  NodeId holder = tree.find(origin.node, NodeKind::InitialValue);
  const bool binding = !holder;
  if (binding) holder = tree.find(origin.node, NodeKind::Binding);
  const bool replaced = binding && context.variable_origins[id].binding_replaced;
  const bool needed = !type_node || context.model.variables[id].is_fixed();
  if (holder && needed && !replaced) {
    check_variable_value(context, id);
  }
  context.variable_origins[id].type_progress = Progress::Done;
  context.settling.pop_back();
}

namespace {

void check_declared_value(Context& context, VariableId id) {
  const Origin origin = context.variable_origins[id].origin;
  const syntax::Tree& tree = context.tree(origin.module);
  const diag::Sink::Voice voice(context.sink, !origin.inherited);
  const NodeId initial = tree.find(origin.node, NodeKind::InitialValue);
  const NodeId binding = initial ? NodeId{} : tree.find(origin.node, NodeKind::Binding);
  const NodeId holder = initial ? initial : binding;
  if (!holder || tree.children(holder).empty()) return;
  if (binding && context.variable_origins[id].binding_replaced) return;
  const NodeId node = tree.child(holder, 0);
  const std::string_view name = context.name(context.model.variables[id].name);
  const VariableKind kind = context.model.variables[id].kind;
  if (initial && context.model.variables[id].is_fixed()) {
    context.sink
        .report(Kind::NotAssignable, tree.span(initial),
                fmt::format("a {} is bound with `=`, not assigned",
                            kind == VariableKind::Constant ? "constant" : "parameter"))
        .hint(fmt::format("write `{} = …`", name));
  }
  if (binding && kind == VariableKind::Discrete) {
    context.sink
        .report(Kind::EquationForFixed, tree.span(binding),
                fmt::format("`{}` is discrete: only assignments change it", name))
        .hint("write `:=` for its start value, or declare it `var`");
  }
  if (binding && kind == VariableKind::Input) {
    context.sink
        .report(Kind::EquationForFixed, tree.span(binding), fmt::format("the input `{}` is given from outside", name))
        .hint("write `:=` for the value it has when nothing is joined to it");
  }
  const Place place = place_of(context, origin, context.model.variables[id].body,
                               value_use(context.model.variables[id], static_cast<bool>(binding)));
  ExpressionChecker checker(context, place);
  const ExprId value = checker.check(node);
  const Expr expr = context.model.exprs[value];
  Variable& variable = context.model.variables[id];
  (initial ? variable.initial : variable.binding) = value;
  if (!context.variable_origins[id].declared_type && !expr.type.is_error()) {
    // Numbers stay Real; everything else tells its own type.
    if (!expr.type.is_number()) variable.type = expr.type;
    if (expr.type.is_number() && expr.type.rank > 0 && variable.type.rank == 0)
      variable.type = real_type().with_rank(expr.type.rank);
    if (expr.type.rank > 0 && !variable.shape) variable.shape = expr.shape;
    if (is_known(expr.unit) && !variable.unit) variable.unit = expr.unit;
    if (const std::string_view problem = why_not_held(expr.type); !problem.empty()) {
      auto entry = context.sink.report(Kind::TypeMismatch, expr.span, std::string(problem));
      if (expr.type.kind == TypeKind::None) entry.hint(fmt::format("write `{}: Type := …`", name));
      if (expr.type.kind == TypeKind::Tuple) entry.hint("`let (a, b) = …;` in an action names several values");
      variable.type = error_type();
    }
  }
  const TypeInfo wanted{variable.type, variable.unit, variable.shape, {}};
  checker.fits(value, wanted, fmt::format("`{}`", name));
  const Known enough = variable.kind == VariableKind::Constant ? Known::Always : Known::ByDefault;
  if (variable.is_fixed()) context.model.variables[id].value = known_value(context, value, enough);
  check_known_value(context, id, value);
}

/// The value that a derived model gives with `extends Base(p = …)`; the argument itself is checked with the class.
void apply_base_value(Context& context, VariableId id) {
  const Variable& declared = context.model.variables[id];
  if (!context.variable_origins[id].origin.inherited || context.model.bodies[declared.body].parent) return;
  const std::vector<BaseValue>& values = context.base_values[context.model.bodies[declared.body].object_class];
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const BaseValue& v) { return v.name == declared.name; });
  if (found == values.end()) return;
  const diag::Sink::Mute mute(context.sink);
  const BaseValue given = *found;
  const Place place = place_of(context, given.value, declared.body, Use::Parameter);
  const ExprId value = ExpressionChecker(context, place).check(given.value.node);
  Variable& variable = context.model.variables[id];
  (given.initial ? variable.initial : variable.binding) = value;
  if (variable.is_fixed()) variable.value = known_value(context, value);
}

}  // namespace

void check_variable_value(Context& context, VariableId id) {
  if (context.variable_origins[id].value_checked) return;
  context.variable_origins[id].value_checked = true;
  check_declared_value(context, id);
  apply_base_value(context, id);
}

}  // namespace hyla::check
