// Sections: settings and anonymous objects of environment packages.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/passes.h"
#include "check/settings.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

/// The parameters of a class in the order of their declaration.
std::vector<VariableId> parameters_of(const Context& context, ClassId id) {
  std::vector<VariableId> parameters;
  for (VariableId variable : context.model.bodies[context.model.classes[id].body].variables) {
    if (context.model.variables[variable].kind == VariableKind::Parameter) parameters.push_back(variable);
  }
  return parameters;
}

class SectionChecker {
 public:
  SectionChecker(Context& context, const Origin& origin, ClassId owner)
      : context_(context), origin_(origin), tree_(context.tree(origin.module)) {
    place_.module = origin.module;
    place_.scope = context.class_origins[owner].scope;
    place_.object_class = owner;
    place_.body = context.model.classes[owner].body;
    place_.use = Use::Observation;
  }

  std::optional<Section> check() {
    const NodeId name = tree_.find(origin_.node, NodeKind::Name);
    if (!name) return std::nullopt;
    const Entity entity = find_name(context_, origin_.scope, origin_.module, context_.intern(tree_.name(name)));
    if (entity.kind != EntityKind::Package) {
      report_unknown_package(name, entity);
      return std::nullopt;
    }
    Section section;
    section.package = PackageId(entity.index);
    section.span = tree_.span(origin_.node);
    for (NodeId item : tree_.children(origin_.node)) {
      if (tree_.kind(item) == NodeKind::Setting) {
        const auto setting = check_setting(context_, place_, item, section.package);
        if (setting) add_setting(context_, section.settings, *setting);
      } else if (tree_.kind(item) == NodeKind::ExprStatement) {
        check_object(tree_.children(item).back(), section);
      }
    }
    return section;
  }

 private:
  void report_unknown_package(NodeId name, Entity entity) {
    auto entry = context_.sink.report(entity ? Kind::WrongNameKind : Kind::UnknownName, tree_.span(name),
                                      entity ? fmt::format("`{}` is {}, not an environment package", tree_.name(name),
                                                           base::with_article(word_for(context_, entity)))
                                             : fmt::format("there is no environment package `{}`", tree_.name(name)));
    std::vector<std::string_view> names;
    for (const Package& package : context_.model.packages) names.push_back(context_.name(package.name));
    if (const auto near = base::nearest(tree_.name(name), names)) {
      entry.hint(fmt::format("did you mean `{}`?", *near));
    } else {
      entry.hint(
          fmt::format("known packages are {}; `environment package` declares another", base::quoted_list(names)));
    }
  }

  void check_object(NodeId call, Section& section) {
    if (tree_.kind(call) != NodeKind::CallExpr) return;
    const NodeId callee = tree_.child(call, 0);
    const NodeId arguments = tree_.find(call, NodeKind::Arguments);
    const Package& package = context_.model.packages[section.package];
    const SymbolId name = context_.intern(tree_.text(callee));
    const auto found = std::find_if(package.models.begin(), package.models.end(),
                                    [&](ClassId id) { return context_.model.classes[id].name == name; });
    if (found == package.models.end()) {
      std::vector<std::string_view> names;
      for (ClassId id : package.models) names.push_back(context_.name(context_.model.classes[id].name));
      auto entry = context_.sink.report(
          Kind::UnknownSetting, tree_.span(callee),
          fmt::format("package `{}` has no model `{}`", context_.name(package.name), tree_.text(callee)));
      const auto near = base::nearest(tree_.text(callee), names);
      if (near) {
        entry.hint(fmt::format("did you mean `{}`?", *near));
      } else if (const Package* other = package_with(name)) {
        entry.hint(fmt::format("package `{}` has one: write it into `section {}`", context_.name(other->name),
                               context_.name(other->name)));
      } else if (!names.empty()) {
        entry.hint(fmt::format("it has {}", base::quoted_list(names)));
      }
      return;
    }
    SectionObject object;
    object.object_class = *found;
    object.span = tree_.span(call);
    const std::size_t errors = context_.sink.error_count();
    std::vector<VariableId> given;
    if (arguments) bind(arguments, object, given);
    if (context_.sink.error_count() == errors) report_missing(call, object.object_class, given);
    section.objects.push_back(std::move(object));
  }

  const Package* package_with(SymbolId model) const {
    for (const Package& package : context_.model.packages) {
      for (ClassId id : package.models) {
        if (context_.model.classes[id].name == model) return &package;
      }
    }
    return nullptr;
  }

  /// Parameters without a value of their own must be given.
  void report_missing(NodeId call, ClassId object_class, const std::vector<VariableId>& given) {
    std::vector<std::string_view> missing;
    for (VariableId id : parameters_of(context_, object_class)) {
      check_variable_value(context_, id);
      const Variable& variable = context_.model.variables[id];
      if (!variable.binding && std::find(given.begin(), given.end(), id) == given.end())
        missing.push_back(context_.name(variable.name));
    }
    if (missing.empty()) return;
    context_.sink.report(
        Kind::WrongArguments, tree_.span(call),
        fmt::format("`{}` needs a value for {}", context_.name(context_.model.classes[object_class].name),
                    base::quoted_list(missing)));
  }

  /// Positional values fill the parameters in their order; an open list of references takes all that are left.
  void bind(NodeId arguments, SectionObject& object, std::vector<VariableId>& given) {
    const std::vector<VariableId> parameters = parameters_of(context_, object.object_class);
    std::size_t position = 0;
    for (NodeId node : tree_.children(arguments)) {
      if (tree_.kind(node) == NodeKind::Invalid) continue;
      const bool named = tree_.kind(node) == NodeKind::NamedArgument;
      VariableId parameter;
      if (named) {
        const SymbolId name = context_.intern(tree_.text(tree_.child(node, 0)));
        for (VariableId id : parameters) {
          if (context_.model.variables[id].name == name) parameter = id;
        }
        if (!parameter) {
          report_unknown_parameter(tree_.child(node, 0), parameters, object.object_class);
          continue;
        }
      } else if (position < parameters.size()) {
        parameter = parameters[position];
      } else {
        context_.sink.report(
            Kind::WrongArguments, tree_.span(node),
            fmt::format("`{}` takes {} argument{}", context_.name(context_.model.classes[object.object_class].name),
                        parameters.size(), parameters.size() == 1 ? "" : "s"));
        return;
      }
      settle_variable(context_, parameter);
      given.push_back(parameter);
      const Variable variable = context_.model.variables[parameter];
      const bool open_list = variable.type.kind == TypeKind::Reference && variable.type.rank > 0;
      if (!named && !open_list) ++position;
      const NodeId value_node = named ? tree_.child(node, 1) : node;
      if (variable.type.kind == TypeKind::Reference) {
        const ExprId reference = check_reference(value_node);
        if (reference) object.references.push_back(reference);
        continue;
      }
      const ExprId value = ExpressionChecker(context_, place_)
                               .check_as(value_node, {variable.type, variable.unit, variable.shape, {}},
                                         fmt::format("`{}`", context_.name(variable.name)));
      const ExprId target = make_expr(context_, Op::Entity, variable.type, tree_.span(node));
      context_.model.exprs[target].entity = EntityKind::Variable;
      context_.model.exprs[target].ref = parameter.index;
      object.arguments.push_back({target, false, value});
    }
  }

  void report_unknown_parameter(NodeId name, const std::vector<VariableId>& parameters, ClassId object_class) {
    std::vector<std::string_view> names;
    for (VariableId id : parameters) names.push_back(context_.name(context_.model.variables[id].name));
    auto entry = context_.sink.report(
        Kind::UnknownArgument, tree_.span(name),
        fmt::format("`{}` has no `{}`", context_.name(context_.model.classes[object_class].name), tree_.text(name)));
    if (const auto near = base::nearest(tree_.text(name), names)) entry.hint(fmt::format("did you mean `{}`?", *near));
  }

  /// Any variable, object, chart or state, or an expression over them.
  ExprId check_reference(NodeId node) {
    const Resolved resolved = ExpressionChecker(context_, place_).resolve(node);
    if (resolved.failed) return {};
    if (resolved.value) return resolved.value;
    if (resolved.entity.kind >= EntityKind::Local) {
      context_.sink.report(Kind::WrongNameKind, tree_.span(node),
                           fmt::format("`{}` is {}, not a part of the model", tree_.text(node),
                                       base::with_article(word_for(context_, resolved.entity))));
      return {};
    }
    std::vector<ExprId> operands;
    if (resolved.object) operands.push_back(resolved.object);
    const ExprId id = make_expr(context_, Op::Entity, {TypeKind::Reference, 0, UINT32_MAX}, tree_.span(node), operands);
    context_.model.exprs[id].entity = resolved.entity.kind;
    context_.model.exprs[id].ref = resolved.entity.index;
    return id;
  }

  Context& context_;
  Origin origin_;
  const syntax::Tree& tree_;
  Place place_;
};

}  // namespace

std::optional<Setting> check_setting(Context& context, const Place& place, NodeId node, PackageId package) {
  const syntax::Tree& tree = context.tree(place.module);
  const NodeId name_node = tree.child(node, 0);
  const SymbolId name = context.intern(tree.text(name_node));
  const ClassId parameters = context.model.packages[package].parameters;
  const ScopeId scope = context.class_origins[parameters].scope;
  const Entity entity = context.scopes.find_local(scope, name);
  if (entity.kind != EntityKind::Variable) {
    auto entry =
        context.sink.report(Kind::UnknownSetting, tree.span(name_node),
                            fmt::format("package `{}` has no setting `{}`",
                                        context.name(context.model.packages[package].name), tree.text(name_node)));
    if (const auto near = nearest_member(context, scope, tree.text(name_node))) {
      entry.hint(fmt::format("did you mean `{}`?", *near));
    } else if (const std::vector<VariableId> known = parameters_of(context, parameters); !known.empty()) {
      std::vector<std::string_view> names;
      for (VariableId id : known) names.push_back(context.name(context.model.variables[id].name));
      entry.hint(fmt::format("it has {}", base::quoted_list(names, 16)));
    }
    return std::nullopt;
  }
  settle_variable(context, VariableId(entity.index));
  const Variable variable = context.model.variables[VariableId(entity.index)];
  Place at = place;
  at.use = Use::Parameter;
  const ExprId value = ExpressionChecker(context, at)
                           .check_as(tree.child(node, 1), {variable.type, variable.unit, variable.shape, {}},
                                     fmt::format("`{}`", tree.text(name_node)));
  const auto known = known_value(context, value);
  const auto least = known_value(context, variable.attributes.min);
  if (known && least && *known < *least) {
    context.sink.report(Kind::BadValue, context.model.exprs[value].span,
                        fmt::format("`{}` must be at least {}", tree.text(name_node), base::format_number(*least)));
  }
  return Setting{name, tree.span(node), value};
}

void add_setting(Context& context, std::vector<Setting>& settings, const Setting& setting) {
  for (const Setting& other : settings) {
    if (other.name != setting.name) continue;
    context.sink.report(Kind::DuplicateName, setting.span, fmt::format("`{}` is set twice", context.name(setting.name)))
        .label(other.span, "first here");
    return;
  }
  settings.push_back(setting);
}

void check_sections(Context& context, ClassId id) {
  const std::vector<Origin> items = context.loose_items[context.model.classes[id].body];
  for (const Origin& origin : items) {
    if (context.tree(origin.module).kind(origin.node) != NodeKind::Section) continue;
    const diag::Sink::Mute mute(context.sink, origin.inherited);
    if (auto section = SectionChecker(context, origin, id).check())
      context.model.classes[id].sections.push_back(std::move(*section));
  }
}

}  // namespace hyla::check
