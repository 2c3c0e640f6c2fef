// Charts and reactions of a plan: triggers, patterns, targets.
#include <algorithm>
#include <array>
#include <string_view>

#include "engine/make_plan.h"

namespace hyla::engine {

using model::EntityKind;
using model::TargetKind;
using model::TriggerKind;

void PlanMaker::chart(Index index) {
  plan_->charts[index].place = place_++;
  const model::Chart& record = model_.charts[plan_->charts[index].id];
  static const ExpandedBody kNoFamily;
  TextUnit text = unit(kNoFamily, state_prefix(plan_->charts[index].parent) + "initial transition");
  plan_->charts[index].initial_action = programs_.block(record.initial.block, text);
  plan_->charts[index].initial = target(record.initial.target, record.initial.block);
  choices(record, index);
  const std::vector<Index> states = plan_->charts[index].states;
  for (const Index state : states) visit_state(state);
  for (const model::ReactionId id : record.reactions) {
    const Index added = reaction(id, kNoFamily, kNone, index);
    plan_->charts[index].from_reactions.push_back(added);
  }
}

void PlanMaker::choices(const model::Chart& chart, Index index) {
  const std::string prefix = state_prefix(plan_->charts[index].parent);
  static const ExpandedBody kNoFamily;
  for (const model::ChoiceId id : chart.choices) {
    const model::Choice& record = model_.choices[id];
    const TextUnit text = unit(kNoFamily, prefix + "choice " + std::string(model_.name(record.name)));
    std::vector<PlanChoice::Branch> branches;
    for (const model::ChoiceBranch& branch : record.branches) {
      branches.push_back({programs_.expression(branch.guard, text), programs_.block(branch.block, text),
                          target(branch.target, branch.block)});
    }
    plan_->choices[choice_indices_.at(id.index)].branches = std::move(branches);
  }
}

Index PlanMaker::reaction(model::ReactionId id, const ExpandedBody& around, Index state, Index chart) {
  const model::Reaction& record = model_.reactions[id];
  const auto index = static_cast<Index>(plan_->reactions.size());
  plan_->reactions.emplace_back();
  PlanReaction result;
  result.id = id;
  result.trigger = record.trigger;
  result.priority_rank = priorities_.rank(record.priority);
  result.place = place_++;
  result.state = state;
  result.chart = chart;
  result.from_any = record.from_any;
  for (const model::StateId from : record.from) result.from.push_back(world_.layout.state_numbers[from.index]);
  result.inputs = around.inputs;
  result.target = target(record.target, record.block);
  const Index body = chart != kNone ? plan_->charts[chart].parent : state;
  TextUnit text = unit(around, purposes_.at(id.index));
  if (record.trigger == TriggerKind::On) {
    patterns(record, text, result);
  } else {
    result.guard = programs_.expression(record.guard, text);
    result.action = programs_.block(record.block, text);
    timing(record, text, result);
    const bool is_watched =
        record.trigger == TriggerKind::When ||
        (record.trigger == TriggerKind::Rate && is_variable(code::reads_of(model_, world_.layout, record.condition)));
    if (is_watched) {
      const auto kind = record.trigger == TriggerKind::When ? PlanWatch::Kind::When : PlanWatch::Kind::Rate;
      result.watch = watch(kind, index, record.condition, around, body, kind == PlanWatch::Kind::Rate).value_or(kNone);
    }
  }
  if (chart == kNone) {
    std::vector<Index>& watches = state == kNone ? plan_->body_watches : plan_->states[state].watches;
    if (result.watch != kNone) watches.push_back(result.watch);
    (state == kNone ? plan_->body_reactions : plan_->states[state].reactions).push_back(index);
  }
  if (state != kNone) {
    if (record.trigger == TriggerKind::Automatic) plan_->states[state].automatic.push_back(index);
    if (record.trigger == TriggerKind::Done) plan_->states[state].done.push_back(index);
    if (result.timer != kNone) plan_->states[state].timers.push_back(index);
  }
  plan_->reactions[index] = std::move(result);
  return index;
}

void PlanMaker::patterns(const model::Reaction& record, const TextUnit& unit, PlanReaction& result) {
  for (const model::Awaited& awaited : record.awaited) {
    TextUnit text = unit;
    text.pattern = &awaited;
    Pattern added = pattern(awaited, unit);
    added.guard = programs_.expression(record.guard, text);
    added.action = programs_.block(record.block, text);
    plan_->waits_at_mailbox = plan_->waits_at_mailbox || added.source_kind == model::EntityKind::Mailbox;
    result.patterns.push_back(added);
  }
}

Pattern PlanMaker::pattern(const model::Awaited& awaited, const TextUnit& unit) {
  Pattern result;
  const model::Expr& source = root_of(awaited.source);
  result.source_kind = source.entity;
  result.message = awaited.message;
  if (source.entity == EntityKind::Port) result.source = world_.layout.port_numbers[source.ref];
  if (source.entity == EntityKind::Signal) result.source = world_.layout.signal_numbers[source.ref];
  if (source.entity == EntityKind::Mailbox) result.source = world_.layout.mailboxes[source.ref];
  if (model_.exprs[awaited.source].op == model::Op::Index) result.element = programs_.expression(awaited.source, unit);
  return result;
}

void PlanMaker::timing(const model::Reaction& record, TextUnit unit, PlanReaction& result) {
  const bool is_timed = record.trigger == TriggerKind::After || record.trigger == TriggerKind::At ||
                        record.trigger == TriggerKind::Every || record.trigger == TriggerKind::Rate;
  if (!is_timed) return;
  unit.as_real = true;
  result.condition = programs_.expression(record.condition, unit);
  result.every_from = programs_.expression(record.every_from, unit);
  result.timer = plan_->timer_count++;
}

PlanTarget PlanMaker::target(const model::Target& record, model::BlockId block) {
  PlanTarget result;
  result.kind = record.kind;
  for (const model::StateId state : record.states) {
    const Index number = world_.layout.state_numbers[state.index];
    result.states.push_back(number);
    if (record.kind == TargetKind::History || record.kind == TargetKind::DeepHistory) {
      remember(number, record.kind == TargetKind::DeepHistory);
    }
  }
  if (record.choice) result.choice = choice_indices_.at(record.choice.index);
  if (block) collect_assigned(block, result.assigned);
  std::sort(result.assigned.begin(), result.assigned.end());
  result.assigned.erase(std::unique(result.assigned.begin(), result.assigned.end()), result.assigned.end());
  return result;
}

/// A target asks for the history of a state: its charts must remember.
void PlanMaker::remember(Index state, bool deep) {
  for (const Index chart : plan_->states[state].charts) {
    if (plan_->charts[chart].history == kNone) plan_->charts[chart].history = plan_->history_count++;
    if (!deep) continue;
    for (const Index inner : plan_->charts[chart].states) remember(inner, deep);
  }
}

void PlanMaker::collect_assigned(model::BlockId block, std::vector<std::uint32_t>& slots) const {
  for (const model::ActionId id : model_.blocks[block].actions) {
    const model::Action& action = model_.actions[id];
    if (action.kind == model::ActionKind::Assign) {
      const std::size_t values = action.exprs.size() / 2;
      const std::size_t targets = action.exprs.size() % 2 == 0 ? values : action.exprs.size() - 1;
      for (std::size_t i = 0; i < targets; ++i) note_assigned(action.exprs[i], slots);
    }
    if (action.result.target) note_assigned(action.result.target, slots);
    for (const model::BlockId inner : action.blocks) {
      if (inner) collect_assigned(inner, slots);
    }
  }
}

void PlanMaker::note_assigned(model::ExprId target, std::vector<std::uint32_t>& slots) const {
  const model::Expr& root = root_of(target);
  if (root.op != model::Op::Entity || root.entity != EntityKind::Variable) return;
  const model::BodyId body = model_.variables[model::VariableId(root.ref)].body;
  if (body && model_.bodies[body].state) slots.push_back(world_.layout.variables[root.ref]);
}

// Names of random streams: by label or kind of trigger, so that they do not move when other reactions come.

std::string PlanMaker::state_prefix(Index state) const {
  return state == kNone ? "" : world_.state_path(plan_->states[state].id) + " ";
}

std::string PlanMaker::source_text(const model::Awaited& awaited) const {
  const model::Expr& source = root_of(awaited.source);
  const auto name = [&](model::SymbolId symbol) { return std::string(model_.name(symbol)); };
  switch (source.entity) {
    case EntityKind::Port:
      return name(model_.ports[model::PortId(source.ref)].name) +
             (awaited.message ? "." + name(model_.messages[awaited.message].name) : "");
    case EntityKind::Mailbox:
      return name(model_.mailboxes[model::MailboxId(source.ref)].name);
    case EntityKind::Signal:
      return name(model_.signals[model::SignalId(source.ref)].name);
    default:
      return "";
  }
}

std::string PlanMaker::purpose_of(const model::Reaction& record, Index state) const {
  static constexpr std::array<std::string_view, 8> kWords = {"on",    "when", "after", "at",
                                                             "every", "rate", "done",  "automatic"};
  if (record.label) return state_prefix(state) + std::string(model_.name(record.label));
  std::string purpose = state_prefix(state) + std::string(kWords[static_cast<std::size_t>(record.trigger)]);
  if (!record.awaited.empty()) purpose += " " + source_text(record.awaited.front());
  return purpose;
}

void PlanMaker::name_purpose(model::ReactionId id, Index state) {
  std::string purpose = purpose_of(model_.reactions[id], state);
  const std::size_t number = ++alike_[purpose];
  if (number > 1) purpose += " #" + std::to_string(number);
  purposes_[id.index] = std::move(purpose);
}

/// Also in bodies that this plan leaves out, so that the names do not depend on parameters.
void PlanMaker::name_purposes(model::BodyId id, Index state) {
  const model::Body& body = model_.bodies[id];
  for (const model::ReactionId reaction : body.reactions) name_purpose(reaction, state);
  for (const model::ChartId chart : body.charts) {
    for (const model::ReactionId reaction : model_.charts[chart].reactions) name_purpose(reaction, state);
    for (const model::StateId inner : model_.charts[chart].states) {
      if (!model_.states[inner].body) continue;
      name_purposes(model_.states[inner].body, world_.layout.state_numbers[inner.index]);
    }
  }
  for (const model::Family& family : body.families) name_purposes(family.body, state);
  for (const model::Conditional& conditional : body.conditionals) {
    if (conditional.then_body) name_purposes(conditional.then_body, state);
    if (conditional.else_body) name_purposes(conditional.else_body, state);
  }
}

/// Every `rate` draws its times from a stream of its own; members of a family are told apart by their indices.
void PlanMaker::add_rate_streams() {
  for (PlanReaction& reaction : plan_->reactions) {
    if (reaction.trigger != model::TriggerKind::Rate) continue;
    std::string purpose = purposes_[reaction.id.index] + " time";
    for (const Slot& index : reaction.inputs) purpose += "[" + std::to_string(index.integer) + "]";
    reaction.stream = static_cast<Index>(plan_->streams.size());
    plan_->streams.push_back(std::move(purpose));
  }
}

}  // namespace hyla::engine
