#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/passes.h"
#include "check/redefine.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

/// Every model enters the members of all its bases anew, so a long chain of models costs the square of its length.
constexpr int kMostGenerations = 64;

/// Names that the base declares besides its members: member models, messages, types.
void inherit_declarations(Context& context, ClassId id, ClassId base) {
  const ScopeId from = context.class_origins[base].scope;
  const ScopeId to = context.class_origins[id].scope;
  std::vector<SymbolId> names;
  context.scopes.collect_names(from, names);
  for (SymbolId name : names) {
    const Entity entity = context.scopes.find_local(from, name);
    if (entity.kind >= EntityKind::Class) context.scopes.declare(to, name, entity);
  }
}

/// `extends Tank(area = 0.2)` gives the inherited `area` another value; the newest generation wins.
void note_base_values(Context& context, ClassId id, ClassId base) {
  std::vector<BaseValue> values = context.base_values[base];
  const ClassOrigin& own = context.class_origins[id];
  const syntax::Tree& tree = context.tree(own.origin.module);
  const NodeId extends = tree.find(own.origin.node, NodeKind::Extends);
  const NodeId arguments = extends ? tree.find(extends, NodeKind::Arguments) : NodeId{};
  const std::span<const NodeId> given = arguments ? tree.children(arguments) : std::span<const NodeId>{};
  for (NodeId node : given) {
    const bool initial = tree.kind(node) == NodeKind::InitialArgument;
    if (!initial && tree.kind(node) != NodeKind::NamedArgument) continue;
    if (tree.kind(tree.child(node, 0)) != NodeKind::NameExpr) continue;
    const SymbolId name = context.intern(tree.name(tree.child(tree.child(node, 0), 0)));
    std::erase_if(values, [&](const BaseValue& v) { return v.name == name; });
    values.push_back({name, {own.origin.module, tree.child(node, 1), own.scope, false}, initial});
  }
  context.base_values[id] = std::move(values);
}

Container container_of(const Context& context, ClassId id) {
  const Class& record = context.model.classes[id];
  if (record.package && context.model.packages[record.package].parameters == id) return Container::Package;
  return record.kind == ClassKind::Atomic ? Container::Atomic : Container::Model;
}

/// The Path behind `extends`, if there is one.
NodeId base_path(const Context& context, ClassId id) {
  const Origin& origin = context.class_origins[id].origin;
  const syntax::Tree& tree = context.tree(origin.module);
  const NodeId extends = tree.find(origin.node, NodeKind::Extends);
  return extends ? tree.find(extends, NodeKind::Path) : NodeId{};
}

Entity named_base(Context& context, ClassId id) {
  const NodeId path = base_path(context, id);
  if (!path) return {};
  const Origin origin = context.class_origins[id].origin;
  return resolve_path(context, origin.scope, origin.module, path, EntityKind::Class, "model");
}

/// Whether the class can extend `base`, whose own base is settled; reports why not.
bool may_extend(Context& context, ClassId id, ClassId base, Span span) {
  const Class& record = context.model.classes[id];
  const Class& other = context.model.classes[base];
  if (context.class_origins[base].base_progress == Progress::Busy) {
    auto entry = context.sink.report(Kind::InheritanceCycle, span,
                                     fmt::format("`{}` extends itself", context.name(record.name)));
    if (base != id) entry.label(other.span, "by way of this model");
    entry.hint("one of these models must stand without the others");
    return false;
  }
  if (other.kind != record.kind) {
    context.sink.report(Kind::WrongNameKind, span, "a model and an atomic model cannot extend each other")
        .label(other.span,
               fmt::format("this is {}", base::with_article(word_for(context, {EntityKind::Class, base.index}))));
    return false;
  }
  if (context.class_origins[base].generation == kMostGenerations) {
    context.sink
        .report(Kind::NestingTooDeep, span,
                fmt::format("a model can have at most {} models above it", kMostGenerations))
        .hint("a model holds all that its bases have: let it hold an object instead");
    return false;
  }
  return true;
}

void set_base(Context& context, ClassId id, Entity named) {
  const NodeId path = base_path(context, id);
  if (!path) return;
  const ScopeId scope = context.class_origins[id].scope;
  if (named) {
    const ClassId base(named.index);
    const Span span = context.tree(context.class_origins[id].origin.module).span(path);
    if (may_extend(context, id, base, span)) {
      context.model.classes[id].base = base;
      context.class_origins[id].generation = context.class_origins[base].generation + 1;
    }
    if (is_incomplete(context, context.class_origins[base].scope)) context.incomplete_scopes.insert(scope.index);
  }
  if (!context.model.classes[id].base) context.incomplete_scopes.insert(scope.index);
}

}  // namespace

void settle_base(Context& context, ClassId id) {
  // From the derived model to its oldest base, then back: a chain of models can be as long as the file.
  std::vector<std::pair<ClassId, Entity>> chain;
  for (ClassId next = id; next && context.class_origins[next].base_progress == Progress::Untouched;) {
    context.class_origins[next].base_progress = Progress::Busy;
    const Entity base = named_base(context, next);
    chain.emplace_back(next, base);
    next = base ? ClassId(base.index) : ClassId{};
  }
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    set_base(context, link->first, link->second);
    context.class_origins[link->first].base_progress = Progress::Done;
  }
}

void declare_members(Context& context, ClassId id) {
  if (context.class_origins[id].member_progress != Progress::Untouched) return;
  context.class_origins[id].member_progress = Progress::Busy;
  settle_base(context, id);
  std::vector<Piece> pieces;
  if (const ClassId base = context.model.classes[id].base) {
    declare_members(context, base);
    inherit_declarations(context, id, base);
    note_base_values(context, id, base);
    for (Piece piece : context.class_origins[base].pieces) {
      piece.inherited = true;
      pieces.push_back(piece);
    }
  }
  const Origin& origin = context.class_origins[id].origin;
  pieces.push_back({origin.module, context.tree(origin.module).find(origin.node, NodeKind::Body), false});
  context.class_origins[id].pieces = pieces;
  const BodyId body = context.model.classes[id].body;
  context.containers[body] = container_of(context, id);
  declare_body(context, body, pieces);
  context.class_origins[id].member_progress = Progress::Done;
  context.class_order.push_back(id);
}

void check_base_arguments(Context& context, ClassId id) {
  const Origin origin = context.class_origins[id].origin;
  const syntax::Tree& tree = context.tree(origin.module);
  const NodeId extends = tree.find(origin.node, NodeKind::Extends);
  const ClassId base = context.model.classes[id].base;
  if (!extends || !base) return;
  Place place;
  place.module = origin.module;
  place.scope = context.class_origins[id].scope;
  place.object_class = id;
  place.body = context.model.classes[id].body;
  place.use = Use::Parameter;
  const std::vector<Argument> bound =
      ExpressionChecker(context, place).check_arguments(tree.find(extends, NodeKind::Arguments), base);
  context.model.classes[id].base_arguments = bound;
}

}  // namespace hyla::check
