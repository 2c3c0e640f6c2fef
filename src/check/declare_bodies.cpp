// Enters the members of classes and states.
//
// A derived class is made of the pieces of all its generations, the oldest first: its members are entered anew, so that
// a class holds all it has and nothing later needs to know of inheritance. Charts and states of the same name gather
// the pieces of all generations before their own items are entered.
#include <algorithm>
#include <unordered_map>

#include <fmt/core.h>

#include "check/lookup.h"
#include "check/passes.h"
#include "check/placement.h"
#include "check/redefine.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): names nearly every record of the model

class BodyDeclarer {
 public:
  BodyDeclarer(Context& context, BodyId body)
      : context_(context), body_(body), scope_(context.body_scopes[body]), container_(context.containers[body]) {}

  void declare(const std::vector<Piece>& pieces) {
    std::vector<std::vector<ReactionId>> reactions;
    for (const Piece& piece : pieces) {
      piece_ = piece;
      tree_ = &context_.tree(piece.module);
      reactions_.clear();
      const diag::Sink::Mute mute(context_.sink, piece.inherited);
      for (NodeId item : tree_->children(piece.node)) {
        if (tree_->kind(item) == NodeKind::Invalid) continue;
        // States without a chart are one mistake, however many there are.
        const diag::Sink::Mute told(context_.sink, has_stray_states() && is_chart_item(tree_->kind(item)));
        if (check_placement(context_, piece, item, container_)) declare_item(item);
      }
      reactions.push_back(reactions_);
    }
    std::erase_if(this_body().equations, [&](EquationId id) { return !context_.equation_origins[id].node; });
    // The derived model's reactions come first, then the base's.
    std::vector<ReactionId>& all = this_body().reactions;
    for (auto generation = reactions.rbegin(); generation != reactions.rend(); ++generation) {
      for (ReactionId id : *generation) {
        if (context_.reaction_origins[id].node) all.push_back(id);
      }
    }
    for (const PendingChart& chart : charts_) declare_chart(context_, chart.id, chart.pieces);
  }

 private:
  struct PendingChart {
    ChartId id;
    std::vector<Piece> pieces;
  };

  static bool is_chart_item(NodeKind kind) {
    return kind == NodeKind::StateDecl || kind == NodeKind::ChoiceDecl || kind == NodeKind::InitialTransition;
  }
  bool has_stray_states() const { return container_ != Container::State && implicit_chart_ < charts_.size(); }

  Body& this_body() { return context_.model.bodies[body_]; }
  Origin origin(NodeId node) const { return {piece_.module, node, scope_, piece_.inherited}; }
  bool redefines(NodeId item) const { return tree_->has_modifier(item, TokenKind::WordRedefine); }

  void declare_item(NodeId item) {
    const NodeKind kind = tree_->kind(item);
    if (redefines(item) && !may_redefine(context_, piece_, item, body_)) return;
    switch (kind) {
      case NodeKind::VariableDecl:
        return declare_variables(item);
      case NodeKind::ObjectDecl:
        return declare_parts(item, PartKind::Object);
      case NodeKind::DynamicDecl:
        return declare_parts(item, PartKind::Dynamic);
      case NodeKind::PopulationDecl:
        return declare_parts(item, PartKind::Population);
      case NodeKind::PlugDecl:
        return declare_plugs(item);
      case NodeKind::PortDecl:
        return declare_ports(item);
      case NodeKind::MailboxDecl:
        return declare_mailbox(item);
      case NodeKind::SignalDecl:
        return declare_signals(item);
      case NodeKind::StatisticDecl:
        return declare_statistics(item);
      case NodeKind::ProcessDecl:
        return declare_process(item);
      case NodeKind::Equation:
        return declare_equation(item);
      case NodeKind::Reaction:
        return declare_reaction(item);
      case NodeKind::ChartDecl:
        return declare_explicit_chart(item);
      case NodeKind::StateDecl:
      case NodeKind::ChoiceDecl:
      case NodeKind::InitialTransition:
        return declare_direct_substate(item);
      case NodeKind::ForItem:
      case NodeKind::IfItem:
      case NodeKind::InitialBlock:
      case NodeKind::EntryAction:
      case NodeKind::ExitAction:
      case NodeKind::Defer:
      case NodeKind::Hold:
      case NodeKind::Connect:
      case NodeKind::Require:
      case NodeKind::Select:
      case NodeKind::SelectFunction:
      case NodeKind::Section:
      case NodeKind::DevsFunction:
        context_.loose_items[body_].push_back(origin(item));
        return;
      default:
        return;  // nested declarations were entered with the module
    }
  }

  /// Enters a name; a name that an older generation declared needs `redefine`.
  void enter(NodeId name, Entity entity) {
    const SymbolId symbol = context_.intern(tree_->name(name));
    const Entity known = context_.scopes.find_local(scope_, symbol);
    if (known && !piece_.inherited && is_inherited(context_, known)) {
      context_.sink
          .report(Kind::MissingRedefine, tree_->span(name),
                  fmt::format("`{}` is declared in the base model already", tree_->name(name)))
          .label(declaration_span(context_, known), "inherited from here")
          .hint("choose another name; parameters of the base are set by `extends Base(p = …)`");
      return;
    }
    declare_name(context_, scope_, symbol, entity, tree_->span(name));
  }

  void declare_variables(NodeId item) {
    const NodeId kind_node = tree_->find(item, NodeKind::VariableKind);
    const VariableKind kind = variable_kind(tree_->first_token_kind(kind_node));
    const bool keep = tree_->has_modifier(item, TokenKind::WordKeep);
    const std::span<const NodeId> children = tree_->children(item);
    const std::vector<NodeId> types = shared_types(children);
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (tree_->kind(children[i]) != NodeKind::Declarator) continue;
      const NodeId name = tree_->find(children[i], NodeKind::Name);
      if (!name) continue;
      Variable record;
      record.name = context_.intern(tree_->name(name));
      record.span = tree_->span(name);
      record.kind = kind;
      record.keep = keep;
      record.body = body_;
      const VariableId id = context_.model.variables.add(std::move(record));
      VariableOrigin& variable = context_.variable_origins[id];
      variable.origin = origin(children[i]);
      variable.type_node = types[i];
      enter(name, {EntityKind::Variable, id.index});
      this_body().variables.push_back(id);
    }
  }

  static VariableKind variable_kind(TokenKind word) {
    switch (word) {
      case TokenKind::WordConstant:
        return VariableKind::Constant;
      case TokenKind::WordParameter:
        return VariableKind::Parameter;
      case TokenKind::WordInput:
        return VariableKind::Input;
      case TokenKind::WordOutput:
        return VariableKind::Output;
      case TokenKind::WordDiscrete:
        return VariableKind::Discrete;
      default:
        return VariableKind::Var;
    }
  }

  /// `plug p, n: Pin;` gives p the type of n: a name without type and value takes the type of the next name that has
  /// one. One entry per child; none where there is no type.
  std::vector<NodeId> shared_types(std::span<const NodeId> declarators) const {
    std::vector<NodeId> types(declarators.size());
    NodeId next;
    for (std::size_t i = declarators.size(); i-- > 0;) {
      const NodeId node = declarators[i];
      if (tree_->kind(node) != NodeKind::Declarator) {
        next = {};
        continue;
      }
      if (const NodeId type = tree_->find(node, NodeKind::TypeRef)) {
        next = type;
      } else if (tree_->find(node, NodeKind::InitialValue) || tree_->find(node, NodeKind::Binding)) {
        next = {};
      }
      types[i] = next;
    }
    return types;
  }

  /// Declarators whose record has name, span and body and whose origin is the declarator.
  template <class StoreType, class List, class OriginTable>
  void declare_each(NodeId item, EntityKind kind, StoreType& store, List& list, OriginTable& origins) {
    for (NodeId child : tree_->children(item)) {
      if (tree_->kind(child) != NodeKind::Declarator) continue;
      const NodeId name = tree_->find(child, NodeKind::Name);
      if (!name) continue;
      typename std::decay_t<decltype(*store.begin())> record;
      record.name = context_.intern(tree_->name(name));
      record.span = tree_->span(name);
      record.body = body_;
      const auto id = store.add(std::move(record));
      origins[id] = origin(child);
      enter(name, {kind, id.index});
      list.push_back(id);
    }
  }

  void declare_plugs(NodeId item) {
    const std::size_t before = context_.model.plugs.size();
    declare_each(item, EntityKind::Plug, context_.model.plugs, this_body().plugs, context_.plug_origins);
    const std::span<const NodeId> children = tree_->children(item);
    const std::vector<NodeId> types = shared_types(children);
    std::size_t at = 0;
    for (std::size_t i = before; i < context_.model.plugs.size(); ++i) {
      const PlugId id(i);
      while (children[at] != context_.plug_origins[id].node) ++at;
      context_.plug_types[id] = types[at];
    }
  }

  void declare_parts(NodeId item, PartKind kind) {
    const std::span<const NodeId> children = tree_->children(item);
    const std::vector<NodeId> types = shared_types(children);
    for (std::size_t i = 0; i < children.size(); ++i) {
      const NodeId child = children[i];
      if (tree_->kind(child) != NodeKind::Declarator) continue;
      const NodeId name = tree_->find(child, NodeKind::Name);
      if (!name) continue;
      if (redefines(item)) {
        redefine_part(context_, piece_, child, body_);
        continue;
      }
      Part record;
      record.name = context_.intern(tree_->name(name));
      record.span = tree_->span(name);
      record.kind = kind;
      record.body = body_;
      const PartId id = context_.model.parts.add(std::move(record));
      context_.part_origins[id] = {origin(child), Progress::Untouched};
      context_.part_types[id] = types[i];
      enter(name, {EntityKind::Part, id.index});
      this_body().parts.push_back(id);
    }
  }

  void declare_ports(NodeId item) {
    for (NodeId child : tree_->children(item)) {
      if (tree_->kind(child) != NodeKind::Declarator) continue;
      const NodeId name = tree_->find(child, NodeKind::Name);
      if (!name) continue;
      Port record;
      record.name = context_.intern(tree_->name(name));
      record.span = tree_->span(name);
      record.body = body_;
      const PortId id = context_.model.ports.add(std::move(record));
      context_.port_origins[id] = {origin(item), Progress::Untouched};
      context_.port_declarators[id] = child;
      enter(name, {EntityKind::Port, id.index});
      this_body().ports.push_back(id);
    }
  }

  void declare_mailbox(NodeId item) {
    const NodeId declarator = tree_->find(item, NodeKind::Declarator);
    const NodeId name = declarator ? tree_->find(declarator, NodeKind::Name) : NodeId{};
    if (!name) return;
    Mailbox record;
    record.name = context_.intern(tree_->name(name));
    record.span = tree_->span(name);
    record.body = body_;
    const MailboxId id = context_.model.mailboxes.add(std::move(record));
    context_.mailbox_origins[id] = {origin(item), Progress::Untouched};
    enter(name, {EntityKind::Mailbox, id.index});
    this_body().mailboxes.push_back(id);
  }

  void declare_signals(NodeId item) {
    for (NodeId child : tree_->children(item)) {
      if (tree_->kind(child) != NodeKind::Name) continue;
      const SignalId id = context_.model.signals.add({context_.intern(tree_->name(child)), tree_->span(child), body_});
      enter(child, {EntityKind::Signal, id.index});
      this_body().signals.push_back(id);
    }
  }

  void declare_statistics(NodeId item) {
    const std::size_t before = context_.model.statistics.size();
    declare_each(item, EntityKind::Statistic, context_.model.statistics, this_body().statistics,
                 context_.statistic_origins);
    const NodeId kind = tree_->find(item, NodeKind::StatisticKind);
    if (!kind || tree_->first_token_kind(kind) != TokenKind::WordAccumulate) return;
    for (std::size_t i = before; i < context_.model.statistics.size(); ++i) {
      context_.model.statistics[StatisticId(i)].kind = StatisticKind::Accumulate;
    }
  }

  void declare_process(NodeId item) {
    const NodeId name = tree_->find(item, NodeKind::Name);
    if (!name) return;
    Process record;
    record.name = context_.intern(tree_->name(name));
    record.span = tree_->span(name);
    record.automatic = tree_->has_modifier(item, TokenKind::WordAuto);
    record.body = body_;
    const ProcessId id = context_.model.processes.add(std::move(record));
    context_.process_origins[id] = {origin(item), Progress::Untouched};
    enter(name, {EntityKind::Process, id.index});
    this_body().processes.push_back(id);
  }

  void declare_equation(NodeId item) {
    const NodeId label = tree_->find(item, NodeKind::Label);
    Equation record;
    record.span = tree_->span(item);
    if (label) record.label = context_.intern(tree_->name(tree_->child(label, 0)));
    record.body = body_;
    const SymbolId key = equation_key(context_, *tree_, item);
    const SymbolId symbol = record.label;
    if (!replace_equation(context_, piece_, item, inherited_equations_, scope_, key, symbol)) return;
    const EquationId id = context_.model.equations.add(std::move(record));
    if (piece_.inherited && key) inherited_equations_.by_key[key].push_back(id);
    if (piece_.inherited && symbol) inherited_equations_.by_label[symbol].push_back(id);
    context_.equation_origins[id] = origin(item);
    context_.equation_keys[id] = key;
    this_body().equations.push_back(id);
  }

  void declare_reaction(NodeId item) {
    if (tree_->find(item, NodeKind::FromClause)) return declare_direct_substate(item);
    if (redefines(item))
      redefine_reaction(context_, piece_, item, context_.model.bodies[body_].reactions, reactions_so_far());
    reactions_.push_back(add_reaction(context_, origin(item), body_));
    all_reactions_.push_back(reactions_.back());
  }

  const std::vector<ReactionId>& reactions_so_far() const { return all_reactions_; }

  void declare_explicit_chart(NodeId item) {
    const NodeId name = tree_->find(item, NodeKind::Name);
    const NodeId body = tree_->find(item, NodeKind::Body);
    if (!body) return;
    const SymbolId symbol = name ? context_.intern(tree_->name(name)) : SymbolId{};
    const Piece piece{piece_.module, body, piece_.inherited};
    // In a chart of the same name the generations merge.
    std::vector<std::size_t>& namesakes = charts_by_name_[symbol];
    for (const std::size_t index : namesakes) {
      PendingChart& chart = charts_[index];
      if (!piece_.inherited && !chart.pieces.back().inherited) continue;
      chart.pieces.push_back(piece);
      return;
    }
    const Span span = name ? tree_->span(name) : tree_->span(tree_->token(tree_->node(item).first_token));
    namesakes.push_back(charts_.size());
    charts_.push_back({add_chart(symbol, span), {piece}});
    if (name) enter(name, {EntityKind::Chart, charts_.back().id.index});
    report_mixed(span);
  }

  /// States, choices and transitions written directly in a state make one anonymous chart.
  void declare_direct_substate(NodeId item) {
    if (implicit_chart_ < charts_.size()) {
      PendingChart& chart = charts_[implicit_chart_];
      if (chart.pieces.back().node != piece_.node) chart.pieces.push_back(piece_);
      note_substate(item);
      return;
    }
    const bool stray = container_ != Container::State;
    implicit_chart_ = charts_.size();
    charts_.push_back({add_chart({}, owner_span(item)), {piece_}});
    context_.implicit_charts.insert(charts_.back().id.index);
    const NodeId name = tree_->find(item, NodeKind::Name);
    first_substate_ = tree_->span(name ? name : item);
    note_substate(item);
    if (!stray) return report_mixed(first_substate_);
    context_.stray_charts.insert(charts_.back().id.index);
    context_.state_body_nodes.insert((static_cast<std::uint64_t>(piece_.module) << 32) | piece_.node.index);
  }

  /// A state says better than an initial transition that there are substates.
  void note_substate(NodeId item) {
    if (tree_->kind(item) != NodeKind::StateDecl || knows_substate_) return;
    knows_substate_ = true;
    if (const NodeId name = tree_->find(item, NodeKind::Name)) first_substate_ = tree_->span(name);
  }

  /// Where an anonymous chart is reported: at its state. One that is misplaced in a model has none.
  Span owner_span(NodeId item) {
    return this_body().state ? context_.model.states[this_body().state].span : tree_->span(item);
  }

  void report_mixed(Span span) {
    if (charts_.size() < 2 || implicit_chart_ >= charts_.size() || container_ != Container::State) return;
    const bool is_chart = implicit_chart_ + 1 != charts_.size();
    auto entry = context_.sink.report(Kind::MixedRegions, span, "a state holds either substates or charts, not both");
    entry.text(is_chart ? "a chart" : "a substate");
    if (is_chart) {
      entry.label(first_substate_, "a substate");
    } else {
      entry.label(context_.model.charts[charts_.front().id].span, "a chart");
    }
    entry.hint("put the substates into a chart of their own");
  }

  ChartId add_chart(SymbolId name, Span span) {
    Chart record;
    record.name = name;
    record.span = span;
    record.body = body_;
    const ChartId id = context_.model.charts.add(std::move(record));
    context_.chart_scopes[id] = context_.scopes.add(ScopeKind::Chart, scope_, id.index);
    this_body().charts.push_back(id);
    if (!name) context_.anonymous_charts[body_].push_back(id);
    return id;
  }

  Context& context_;
  BodyId body_;
  ScopeId scope_;
  Container container_;
  Piece piece_;
  const syntax::Tree* tree_ = nullptr;
  std::vector<ReactionId> reactions_;      ///< of the piece being entered
  std::vector<ReactionId> all_reactions_;  ///< of all pieces so far
  InheritedEquations inherited_equations_;
  std::vector<PendingChart> charts_;
  std::size_t implicit_chart_ = SIZE_MAX;  ///< index of the one that direct substates make
  std::unordered_map<SymbolId, std::vector<std::size_t>> charts_by_name_;  ///< explicit ones, as indices of charts_
  Span first_substate_;                                                    ///< written directly in the state
  bool knows_substate_ = false;
};

}  // namespace

void declare_body(Context& context, BodyId body, const std::vector<Piece>& pieces) {
  BodyDeclarer(context, body).declare(pieces);
}

ReactionId add_reaction(Context& context, const Origin& origin, BodyId body) {
  const syntax::Tree& tree = context.tree(origin.module);
  Reaction record;
  record.span = tree.span(origin.node);
  if (const NodeId label = tree.find(origin.node, NodeKind::Label)) {
    record.label = context.intern(tree.name(tree.child(label, 0)));
  }
  record.body = body;
  const ReactionId id = context.model.reactions.add(std::move(record));
  context.reaction_origins[id] = origin;
  return id;
}

}  // namespace hyla::check
