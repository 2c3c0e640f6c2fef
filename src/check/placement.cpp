#include "check/placement.h"

#include <array>
#include <initializer_list>

#include <fmt/core.h>

#include "base/text.h"
#include "check/spans.h"

namespace hyla::check {
namespace {

constexpr unsigned bit(Container c) { return 1U << static_cast<unsigned>(c); }

constexpr unsigned kModel = bit(Container::Model);
constexpr unsigned kAtomic = bit(Container::Atomic);
constexpr unsigned kPackage = bit(Container::Package);
constexpr unsigned kState = bit(Container::State);
constexpr unsigned kChart = bit(Container::Chart);
constexpr unsigned kFamily = bit(Container::Family);
constexpr unsigned kConditional = bit(Container::Conditional);
constexpr unsigned kBehaviour = kModel | kState | kFamily | kConditional;

constexpr auto kRules = std::to_array<PlacementRule>({
    {NodeKind::ModelDecl, kModel | kPackage, "a model", "models stand in files or in the body of a model"},
    {NodeKind::ConnectorDecl, kModel, "a connector", "declare it in the file or in the body of a model"},
    {NodeKind::MessageDecl, kModel | kAtomic, "a message", "declare it in the file or in the body of a model"},
    {NodeKind::ProtocolDecl, kModel, "a protocol", "declare it in the file or in the body of a model"},
    {NodeKind::RecordDecl, kModel | kAtomic, "a record", "declare it in the file or in the body of a model"},
    {NodeKind::EnumDecl, kModel | kAtomic, "an enumeration", "declare it in the file or in the body of a model"},
    {NodeKind::TypeDecl, kModel | kAtomic, "a type", "declare it in the file or in the body of a model"},
    {NodeKind::FunctionDecl, kModel | kAtomic, "a function", "declare it in the file or in the body of a model"},
    {NodeKind::ExternalFunctionDecl, kModel | kAtomic, "an external function", "declare it in the file"},
    {NodeKind::ExternalObjectDecl, kModel, "an external object", "declare it in the file"},
    {NodeKind::VariableDecl, kModel | kAtomic | kPackage | kState | kConditional, "a variable",
     "declare it in the model or in a state"},
    {NodeKind::ObjectDecl, kModel | kState | kConditional, "an object", "declare it in the model or in a state"},
    {NodeKind::DynamicDecl, kModel | kState | kConditional, "a dynamic object",
     "declare it in the model or in a state"},
    {NodeKind::PopulationDecl, kModel | kState | kConditional, "a population", "declare it in the model or in a state"},
    {NodeKind::PlugDecl, kModel, "a plug", "plugs belong to the interface of a model"},
    {NodeKind::PortDecl, kModel | kAtomic, "a port", "ports belong to the interface of a model"},
    {NodeKind::MailboxDecl, kModel | kAtomic | kState | kConditional, "a mailbox",
     "declare it in the model or in a state"},
    {NodeKind::SignalDecl, kModel, "a signal", "declare it in the model"},
    {NodeKind::StatisticDecl, kModel | kAtomic | kState, "a statistic", "declare it in the model"},
    {NodeKind::ProcessDecl, kModel | kState | kConditional, "a process", "declare it in the model or in a state"},
    {NodeKind::ChartDecl, kModel | kState, "a chart", "charts stand in models and states"},
    {NodeKind::StateDecl, kChart | kState, "a state", "states stand in a chart: write `chart { … }` around them"},
    {NodeKind::ChoiceDecl, kChart | kState, "a choice", "choices stand in a chart"},
    {NodeKind::InitialTransition, kChart | kState, "an initial transition",
     "`initial -> S` stands in a chart; `initial { … }` gives start values"},
    {NodeKind::InitialBlock, kBehaviour, "an `initial` block", "put it into the model or into a state"},
    {NodeKind::EntryAction, kState, "an entry action", "only states are entered; a model starts with `initial { … }`"},
    {NodeKind::ExitAction, kState, "an exit action", "only states are left"},
    {NodeKind::Defer, kState, "a deferral", "only states defer messages"},
    {NodeKind::Reaction, kBehaviour | kChart, "a reaction", "put it into the model or into a state"},
    {NodeKind::Equation, kBehaviour, "an equation", "put it into the model or into a state"},
    {NodeKind::Hold, kBehaviour, "`hold`", "put it into the model or into a state"},
    {NodeKind::Connect, kBehaviour, "a connection", "put it into the model or into a state"},
    {NodeKind::Require, kBehaviour | kAtomic, "a requirement", "put it into the model or into a state"},
    {NodeKind::Select, kModel, "`select`", "it orders the parts of a model"},
    {NodeKind::SelectFunction, kModel, "`select`", "it orders the parts of a model"},
    {NodeKind::Section, kModel | kAtomic, "a section", "sections stand directly in a model"},
    {NodeKind::ForItem, kBehaviour, "a family", "put it into the model or into a state"},
    {NodeKind::IfItem, kBehaviour, "a conditional part", "put it into the model or into a state"},
    {NodeKind::DevsFunction, kAtomic, "a DEVS function", "declare the model as `atomic`"},
});

const PlacementRule* rule_for(NodeKind kind) {
  for (const PlacementRule& rule : kRules) {
    if (rule.kind == kind) return &rule;
  }
  return nullptr;
}

bool check_variable(Context& context, const syntax::Tree& tree, NodeId item, Container container) {
  const NodeId kind = tree.find(item, NodeKind::VariableKind);
  if (!kind) return false;
  const TokenKind word = tree.first_token_kind(kind);
  const bool interface =
      word == TokenKind::WordParameter || word == TokenKind::WordInput || word == TokenKind::WordOutput;
  if (interface && container == Container::State) {
    context.sink.report(Kind::MisplacedItem, tree.span(kind), fmt::format("a state cannot hold `{}`", tree.text(kind)))
        .hint("it belongs to the interface of the model; declare it there, or use `var`");
    return false;
  }
  if (container == Container::Package && word != TokenKind::WordParameter) {
    context.sink
        .report(Kind::MisplacedItem, tree.span(kind), fmt::format("a package cannot hold `{}`", tree.text(kind)))
        .hint("an environment package holds parameters and models");
    return false;
  }
  if (tree.has_modifier(item, TokenKind::WordKeep) && container != Container::State) {
    context.sink
        .report(Kind::MisplacedItem, tree.span(tree.find(item, NodeKind::Modifier)),
                "`keep` has no meaning outside a state")
        .hint("variables of a model keep their values anyway");
  }
  return true;
}

bool check_reaction(Context& context, const syntax::Tree& tree, NodeId item, Container container) {
  const NodeId from = tree.find(item, NodeKind::FromClause);
  if (container == Container::Chart && !from) {
    context.sink
        .report(Kind::MisplacedItem, head_span(tree, item), "a transition of a chart needs a state to start from")
        .hint("put it into a state, or write `from A, B …` before it");
    return false;
  }
  if (from && container != Container::Chart && container != Container::State) {
    context.sink.report(Kind::MisplacedItem, tree.span(from), "`from` stands in charts only");
    return false;
  }
  if (container == Container::State || container == Container::Chart) return true;
  for (NodeId child : tree.children(item)) {
    const NodeKind kind = tree.kind(child);
    const bool target = kind == NodeKind::TargetPath || kind == NodeKind::TargetSelf || kind == NodeKind::TargetFinal ||
                        kind == NodeKind::TargetHistory || kind == NodeKind::TargetDeepHistory ||
                        kind == NodeKind::TargetFork;
    if (!target && kind != NodeKind::DoneTrigger && kind != NodeKind::AutoTrigger) continue;
    context.sink
        .report(Kind::MisplacedItem, target ? tree.span(child) : head_span(tree, item),
                "there is no state to leave here")
        .hint("a reaction outside a chart has actions `{ … }` instead of a target");
    return false;
  }
  return true;
}

void check_annotations(Context& context, const syntax::Tree& tree, NodeId item) {
  for (NodeId child : tree.children(item)) {
    if (tree.kind(child) != NodeKind::Annotation) continue;
    const NodeId name_node = tree.find(child, NodeKind::Name);
    if (!name_node) continue;
    const std::string_view name = tree.name(name_node);
    if (name != "priority") {
      auto entry = context.sink.report(Kind::UnknownAnnotation, tree.span(child),
                                       fmt::format("there is no annotation `@{}`", name));
      const std::array<std::string_view, 1> known = {"priority"};
      entry.hint(base::nearest(name, known) ? "did you mean `@priority(…)`?" : "the only annotation is `@priority(…)`");
    } else if (tree.kind(item) != NodeKind::Reaction) {
      context.sink.report(Kind::UnknownAnnotation, tree.span(child), "`@priority` belongs to a reaction")
          .hint("it orders `on`, `when`, `after`, … at one instant");
    }
  }
}

}  // namespace

std::span<const PlacementRule> placement_rules() { return kRules; }

std::string_view phrase_for(Container container) {
  switch (container) {
    case Container::Model:
      return "the body of a model";
    case Container::Atomic:
      return "an atomic model";
    case Container::Package:
      return "an environment package";
    case Container::State:
      return "a state";
    case Container::Chart:
      return "a chart";
    case Container::Family:
      return "a `for` family";
    case Container::Conditional:
      return "a conditional part";
  }
  return "this body";
}

std::string phrase_for_item(const syntax::Tree& tree, NodeId item) {
  const PlacementRule* rule = rule_for(tree.kind(item));
  return rule ? std::string(rule->phrase) : "this";
}

bool check_placement(Context& context, const Piece& piece, NodeId item, Container container) {
  const syntax::Tree& tree = context.tree(piece.module);
  const NodeKind kind = tree.kind(item);
  check_annotations(context, tree, item);
  if (kind == NodeKind::Assign) {
    const std::span<const NodeId> sides = tree.children(item);
    const NodeId left = sides[sides.size() - 2];
    context.sink
        .report(Kind::AssignmentInBody, sign_span(tree, left, sides.back(), TokenKind::ColonEqual),
                "an assignment `:=` cannot stand in a body")
        .hint("write `=` for an equation that always holds; a start value stands in `initial { … }`");
    return false;
  }
  if (kind == NodeKind::ExprStatement) {
    const bool complete = tree.token(tree.node(item).end_token - 1).kind == TokenKind::Semicolon;
    if (!complete) return false;  // the parser has reported it
    context.sink.report(Kind::MisplacedItem, head_span(tree, item), "an expression alone cannot stand in a body")
        .hint("an equation has the form `left = right;`; calls belong into actions");
    return false;
  }
  const PlacementRule* rule = rule_for(kind);
  if (!rule) return false;
  if (!rule->allows(container)) {
    const bool behaviour = rule->allows(Container::Family);
    context.sink
        .report(Kind::MisplacedItem, head_span(tree, item),
                fmt::format("{} cannot stand in {}", rule->phrase, phrase_for(container)))
        .hint(container == Container::Atomic
                  ? "its DEVS functions are all that happens in an atomic model; declare it `model`"
                  : std::string(rule->hint));
    // Declarations are entered all the same, so that their names do not give further messages.
    return !behaviour;
  }
  if (kind == NodeKind::VariableDecl) return check_variable(context, tree, item, container);
  if (kind == NodeKind::Reaction) return check_reaction(context, tree, item, container);
  return true;
}

}  // namespace hyla::check
