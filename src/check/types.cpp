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

/// The body whose scope this is, if any.
BodyId body_of(const Context& context, ScopeId scope) {
  for (; scope; scope = context.scopes[scope].parent) {
    const Scope& record = context.scopes[scope];
    if (record.kind == ScopeKind::Class || record.kind == ScopeKind::Body) return BodyId(record.owner);
  }
  return {};
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
        if (const auto known = known_value(context, fixed)) {
          info.attributes.fixed = *known != 0;
        } else if (!context.model.exprs[fixed].type.is_error()) {
          context.sink.report(Kind::NotConstant, tree.span(value), "`fixed` is `true` or `false`")
              .hint("to choose for a scenario, use `hyla init --free` and `--fix`");
        }
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
    constexpr double kLargest = 9e15;  // exact as a double; no array is that large
    const auto is_size = [](double value) { return value >= 0 && value <= kLargest; };
    if (const auto known = known_value(context, size, Known::Always); known && is_size(*known))
      dimension.size = static_cast<std::int64_t>(*known);
    if (const auto known = known_value(context, size); known && *known < 0) {
      context.sink.report(Kind::BadValue, tree.span(node), fmt::format("an array cannot have {} elements", *known));
    }
    shape.dimensions.push_back(dimension);
  }
  return shape.dimensions.empty() ? ShapeId{} : context.model.intern_shape(shape);
}

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

}  // namespace hyla::check
