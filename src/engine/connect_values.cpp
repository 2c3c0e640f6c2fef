// Connections of the built objects: values here, ports and mailboxes through join().
#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "code/heap.h"
#include "engine/builder.h"
#include "engine/connect.h"

namespace hyla::engine {

bool can_break(const model::Model& model, model::ExprId expr) {
  if (!expr) return false;
  const model::Expr& record = model.exprs[expr];
  if (record.op == model::Op::Entity && record.type.kind == model::TypeKind::Object) {
    const bool part = record.entity == model::EntityKind::Part;
    if (!part || model.parts[model::PartId(record.ref)].kind != model::PartKind::Object) return true;
  }
  if (record.type.kind == model::TypeKind::Population) return true;
  const auto operands = model.operands_of(record);
  return std::any_of(operands.begin(), operands.end(),
                     [&](model::ExprId operand) { return can_break(model, operand); });
}

std::vector<std::uint32_t> numbers_at(Slot end, bool is_array) {
  if (!is_array) return {static_cast<std::uint32_t>(end.integer)};
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; end.box != nullptr && i < end.box->size; ++i) {
    numbers.push_back(static_cast<std::uint32_t>(end.box->slots()[i].integer));
  }
  return numbers;
}

void Builder::link(const Override& override, ObjectRef target, bool boxed) {
  Link& link = world_.links[take_link()];
  link.scope = override.scope;
  link.inputs = override.inputs;
  link.value = override.link;
  link.expr = override.expr;
  link.locals = override.locals;
  link.span = override.span;
  link.can_break = can_break(model_, override.expr);
  link.target = target;
  link.slot = override.slot;
  link.boxed = boxed;
}

bool Builder::connect_all() {
  for (std::size_t i = 0; i < world_.objects.size(); ++i) {
    const ObjectRef self = world_.objects[i].self;
    for (const PlanConnection& connection : world_.objects[i].plan->connections) {
      if (is_made_at_once(connection) && !connect(self, connection)) return false;
    }
  }
  std::vector<std::uint32_t> mailboxes(world_.mailboxes.size()), ports(world_.ports.size());
  std::iota(mailboxes.begin(), mailboxes.end(), 0);
  std::iota(ports.begin(), ports.end(), 0);
  settle_mailboxes(world_, mailbox_roots_, mailboxes, ports);
  return true;
}

bool Builder::connect(ObjectRef self, const PlanConnection& connection) {
  const model::Connection& record = model_.connections[connection.id];
  if (record.kind == model::ConnectionKind::Value) return connect_value(self, connection);
  if (record.kind == model::ConnectionKind::Plugs) {
    world_.joins.push_back({self, record.span, connection.id, connection.inputs, connection.locals, connection.state});
    return true;
  }
  Slot from, to;
  bool open = false;
  if (!run_end(*connection.from, self, connection, from, open)) return open;
  if (!run_end(*connection.to, self, connection, to, open)) return open;
  const auto number = [](Slot slot) { return static_cast<std::uint32_t>(slot.integer); };
  if (model_.exprs[record.from].type.rank == 0) {
    join(connection, number(from), number(to));
    return true;
  }
  const bool fits = from.box->size == to.box->size;
  for (std::uint32_t i = 0; fits && i < from.box->size; ++i) {
    join(connection, number(from.box->slots()[i]), number(to.box->slots()[i]));
  }
  const std::uint32_t sizes[2] = {from.box->size, to.box->size};
  world_.heap.release(from.box);
  world_.heap.release(to.box);
  return fits || fail(self, record.span, fmt::format("{} on one side, {} on the other", sizes[0], sizes[1]));
}

bool Builder::run_end(const code::Program& program, ObjectRef self, const PlanConnection& connection, Slot& result,
                      bool& open) {
  if (!connection.follows || !programs_.unsupported().empty()) return run(program, self, connection.inputs, result);
  const code::Status status = machine_.run(program, self, world_.object(self).slots, connection.inputs, &result);
  if (status == code::Status::Finished) return true;
  open = machine_.failure().none;
  return !open && fail(self, machine_.failure().span, machine_.failure().message, machine_.failure().hint);
}

bool Builder::connect_ports(ObjectRef self, const PlanConnection& connection, diag::Sink& sink) {
  sink_ = &sink;
  made_.clear();
  const bool good = connect(self, connection);
  sink_ = nullptr;
  return good;
}

void Builder::disconnect_ports(ObjectRef self, const PlanConnection& connection, diag::Sink& sink) {
  parting_ = true;
  connect_ports(self, connection, sink);
  parting_ = false;
}

ObjectRef Builder::find_place(const Link& link) {
  Slot value;
  const code::Status status =
      machine_.run(*link.place, link.scope, world_.object(link.scope).slots, link.inputs, &value);
  return status == code::Status::Finished ? value.object : ObjectRef{};
}

std::uint32_t Builder::take_link() {
  std::uint32_t number = 0;
  if (free_links_.empty()) {
    number = static_cast<std::uint32_t>(world_.links.size());
    world_.links.emplace_back();
  } else {
    number = free_links_.back();
    free_links_.pop_back();
    world_.links[number] = {};
  }
  if (running_) made_.links.push_back(number);
  return number;
}

std::uint32_t Builder::add_link(const Link& link) {
  const std::uint32_t number = take_link();
  world_.links[number] = link;
  return number;
}

void Builder::release_link(std::uint32_t number) {
  world_.links[number].exists = false;
  free_links_.push_back(number);
}

const code::Program* Builder::linked_value(model::ExprId from, model::ExprId to, model::ClassId scope) {
  const bool as_real = model_.exprs[to].type.kind == model::TypeKind::Real;
  return programs_.expression(from, {scope, code::captured_locals(model_, from), nullptr, "", true, as_real});
}

bool Builder::connect_value(ObjectRef self, const PlanConnection& connection) {
  const model::Connection& record = model_.connections[connection.id];
  ObjectRef target = self;
  bool open = false;
  if (connection.to != nullptr) {
    Slot value;
    if (!run_end(*connection.to, self, connection, value, open) && !open) return false;
    target = open ? ObjectRef{} : value.object;
  }
  Link& link = world_.links[take_link()];
  if (connection.follows) link.place = connection.to;
  link.scope = self;
  link.inputs = connection.inputs;
  link.value = connection.from;
  link.expr = record.from;
  link.locals = connection.locals;
  link.span = record.span;
  link.can_break = can_break(model_, record.from);
  link.target = target;
  link.slot = connection.to_slot;
  link.boxed = code::is_boxed(model_.exprs[record.to].type);
  link.state = connection.state;
  link.is_partial = connection.to_elements != nullptr;
  link.find_elements = connection.to_elements;
  code::Failure failure;
  if (!programs_.unsupported().empty() || find_elements(link, failure)) return true;
  return fail(self, failure.span, failure.message, failure.hint);
}

bool Builder::find_elements(Link& link, code::Failure& failure) {
  link.elements.clear();
  if (link.find_elements == nullptr || !link.target) return true;
  Slot found;
  Slot* slots = world_.object(link.scope).slots;
  if (machine_.run(*link.find_elements, link.scope, slots, link.inputs, &found) != code::Status::Finished) {
    failure = machine_.failure();
    return false;
  }
  link.elements = numbers_at(found, link.find_elements->boxed_result);
  if (link.find_elements->boxed_result) world_.heap.release(found.box);
  return true;
}

void Builder::join(const PlanConnection& connection, std::uint32_t from, std::uint32_t to) {
  const model::Connection& record = model_.connections[connection.id];
  if (record.kind == model::ConnectionKind::Mailboxes) {
    join_mailboxes(mailbox_roots_, from, to);
    return;
  }
  const JoinEnd first = join_end(model_, record.from, from), second = join_end(model_, record.to, to);
  if (parting_) {
    part_ports(world_, first, second);
  } else if (!connection.follows || !are_joined(world_, first, second)) {
    join_ports(world_, first, second);
  }
  if (!running_) return;
  for (const JoinEnd& end : {first, second}) {
    if (!end.is_mailbox) made_.ports.push_back(end.number);
  }
}

}  // namespace hyla::engine
