// The structure of a world as bytes: which objects there are, with which plans, who is joined to whom, and which
// numbers are free. The world of a run that is taken up again has been built as at its start; this makes it what it has
// become.
#include <algorithm>
#include <utility>

#include "engine/builder.h"
#include "engine/collect.h"
#include "engine/keeper.h"
#include "engine/make_shape.h"

namespace hyla::code {

inline void transfer(base::Archive& archive, Slot& slot) { archive(slot.integer); }

}  // namespace hyla::code

namespace hyla::engine {

using model::ClassId;

void transfer(base::Archive& archive, PopulationInstance& population) {
  archive(population.owner, population.part, population.made, population.members, population.first, population.size);
  archive.expect(population.first <= population.members.size() && population.size <= population.members.size());
}

void transfer(base::Archive& archive, FormerObject& former) {
  archive(former.generation, former.parent, former.part, former.place, former.columns);
}

void transfer(base::Archive& archive, Joining& joining) {
  archive(joining.exists, joining.generation, joining.connection, joining.scope, joining.from, joining.to,
          joining.pairs, joining.link);
}

void transfer(base::Archive& archive, Join& join) {
  archive(join.scope, join.span, join.connection, join.inputs, join.locals, join.state);
}

namespace {

/// A map by numbers, in the order of the numbers.
template <class Key>
void keep_map(base::Archive& archive, std::unordered_map<Key, std::vector<std::uint32_t>>& map) {
  std::vector<std::pair<Key, std::vector<std::uint32_t>>> entries(map.begin(), map.end());
  std::sort(entries.begin(), entries.end());
  archive(entries);
  if (!archive.is_writing()) map = {entries.begin(), entries.end()};
}

/// An expansion made again from the outcomes of its ranges and conditions.
bool expand_by_key(const model::Model& model, model::ClassId object_class, const std::vector<std::int64_t>& key,
                   Expansion& result) {
  std::size_t next = 0;
  ExpansionSource source;
  source.entered = [](const ExpandedBody&) { return true; };
  source.condition = [&](model::ExprId, const ExpandedBody&, bool& holds) {
    if (next == key.size()) return false;
    holds = key[next++] != 0;
    return true;
  };
  source.range = [&](model::ExprId, const ExpandedBody&, Inputs& values) {
    if (next == key.size()) return false;
    const std::int64_t count = key[next++];
    if (count < 0 || static_cast<std::uint64_t>(count) > key.size() - next) return false;
    for (std::int64_t i = 0; i < count; ++i) values.emplace_back(key[next++]);
    return true;
  };
  return expand(model, object_class, source, result) && next == key.size();
}

}  // namespace

// --- the builder ----------------------------------------------------------------------------------

void Builder::keep(base::Archive& archive, diag::Sink& sink) {
  std::size_t count = world_.plans.size();
  if (!archive.size(count)) return;
  sink_ = &sink;
  for (std::size_t i = 0; i < count && !archive.failed(); ++i) {
    ClassId object_class;
    std::vector<std::int64_t> key;
    if (archive.is_writing()) {
      object_class = world_.plans[i]->object_class;
      const std::map<std::vector<std::int64_t>, const Plan*>& plans = recipe_of(object_class).plans;
      key = std::find_if(plans.begin(), plans.end(), [&](const auto& one) {
              return one.second == world_.plans[i].get();
            })->first;
    }
    archive(object_class, key);
    if (archive.is_writing() || archive.failed()) continue;
    if (i < world_.plans.size()) {
      archive.expect(world_.plans[i]->object_class == object_class);
      continue;
    }
    archive.expect(model_.classes.contains(object_class));
    Expansion expansion;
    archive.expect(!archive.failed() && expand_by_key(model_, object_class, key, expansion));
    if (archive.failed()) break;
    ClassRecipe& recipe = recipe_of(object_class);
    const Plan* plan = make_plan(object_class, recipe, expansion);
    if (recipe.choices) continue;
    recipe.only_plan = plan;
    recipe.only_expansion = std::make_unique<Expansion>(expansion);
  }
  sink_ = nullptr;
  for (std::size_t i = 0; i < model_.classes.size() && !archive.failed(); ++i) {
    bool is_used = i < recipes_.size() && recipes_[i].ready;
    archive(is_used);
    if (!is_used) continue;
    archive(free_numbers_[i]);
  }
  archive(free_ports_, free_mailboxes_, free_statistics_, free_populations_, free_links_, mailbox_roots_, elements_);
}

Object& Builder::restore_object(std::uint32_t number, ClassId object_class, const Plan& plan) {
  ClassRecipe& recipe = recipe_of(object_class);
  while (world_.objects.size() <= number) {
    const ObjectRef self{static_cast<std::uint32_t>(world_.objects.size()), 1};
    world_.objects.emplace_back().self = self;
  }
  Object& object = world_.objects[number];
  object.object_class = object_class;
  if (object.slots == nullptr) {
    object.slots = allocate_array<Slot>(recipe.image.size());
    std::fill_n(object.slots, recipe.image.size(), Slot());
  }
  if (object.plan != &plan) attach_plan(object.self, plan);
  return object;
}

std::vector<std::uint8_t> Builder::free_objects() const {
  std::vector<std::uint8_t> result(world_.objects.size(), 0);
  for (const std::vector<std::uint32_t>& numbers : free_numbers_) {
    for (const std::uint32_t number : numbers) result[number] = 1;
  }
  return result;
}

const code::Program* Builder::order_of(model::MailboxId mailbox, ClassId owner) {
  const model::Mailbox& record = model_.mailboxes[mailbox];
  return programs_.expression(record.order, {owner, {record.order_message}, nullptr, "", false, true});
}

bool Builder::restore_programs(Link& link) {
  const Object& scope = world_.object(link.scope);
  for (const PlanConnection& connection : scope.plan->connections) {
    const model::Connection& record = model_.connections[connection.id];
    const bool is_it = record.kind == model::ConnectionKind::Value && record.from == link.expr &&
                       record.span == link.span && connection.to_slot == link.slot &&
                       connection.locals == link.locals &&
                       std::equal(connection.inputs.begin(), connection.inputs.end(), link.inputs.begin(),
                                  link.inputs.end(), [](Slot a, Slot b) { return a.integer == b.integer; });
    if (!is_it) continue;
    link.value = connection.from;
    link.place = connection.follows ? connection.to : nullptr;
    link.find_elements = connection.to_elements;
    return true;
  }
  if (!model_.exprs.contains(link.expr) || !link.target) return false;
  const model::VariableId variable = variable_at(world_, class_of(link.target), link.slot);
  if (!variable) return false;
  const bool as_real = model_.variables[variable].type.kind == model::TypeKind::Real;
  link.value = programs_.expression(link.expr, {class_of(link.scope), link.locals, nullptr, "", true, as_real});
  return true;
}

bool Builder::restore_selections(const std::vector<ObjectRef>& containers, diag::Sink& sink) {
  world_.selections.clear();
  sink_ = &sink;
  bool good = true;
  for (const ObjectRef container : containers) good = good && make_selection(container);
  sink_ = nullptr;
  return good && world_.selections.size() == containers.size();
}

// --- objects --------------------------------------------------------------------------------------

void Keeper::keep_structure() {
  world_.builder->keep(archive_, run_.sink);
  keep_identities();
  keep_start_values();
  archive_(world_.populations, world_.connected, world_.joins);
  if (!archive_.is_writing()) world_.gathering->plugs = {};  // the joins are others
  archive_(world_.joinings, world_.creations, world_.recycled, world_.gatherings, world_.former);
  archive_.expect(world_.former.size() <= world_.objects.size());
  for (const FormerObject& former : world_.former) {
    archive_.expect(!former.part || world_.model.parts.contains(former.part));
  }
  if (archive_.failed()) world_.former.clear();  // names are asked for all the same
  archive_(run_.living, run_.free_joinings, world_.links_are_indexed);
  keep_map(archive_, world_.links_of);
  keep_map(archive_, run_.joinings_of);
}

bool Keeper::is_known(ObjectRef object) const { return !object || object.index < world_.objects.size(); }

/// Who the objects are; what they hold comes later.
void Keeper::keep_identities() {
  std::size_t count = world_.objects.size();
  const std::size_t built = count;
  if (!archive_.size(count)) return;
  archive_.expect(count >= built);
  for (std::uint32_t i = 0; i < count && !archive_.failed(); ++i) {
    Object none;
    Object* object = i < built ? &world_.objects[i] : &none;
    model::ClassId object_class = object->object_class;
    std::uint32_t plan = object->plan != nullptr ? object->plan->number : 0;
    ObjectRef parent = object->parent;
    model::PartId part = object->part;
    std::int32_t place = object->place;
    archive_(object_class, plan, parent, part, place);
    archive_.expect(plan < world_.plans.size() && (!parent || parent.index < count) &&
                    (i >= built || object->object_class == object_class));
    archive_.expect(!archive_.failed() && world_.plans[plan]->object_class == object_class);
    if (archive_.failed()) return;
    if (reads()) {
      object = &world_.builder->restore_object(i, object_class, *world_.plans[plan]);
      object->parent = parent;
      object->part = part;
      object->place = place;
    }
    archive_(object->order, object->host_state, object->population, object->member, object->cluster,
             object->cluster_member, object->start_due);
  }
}

/// Of objects in states: the values with which they begin, and which of these were written.
void Keeper::keep_start_values() {
  std::vector<std::uint32_t> numbers;
  for (const auto& entry : world_.start_values) numbers.push_back(entry.first);
  std::sort(numbers.begin(), numbers.end());
  if (reads()) {
    for (const std::uint32_t number : numbers) release_start_values(number);
    world_.start_values.clear();
  }
  archive_(numbers);
  for (const std::uint32_t number : numbers) {
    archive_.expect(number < world_.objects.size());
    if (archive_.failed()) return;
    const std::vector<code::SlotUse>& uses = world_.layout.classes[world_.objects[number].object_class.index].slots;
    std::vector<Slot>& values = world_.start_values[number];
    archive_(world_.starts->written[number]);
    if (reads()) values.assign(uses.size(), Slot());
    for (std::size_t i = 0; i < uses.size() && !archive_.failed(); ++i) {
      if (uses[i] == code::SlotUse::Box) {
        keep_box(values[i].box);
      } else {
        archive_(values[i].integer);
      }
    }
  }
}

void Keeper::release_start_values(std::uint32_t number) {
  const std::vector<code::SlotUse>& uses = world_.layout.classes[world_.objects[number].object_class.index].slots;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == code::SlotUse::Box) world_.heap.release(world_.start_values[number][i].box);
  }
}

// --- what they have -------------------------------------------------------------------------------

void Keeper::keep_ports() {
  std::size_t count = world_.ports.size();
  if (!archive_.size(count)) return;
  if (reads()) world_.ports.resize(std::max(count, world_.ports.size()));
  for (PortInstance& port : world_.ports) {
    archive_(port.owner, port.number, port.id, port.outside, port.inside, port.reported);
    archive_.expect(is_known(port.owner) && (!port.owner || world_.model.ports.contains(port.id)));
    if (reads()) port.resolved_at = port.direct_at = 0;
  }
}

void Keeper::keep_mailboxes() {
  std::size_t count = world_.mailboxes.size();
  if (!archive_.size(count)) return;
  if (reads()) world_.mailboxes.resize(std::max(count, world_.mailboxes.size()));
  for (MailboxInstance& mailbox : world_.mailboxes) {
    archive_(mailbox.id, mailbox.owner, mailbox.members);
    archive_.expect(is_known(mailbox.owner) && (!mailbox.owner || world_.model.mailboxes.contains(mailbox.id)));
    if (archive_.failed()) return;
    if (reads()) {
      const bool is_used = static_cast<bool>(mailbox.owner);
      mailbox.order =
          is_used ? world_.builder->order_of(mailbox.id, world_.object(mailbox.owner).object_class) : nullptr;
    }
    keep_mailbox(mailbox);
  }
}

void Keeper::keep_statistics() {
  std::size_t count = world_.statistics.size();
  if (!archive_.size(count)) return;
  if (reads()) world_.statistics.resize(std::max(count, world_.statistics.size()));
  for (StatisticInstance& statistic : world_.statistics) {
    archive_(statistic.id, statistic.owner);
    archive_.expect(is_known(statistic.owner) && world_.model.statistics.contains(statistic.id));
    if (archive_.failed()) return;
    if (reads()) {
      statistic.figures = statistics::Tally();
      const bool accumulates = world_.model.statistics[statistic.id].kind == model::StatisticKind::Accumulate;
      if (accumulates) statistic.figures.emplace<statistics::TimeWeighted>();
    }
    std::visit([&](auto& figures) { archive_(figures); }, statistic.figures);
  }
}

void Keeper::keep_links() {
  std::size_t count = world_.links.size();
  if (!archive_.size(count)) return;
  if (reads()) world_.links.resize(std::max(count, world_.links.size()));
  for (Link& link : world_.links) {
    archive_(link.scope, link.inputs, link.target, link.slot, link.boxed, link.state, link.watcher, link.expr,
             link.locals, link.span, link.in_cluster, link.exists, link.can_break, link.suspended, link.is_partial,
             link.elements);
    archive_.expect(is_known(link.scope) && is_known(link.target));
    if (!reads() || archive_.failed() || !link.exists) continue;
    archive_.expect(link.scope && world_.builder->restore_programs(link));
  }
}

void Keeper::keep_selections() {
  std::vector<ObjectRef> containers;
  for (const Selection& selection : world_.selections) containers.push_back(selection.container);
  archive_(containers);
  for (const ObjectRef container : containers) archive_.expect(container && is_known(container));
  if (archive_.failed()) return;
  if (reads()) archive_.expect(world_.builder->restore_selections(containers, run_.sink));
  for (Selection& selection : world_.selections) archive_(selection.order);
}

}  // namespace hyla::engine
