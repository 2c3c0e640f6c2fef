#include "engine/make_plan.h"

#include <algorithm>

#include "code/heap.h"
#include "engine/initial_gather.h"

namespace hyla::engine {

using model::BodyId;
using model::ClassId;

Priorities::Priorities(const model::Model& model) {
  sorted_.push_back(0);
  for (const model::Reaction& reaction : model.reactions) sorted_.push_back(reaction.priority);
  std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
}

std::uint16_t Priorities::rank(std::int64_t priority) const {
  const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), priority, std::greater<>());
  return static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(place - sorted_.begin(), UINT16_MAX));
}

bool has_equations(const model::Model& model, model::BlockId block) {
  const std::vector<model::ActionId>& actions = model.blocks[block].actions;
  return std::any_of(actions.begin(), actions.end(), [&](model::ActionId id) {
    const model::Action& action = model.actions[id];
    return action.kind == model::ActionKind::Equation ||
           std::any_of(action.blocks.begin(), action.blocks.end(),
                       [&](model::BlockId inner) { return has_equations(model, inner); });
  });
}

PlanMaker::PlanMaker(World& world, Programs& programs, const Priorities& priorities, diag::Sink& sink,
                     ClassId object_class, const Expansion& expansion)
    : world_(world),
      model_(world.model),
      programs_(programs),
      priorities_(priorities),
      sink_(sink),
      class_(object_class),
      expansion_(expansion),
      plan_(std::make_unique<Plan>()) {}

std::unique_ptr<Plan> PlanMaker::make() {
  const model::Class& record = model_.classes[class_];
  const code::ClassLayout& layout = world_.layout.classes[class_.index];
  plan_->object_class = class_;
  plan_->is_atomic = record.kind == model::ClassKind::Atomic;
  const std::vector<model::VariableId>& variables = model_.bodies[record.body].variables;
  plan_->has_inputs = std::any_of(variables.begin(), variables.end(), [this](model::VariableId id) {
    return model_.variables[id].kind == model::VariableKind::Input;
  });
  plan_->states.resize(layout.states);
  plan_->processes.resize(layout.processes);
  plan_->waits_at_port.resize(layout.ports);
  plan_->slot_watches.resize(layout.slots.size());
  plan_->is_reference.resize(layout.slots.size());
  mark_references(record.body);
  fixed_slots_.resize(layout.slots.size());
  mark_fixed_slots(record.body);
  declare(record.body, kNone);
  name_purposes(record.body, kNone);
  visit(expansion_.root, kNone);
  devs_functions();
  finish();
  return std::move(plan_);
}

void PlanMaker::declare(BodyId body, Index state) {
  for (const model::ChartId chart : model_.bodies[body].charts) declare_chart(chart, state);
}

void PlanMaker::declare_chart(model::ChartId id, Index parent) {
  const model::Chart& record = model_.charts[id];
  const auto index = static_cast<Index>(plan_->charts.size());
  chart_indices_[id.index] = index;
  PlanChart chart;
  chart.id = id;
  chart.slot = world_.layout.charts[id.index];
  chart.parent = parent;
  plan_->charts.push_back(std::move(chart));
  if (parent == kNone) {
    plan_->top_charts.push_back(index);
  } else {
    plan_->states[parent].charts.push_back(index);
  }
  for (const model::ChoiceId choice : record.choices) {
    choice_indices_[choice.index] = static_cast<Index>(plan_->choices.size());
    plan_->choices.push_back({choice, index, {}});
  }
  for (const model::StateId state_id : record.states) {
    const Index number = world_.layout.state_numbers[state_id.index];
    PlanState& state = plan_->states[number];
    state.id = state_id;
    state.chart = index;
    state.parent = parent;
    state.depth = parent == kNone ? 0 : plan_->states[parent].depth + 1;
    plan_->charts[index].states.push_back(number);
    if (model_.states[state_id].body) declare(model_.states[state_id].body, number);
  }
}

// Order: that of the text; what a model adds comes before what it inherits.

void PlanMaker::collect_spans(BodyId id, std::vector<diag::Span>& spans) const {
  const model::Body& body = model_.bodies[id];
  for (const auto item : body.reactions) spans.push_back(model_.reactions[item].span);
  for (const auto item : body.processes) spans.push_back(model_.processes[item].span);
  for (const auto item : body.connections) spans.push_back(model_.connections[item].span);
  for (const auto item : body.charts) {
    spans.push_back(model_.charts[item].span);
    for (const auto state : model_.charts[item].states) {
      if (model_.states[state].body) collect_spans(model_.states[state].body, spans);
    }
  }
  for (const model::Family& family : body.families) spans.push_back(family.span);
  for (const model::Conditional& conditional : body.conditionals) spans.push_back(conditional.span);
}

const std::vector<diag::Span>& PlanMaker::spans_of(ClassId id) {
  const auto [entry, added] = spans_.try_emplace(id);
  if (added) collect_spans(model_.classes[id].body, entry->second);
  return entry->second;
}

std::size_t PlanMaker::generation(diag::Span span) {
  std::size_t result = 0;
  for (ClassId base = model_.classes[class_].base; base; base = model_.classes[base].base) {
    const std::vector<diag::Span>& spans = spans_of(base);
    if (std::find(spans.begin(), spans.end(), span) == spans.end()) break;
    ++result;
  }
  return result;
}

bool PlanMaker::comes_before(diag::Span a, diag::Span b) {
  const std::size_t first = generation(a), second = generation(b);
  return first != second ? first < second : a.begin < b.begin;
}

std::vector<PlanMaker::Item> PlanMaker::items_of(const ExpandedBody& around) {
  const model::Body& body = model_.bodies[around.body];
  // Reactions come in their order already; the others are put between them.
  std::vector<Item> items, others;
  for (const auto id : body.reactions) items.push_back({Item::Kind::Reaction, id.index, model_.reactions[id].span});
  for (const auto id : body.charts) others.push_back({Item::Kind::Chart, id.index, model_.charts[id].span});
  for (const auto id : body.processes) others.push_back({Item::Kind::Process, id.index, model_.processes[id].span});
  for (const auto id : body.connections) {
    others.push_back({Item::Kind::Connection, id.index, model_.connections[id].span});
  }
  for (std::size_t i = 0; i < around.inner.size(); ++i) {
    others.push_back({Item::Kind::Body, static_cast<std::uint32_t>(i), around.inner[i].span});
  }
  const auto before = [this](const Item& a, const Item& b) { return comes_before(a.span, b.span); };
  std::stable_sort(others.begin(), others.end(), before);
  std::size_t from = 0;
  for (const Item& item : others) {
    while (from < items.size() && (items[from].kind != Item::Kind::Reaction || !before(item, items[from]))) ++from;
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(from), item);
    ++from;
  }
  return items;
}

void PlanMaker::visit(const ExpandedBody& around, Index state) {
  for (const Item& item : items_of(around)) visit_item(item, around, state);
  contents(around, state);
}

void PlanMaker::visit_item(const Item& item, const ExpandedBody& around, Index state) {
  switch (item.kind) {
    case Item::Kind::Reaction:
      reaction(model::ReactionId(item.index), around, state, kNone);
      break;
    case Item::Kind::Chart:
      chart(chart_indices_.at(item.index));
      break;
    case Item::Kind::Process:
      process(model::ProcessId(item.index), state);
      break;
    case Item::Kind::Connection:
      connection(model::ConnectionId(item.index), around, state);
      break;
    case Item::Kind::Body:
      visit(around.inner[item.index], state);
      break;
  }
}

/// The reactions of inner states come before those of the state itself.
void PlanMaker::visit_state(Index state) {
  const BodyId body = model_.states[plan_->states[state].id].body;
  if (!body) return;
  const ExpandedBody& around = expanded(body);
  const std::vector<Item> items = items_of(around);
  for (const Item& item : items) {
    if (item.kind == Item::Kind::Chart) visit_item(item, around, state);
  }
  for (const Item& item : items) {
    if (item.kind != Item::Kind::Chart) visit_item(item, around, state);
  }
  contents(around, state);
  state_contents(around, state);
}

void PlanMaker::contents(const ExpandedBody& around, Index state) {
  const model::Body& body = model_.bodies[around.body];
  if (around.indices.empty()) plan_->bodies.push_back({around.body, state});
  parts(body, state);
  formulas(around, state);
  statistics(around, state);
  requirements(around, state);
  initial_blocks(around, state);
  const auto is_chosen = [&](model::VariableId id) {
    return model_.variables[id].attributes.fixed.has_value() || model_.variables[id].attributes.guess;
  };
  plan_->has_start = plan_->has_start || std::any_of(body.variables.begin(), body.variables.end(), is_chosen);
  if (state == kNone) return;
  for (const model::VariableId id : body.variables) {
    if (!model_.variables[id].is_fixed()) plan_->states[state].variables.push_back(variable(id));
  }
}

void PlanMaker::mark_references(BodyId id) {
  const model::Body& body = model_.bodies[id];
  for (const model::VariableId variable : body.variables) {
    if (model_.variables[variable].type.kind != model::TypeKind::Object) continue;
    plan_->is_reference[world_.layout.variables[variable.index]] = true;
  }
  for (const model::PartId part : body.parts) {
    if (model_.parts[part].kind == model::PartKind::Object) continue;
    plan_->is_reference[world_.layout.parts[part.index]] = true;
  }
  for (const model::ChartId chart : body.charts) {
    for (const model::StateId state : model_.charts[chart].states) {
      if (model_.states[state].body) mark_references(model_.states[state].body);
    }
  }
  for (const model::Conditional& conditional : body.conditionals) {
    if (conditional.then_body) mark_references(conditional.then_body);
    if (conditional.else_body) mark_references(conditional.else_body);
  }
}

void PlanMaker::parts(const model::Body& body, Index state) {
  for (const model::PartId id : body.parts) {
    if (!model_.parts[id].object_class) continue;
    if (state != kNone) plan_->states[state].parts.push_back(static_cast<Index>(plan_->parts.size()));
    plan_->parts.push_back({id, world_.layout.parts[id.index], state});
  }
  if (state == kNone) return;
  for (const model::MailboxId id : body.mailboxes) {
    if (!model_.mailboxes[id].relayed) plan_->states[state].mailboxes.push_back(world_.layout.mailboxes[id.index]);
  }
}

/// Whether a path leads through a dynamic part.
bool PlanMaker::leads_through_place(model::ExprId expr) const {
  if (!expr) return false;
  const model::Expr& record = model_.exprs[expr];
  if (record.op == model::Op::Entity && record.entity == model::EntityKind::Part &&
      model_.parts[model::PartId(record.ref)].kind == model::PartKind::Dynamic) {
    return true;
  }
  return record.operand_count > 0 && leads_through_place(model_.operand(record, 0));
}

/// Whether ranges of variables can decide which solution of an equation is found.
bool PlanMaker::searches_in_ranges() const {
  const bool is_implicit =
      std::any_of(plan_->equations.begin(), plan_->equations.end(), [&](const PlanEquation& equation) {
        return equation.equation && model_.equations[equation.equation].form == model::EquationForm::Implicit;
      });
  return is_implicit && std::any_of(plan_->bodies.begin(), plan_->bodies.end(), [&](const PlanBody& body) {
           const std::vector<model::VariableId>& variables = model_.bodies[body.id].variables;
           return std::any_of(variables.begin(), variables.end(), [&](model::VariableId id) {
             const model::Variable& variable = model_.variables[id];
             return (variable.attributes.min || variable.attributes.max) && !variable.is_fixed() && !variable.binding &&
                    variable.type.kind == model::TypeKind::Real;
           });
         });
}

void PlanMaker::initial_blocks(const ExpandedBody& around, Index state) {
  for (const model::BlockId block : model_.bodies[around.body].initial_blocks) {
    if (has_equations(model_, block)) {
      plan_->initial_equations.push_back({block, state, around.inputs, around.indices});
      plan_->has_start = plan_->has_start || state == kNone;
      if (state != kNone) plan_->states[state].has_initial_equations = true;
    }
    const code::Program* program = programs_.block(block, unit(around, state_prefix(state) + "initial"));
    if (program == nullptr) continue;
    (state == kNone ? plan_->initial : plan_->states[state].initial).push_back({program, around.inputs});
  }
}

void PlanMaker::state_contents(const ExpandedBody& around, Index state) {
  const model::Body& body = model_.bodies[around.body];
  for (const model::BlockId block : body.entry_blocks) {
    const code::Program* program = programs_.block(block, unit(around, state_prefix(state) + "entry"));
    if (program != nullptr) plan_->states[state].entry.push_back(program);
  }
  for (const model::BlockId block : body.exit_blocks) {
    const code::Program* program = programs_.block(block, unit(around, state_prefix(state) + "exit"));
    if (program != nullptr) plan_->states[state].exit.push_back(program);
  }
  for (const model::Deferral& deferral : body.deferrals) {
    plan_->states[state].deferrals.push_back(pattern(deferral.awaited, unit(around)));
    plan_->has_deferrals = true;
  }
}

void PlanMaker::process(model::ProcessId id, Index state) {
  const Index number = world_.layout.process_numbers[id.index];
  const model::Process& record = model_.processes[id];
  const std::string purpose = state_prefix(state) + "process " + std::string(model_.name(record.name));
  PlanProcess& process = plan_->processes[number];
  process.id = id;
  process.program = programs_.process(id, class_, purpose);
  process.state = state;
  process.automatic = record.automatic;
  process.place = place_++;
  if (state == kNone) return;
  plan_->states[state].processes.push_back(number);
  if (record.automatic) plan_->states[state].automatic_processes.push_back(number);
}

void PlanMaker::connection(model::ConnectionId id, const ExpandedBody& around, Index state) {
  const model::Connection& record = model_.connections[id];
  PlanConnection result;
  result.id = id;
  result.inputs = around.inputs;
  result.locals = around.indices;
  result.state = state;
  TextUnit text = unit(around);
  if (record.kind != model::ConnectionKind::Value) {
    if (record.kind == model::ConnectionKind::Plugs) {
      if (state != kNone) plan_->states[state].connections.push_back(static_cast<Index>(plan_->connections.size()));
      plan_->connections.push_back(std::move(result));
      return;
    }
    result.from = programs_.expression(record.from, text);
    result.to = programs_.expression(record.to, text);
    result.follows = leads_through_place(record.from) || leads_through_place(record.to);
    if (state != kNone) plan_->states[state].connections.push_back(static_cast<Index>(plan_->connections.size()));
    plan_->connections.push_back(std::move(result));
    return;
  }
  const model::Expr* root = &model_.exprs[record.to];
  while (root->op == model::Op::Index) root = &model_.exprs[model_.operand(*root, 0)];
  const model::Expr& to = *root;
  result.to_slot = world_.layout.variables[to.ref];
  if (model_.exprs[record.to].op == model::Op::Index) result.to_elements = programs_.places(record.to, text);
  if (to.operand_count > 0) result.to = programs_.expression(model_.operand(to, 0), text);
  result.follows = leads_through_place(record.to);
  if (state != kNone) plan_->states[state].has_links = true;
  text.traced = true;
  text.as_real = to.type.kind == model::TypeKind::Real;
  result.from = programs_.expression(record.from, text);
  plan_->connections.push_back(std::move(result));
}

void PlanMaker::devs_functions() {
  const auto program = [&](const model::DevsFunction& function, std::string purpose, bool as_real = false) {
    TextUnit text{class_, function.parameters, nullptr, std::move(purpose), false, as_real};
    return programs_.block(function.block, text);
  };
  for (const model::DevsFunction& function : model_.classes[class_].devs_functions) {
    switch (function.kind) {
      case model::DevsFunctionKind::Advance:
        plan_->devs.advance = program(function, "advance", true);
        break;
      case model::DevsFunctionKind::Lambda:
        plan_->devs.lambda = program(function, "lambda");
        break;
      case model::DevsFunctionKind::Internal:
        plan_->devs.internal = program(function, "internal");
        break;
      case model::DevsFunctionKind::External:
        plan_->devs.external = program(function, "external");
        break;
      case model::DevsFunctionKind::Confluent:
        plan_->devs.confluent = program(function, "confluent");
        break;
    }
  }
  if (!plan_->is_atomic) return;
  for (const model::PortId port : model_.bodies[model_.classes[class_].body].ports) {
    if (!model_.ports[port].receives.empty()) plan_->waits_at_port[world_.layout.port_numbers[port.index]] = true;
  }
}

void PlanMaker::finish_participants() {
  for (const Index index : plan_->body_reactions) {
    if (plan_->reactions[index].trigger == model::TriggerKind::On) plan_->body_on.push_back(index);
  }
  if (!plan_->body_on.empty()) {
    plan_->participants.push_back({Participant::Kind::Body, kNone, plan_->reactions[plan_->body_on.front()].place});
  }
  for (const Index index : plan_->top_charts) {
    plan_->participants.push_back({Participant::Kind::Chart, index, plan_->charts[index].place});
  }
  for (std::size_t i = 0; i < plan_->processes.size(); ++i) {
    const PlanProcess& process = plan_->processes[i];
    bool receives = false;
    for (const code::WaitPoint& wait :
         process.program == nullptr ? std::vector<code::WaitPoint>() : process.program->waits) {
      for (const code::WaitBranch& branch : wait.branches) {
        if (branch.kind != model::Branch::Kind::Receive) continue;
        receives = true;
        if (branch.source_kind == model::EntityKind::Port) plan_->waits_at_port[branch.source_number] = true;
      }
    }
    if (receives) plan_->participants.push_back({Participant::Kind::Process, static_cast<Index>(i), process.place});
  }
  plan_->only_body_takes = plan_->participants.size() == (plan_->body_on.empty() ? 0U : 1U);
  if (plan_->only_body_takes && plan_->body_on.size() == 1) plan_->only_taker = plan_->body_on.front();
  std::sort(plan_->participants.begin(), plan_->participants.end(),
            [](const Participant& a, const Participant& b) { return a.place < b.place; });
}

void PlanMaker::finish() {
  finish_participants();
  const auto note = [&](const Pattern& pattern) {
    if (pattern.source_kind == model::EntityKind::Port) plan_->waits_at_port[pattern.source] = true;
  };
  for (const PlanReaction& reaction : plan_->reactions) {
    for (const Pattern& pattern : reaction.patterns) note(pattern);
  }
  for (const PlanState& state : plan_->states) {
    for (const Pattern& pattern : state.deferrals) note(pattern);
  }
  finish_from_reactions();
  Homotopies homotopies(model_);
  plan_->has_start = plan_->has_start ||
                     std::any_of(plan_->equations.begin(), plan_->equations.end(), [&](const PlanEquation& equation) {
                       return homotopies.occur_in(equation.left) || homotopies.occur_in(equation.right);
                     });
  plan_->has_start = plan_->has_start || searches_in_ranges();
  plan_->streams = programs_.streams(class_);
  add_rate_streams();
}

/// Conditions and times of `from` transitions are watched while one of their states is active.
void PlanMaker::finish_from_reactions() {
  for (const PlanChart& chart : plan_->charts) {
    for (const Index index : chart.from_reactions) {
      const PlanReaction& reaction = plan_->reactions[index];
      for (const Index number : reaction.from_any ? chart.states : reaction.from) {
        PlanState& state = plan_->states[number];
        if (reaction.watch != kNone) state.watches.push_back(reaction.watch);
        if (reaction.timer != kNone) state.timers.push_back(index);
      }
    }
  }
}

const model::Expr& PlanMaker::root_of(model::ExprId expr) const {
  const model::Expr* root = &model_.exprs[expr];
  while (root->op == model::Op::Index || root->op == model::Op::Field) root = &model_.exprs[model_.operand(*root, 0)];
  return *root;
}

}  // namespace hyla::engine
