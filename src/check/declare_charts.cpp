#include <unordered_map>

#include <fmt/core.h>

#include "check/lookup.h"
#include "check/passes.h"
#include "check/placement.h"
#include "check/redefine.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

class ChartDeclarer {
 public:
  ChartDeclarer(Context& context, ChartId chart)
      : context_(context), chart_(chart), scope_(context.chart_scopes[chart]), body_(context.model.charts[chart].body) {
    owner_ = context.model.bodies[body_].object_class;
  }

  void declare(const std::vector<Piece>& pieces) {
    std::vector<std::vector<ReactionId>> generations;
    for (const Piece& piece : pieces) {
      piece_ = piece;
      tree_ = &context_.tree(piece.module);
      reactions_.clear();
      const diag::Sink::Mute mute(context_.sink, piece.inherited);
      // The body of a state with direct substates holds other items too; they belong to the state and are entered
      // there.
      const bool explicit_chart = !is_state_body(piece);
      for (NodeId item : tree_->children(piece.node)) {
        if (tree_->kind(item) == NodeKind::Invalid) continue;
        if (explicit_chart && !check_placement(context_, piece, item, Container::Chart)) continue;
        declare_item(item);
      }
      generations.push_back(reactions_);
    }
    for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation) {
      for (ReactionId id : *generation) {
        if (context_.reaction_origins[id].node) this_chart().reactions.push_back(id);
      }
    }
    for (const PendingState& state : states_)
      declare_body(context_, context_.model.states[state.id].body, state.pieces);
  }

 private:
  struct PendingState {
    StateId id;
    std::vector<Piece> pieces;
    bool inherited = false;  ///< its latest declaration stands in a base
  };

  Chart& this_chart() { return context_.model.charts[chart_]; }
  Origin origin(NodeId node) const { return {piece_.module, node, scope_, piece_.inherited}; }

  bool is_state_body(const Piece& piece) const {
    // An explicit chart's piece is the Body of a ChartDecl, an implicit one's is the Body of the state itself.
    return context_.state_body_nodes.contains((static_cast<std::uint64_t>(piece.module) << 32) | piece.node.index);
  }

  void declare_item(NodeId item) {
    switch (tree_->kind(item)) {
      case NodeKind::StateDecl:
        return declare_state(item);
      case NodeKind::ChoiceDecl:
        return declare_choice(item);
      case NodeKind::InitialTransition:
        return declare_initial(item);
      case NodeKind::Reaction:
        if (tree_->find(item, NodeKind::FromClause)) declare_reaction(item);
        return;
      default:
        return;
    }
  }

  void declare_state(NodeId item) {
    const NodeId name = tree_->find(item, NodeKind::Name);
    if (!name) return;
    const NodeId body_node = tree_->find(item, NodeKind::Body);
    const SymbolId symbol = context_.intern(tree_->name(name));
    const auto namesake = states_by_name_.find(symbol);
    PendingState* known = namesake == states_by_name_.end() ? nullptr : &states_[namesake->second];
    // States of the same name merge across generations; within one generation a second one is a mistake.
    const bool merges = known != nullptr && (piece_.inherited || known->inherited);
    if (known != nullptr && !merges) {
      declare_name(context_, scope_, symbol, {EntityKind::State, known->id.index}, tree_->span(name));  // reports it
      return;
    }
    if (!merges) {
      states_by_name_[symbol] = states_.size();
      known = &states_.emplace_back(PendingState{add_state(symbol, tree_->span(name)), {}, false});
      declare_name(context_, scope_, symbol, {EntityKind::State, known->id.index}, tree_->span(name));
    }
    known->inherited = piece_.inherited;
    if (!body_node) return;
    known->pieces.push_back({piece_.module, body_node, piece_.inherited});
    context_.state_body_nodes.insert((static_cast<std::uint64_t>(piece_.module) << 32) | body_node.index);
  }

  StateId add_state(SymbolId name, Span span) {
    Body body;
    body.object_class = owner_;
    body.parent = body_;
    const BodyId body_id = context_.model.bodies.add(std::move(body));
    const StateId id = context_.model.states.add({name, span, chart_, body_id});
    context_.model.bodies[body_id].state = id;
    context_.body_scopes[body_id] = context_.scopes.add(ScopeKind::Body, scope_, body_id.index);
    context_.containers[body_id] = Container::State;
    this_chart().states.push_back(id);
    return id;
  }

  void declare_choice(NodeId item) {
    const NodeId name = tree_->find(item, NodeKind::Name);
    if (!name) return;
    Choice record;
    record.name = context_.intern(tree_->name(name));
    record.span = tree_->span(name);
    record.chart = chart_;
    const SymbolId symbol = record.name;
    const ChoiceId id = context_.model.choices.add(std::move(record));
    context_.choice_origins[id] = origin(item);
    declare_name(context_, scope_, symbol, {EntityKind::Choice, id.index}, tree_->span(name));
    this_chart().choices.push_back(id);
  }

  void declare_initial(NodeId item) {
    Origin& known = context_.initial_origins[chart_];
    const bool redefines = tree_->has_modifier(item, TokenKind::WordRedefine);
    if (known.node && redefines && known.inherited) {
      known = origin(item);
      return;
    }
    if (known.node) {
      context_.sink.report(Kind::SecondInitial, tree_->span(item), "a chart has one initial transition")
          .text("the second")
          .label(context_.span(known), "the first")
          .hint(known.inherited ? "write `redefine initial -> …` to replace the inherited one"
                                : "remove one of the two");
      return;
    }
    known = origin(item);
  }

  void declare_reaction(NodeId item) {
    if (tree_->has_modifier(item, TokenKind::WordRedefine)) {
      redefine_reaction(context_, piece_, item, this_chart().reactions, all_reactions_);
    }
    reactions_.push_back(add_reaction(context_, origin(item), body_));
    all_reactions_.push_back(reactions_.back());
  }

  Context& context_;
  ChartId chart_;
  ScopeId scope_;
  BodyId body_;
  ClassId owner_;
  Piece piece_;
  const syntax::Tree* tree_ = nullptr;
  std::vector<ReactionId> reactions_, all_reactions_;
  std::vector<PendingState> states_;
  std::unordered_map<SymbolId, std::size_t> states_by_name_;  ///< the newest of a name, as index of states_
};

}  // namespace

void declare_chart(Context& context, ChartId chart, const std::vector<Piece>& pieces) {
  ChartDeclarer(context, chart).declare(pieces);
}

}  // namespace hyla::check
