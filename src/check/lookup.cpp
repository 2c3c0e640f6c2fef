#include "check/lookup.h"

#include <vector>

#include <fmt/core.h>

#include "base/text.h"

namespace hyla::check {
namespace {

bool is_value_name(std::string_view name) { return name == "time" || name == "pi" || name == "infinity"; }

std::uint64_t name_key(std::uint32_t place, SymbolId name) {
  return (static_cast<std::uint64_t>(place) << 32) | name.index;
}

bool is_basic_type(std::string_view name) {
  return name == "Real" || name == "Integer" || name == "Boolean" || name == "String";
}

bool is_private(const Context& context, Entity entity) {
  return context.private_names.contains((static_cast<std::uint64_t>(entity.kind) << 32) | entity.index);
}

std::optional<std::string> nearest_of(const Context& context, std::string_view name,
                                      const std::vector<SymbolId>& symbols) {
  if (!may_compare(context, symbols.size())) return std::nullopt;
  std::vector<std::string_view> names;
  names.reserve(symbols.size());
  for (SymbolId symbol : symbols) names.push_back(context.name(symbol));
  const auto found = base::nearest(name, names);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}

void collect_body_names(const Context& context, ScopeId scope, std::vector<SymbolId>& names) {
  context.scopes.collect_names(scope, names);
  const Scope& record = context.scopes[scope];
  if (record.kind != ScopeKind::Class && record.kind != ScopeKind::Body) return;
  const auto charts = context.anonymous_charts.find(model::BodyId(record.owner));
  if (charts == context.anonymous_charts.end()) return;
  for (model::ChartId chart : charts->second) {
    for (model::StateId state : context.model.charts[chart].states) names.push_back(context.model.states[state].name);
  }
}

}  // namespace

bool may_compare(const Context& context, std::size_t names) {
  if (names > context.comparisons_left) {
    context.comparisons_left = 0;  // enough was compared: later mistakes get no suggestions
    return false;
  }
  context.comparisons_left -= names;
  return true;
}

Entity find_in_body(const Context& context, ScopeId scope, SymbolId name) {
  if (const Entity entity = context.scopes.find_local(scope, name)) return entity;
  const Scope& record = context.scopes[scope];
  if (record.kind != ScopeKind::Class && record.kind != ScopeKind::Body) return {};
  const auto charts = context.anonymous_charts.find(model::BodyId(record.owner));
  if (charts == context.anonymous_charts.end()) return {};
  for (model::ChartId chart : charts->second) {
    if (const Entity entity = context.scopes.find_local(context.chart_scopes[chart], name)) return entity;
  }
  return {};
}

Entity find_name(const Context& context, ScopeId scope, std::uint32_t module, SymbolId name) {
  for (bool in_module = false; scope; scope = context.scopes[scope].parent) {
    if (!in_module && context.scopes[scope].kind == ScopeKind::Module) {
      scope = context.module_scopes[module];
      in_module = true;
    }
    if (const Entity entity = find_in_body(context, scope, name)) return entity;
  }
  return {};
}

Entity find_state_in_charts(const Context& context, ScopeId scope, SymbolId name) {
  for (; scope; scope = context.scopes[scope].parent) {
    const Scope& record = context.scopes[scope];
    if (record.kind != ScopeKind::Class && record.kind != ScopeKind::Body) continue;
    Entity found;
    for (model::ChartId chart : context.model.bodies[model::BodyId(record.owner)].charts) {
      const Entity entity = context.scopes.find_local(context.chart_scopes[chart], name);
      if (entity.kind != EntityKind::State) continue;
      if (found) return {};
      found = entity;
    }
    if (found) return found;
  }
  return {};
}

void declare_name(Context& context, ScopeId scope, SymbolId name, Entity entity, Span span, std::string_view hint) {
  const std::string_view text = context.name(name);
  if (is_value_name(text) || (is_basic_type(text) && entity.kind >= EntityKind::Module)) {
    context.sink.report(Kind::BuiltinName, span, fmt::format("`{}` is built in and cannot be declared", text))
        .hint("choose another name");
    context.scopes.declare(scope, name, entity);
    return;
  }
  if (const Entity before = context.scopes.declare(scope, name, entity)) {
    auto entry = context.sink.report(Kind::DuplicateName, span, fmt::format("`{}` is declared twice", text));
    entry.text("here again");
    if (const Span first = declaration_span(context, before); first.file) {
      entry.label(first, fmt::format("first as {}", base::with_article(word_for(context, before))));
    }
    return;
  }
  // Inside a class no name may hide one of the states, bodies and blocks around it. Modules and their functions are
  // another world.
  if (context.scopes[scope].kind == ScopeKind::Class) return;
  for (ScopeId outer = context.scopes[scope].parent; outer; outer = context.scopes[outer].parent) {
    if (context.scopes[outer].kind == ScopeKind::Module) return;
    if (const Entity hidden = context.scopes.find_local(outer, name)) {
      // States of different levels may share a name: a target is looked up from the inside out.
      const auto in_chart = [](Entity e) { return e.kind == EntityKind::State || e.kind == EntityKind::Choice; };
      if (in_chart(entity) && in_chart(hidden)) return;
      auto entry = context.sink.report(
          Kind::HiddenName, span,
          fmt::format("`{}` hides {} of the same name", text, base::with_article(word_for(context, hidden))));
      if (const Span first = declaration_span(context, hidden); first.file) entry.label(first, "the outer one");
      entry.hint(std::string(hint));
      return;
    }
  }
}

std::optional<std::string> nearest_name(const Context& context, ScopeId scope, std::string_view name) {
  if (context.comparisons_left == 0) return std::nullopt;
  std::vector<SymbolId> symbols;
  for (; scope; scope = context.scopes[scope].parent) collect_body_names(context, scope, symbols);
  return nearest_of(context, name, symbols);
}

std::optional<std::string> nearest_member(const Context& context, ScopeId scope, std::string_view name) {
  if (context.comparisons_left == 0) return std::nullopt;
  std::vector<SymbolId> symbols;
  if (scope) collect_body_names(context, scope, symbols);
  return nearest_of(context, name, symbols);
}

bool is_incomplete(const Context& context, ScopeId scope) {
  for (; scope; scope = context.scopes[scope].parent) {
    if (context.incomplete_scopes.contains(scope.index)) return true;
  }
  return false;
}

namespace {

/// The name of an imported module that offers `name` to others.
std::optional<std::string> importing(Context& context, ScopeId scope, std::string_view name) {
  while (scope && context.scopes[scope].kind != ScopeKind::Module) scope = context.scopes[scope].parent;
  if (!scope) return std::nullopt;
  std::vector<SymbolId> symbols;
  context.scopes.collect_names(scope, symbols);
  for (const SymbolId symbol : symbols) {
    const Entity entity = context.scopes.find_local(scope, symbol);
    if (entity.kind != EntityKind::Module) continue;
    const Entity found = context.scopes.find_local(context.module_scopes[entity.index], context.intern(name));
    if (found && !is_private(context, found)) return std::string(context.name(symbol));
  }
  return std::nullopt;
}

}  // namespace

void report_unknown(Context& context, ScopeId scope, std::uint32_t module, std::string_view name, Span span,
                    std::string_view what) {
  if (context.sink.is_muted()) return;  // a name is told once, and this would not be heard
  const SymbolId symbol = context.intern(name);
  if (is_incomplete(context, scope) || context.lost_names.contains(name_key(module, symbol))) return;
  ScopeId owner = scope;
  while (context.scopes[owner].parent && context.scopes[owner].kind != ScopeKind::Class) {
    owner = context.scopes[owner].parent;
  }
  if (!context.reported_names.insert(name_key(owner.index, symbol)).second) return;
  auto entry = context.sink.report(Kind::UnknownName, span, fmt::format("there is no {} `{}`", what, name));
  if (const auto owner_module = importing(context, scope, name)) {
    entry.hint(fmt::format("write `{}.{}`: names of other modules are reached through them", *owner_module, name));
  } else if (const auto near = nearest_name(context, scope, name)) {
    entry.hint(fmt::format("did you mean `{}`?", *near));
  }
}

void note_lost_name(Context& context, std::uint32_t module, SymbolId name) {
  context.lost_names.insert(name_key(module, name));
}

void note_lost_names(Context& context, std::uint32_t module) {
  const syntax::Tree& tree = context.tree(module);
  for (std::uint32_t index = 0; index < tree.node_count(); ++index) {
    const syntax::Node& node = tree.node(NodeId{index});
    if (node.kind != NodeKind::Invalid) continue;
    for (std::uint32_t token = node.first_token; token < node.end_token; ++token) {
      if (tree.token(token).kind != TokenKind::Identifier) continue;
      note_lost_name(context, module, context.intern(tree.text(tree.token(token))));
    }
  }
}

ScopeId scope_of(Context& context, Entity entity) {
  switch (entity.kind) {
    case EntityKind::Module:
      return context.module_scopes[entity.index];
    case EntityKind::Class:
      return context.class_origins[model::ClassId(entity.index)].scope;
    case EntityKind::Package: {
      const model::Package& package = context.model.packages[model::PackageId(entity.index)];
      return context.class_origins[package.parameters].scope;
    }
    case EntityKind::State:
      return context.body_scopes[context.model.states[model::StateId(entity.index)].body];
    case EntityKind::Chart:
      return context.chart_scopes[model::ChartId(entity.index)];
    default:
      return {};
  }
}

Entity resolve_path(Context& context, ScopeId scope, std::uint32_t module, NodeId path, std::string_view what) {
  const syntax::Tree& tree = context.tree(module);
  if (tree.kind(path) != NodeKind::Path) return {};
  Entity entity;
  for (NodeId step : tree.children(path)) {
    if (tree.kind(step) != NodeKind::Name) return {};
    const std::string_view name = tree.name(step);
    const SymbolId symbol = context.intern(name);
    if (!entity) {
      entity = find_name(context, scope, module, symbol);
      if (!entity) {
        report_unknown(context, scope, module, name, tree.span(step), what);
        return {};
      }
      continue;
    }
    const ScopeId inner = scope_of(context, entity);
    const Entity member = inner ? find_in_body(context, inner, symbol) : Entity{};
    if (!member) {
      const std::string_view before = tree.text(tree.child(path, 0));
      auto entry = context.sink.report(Kind::UnknownName, tree.span(step),
                                       fmt::format("{} `{}` has no `{}`", word_for(context, entity), before, name));
      if (const auto near = nearest_member(context, inner, name)) entry.hint(fmt::format("did you mean `{}`?", *near));
      return {};
    }
    if (entity.kind == EntityKind::Module && entity.index != module && is_private(context, member)) {
      context.sink.report(Kind::PrivateName, tree.span(step), fmt::format("`{}` is private to its module", name))
          .label(declaration_span(context, member), "declared `private` here");
    }
    entity = member;
  }
  return entity;
}

Entity resolve_path(Context& context, ScopeId scope, std::uint32_t module, NodeId path, EntityKind wanted,
                    std::string_view what) {
  const Entity entity = resolve_path(context, scope, module, path, what);
  if (!entity || entity.kind == wanted) return entity;
  const syntax::Tree& tree = context.tree(module);
  auto entry =
      context.sink.report(Kind::WrongNameKind, tree.span(path),
                          fmt::format("`{}` is {}, not {}", tree.text(path),
                                      base::with_article(word_for(context, entity)), base::with_article(what)));
  if (const Span span = declaration_span(context, entity); span.file) entry.label(span, "declared here");
  if (wanted != EntityKind::Class || entity.kind != EntityKind::Part) return {};
  const model::Part& part = context.model.parts[model::PartId(entity.index)];
  if (part.kind != model::PartKind::Population) return {};
  entry.hint(fmt::format("`new {}() in {}` adds an object to it",
                         context.name(context.model.classes[part.object_class].name), tree.text(path)));
  return {};
}

}  // namespace hyla::check
