// Checks transitions and other reactions: triggers, guards, targets, actions.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/actions.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/messages.h"
#include "check/passes.h"
#include "check/targets.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

class ReactionChecker {
 public:
  ReactionChecker(Context& context, ReactionId id)
      : context_(context), id_(id), origin_(context.reaction_origins[id]), tree_(context.tree(origin_.module)) {
    reaction_ = context.model.reactions[id];
    place_.module = origin_.module;
    place_.scope = context.scopes.add(ScopeKind::Block, origin_.scope);
    place_.body = reaction_.body;
    place_.object_class = context.model.bodies[reaction_.body].object_class;
    place_.use = Use::Action;
    place_.open_states = &open_states_;
  }

  void check() {
    const diag::Sink::Mute mute(context_.sink, origin_.inherited);
    check_priority();
    if (const NodeId from = tree_.find(origin_.node, NodeKind::FromClause)) check_from(from);
    if (const StateId state = context_.model.bodies[reaction_.body].state;
        state && !tree_.find(origin_.node, NodeKind::FromClause)) {
      open_states_.push_back(state);
    }
    for (NodeId child : tree_.children(origin_.node)) check_trigger(child);
    if (const NodeId guard = tree_.find(origin_.node, NodeKind::Guard)) {
      if (reaction_.trigger == TriggerKind::When) {
        context_.sink.report(Kind::WhenWithGuard, tree_.span(guard), "a `when` has no `if`")
            .hint("join the two conditions: `when a and b`");
      }
      reaction_.guard = expressions(Use::Action).check_condition(tree_.child(guard, 0));
    }
    reaction_.target = resolve_target(context_, place_, origin_.node, own_state());
    add_target_states(context_, reaction_.target, open_states_);
    if (const NodeId block = tree_.find(origin_.node, NodeKind::Block))
      reaction_.block = check_block(context_, place_, BlockKind::Action, block);
    context_.model.reactions[id_] = reaction_;
  }

 private:
  ExpressionChecker expressions(Use use) {
    Place place = place_;
    place.use = use;
    return {context_, place};
  }

  StateId own_state() const { return context_.model.bodies[reaction_.body].state; }

  void check_priority() {
    for (NodeId child : tree_.children(origin_.node)) {
      if (tree_.kind(child) != NodeKind::Annotation) continue;
      const NodeId arguments = tree_.find(child, NodeKind::Arguments);
      const NodeId name = tree_.find(child, NodeKind::Name);
      if (!name || tree_.name(name) != "priority") continue;
      if (!arguments || tree_.children(arguments).size() != 1) {
        context_.sink.report(Kind::UnknownAnnotation, tree_.span(child), "`@priority` takes one Integer")
            .hint("write `@priority(3)`; higher goes first");
        continue;
      }
      const ExprId value = expressions(Use::Constant).check_integer(tree_.child(arguments, 0), "a priority");
      if (const auto known = known_value(context_, value, Known::Always))
        reaction_.priority = static_cast<std::int64_t>(*known);
    }
  }

  void check_from(NodeId from) {
    reaction_.from_any = tree_.children(from).empty();
    for (NodeId path : tree_.children(from)) {
      const Entity entity = resolve_path(context_, origin_.scope, origin_.module, path, EntityKind::State, "state");
      if (!entity) continue;
      reaction_.from.push_back(StateId(entity.index));
      open_states_.push_back(StateId(entity.index));
    }
  }

  void check_trigger(NodeId node) {
    switch (tree_.kind(node)) {
      case NodeKind::OnTrigger:
        return check_on(node);
      case NodeKind::WhenTrigger:
        reaction_.trigger = TriggerKind::When;
        reaction_.condition = expressions(Use::Condition).check_condition(tree_.child(node, 0));
        return;
      case NodeKind::AfterTrigger:
        reaction_.trigger = TriggerKind::After;
        reaction_.condition = expressions(Use::Action).check_duration(tree_.child(node, 0), "a duration");
        return;
      case NodeKind::AtTrigger:
        reaction_.trigger = TriggerKind::At;
        reaction_.condition = expressions(Use::Action).check_duration(tree_.child(node, 0), "a time");
        return;
      case NodeKind::EveryTrigger:
        reaction_.trigger = TriggerKind::Every;
        reaction_.condition = expressions(Use::Action).check_duration(tree_.child(node, 0), "a period");
        if (const auto known = known_value(context_, reaction_.condition, Known::Always); known && *known == 0) {
          context_.sink.report(Kind::BadValue, tree_.span(tree_.child(node, 0)), "a period cannot be 0");
        }
        if (tree_.children(node).size() > 1)
          reaction_.every_from = expressions(Use::Action).check_duration(tree_.child(node, 1), "a time");
        return;
      case NodeKind::RateTrigger:
        return check_rate(node);
      case NodeKind::DoneTrigger:
        reaction_.trigger = TriggerKind::Done;
        return;
      case NodeKind::AutoTrigger:
        reaction_.trigger = TriggerKind::Automatic;
        return;
      default:
        return;
    }
  }

  void check_rate(NodeId node) {
    reaction_.trigger = TriggerKind::Rate;
    const UnitId per_time = multiply_units(context_, kBareUnit, context_.time_unit, true);
    reaction_.condition =
        expressions(Use::Equation).check_as(tree_.child(node, 0), {real_type(), per_time, {}, {}}, "a rate");
    if (const auto known = known_value(context_, reaction_.condition, Known::Always); known && *known < 0) {
      context_.sink.report(Kind::BadValue, tree_.span(tree_.child(node, 0)), "a rate cannot be negative");
    }
  }

  void check_on(NodeId node) {
    reaction_.trigger = TriggerKind::On;
    const NodeId alias = tree_.find(node, NodeKind::Alias);
    std::vector<NodeId> events;
    for (NodeId child : tree_.children(node)) {
      if (tree_.kind(child) == NodeKind::Event) events.push_back(child);
    }
    for (NodeId event : events) {
      const NodeId binders = tree_.find(event, NodeKind::Binders);
      if (binders && events.size() > 1) {
        context_.sink
            .report(Kind::Unexpected, tree_.span(binders), "fields can be named only where there is one message")
            .hint("write one `on` for each message");
        continue;
      }
      reaction_.awaited.push_back(
          check_event(context_, place_, event, events.size() == 1 ? alias : NodeId{}, place_.scope));
    }
    if (!alias || events.size() < 2) return;
    const NodeId name = tree_.child(alias, 0);
    const SymbolId symbol = context_.intern(tree_.name(name));
    const LocalId local =
        context_.model.locals.add({symbol, tree_.span(name), {TypeKind::AnyMessage, 0, UINT32_MAX}, {}, {}, false});
    declare_name(context_, place_.scope, symbol, {EntityKind::Local, local.index}, tree_.span(name));
    for (Awaited& awaited : reaction_.awaited) awaited.whole = local;
  }

  Context& context_;
  ReactionId id_;
  Origin origin_;
  const syntax::Tree& tree_;
  Reaction reaction_;
  Place place_;
  std::vector<StateId> open_states_;
};

}  // namespace

void check_reaction(Context& context, ReactionId id) { ReactionChecker(context, id).check(); }

void check_chart(Context& context, ChartId id) {
  const Chart chart = context.model.charts[id];
  Place place;
  place.body = chart.body;
  place.object_class = context.model.bodies[chart.body].object_class;
  place.use = Use::Action;
  if (const Origin origin = context.initial_origins[id]; origin.node) {
    const diag::Sink::Mute mute(context.sink, origin.inherited);
    const syntax::Tree& tree = context.tree(origin.module);
    place.module = origin.module;
    place.scope = origin.scope;
    InitialTransition initial;
    initial.span = tree.span(origin.node);
    initial.target = resolve_target(context, place, origin.node, {});
    std::vector<StateId> open;
    add_target_states(context, initial.target, open);
    place.open_states = &open;
    if (const NodeId block = tree.find(origin.node, NodeKind::Block))
      initial.block = check_block(context, place, BlockKind::Action, block);
    context.model.charts[id].initial = initial;
  }
  for (ChoiceId choice : chart.choices) {
    const Origin origin = context.choice_origins[choice];
    const diag::Sink::Mute mute(context.sink, origin.inherited);
    const syntax::Tree& tree = context.tree(origin.module);
    place.module = origin.module;
    place.scope = origin.scope;
    std::vector<ChoiceBranch> branches;
    for (NodeId node : tree.children(origin.node)) {
      if (tree.kind(node) != NodeKind::ChoiceBranch) continue;
      ChoiceBranch branch;
      branch.span = tree.span(node);
      std::vector<StateId> open;
      place.open_states = &open;
      if (const NodeId guard = tree.find(node, NodeKind::Guard))
        branch.guard = ExpressionChecker(context, place).check_condition(tree.child(guard, 0));
      branch.target = resolve_target(context, place, node, {});
      add_target_states(context, branch.target, open);
      if (const NodeId block = tree.find(node, NodeKind::Block))
        branch.block = check_block(context, place, BlockKind::Action, block);
      branches.push_back(std::move(branch));
    }
    place.open_states = nullptr;
    context.model.choices[choice].branches = std::move(branches);
  }
  for (ReactionId reaction : chart.reactions) check_reaction(context, reaction);
  for (StateId state : chart.states) check_body(context, context.model.states[state].body);
}

}  // namespace hyla::check
