#include "engine/collect.h"

#include <algorithm>
#include <utility>

#include "engine/inner_plugs.h"
#include "engine/link_index.h"
#include "engine/make_plan.h"
#include "engine/make_shape.h"
#include "engine/plug_sets.h"

namespace hyla::engine {

namespace {

Scope scope_of(const Object& object, const std::vector<model::LocalId>& locals, const Inputs& values) {
  return {object.self, object.plan->object_class, locals, values};
}

}  // namespace

Collection::Collection(World& world, GatheringMemory& memory, diag::Sink& sink)
    : world_(world),
      model_(world.model),
      memory_(memory),
      sink_(sink),
      initial_(world.model, *memory.scalariser, sink),
      homotopies_(world.model),
      seen_links_(world.links.size()) {
  index_links(world);
}

bool Collection::is_number(model::Type type) const {
  const model::TypeKind kind = type.element().kind;
  return kind == model::TypeKind::Real || kind == model::TypeKind::Integer || kind == model::TypeKind::Boolean ||
         kind == model::TypeKind::Enum;
}

// --- who reads what -------------------------------------------------------------------------------

void GatheringMemory::forget(ObjectRef reader) {
  const auto found = notes.find(reader.index);
  if (found == notes.end()) return;
  for (const ReadNotes::Read& read : found->second.reads) {
    const auto list = readers.find(read.source.index);
    if (list == readers.end()) continue;
    std::erase_if(list->second, [&](const ForeignRead& one) { return one.reader.index == reader.index; });
  }
  found->second.reads.clear();
  found->second.structural.clear();
}

void GatheringMemory::note(ObjectRef reader, ReadNotes fresh) {
  forget(reader);
  for (const ReadNotes::Read& read : fresh.reads) readers[read.source.index].push_back({read.slot, reader});
  notes[reader.index] = std::move(fresh);
}

/// Plugs need no notes: whoever is gathered brings all that are joined with it.
void Collection::note_reads(ObjectRef reader, const std::vector<Leaf>& operands) {
  for (const Leaf& leaf : operands) {
    if (leaf.kind != Leaf::Kind::Value && leaf.kind != Leaf::Kind::Derivative) continue;
    const ObjectRef source = leaf.place.object;
    if (source.index == reader.index || is_parameter(world_, leaf.place)) continue;
    std::vector<ReadNotes::Read>& reads = memory_.notes[reader.index].reads;
    const ReadNotes::Read read{source, leaf.place.slot};
    if (!reads.empty() && reads.back() == read) continue;
    reads.push_back(read);
    memory_.readers[source.index].push_back({leaf.place.slot, reader});
  }
}

void Collection::note_structural(ObjectRef reader) {
  std::vector<std::uint64_t>& reads = memory_.scalariser->structural_reads();
  if (reads.empty()) return;
  std::vector<std::uint64_t>& known = memory_.notes[reader.index].structural;
  known.insert(known.end(), reads.begin(), reads.end());
  reads.clear();
}

// --- equations ------------------------------------------------------------------------------------

template <class Visit>
void Collection::each_link(ObjectRef object, Visit&& visit) const {
  const auto found = world_.links_of.find(object.index);
  if (found == world_.links_of.end()) return;
  for (const std::uint32_t number : found->second) {
    const Link& link = world_.links[number];
    if (is_there(world_, link.scope) && is_there(world_, link.target)) visit(number);
  }
}

void Collection::add_equations(const std::vector<ObjectRef>& objects) {
  for (const ObjectRef ref : objects) {
    memory_.forget(ref);
    const Object& object = world_.object(ref);
    memory_.scalariser->is_general() = true;
    for (const PlanEquation& equation : object.plan->equations) add_equation(object, equation);
    for (const PlanInitial& initial : object.plan->initial_equations) {
      initial_.collect(object, initial, [&](EquationInstance instance) { add(std::move(instance)); });
    }
    const bool is_alike =
        memory_.scalariser->is_general() && object.plan->initial_equations.empty() && world_.starts->empty();
    if (!is_alike) individual.insert(ref.index);
    bool has_links = false;
    each_link(ref, [&](std::uint32_t) { has_links = true; });
    if (!is_alike || has_links) special.insert(ref.index);
    note_structural(ref);
  }
  if (model_.connectors.size() > 0) add_plug_equations(objects);
  for (const ObjectRef ref : objects) {
    each_link(ref, [this](std::uint32_t link) {
      if (std::exchange(seen_links_[link], std::uint8_t{1}) == 0) add_link(link);
    });
  }
}

void Collection::add_equation(const Object& object, const PlanEquation& equation) {
  Scalariser& scalariser = *memory_.scalariser;
  const Scope scope = scope_of(object, equation.locals, equation.inputs);
  EquationInstance pattern;
  pattern.object = object.self;
  pattern.state = equation.state;
  pattern.span = equation.span;
  pattern.watch = equation.watch;
  pattern.hold = static_cast<bool>(equation.hold);
  const bool continued = homotopies_.occur_in(equation.left) || homotopies_.occur_in(equation.right);
  if (equation.hold) {
    add_all(pattern, false, [&] { return scalariser.equation(scope, equation.hold, equation.hold, found_); });
  } else if (equation.variable) {
    if (!is_number(model_.variables[equation.variable].type)) return;
    const std::uint32_t slot = world_.layout.variables[equation.variable.index];
    add_all(pattern, continued, [&] { return scalariser.binding(object.self, slot, scope, equation.right, found_); });
  } else {
    if (!is_number(model_.exprs[equation.left].type)) return;
    add_all(pattern, continued, [&] { return scalariser.equation(scope, equation.left, equation.right, found_); });
  }
}

void Collection::add_link(std::uint32_t number) {
  const Link& link = world_.links[number];
  if (!is_number(model_.exprs[link.expr].type)) return;
  const Scope scope = scope_of(world_.object(link.scope), link.locals, link.inputs);
  EquationInstance pattern;
  pattern.object = link.scope;
  pattern.state = link.state;
  pattern.span = link.span;
  pattern.link = number;
  const std::vector<std::uint32_t>* elements = link.is_partial ? &link.elements : nullptr;
  memory_.scalariser->is_general() = true;
  add_all(pattern, homotopies_.occur_in(link.expr),
          [&] { return memory_.scalariser->binding(link.target, link.slot, scope, link.expr, found_, elements); });
  if (!memory_.scalariser->is_general()) individual.insert(link.scope.index);
  note_structural(link.scope);
}

/// Adds the equations that a text gives, each followed by its form while a start is continued, if it has one.
template <class Write>
void Collection::add_all(const EquationInstance& pattern, bool continued, Write&& write) {
  found_.clear();
  if (!write()) return;
  std::vector<ScalarEquation> plain = std::move(found_), mixed;
  if (continued) {
    found_.clear();
    memory_.scalariser->continue_from_simplified(true);
    if (write()) mixed = std::move(found_);
    memory_.scalariser->continue_from_simplified(false);
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EquationInstance instance = pattern;
    instance.scalar = std::move(plain[i]);
    add(std::move(instance));
    if (mixed.empty()) continue;
    instance = pattern;
    instance.scalar = std::move(mixed[i]);
    instance.watch = instance.link = kNone;
    instance.use = EquationUse::Continued;
    add(std::move(instance));
  }
}

/// Those of sets that the objects have to do with.
void Collection::add_plug_equations(const std::vector<ObjectRef>& objects) {
  if (!plug_sets_) {
    std::vector<ObjectRef> concerned;
    if (!PlugUpdate(world_, *memory_.scalariser, memory_.plugs).update({}, concerned)) return;
    if (memory_.plugs.inner.size() != world_.model.plugs.size()) memory_.plugs.inner = find_inner_plugs(world_.model);
    plug_sets_ = std::make_unique<PlugSets>(world_, memory_.plugs);
  }
  for (const ObjectRef object : objects) {
    if (const auto joins = memory_.plugs.changing.find(object.index); joins != memory_.plugs.changing.end()) {
      for (const std::uint32_t join : joins->second) {
        const std::vector<std::uint64_t>& reads = memory_.plugs.joins[join].reads;
        if (reads.empty() || world_.joins[join].scope != object) continue;
        std::vector<std::uint64_t>& known = memory_.notes[object.index].structural;
        known.insert(known.end(), reads.begin(), reads.end());
      }
    }
    const auto take = [this](EquationInstance equation) { add(std::move(equation)); };
    if (plug_sets_->give(world_.object(object), take)) special.insert(object.index);
  }
}

void Collection::add(EquationInstance instance) {
  const auto number = static_cast<std::uint32_t>(equations.size());
  for (const Leaf& leaf : instance.scalar.operands) {
    if (leaf.kind == Leaf::Kind::Value || leaf.kind == Leaf::Kind::Derivative) readers[leaf.place].push_back(number);
  }
  if (instance.rule == PlugRule::None) note_reads(instance.object, instance.scalar.operands);
  equations.push_back(std::move(instance));
}

// --- conditions -----------------------------------------------------------------------------------

bool Collection::add_condition(const Object& object, Index index, const PlanWatch& watch, ConditionInstance& instance) {
  instance.object = object.self;
  instance.watch = index;
  const Scope scope = scope_of(object, watch.locals, watch.inputs);
  const bool is_truth = watch.kind == PlanWatch::Kind::When || watch.kind == PlanWatch::Kind::Require;
  const bool good = is_truth ? memory_.scalariser->condition(scope, watch.expr, instance.scalar)
                             : memory_.scalariser->number(scope, watch.expr, instance.scalar);
  if (good) note_reads(object.self, instance.scalar.operands);
  return good;
}

void Collection::refuse_number(const Object&, const PlanWatch& watch) {
  report_unsupported(sink_, model_.exprs[watch.expr].span,
                     watch.kind == PlanWatch::Kind::Rate ? "a rate that varies continuously"
                                                         : "a statistic of a quantity that varies continuously");
}

}  // namespace hyla::engine
