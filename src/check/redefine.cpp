#include "check/redefine.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/lookup.h"
#include "check/placement.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

bool is_target(NodeKind kind) {
  return kind == NodeKind::TargetPath || kind == NodeKind::TargetSelf || kind == NodeKind::TargetFinal ||
         kind == NodeKind::TargetHistory || kind == NodeKind::TargetDeepHistory || kind == NodeKind::TargetFork;
}

bool is_trigger(NodeKind kind) { return kind >= NodeKind::OnTrigger && kind <= NodeKind::AutoTrigger; }

/// Trigger kind and target of a reaction as written: what an unlabelled `redefine` is matched by.
struct ReactionShape {
  NodeKind trigger = NodeKind::Invalid;
  std::string_view target;
  friend bool operator==(const ReactionShape&, const ReactionShape&) = default;
};

ReactionShape shape_of(const syntax::Tree& tree, NodeId reaction) {
  ReactionShape shape;
  for (NodeId child : tree.children(reaction)) {
    if (is_trigger(tree.kind(child))) shape.trigger = tree.kind(child);
    if (is_target(tree.kind(child))) shape.target = tree.text(child);
  }
  return shape;
}

SymbolId label_of(Context& context, const syntax::Tree& tree, NodeId item) {
  const NodeId label = tree.find(item, NodeKind::Label);
  return label ? context.intern(tree.name(tree.child(label, 0))) : SymbolId{};
}

void report_nothing(Context& context, const Piece& piece, NodeId item, std::string message, std::string hint) {
  context.sink.report(Kind::NothingToRedefine, context.tree(piece.module).span(item), std::move(message))
      .hint(std::move(hint));
}

}  // namespace

bool is_inherited(Context& context, Entity entity) {
  switch (entity.kind) {
    case EntityKind::Variable:
      return context.variable_origins[VariableId(entity.index)].origin.inherited;
    case EntityKind::Part:
      return context.part_origins[PartId(entity.index)].first.inherited;
    case EntityKind::Plug:
      return context.plug_origins[PlugId(entity.index)].inherited;
    case EntityKind::Port:
      return context.port_origins[PortId(entity.index)].first.inherited;
    case EntityKind::Mailbox:
      return context.mailbox_origins[MailboxId(entity.index)].first.inherited;
    case EntityKind::Statistic:
      return context.statistic_origins[StatisticId(entity.index)].inherited;
    case EntityKind::Process:
      return context.process_origins[ProcessId(entity.index)].first.inherited;
    default:
      return false;
  }
}

bool may_redefine(Context& context, const Piece& piece, NodeId item, BodyId body) {
  const syntax::Tree& tree = context.tree(piece.module);
  const ClassId owner = context.model.bodies[body].object_class;
  if (is_incomplete(context, context.class_origins[owner].scope)) return false;
  if (!context.model.classes[owner].base) {
    report_nothing(context, piece, item, "`redefine` in a model that extends nothing", "leave out `redefine`");
    return false;
  }
  switch (tree.kind(item)) {
    case NodeKind::Equation:
    case NodeKind::Reaction:
    case NodeKind::ObjectDecl:
    case NodeKind::InitialTransition:
    case NodeKind::EntryAction:
    case NodeKind::ExitAction:
      break;
    case NodeKind::VariableDecl:
      report_nothing(context, piece, tree.find(item, NodeKind::VariableKind), "a variable cannot be redefined",
                     "set a parameter by `extends Base(p = …)`; write `redefine y = …;` for a new equation");
      return false;
    default:
      report_nothing(context, piece, item, fmt::format("{} cannot be redefined", phrase_for_item(tree, item)),
                     "equations, reactions, objects, initial transitions, entry and exit actions can");
      return false;
  }
  if (tree.kind(item) == NodeKind::EntryAction || tree.kind(item) == NodeKind::ExitAction) {
    const NodeKind kind = tree.kind(item);
    const auto same_kind = [&](const Origin& o) { return context.tree(o.module).kind(o.node) == kind; };
    if (std::erase_if(context.loose_items[body], same_kind) == 0) {
      report_nothing(context, piece, item,
                     fmt::format("there is no inherited {} action", kind == NodeKind::EntryAction ? "entry" : "exit"),
                     "leave out `redefine`");
    }
  }
  return true;
}

SymbolId equation_key(Context& context, const syntax::Tree& tree, NodeId equation) {
  for (NodeId child : tree.children(equation)) {
    switch (tree.kind(child)) {
      case NodeKind::Annotation:
      case NodeKind::Modifier:
      case NodeKind::Label:
        continue;
      case NodeKind::NameExpr:
        return context.intern(tree.text(child));
      case NodeKind::DerExpr:
        if (tree.kind(tree.child(child, 0)) != NodeKind::NameExpr) return {};
        return context.intern(fmt::format("der({})", tree.text(tree.child(child, 0))));
      default:
        return {};
    }
  }
  return {};
}

namespace {

/// The oldest inherited equation with the label or, without one, with the key.
EquationId find_equation(const Context& context, const InheritedEquations& inherited, SymbolId key, SymbolId label) {
  const auto& table = label ? inherited.by_label : inherited.by_key;
  const auto found = table.find(label ? label : key);
  if (found == table.end()) return {};
  for (EquationId id : found->second) {
    if (context.equation_origins[id].node) return id;
  }
  return {};
}

}  // namespace

bool replace_equation(Context& context, const Piece& piece, NodeId item, const InheritedEquations& inherited,
                      ScopeId scope, SymbolId key, SymbolId label) {
  const syntax::Tree& tree = context.tree(piece.module);
  const bool redefines = tree.has_modifier(item, TokenKind::WordRedefine);
  const EquationId found = find_equation(context, inherited, key, label);
  // `var y = …` in the base carries its equation in the declaration.
  VariableOrigin* declared_origin = nullptr;
  if (!found && key && !label) {
    const Entity entity = context.scopes.find_local(scope, key);
    if (entity.kind == EntityKind::Variable) {
      VariableOrigin& origin = context.variable_origins[VariableId(entity.index)];
      const bool fixed = context.model.variables[VariableId(entity.index)].is_fixed();
      if (!fixed && origin.origin.inherited &&
          context.tree(origin.origin.module).find(origin.origin.node, NodeKind::Binding)) {
        declared_origin = &origin;
      }
    }
  }
  if (redefines) {
    if (found) {
      context.equation_origins[found].node = {};
    } else if (declared_origin != nullptr) {
      declared_origin->binding_replaced = true;
    } else {
      report_nothing(context, piece, item, "this equation is not inherited",
                     "`redefine` replaces `y = …`, `der(x) = …` or an equation with the same label");
    }
    return true;
  }
  // A second `v = …` is a second equation for v, solved with the first, as in an electrical part that extends
  // `v = p.v - n.v`; a second derivative never is, nor one for a variable declared with its equation.
  const bool clashes = found ? label || context.name(key).starts_with("der(") : declared_origin != nullptr;
  if (piece.inherited || !clashes) return true;
  const Span first = context.span(found ? context.equation_origins[found] : declared_origin->origin);
  const std::string_view what = label ? context.name(label) : context.name(key);
  context.sink
      .report(Kind::MissingRedefine, tree.span(item),
              fmt::format("`{}` has an equation in the base model already", what))
      .label(first, "inherited from here")
      .hint("write `redefine` before the equation to replace the inherited one");
  return false;
}

void redefine_part(Context& context, const Piece& piece, NodeId declarator, BodyId body) {
  const syntax::Tree& tree = context.tree(piece.module);
  const NodeId name = tree.find(declarator, NodeKind::Name);
  const ScopeId scope = context.body_scopes[body];
  const Entity entity = context.scopes.find_local(scope, context.intern(tree.name(name)));
  if (entity.kind != EntityKind::Part || !is_inherited(context, entity)) {
    auto entry = context.sink.report(Kind::NothingToRedefine, tree.span(name),
                                     fmt::format("there is no inherited object `{}`", tree.name(name)));
    if (const auto near = nearest_member(context, scope, tree.name(name)))
      entry.hint(fmt::format("did you mean `{}`?", *near));
    return;
  }
  const PartId id(entity.index);
  context.redefined_parts[id] = context.part_origins[id].first;
  context.part_origins[id].first = {piece.module, declarator, scope, piece.inherited};
  context.part_types[id] = tree.find(declarator, NodeKind::TypeRef);
  context.model.parts[id].span = tree.span(name);
}

void redefine_reaction(Context& context, const Piece& piece, NodeId item, std::vector<ReactionId>& listed,
                       const std::vector<ReactionId>& known) {
  const syntax::Tree& tree = context.tree(piece.module);
  const SymbolId label = label_of(context, tree, item);
  const ReactionShape shape = shape_of(tree, item);
  std::vector<ReactionId> matches;
  for (ReactionId id : known) {
    const Origin& origin = context.reaction_origins[id];
    if (!origin.node || (origin.module == piece.module && !origin.inherited && !piece.inherited)) continue;
    const bool same = label ? context.model.reactions[id].label == label
                            : shape_of(context.tree(origin.module), origin.node) == shape;
    if (same) matches.push_back(id);
  }
  if (matches.size() == 1) {
    context.reaction_origins[matches.front()].node = {};
    std::erase(listed, matches.front());
    return;
  }
  if (matches.empty() && label) {
    std::vector<std::string_view> labels;
    for (ReactionId id : known) {
      if (const SymbolId other = context.model.reactions[id].label) labels.push_back(context.name(other));
    }
    const auto near = base::nearest(context.name(label), labels);
    report_nothing(context, piece, tree.find(item, NodeKind::Label),
                   fmt::format("there is no inherited reaction `{}`", context.name(label)),
                   near             ? fmt::format("did you mean `{}`?", *near)
                   : labels.empty() ? "no reaction here has a label; leave it out to find one by trigger and target"
                                    : fmt::format("the labels here are {}", base::quoted_list(labels)));
    return;
  }
  if (matches.empty()) {
    auto entry = context.sink.report(Kind::NothingToRedefine, tree.span(item),
                                     "no inherited reaction has this trigger and target");
    for (ReactionId id : known) {
      if (context.reaction_origins[id].inherited) entry.label(context.model.reactions[id].span, "inherited");
    }
    entry.hint("a reaction is found by its label, or by its kind of trigger and its target");
    return;
  }
  auto entry = context.sink.report(Kind::NothingToRedefine, tree.span(item), "more than one inherited reaction fits");
  for (ReactionId id : matches) entry.label(context.model.reactions[id].span, "this one");
  entry.hint("give the reaction in the base a label (`name: when …`) and write `redefine name: …`");
}

}  // namespace hyla::check
