#include <algorithm>

#include <fmt/core.h>

#include "check/lookup.h"
#include "check/passes.h"

namespace hyla::check {
namespace {

std::uint64_t entity_key(Entity entity) { return (static_cast<std::uint64_t>(entity.kind) << 32) | entity.index; }

/// Adds the record for one declaration and returns what its name stands for.
class Declarer {
 public:
  Declarer(Context& context, std::uint32_t module, ScopeId scope, model::ClassId outer)
      : context_(context), tree_(context.tree(module)), module_(module), scope_(scope), outer_(outer) {}

  bool declare(NodeId node) {
    switch (tree_.kind(node)) {
      case NodeKind::ModelDecl:
        return enter(node, declare_class(node));
      case NodeKind::ConnectorDecl:
        return enter(node, add(node, EntityKind::Connector, context_.model.connectors, context_.connector_origins));
      case NodeKind::RecordDecl:
        return enter(node, add(node, EntityKind::Record, context_.model.records, context_.record_origins));
      case NodeKind::ProtocolDecl:
        return enter(node, add(node, EntityKind::Protocol, context_.model.protocols, context_.protocol_origins));
      case NodeKind::FunctionDecl:
      case NodeKind::ExternalFunctionDecl:
        return enter(node, add(node, EntityKind::Function, context_.model.functions, context_.function_origins));
      case NodeKind::ExternalObjectDecl:
        return enter(node,
                     add(node, EntityKind::ExternalObject, context_.model.external_objects, context_.external_origins));
      case NodeKind::MessageDecl:
        return declare_messages(node);
      case NodeKind::EnumDecl:
        return declare_enum(node);
      case NodeKind::TypeDecl:
        return enter(node, declare_alias(node));
      case NodeKind::PackageDecl:
        return enter(node, declare_package(node));
      case NodeKind::ExperimentDecl:
        return enter(node, declare_experiment(node));
      case NodeKind::VariableDecl:
        return declare_constants(node);
      default:
        return false;
    }
  }

 private:
  NodeId name_node(NodeId node) const { return tree_.find(node, NodeKind::Name); }
  Origin origin(NodeId node) const { return {module_, node, scope_, false}; }

  bool enter(NodeId node, Entity entity) {
    if (entity) enter_name(node, name_node(node), entity);
    return true;
  }

  void enter_name(NodeId node, NodeId name, Entity entity) {
    const std::string_view text = tree_.name(name);
    if (entity.kind == EntityKind::Function && model::find_builtin(text) != model::Builtin::None) {
      context_.sink.report(Kind::BuiltinName, tree_.span(name), fmt::format("function `{}` is built in", text))
          .hint("choose another name");
    }
    declare_name(context_, scope_, context_.intern(text), entity, tree_.span(name));
    if (tree_.has_modifier(node, TokenKind::WordPrivate)) context_.private_names[entity_key(entity)] = true;
  }

  /// For every record that has a name, a span and an origin with progress.
  template <class StoreType, class OriginTable>
  Entity add(NodeId node, EntityKind kind, StoreType& store, OriginTable& origins) {
    const NodeId name = name_node(node);
    if (!name) return {};
    typename std::decay_t<decltype(*store.begin())> record;
    record.name = context_.intern(tree_.name(name));
    record.span = tree_.span(name);
    const auto id = store.add(std::move(record));
    origins[id] = {origin(node), Progress::Untouched};
    return {kind, id.index};
  }

  Entity declare_class(NodeId node) {
    const NodeId name = name_node(node);
    const NodeId body = tree_.find(node, NodeKind::Body);
    if (!name || !body) return {};
    model::Class record;
    record.name = context_.intern(tree_.name(name));
    record.module = context_.intern(context_.forest.modules[module_].name);
    record.span = tree_.span(name);
    record.is_abstract = tree_.has_modifier(node, TokenKind::WordAbstract);
    for (std::uint32_t t = tree_.node(node).first_token; t < tree_.node(name).first_token; ++t) {
      if (tree_.token(t).kind == TokenKind::WordAtomic) record.kind = model::ClassKind::Atomic;
    }
    record.outer = outer_;
    record.documentation = tree_.doc_comment(node);
    const model::ClassId id = add_class(std::move(record), node);
    // Member models, messages and types are known to the whole class before its members are.
    for (NodeId item : tree_.children(body)) {
      if (tree_.kind(item) != NodeKind::VariableDecl)
        declare_global(context_, module_, context_.class_origins[id].scope, item, id);
    }
    return {EntityKind::Class, id.index};
  }

  model::ClassId add_class(model::Class record, NodeId node) {
    const model::ClassId id = context_.model.classes.add(std::move(record));
    model::Body body;
    body.object_class = id;
    context_.model.classes[id].body = context_.model.bodies.add(std::move(body));
    const model::BodyId body_id = context_.model.classes[id].body;
    ClassOrigin& class_origin = context_.class_origins[id];
    class_origin.origin = origin(node);
    class_origin.scope = context_.scopes.add(ScopeKind::Class, scope_, body_id.index);
    context_.body_scopes[body_id] = class_origin.scope;
    return id;
  }

  bool declare_messages(NodeId node) {
    for (NodeId child : tree_.children(node)) {
      if (tree_.kind(child) != NodeKind::Name) continue;
      model::Message record;
      record.name = context_.intern(tree_.name(child));
      record.span = tree_.span(child);
      const model::MessageId id = context_.model.messages.add(std::move(record));
      context_.message_origins[id] = {origin(node), Progress::Untouched};
      enter_name(node, child, {EntityKind::Message, id.index});
    }
    return true;
  }

  bool declare_enum(NodeId node) {
    const NodeId name = name_node(node);
    if (!name) return true;
    model::Enum record;
    record.name = context_.intern(tree_.name(name));
    record.span = tree_.span(name);
    for (NodeId child : tree_.children(node)) {
      if (tree_.kind(child) != NodeKind::Name || child == name) continue;
      const SymbolId value = context_.intern(tree_.name(child));
      const auto first = std::find_if(tree_.children(node).begin(), tree_.children(node).end(), [&](NodeId other) {
        return other != name && tree_.kind(other) == NodeKind::Name && tree_.name(other) == tree_.name(child);
      });
      if (*first != child) {
        context_.sink
            .report(Kind::DuplicateName, tree_.span(child), fmt::format("`{}` is listed twice", tree_.name(child)))
            .text("here again")
            .label(tree_.span(*first), "first here");
      }
      record.values.push_back(value);
    }
    const model::EnumId id = context_.model.enums.add(std::move(record));
    enter_name(node, name, {EntityKind::Enum, id.index});
    return true;
  }

  Entity declare_alias(NodeId node) {
    const NodeId name = name_node(node);
    if (!name) return {};
    context_.type_aliases.push_back({context_.intern(tree_.name(name)), origin(node), Progress::Untouched, {}});
    return {EntityKind::TypeAlias, static_cast<std::uint32_t>(context_.type_aliases.size() - 1)};
  }

  Entity declare_package(NodeId node) {
    const NodeId name = name_node(node);
    const NodeId body = tree_.find(node, NodeKind::Body);
    if (!name || !body) return {};
    const model::PackageId id = context_.model.packages.add({});
    // The package's own parameters live in a class of their own, so that settings are checked as arguments are.
    model::Class record;
    record.name = context_.intern(tree_.name(name));
    record.module = context_.intern(context_.forest.modules[module_].name);
    record.span = tree_.span(name);
    record.is_abstract = true;
    record.package = id;
    const model::ClassId parameters = add_class(std::move(record), node);
    model::Package package{context_.intern(tree_.name(name)), tree_.span(name), parameters, {}};
    const ScopeId scope = context_.class_origins[parameters].scope;
    for (NodeId item : tree_.children(body)) {
      if (tree_.kind(item) != NodeKind::ModelDecl) continue;
      const std::size_t before = context_.model.classes.size();
      declare_global(context_, module_, scope, item, parameters);
      if (context_.model.classes.size() == before) continue;
      const model::ClassId member(before);
      context_.model.classes[member].package = id;
      package.models.push_back(member);
    }
    context_.model.packages[id] = std::move(package);
    context_.package_origins[id] = origin(node);
    return {EntityKind::Package, id.index};
  }

  Entity declare_experiment(NodeId node) {
    const NodeId name = name_node(node);
    if (!name) return {};
    model::Experiment record;
    record.name = context_.intern(tree_.name(name));
    record.span = tree_.span(name);
    const model::ExperimentId id = context_.model.experiments.add(std::move(record));
    context_.experiment_origins[id] = origin(node);
    return {EntityKind::Experiment, id.index};
  }

  /// `constant c = 3;` of a module.
  bool declare_constants(NodeId node) {
    for (NodeId child : tree_.children(node)) {
      if (tree_.kind(child) != NodeKind::Declarator) continue;
      const NodeId name = name_node(child);
      if (!name) continue;
      model::Variable record;
      record.name = context_.intern(tree_.name(name));
      record.span = tree_.span(name);
      record.kind = model::VariableKind::Constant;
      const model::VariableId id = context_.model.variables.add(std::move(record));
      VariableOrigin& variable = context_.variable_origins[id];
      variable.origin = origin(child);
      variable.type_node = tree_.find(child, NodeKind::TypeRef);
      enter_name(node, name, {EntityKind::Variable, id.index});
    }
    return true;
  }

  Context& context_;
  const syntax::Tree& tree_;
  std::uint32_t module_;
  ScopeId scope_;
  model::ClassId outer_;
};

void declare_imports(Context& context, std::uint32_t module) {
  const syntax::Tree& tree = context.tree(module);
  for (const ImportLink& link : context.forest.modules[module].imports) {
    const NodeId alias = tree.find(link.node, NodeKind::Alias);
    const NodeId name = tree.find(alias ? alias : link.node, NodeKind::Name);
    if (!name) continue;
    if (link.module == UINT32_MAX) {
      note_lost_name(context, module, context.intern(tree.name(name)));
      continue;
    }
    declare_name(context, context.module_scopes[module], context.intern(tree.name(name)),
                 {EntityKind::Module, link.module}, tree.span(name));
  }
}

}  // namespace

bool declare_global(Context& context, std::uint32_t module, ScopeId scope, NodeId node, model::ClassId outer) {
  return Declarer(context, module, scope, outer).declare(node);
}

void declare_modules(Context& context) {
  const std::size_t count = context.forest.modules.size();
  ScopeId prelude;
  for (std::uint32_t module = 0; module < count; ++module) {
    const bool is_prelude = context.forest.modules[module].is_prelude;
    // Every module sees the prelude's packages as its outermost names.
    const ScopeId scope = context.scopes.add(ScopeKind::Module, is_prelude ? ScopeId{} : prelude);
    if (is_prelude) prelude = scope;
    context.module_scopes.push_back(scope);
  }
  for (std::uint32_t module = 0; module < count; ++module) {
    note_lost_names(context, module);
    declare_imports(context, module);
    const syntax::Tree& tree = context.tree(module);
    for (NodeId node : tree.children(tree.root())) {
      declare_global(context, module, context.module_scopes[module], node, {});
    }
  }
}

}  // namespace hyla::check
