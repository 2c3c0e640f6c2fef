#include "engine/selection.h"

#include <algorithm>

#include "engine/charts.h"
#include "engine/processes.h"

namespace hyla::engine {
namespace {

enum class Answer : std::uint8_t { Silent, Takes, Defers };

bool try_reaction(Run& run, Object& object, Index index, Index state, const Offer& offer, Choice& choice) {
  const PlanReaction& reaction = object.plan->reactions[index];
  const Pattern* pattern = fitting_pattern(run, object, reaction, offer);
  if (pattern != nullptr) choice.selected.push_back({index, state, pattern, kNone, 0, reaction.place});
  return pattern != nullptr;
}

bool try_reactions(Run& run, Object& object, std::span<const Index> reactions, Index state, const Offer& offer,
                   Choice& choice) {
  for (const Index index : reactions) {
    const PlanReaction& reaction = object.plan->reactions[index];
    if (reaction.trigger != model::TriggerKind::On) continue;
    if (reaction.chart != kNone && !reaction.from_any &&
        std::find(reaction.from.begin(), reaction.from.end(), state) == reaction.from.end()) {
      continue;
    }
    if (try_reaction(run, object, index, state, offer, choice)) return true;
    if (run.over) return false;
  }
  return false;
}

/// Offers to the active state of a chart: first to what is inside it, then to itself.
Answer ask_chart(Run& run, Object& object, Index chart, const Offer& offer, Choice& choice) {
  const Index index = active_state(object, chart);
  if (index == kNone || run.over) return Answer::Silent;
  const PlanState& state = object.plan->states[index];
  Answer answer = Answer::Silent;
  for (const Index inner : state.charts) answer = std::max(answer, ask_chart(run, object, inner, offer, choice));
  if (answer != Answer::Silent) return answer;
  if (try_reactions(run, object, state.reactions, index, offer, choice)) return Answer::Takes;
  const bool defers = std::any_of(state.deferrals.begin(), state.deferrals.end(),
                                  [&](const Pattern& pattern) { return matches(run, object, pattern, {}, offer); });
  if (defers) {
    choice.deferring_chart = chart;
    return Answer::Defers;
  }
  // Transitions `from` rank after those of the states themselves, a state's `defer` included.
  if (try_reactions(run, object, object.plan->charts[chart].from_reactions, index, offer, choice)) return Answer::Takes;
  return Answer::Silent;
}

}  // namespace

bool matches(Run& run, Object& object, const Pattern& pattern, const Inputs& inputs, const Offer& offer) {
  if (pattern.source_kind != offer.source_kind || pattern.source != offer.source) return false;
  if (pattern.message && offer.message != nullptr && pattern.message.index != offer.message->type) return false;
  if (pattern.element == nullptr) return true;
  Slot number;
  if (!execute(run, object, pattern.element, inputs, &number)) return false;
  return number.integer == static_cast<std::int64_t>(offer.number);
}

const Pattern* fitting_pattern(Run& run, Object& object, const PlanReaction& reaction, const Offer& offer) {
  for (const Pattern& pattern : reaction.patterns) {
    if (!matches(run, object, pattern, reaction.inputs, offer)) continue;
    if (pattern.guard == nullptr) return &pattern;
    Inputs inputs = reaction.inputs;
    inputs.emplace_back(offer.message);
    Slot holds;
    if (!execute(run, object, pattern.guard, inputs, &holds)) return nullptr;
    if (run.coverage != nullptr) run.coverage->guards.note(reaction.id.index, holds.integer != 0);
    if (holds.integer != 0) return &pattern;
  }
  return nullptr;
}

void select(Run& run, Object& object, const Offer& offer, Choice& choice) {
  for (const Index reaction : object.plan->body_on) try_reaction(run, object, reaction, kNone, offer, choice);
  if (object.plan->only_body_takes) return;
  const std::size_t in_body = choice.selected.size();
  bool mixed = false;
  for (const Participant& participant : object.plan->participants) {
    if (run.over) return;
    const std::size_t before = choice.selected.size();
    if (participant.kind == Participant::Kind::Chart) {
      ask_chart(run, object, participant.index, offer, choice);
    } else if (participant.kind == Participant::Kind::Process && offer.source_kind != model::EntityKind::Mailbox) {
      ask_processes(run, object, participant.index, offer, choice);
    }
    for (std::size_t i = before; i < choice.selected.size(); ++i) choice.selected[i].place = participant.place;
    mixed = mixed || choice.selected.size() > before;
  }
  if (in_body == 0 || !mixed) return;
  std::stable_sort(choice.selected.begin(), choice.selected.end(),
                   [](const Selected& a, const Selected& b) { return a.place < b.place; });
}

}  // namespace hyla::engine
