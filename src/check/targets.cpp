#include "check/targets.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/lookup.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

/// The names of all states and choices in sight, for suggestions.
std::vector<std::string_view> names_in_sight(const Context& context, ScopeId scope) {
  std::vector<std::string_view> names;
  for (; scope; scope = context.scopes[scope].parent) {
    const Scope& record = context.scopes[scope];
    if (record.kind == ScopeKind::Chart) {
      const Chart& chart = context.model.charts[ChartId(record.owner)];
      for (StateId id : chart.states) names.push_back(context.name(context.model.states[id].name));
      for (ChoiceId id : chart.choices) names.push_back(context.name(context.model.choices[id].name));
    } else if (record.kind == ScopeKind::Body) {
      for (ChartId chart : context.model.bodies[BodyId(record.owner)].charts) {
        for (StateId id : context.model.charts[chart].states)
          names.push_back(context.name(context.model.states[id].name));
      }
    }
  }
  return names;
}

Entity resolve_state_path(Context& context, const Place& place, NodeId path) {
  const syntax::Tree& tree = context.tree(place.module);
  if (tree.kind(path) != NodeKind::Path) return {};
  const std::span<const NodeId> steps = tree.children(path);
  if (steps.empty() || tree.kind(steps[0]) != NodeKind::Name) return {};
  const Entity first = find_name(context, place.scope, place.module, context.intern(tree.name(steps[0])));
  if (!first && is_incomplete(context, place.scope)) return {};
  if (!first) {
    auto entry = context.sink.report(Kind::UnknownTarget, tree.span(steps[0]),
                                     fmt::format("there is no state `{}`", tree.name(steps[0])));
    if (context.comparisons_left == 0) return {};
    const std::vector<std::string_view> names = names_in_sight(context, place.scope);
    if (!may_compare(context, names.size())) return {};
    if (const auto near = base::nearest(tree.name(steps[0]), names)) {
      entry.hint(fmt::format("did you mean `{}`?", *near));
    } else if (!names.empty()) {
      entry.hint(fmt::format("the states here are {}", base::quoted_list(names)));
    }
    return {};
  }
  Entity entity = first;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (tree.kind(steps[i]) != NodeKind::Name) return {};
    const ScopeId inner = scope_of(context, entity);
    const SymbolId symbol = context.intern(tree.name(steps[i]));
    Entity member = inner ? find_in_body(context, inner, symbol) : Entity{};
    // `Outer.Inner` also reaches into the named charts of Outer if only one of them has that state.
    if (!member && entity.kind == EntityKind::State) {
      for (ChartId chart : context.model.bodies[context.model.states[StateId(entity.index)].body].charts) {
        if (const Entity found = context.scopes.find_local(context.chart_scopes[chart], symbol)) member = found;
      }
    }
    if (!member && is_incomplete(context, inner)) return {};
    if (!member) {
      auto entry = context.sink.report(Kind::UnknownTarget, tree.span(steps[i]),
                                       fmt::format("{} `{}` has no state `{}`", word_for(context, entity),
                                                   tree.text(steps[i - 1]), tree.name(steps[i])));
      if (const auto near = nearest_member(context, inner, tree.name(steps[i])))
        entry.hint(fmt::format("did you mean `{}`?", *near));
      return {};
    }
    entity = member;
  }
  if (entity.kind != EntityKind::State && entity.kind != EntityKind::Choice) {
    context.sink
        .report(Kind::UnknownTarget, tree.span(path),
                fmt::format("`{}` is {}; a transition leads to a state", tree.text(path),
                            base::with_article(word_for(context, entity))))
        .label(declaration_span(context, entity), "declared here");
    return {};
  }
  return entity;
}

}  // namespace

Target resolve_target(Context& context, const Place& place, NodeId holder, StateId source) {
  const syntax::Tree& tree = context.tree(place.module);
  Target target;
  for (NodeId node : tree.children(holder)) {
    const NodeKind kind = tree.kind(node);
    switch (kind) {
      case NodeKind::TargetSelf:
        target.kind = TargetKind::Self;
        target.span = tree.span(node);
        if (source) {
          target.states.push_back(source);
        } else {
          context.sink.report(Kind::UnknownTarget, target.span, "`self` needs one state to start from")
              .hint("name the target state");
        }
        return target;
      case NodeKind::TargetFinal:
        target.kind = TargetKind::Final;
        target.span = tree.span(node);
        return target;
      case NodeKind::TargetPath:
      case NodeKind::TargetHistory:
      case NodeKind::TargetDeepHistory:
      case NodeKind::TargetFork:
        target.kind = kind == NodeKind::TargetPath          ? TargetKind::State
                      : kind == NodeKind::TargetHistory     ? TargetKind::History
                      : kind == NodeKind::TargetDeepHistory ? TargetKind::DeepHistory
                                                            : TargetKind::Fork;
        target.span = tree.span(node);
        for (NodeId path : tree.children(node)) {
          const Entity entity = resolve_state_path(context, place, path);
          if (entity.kind == EntityKind::State) target.states.push_back(StateId(entity.index));
          if (entity.kind != EntityKind::Choice) continue;
          if (kind == NodeKind::TargetPath) {
            target.kind = TargetKind::Choice;
            target.choice = ChoiceId(entity.index);
          } else {
            context.sink.report(Kind::UnknownTarget, tree.span(path), "a choice cannot stand here")
                .hint("name a state");
          }
        }
        return target;
      default:
        break;
    }
  }
  return target;
}

void add_target_states(const Context& context, const Target& target, std::vector<StateId>& states) {
  for (StateId state : target.states) {
    if (std::find(states.begin(), states.end(), state) == states.end()) states.push_back(state);
  }
  if (!target.choice) return;
  // A choice may lead to a choice; each is followed once. Branches may not be checked yet: then all states of its chart
  // are possible.
  const Choice& choice = context.model.choices[target.choice];
  for (StateId state : context.model.charts[choice.chart].states) {
    if (std::find(states.begin(), states.end(), state) == states.end()) states.push_back(state);
  }
}

}  // namespace hyla::check
