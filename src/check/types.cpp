// Types as written, and the types of variables, parts, ports and mailboxes. All on demand, since declarations may refer
// to each other in any order.
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

constexpr std::array<std::string_view, 8> kAttributeNames = {"unit",  "min",   "max",     "nominal",
                                                             "fixed", "guess", "display", "quantity"};

Place place_of(const Context& context, const Origin& origin, BodyId body, Use use) {
  Place place;
  place.module = origin.module;
  place.scope = origin.scope;
  place.body = body;
  if (body) place.object_class = context.model.bodies[body].object_class;
  place.use = use;
  return place;
}

/// The body whose scope this is, if any.
BodyId body_of(const Context& context, ScopeId scope) {
  for (; scope; scope = context.scopes[scope].parent) {
    const Scope& record = context.scopes[scope];
    if (record.kind == ScopeKind::Class || record.kind == ScopeKind::Body) return BodyId(record.owner);
  }
  return {};
}

ShapeId read_dimensions(Context& context, ScopeId scope, std::uint32_t module, NodeId dimensions, const Shape& outer) {
  const syntax::Tree& tree = context.tree(module);
  Shape shape = outer;
  Place place;
  place.module = module;
  place.scope = scope;
  place.body = body_of(context, scope);
  place.use = Use::Parameter;
  if (place.body) place.object_class = context.model.bodies[place.body].object_class;
  for (NodeId node : tree.children(dimensions)) {
    if (tree.kind(node) == NodeKind::WholeRange) {
      shape.dimensions.push_back({});
      continue;
    }
    if (tree.kind(node) == NodeKind::Invalid || tree.kind(node) == NodeKind::FamilyIndex) continue;
    const ExprId size = ExpressionChecker(context, place).check_integer(node, "the size of an array");
    Dimension dimension;
    dimension.expr = size;
    if (const auto known = known_value(context, size, Known::Always))
      dimension.size = static_cast<std::int64_t>(*known);
    if (const auto known = known_value(context, size); known && *known < 0) {
      context.sink.report(Kind::BadValue, tree.span(node), fmt::format("an array cannot have {} elements", *known));
    }
    shape.dimensions.push_back(dimension);
  }
  return shape.dimensions.empty() ? ShapeId{} : context.model.intern_shape(shape);
}

void read_attributes(Context& context, ScopeId scope, std::uint32_t module, NodeId arguments, TypeInfo& info) {
  const syntax::Tree& tree = context.tree(module);
  Place place;
  place.module = module;
  place.scope = scope;
  place.body = body_of(context, scope);
  if (place.body) place.object_class = context.model.bodies[place.body].object_class;
  place.use = Use::Parameter;
  // The unit first: it is what the other attributes are measured in.
  for (const bool unit_pass : {true, false}) {
    for (NodeId node : tree.children(arguments)) {
      if (tree.kind(node) == NodeKind::Invalid) continue;
      if (tree.kind(node) != NodeKind::NamedArgument) {
        context.sink.report(Kind::UnknownAttribute, tree.span(node), "attributes are written `name = value`");
        continue;
      }
      const NodeId name_node = tree.child(node, 0);
      const NodeId value = tree.child(node, 1);
      const std::string_view name = tree.text(name_node);
      const bool is_text = name == "unit" || name == "display" || name == "quantity";
      if ((name == "unit") != unit_pass) continue;
      if (std::find(kAttributeNames.begin(), kAttributeNames.end(), name) == kAttributeNames.end()) {
        auto entry = context.sink.report(Kind::UnknownAttribute, tree.span(name_node),
                                         fmt::format("there is no attribute `{}`", name));
        const auto near = base::nearest(name, kAttributeNames);
        entry.hint(near ? fmt::format("did you mean `{}`?", *near)
                        : fmt::format("attributes are {}", base::quoted_list(kAttributeNames, 8)));
        continue;
      }
      if (is_text && tree.kind(value) != NodeKind::StringLiteral) {
        context.sink.report(Kind::TypeMismatch, tree.span(value), fmt::format("`{}` is a text in double quotes", name));
        continue;
      }
      if (name != "fixed" && !is_text && !info.type.is_number() && !info.type.is_error()) {
        context.sink.report(
            Kind::UnknownAttribute, tree.span(name_node),
            fmt::format("{} has no `{}`", base::with_article(context.model.type_name(info.type)), name));
        continue;
      }
      ExpressionChecker checker(context, place);
      if (name == "unit") {
        info.unit = read_unit(context, syntax::string_value(tree.text(value)), tree.span(value));
      } else if (name == "fixed") {
        const ExprId fixed = checker.check_condition(value);
        if (const auto known = known_value(context, fixed)) info.attributes.fixed = *known != 0;
      } else if (name == "display") {
        info.attributes.display = checker.check(value);
      } else if (name != "quantity") {
        const ExprId expr = checker.check_as(value, {real_type(), info.unit, {}, {}}, fmt::format("`{}`", name));
        (name == "min"       ? info.attributes.min
         : name == "max"     ? info.attributes.max
         : name == "nominal" ? info.attributes.nominal
                             : info.attributes.guess) = expr;
      }
    }
  }
}

void check_bounds(Context& context, const Attributes& attributes) {
  const auto least = known_value(context, attributes.min);
  const auto most = known_value(context, attributes.max);
  if (!least || !most || *least <= *most) return;
  context.sink.report(Kind::BadValue, context.model.exprs[attributes.max].span, "the maximum is below the minimum")
      .label(context.model.exprs[attributes.min].span, fmt::format("the minimum is {}", base::format_number(*least)));
}

std::optional<TypeKind> basic_type(std::string_view name) {
  if (name == "Real") return TypeKind::Real;
  if (name == "Integer") return TypeKind::Integer;
  if (name == "Boolean") return TypeKind::Boolean;
  if (name == "String") return TypeKind::String;
  if (name == "Reference") return TypeKind::Reference;
  return std::nullopt;
}

void settle_alias(Context& context, std::size_t index) {
  if (context.type_aliases[index].progress == Progress::Done) return;
  const Origin origin = context.type_aliases[index].origin;
  const syntax::Tree& tree = context.tree(origin.module);
  if (context.type_aliases[index].progress == Progress::Busy) {
    context.sink.report(Kind::RecursiveType, tree.span(origin.node), "this type is defined by itself");
    return;
  }
  const diag::Sink::Voice voice(context.sink);
  const TypeDescent descent(context, tree.span(origin.node));
  context.type_aliases[index].progress = Progress::Busy;
  if (const NodeId type = tree.find(origin.node, NodeKind::TypeRef); type && descent) {
    const TypeInfo info = resolve_type(context, origin.scope, origin.module, type);
    context.type_aliases[index].info = info;
  }
  context.type_aliases[index].progress = Progress::Done;
}

TypeInfo named_type(Context& context, ScopeId scope, std::uint32_t module, NodeId path) {
  const syntax::Tree& tree = context.tree(module);
  TypeInfo info;
  const std::span<const NodeId> steps = tree.children(path);
  if (steps.size() == 1 && tree.kind(steps[0]) == NodeKind::Name) {
    if (const auto basic = basic_type(tree.name(steps[0]))) {
      info.type = {*basic, 0, UINT32_MAX};
      return info;
    }
    const std::string_view name = tree.name(steps[0]);
    if (!find_name(context, scope, module, context.intern(name))) {
      const std::array<std::string_view, 4> basics = {"Real", "Integer", "Boolean", "String"};
      const auto near = base::nearest(name, basics);
      const bool foreign = name == "double" || name == "float" || name == "int" || name == "bool";
      if (near || foreign) {
        context.sink.report(Kind::UnknownName, tree.span(path), fmt::format("there is no type `{}`", name))
            .hint(near ? fmt::format("did you mean `{}`?", *near)
                       : std::string("the types are `Real`, `Integer`, `Boolean` and `String`"));
      } else {
        report_unknown(context, scope, module, name, tree.span(path), "type");
      }
      return info;
    }
  }
  const Entity entity = resolve_path(context, scope, module, path, "type");
  switch (entity.kind) {
    case EntityKind::None:
      break;
    case EntityKind::Enum:
      info.type = {TypeKind::Enum, 0, entity.index};
      break;
    case EntityKind::Record:
      info.type = {TypeKind::Record, 0, entity.index};
      break;
    case EntityKind::Message:
      info.type = {TypeKind::Message, 0, entity.index};
      break;
    case EntityKind::Class:
      info.type = {TypeKind::Object, 0, entity.index};
      break;
    case EntityKind::TypeAlias:
      settle_alias(context, entity.index);
      info = context.type_aliases[entity.index].info;
      break;
    case EntityKind::ExternalObject:
      info.type = {TypeKind::External, 0, entity.index};
      break;
    default: {
      auto entry = context.sink.report(
          Kind::WrongNameKind, tree.span(path),
          fmt::format("`{}` is {}, not a type", tree.text(path), base::with_article(word_for(context, entity))));
      if (const Span declared = declaration_span(context, entity); declared.file)
        entry.label(declared, "declared here");
    }
  }
  return info;
}

}  // namespace

void settle_aliases(Context& context) {
  for (std::size_t i = 0; i < context.type_aliases.size(); ++i) settle_alias(context, i);
}

TypeDescent::TypeDescent(Context& context, Span span) : context_(context) {
  if (++context_.type_depth <= kMost) return;
  context_.sink.report(Kind::NestingTooDeep, span, fmt::format("this type needs more than {} others in a row", kMost))
      .hint("declare it behind the types that it needs, or with fewer steps");
}

TypeInfo resolve_type(Context& context, ScopeId scope, std::uint32_t module, NodeId type_ref) {
  const syntax::Tree& tree = context.tree(module);
  const NodeId path = tree.find(type_ref, NodeKind::Path);
  if (!path) return {};
  TypeInfo info = named_type(context, scope, module, path);
  if (const NodeId arguments = tree.find(type_ref, NodeKind::Arguments))
    read_attributes(context, scope, module, arguments, info);
  if (tree.find(type_ref, NodeKind::Arguments)) check_bounds(context, info.attributes);
  if (const NodeId dimensions = tree.find(type_ref, NodeKind::Dimensions)) {
    const Shape inner = info.shape ? context.model.shapes[info.shape] : Shape{};
    info.shape = read_dimensions(context, scope, module, dimensions, {});
    if (info.shape && !inner.dimensions.empty()) {
      Shape whole = context.model.shapes[info.shape];
      whole.dimensions.insert(whole.dimensions.end(), inner.dimensions.begin(), inner.dimensions.end());
      info.shape = context.model.intern_shape(whole);
    }
  }
  if (!info.type.is_error())
    info.type = info.type.with_rank(info.shape ? context.model.shapes[info.shape].dimensions.size() : 0);
  return info;
}

namespace {

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
