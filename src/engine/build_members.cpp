// Members of an object: ports, mailboxes, statistics, parts, and what it exports of its parts.
#include <utility>

#include <fmt/core.h>

#include "engine/builder.h"
#include "model/entry_values.h"

namespace hyla::engine {

using model::ClassId;

namespace {

/// A number that has become free, or a new one.
template <class T>
std::uint32_t take(std::vector<std::uint32_t>& free, std::vector<T>& all) {
  if (free.empty()) {
    all.emplace_back();
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  const std::uint32_t number = free.back();
  free.pop_back();
  all[number] = T();
  return number;
}

}  // namespace

bool Builder::make_all_members(ObjectRef self, const Expansion& expansion, const std::vector<Given>& given) {
  if (!make_members(self, expansion.root, given) || !set_references(self, expansion.root, given)) return false;
  // What states declare is made with the object, and exists while they are active.
  const Plan& plan = *world_.object(self).plan;
  const bool was_absent = std::exchange(absent_, true);
  bool good = true;
  for (Index state = 0; good && state < plan.states.size(); ++state) {
    const model::BodyId body = plan.states[state].id ? model_.states[plan.states[state].id].body : model::BodyId{};
    if (!body) continue;
    const ExpandedBody& expanded = expansion.states.at(body.index);
    good = make_state_members(self, expanded, given, state) && make_exports(self, expanded);
  }
  absent_ = was_absent;
  return good && make_exports(self, expansion.root);
}

/// Statistics of states are made with those of the model.
bool Builder::make_state_members(ObjectRef self, const ExpandedBody& body, const std::vector<Given>& given,
                                 Index state) {
  const model::Body& record = model_.bodies[body.body];
  if (!make_mailboxes(self, record)) return false;
  for (const model::PartId part : record.parts) {
    if (!make_part(self, part, body, given)) return false;
    if (model_.parts[part].kind != model::PartKind::Object || !model_.parts[part].object_class) continue;
    const Slot slot = world_.object(self).slots[world_.layout.parts[part.index]];
    const bool is_array = static_cast<bool>(model_.parts[part].shape);
    for (std::uint32_t i = 0; i < (is_array ? slot.box->size : 1); ++i) {
      world_.object(is_array ? slot.box->slots()[i].object : slot.object).host_state = state;
    }
  }
  for (const ExpandedBody& inner : body.inner) {
    if (!make_state_members(self, inner, given, state)) return false;
  }
  return true;
}

bool Builder::make_members(ObjectRef self, const ExpandedBody& body, const std::vector<Given>& given) {
  const model::Body& record = model_.bodies[body.body];
  if (!make_ports(self, record) || !make_mailboxes(self, record)) return false;
  make_statistics(self, record);
  for (const model::PartId part : record.parts) {
    if (!make_part(self, part, body, given)) return false;
  }
  for (const ExpandedBody& inner : body.inner) {
    if (!make_members(self, inner, given)) return false;
  }
  return true;
}

bool Builder::make_part(ObjectRef self, model::PartId part, const ExpandedBody& body, const std::vector<Given>& given) {
  const model::Part& record = model_.parts[part];
  if (record.kind == model::PartKind::Population) {
    world_.object(self).slots[world_.layout.parts[part.index]].integer = add_population(self, part);
    return true;
  }
  std::vector<std::int64_t> dimensions;
  if (record.shape && !evaluate_shape(self, record.shape, body, dimensions)) return false;
  if (record.external) return make_external(self, part, body, dimensions);
  if (depth_ == kDeepest) return fail(self, record.span, fmt::format("objects are nested deeper than {}", kDeepest));
  ++depth_;
  const bool made = make_elements(self, part, body, given, dimensions);
  --depth_;
  return made;
}

/// External objects, which take their arguments at once.
bool Builder::make_external(ObjectRef self, model::PartId part, const ExpandedBody& body,
                            std::span<const std::int64_t> dimensions) {
  const model::Part& record = model_.parts[part];
  const model::ExternalObject& external = model_.external_objects[record.external];
  const std::uint32_t slot = world_.layout.parts[part.index];
  Box* box = record.shape ? world_.heap.new_array(dimensions, false) : nullptr;
  if (box != nullptr) world_.object(self).slots[slot].box = box;
  TextUnit unit{class_of(self), body.indices, nullptr, "", false, false};
  Inputs inputs = body.inputs;
  if (record.family_index) {
    unit.inputs.push_back(record.family_index);
    inputs.emplace_back();
  }
  for (std::int64_t i = 0; i < product(dimensions); ++i) {
    if (record.family_index) inputs.back().integer = i + 1;
    std::vector<Slot> arguments;
    std::vector<Box*> boxes;
    bool good = true;
    for (std::size_t k = 0; good && k < external.parameters.size(); ++k) {
      const bool given = k < record.external_arguments.size() && record.external_arguments[k];
      const model::Type type = model_.locals[external.parameters[k]].type;
      unit.as_real = type.kind == model::TypeKind::Real;
      const code::Program* value =
          programs_.expression(given ? record.external_arguments[k] : external.defaults[k], unit);
      good = run(*value, self, inputs, arguments.emplace_back());
      if (good && code::is_boxed(type)) boxes.push_back(arguments.back().box);
    }
    std::string why_not;
    const std::int64_t number =
        good ? world_.functions.external.make(record.external, world_.heap, arguments, why_not) : 0;
    for (Box* one : boxes) world_.heap.release(one);
    if (number == 0 && good) {
      fail(self, record.span,
           fmt::format("the external object `{}` cannot be made: {}", model_.name(record.name), why_not));
    }
    if (number == 0) return false;
    (box != nullptr ? box->slots()[i] : world_.object(self).slots[slot]).integer = number;
  }
  return true;
}

bool Builder::make_elements(ObjectRef self, model::PartId part, const ExpandedBody& body,
                            const std::vector<Given>& given, std::span<const std::int64_t> dimensions) {
  const model::Part& record = model_.parts[part];
  const std::uint32_t slot = world_.layout.parts[part.index];
  const ClassId owner = class_of(self);
  const std::int64_t count = product(dimensions);
  if (!has_room(self, record.span, count, world_.objects.size(), "objects")) return false;
  Box* box = record.shape ? world_.heap.new_array(dimensions, false) : nullptr;
  if (box != nullptr) world_.object(self).slots[slot].box = box;
  TextUnit unit{owner, body.indices, nullptr, "", false, false};
  Inputs inputs = body.inputs;
  if (record.family_index) {
    unit.inputs.push_back(record.family_index);
    inputs.emplace_back();
  }
  // A dynamic part in a state gets its occupant when the state is entered.
  const bool dynamic = record.kind == model::PartKind::Dynamic;
  if (dynamic && (!record.occupant || absent_)) return true;
  const model::Occupant given_by =
      dynamic ? *record.occupant : model::Occupant{record.object_class, record.arguments, {}};
  std::vector<model::Argument> known_now = given_by.arguments;
  std::erase_if(known_now, [&](const model::Argument& one) { return model::is_given_at_entry(model_, record, one); });
  std::deque<Override> arguments;
  bool good = true;
  for (std::int64_t i = 0; good && i < count; ++i) {
    if (record.family_index) {
      inputs.back().integer = i + 1;
      release(arguments);
    }
    if (arguments.empty()) good = evaluate_arguments(self, known_now, unit, inputs, arguments);
    std::vector<Given> inner;
    for (Override& argument : arguments) inner.push_back({&argument, 0});
    for (const Given& outer : given) {
      if (outer.is_here() || outer.override->path[outer.step].slot != slot) continue;
      if (matches(outer.override->path[outer.step].indices, dimensions, i)) {
        inner.push_back({outer.override, outer.step + 1});
      }
    }
    ObjectRef made;
    const std::int32_t place = record.shape ? static_cast<std::int32_t>(i) : -1;
    good = good && make_object(given_by.object_class, self, part, place, inner, made);
    (box != nullptr ? box->slots()[i] : world_.object(self).slots[slot]).object = made;
  }
  release(arguments);
  return good;
}

bool Builder::make_ports(ObjectRef self, const model::Body& body) {
  for (const model::PortId id : body.ports) {
    const model::Port& record = model_.ports[id];
    if (record.relayed) continue;
    const std::uint32_t number = world_.layout.port_numbers[id.index];
    const auto add = [&] {
      const std::uint32_t index = take(free_ports_, world_.ports);
      PortInstance& port = world_.ports[index];
      port.owner = self;
      port.number = number;
      port.id = id;
      if (running_) made_.ports.push_back(index);
      return std::int64_t{index};
    };
    Slot& slot = world_.object(self).slots[world_.layout.ports[id.index]];
    if (!record.shape) {
      slot.integer = add();
      continue;
    }
    std::vector<std::int64_t> dimensions;
    if (!evaluate_shape(self, record.shape, {}, dimensions)) return false;
    if (!has_room(self, record.span, product(dimensions), world_.ports.size(), "ports")) return false;
    slot.box = world_.heap.new_array(dimensions, false);
    for (std::uint32_t i = 0; i < slot.box->size; ++i) slot.box->slots()[i].integer = add();
  }
  return true;
}

bool Builder::make_mailboxes(ObjectRef self, const model::Body& body) {
  for (const model::MailboxId id : body.mailboxes) {
    const model::Mailbox& record = model_.mailboxes[id];
    if (record.relayed) continue;
    const std::uint32_t place = world_.layout.mailboxes[id.index];
    const TextUnit unit{class_of(self), {record.order_message}, nullptr, "", false, true};
    const code::Program* order = programs_.expression(record.order, unit);
    const auto add = [&] {
      const std::uint32_t index = take(free_mailboxes_, world_.mailboxes);
      MailboxInstance& mailbox = world_.mailboxes[index];
      mailbox.id = id;
      mailbox.owner = self;
      mailbox.members.emplace_back(self, place);
      mailbox.order = order;
      mailbox_roots_.resize(world_.mailboxes.size());
      mailbox_roots_[index] = index;
      if (running_) made_.mailboxes.push_back(index);
      return std::int64_t{index};
    };
    Slot& slot = world_.object(self).slots[place];
    if (!record.shape) {
      slot.integer = add();
      continue;
    }
    std::vector<std::int64_t> dimensions;
    if (!evaluate_shape(self, record.shape, {}, dimensions)) return false;
    if (!has_room(self, record.span, product(dimensions), world_.mailboxes.size(), "mailboxes")) return false;
    slot.box = world_.heap.new_array(dimensions, false);
    for (std::uint32_t i = 0; i < slot.box->size; ++i) slot.box->slots()[i].integer = add();
  }
  return true;
}

void Builder::make_statistics(ObjectRef self, const model::Body& body) {
  for (const model::StatisticId id : body.statistics) {
    const std::uint32_t index = take(free_statistics_, world_.statistics);
    StatisticInstance& statistic = world_.statistics[index];
    statistic.id = id;
    statistic.owner = self;
    if (model_.statistics[id].kind == model::StatisticKind::Accumulate) {
      statistic.figures.emplace<statistics::TimeWeighted>();
    }
    world_.object(self).slots[world_.layout.statistics[id.index]].integer = index;
  }
}

/// `port a = b.c` and `mailbox a = b.c`: the same number, once the parts are there.
bool Builder::make_exports(ObjectRef self, const ExpandedBody& body) {
  const model::Body& record = model_.bodies[body.body];
  const TextUnit unit{class_of(self), body.indices, nullptr, "", false, false};
  for (const model::PortId id : record.ports) {
    if (!model_.ports[id].relayed) continue;
    Slot value;
    if (!run(*programs_.expression(model_.ports[id].relayed, unit), self, body.inputs, value)) return false;
    world_.object(self).slots[world_.layout.ports[id.index]] = value;
  }
  for (const model::MailboxId id : record.mailboxes) {
    if (!model_.mailboxes[id].relayed) continue;
    Slot value;
    if (!run(*programs_.expression(model_.mailboxes[id].relayed, unit), self, body.inputs, value)) return false;
    const std::uint32_t slot = world_.layout.mailboxes[id.index];
    world_.object(self).slots[slot] = value;
    const bool is_array = world_.layout.classes[class_of(self).index].slots[slot] == code::SlotUse::Box;
    for (std::uint32_t i = 0; i < (is_array ? value.box->size : 1); ++i) {
      const Slot number = is_array ? value.box->slots()[i] : value;
      world_.mailboxes[static_cast<std::size_t>(number.integer)].members.emplace_back(self, slot);
    }
  }
  for (const ExpandedBody& inner : body.inner) {
    if (!make_exports(self, inner)) return false;
  }
  return true;
}

/// `select` of all objects. Parts are made after their containers, so going backwards meets them first.
bool Builder::make_selections() {
  for (std::size_t i = world_.objects.size(); i-- > 0;) {
    if (!make_selection(world_.objects[i].self)) return false;
  }
  return true;
}

bool Builder::make_selection(ObjectRef self) {
  const std::optional<model::SelectOrder>& record = model_.bodies[model_.classes[class_of(self)].body].select;
  if (!record) return true;
  Selection selection;
  selection.container = self;
  selection.span = record->span;
  for (const model::ExprId part : record->order) {
    Slot value;
    if (!run(*programs_.expression(part, {class_of(self), {}, nullptr, "", false, false}), self, {}, value)) {
      return false;
    }
    if (model_.exprs[part].type.rank == 0) {
      selection.order.push_back(value.object);
      continue;
    }
    for (std::uint32_t k = 0; k < value.box->size; ++k) selection.order.push_back(value.box->slots()[k].object);
    world_.heap.release(value.box);
  }
  if (record->function) {
    const TextUnit unit{class_of(self), {record->imminent}, nullptr, "select", false, false};
    selection.function = programs_.block(record->function, unit);
  }
  world_.selections.push_back(std::move(selection));
  return true;
}

}  // namespace hyla::engine
