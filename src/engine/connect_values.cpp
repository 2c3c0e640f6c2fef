// Connections of the built objects: values here, ports and mailboxes through join().
#include <fmt/core.h>

#include "code/heap.h"
#include "engine/builder.h"
#include "engine/connect.h"

namespace hyla::engine {

void Builder::link(const Override& override, ObjectRef target, bool boxed) {
  Link& link = world_.links.emplace_back();
  link.scope = override.scope;
  link.inputs = override.inputs;
  link.value = override.link;
  link.expr = override.expr;
  link.locals = override.locals;
  link.span = override.span;
  link.target = target;
  link.slot = override.slot;
  link.boxed = boxed;
}

bool Builder::connect_all() {
  for (std::size_t i = 0; i < world_.objects.size(); ++i) {
    const ObjectRef self = world_.objects[i].self;
    for (const PlanConnection& connection : world_.objects[i].plan->connections) {
      if (!connect(self, connection)) return false;
    }
  }
  settle_mailboxes(world_, mailbox_roots_);
  return true;
}

bool Builder::connect(ObjectRef self, const PlanConnection& connection) {
  const model::Connection& record = model_.connections[connection.id];
  if (record.kind == model::ConnectionKind::Value) return connect_value(self, connection);
  if (record.kind == model::ConnectionKind::Plugs) {
    world_.joins.push_back(
        {self, record.span, connection.id, connection.inputs, connection.locals, connection.state, {}, {}});
    return true;
  }
  Slot from, to;
  if (!run(*connection.from, self, connection.inputs, from)) return false;
  if (!run(*connection.to, self, connection.inputs, to)) return false;
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

bool Builder::connect_value(ObjectRef self, const PlanConnection& connection) {
  const model::Connection& record = model_.connections[connection.id];
  ObjectRef target = self;
  if (connection.to != nullptr) {
    Slot value;
    if (!run(*connection.to, self, connection.inputs, value)) return false;
    target = value.object;
  }
  Link& link = world_.links.emplace_back();
  link.scope = self;
  link.inputs = connection.inputs;
  link.value = connection.from;
  link.expr = record.from;
  link.locals = connection.locals;
  link.span = record.span;
  link.target = target;
  link.slot = connection.to_slot;
  link.boxed = code::is_boxed(model_.exprs[record.to].type);
  link.state = connection.state;
  return true;
}

void Builder::join(const PlanConnection& connection, std::uint32_t from, std::uint32_t to) {
  const model::Connection& record = model_.connections[connection.id];
  const JoinEnd first = join_end(model_, record.from, from), second = join_end(model_, record.to, to);
  if (record.kind == model::ConnectionKind::Mailboxes) {
    join_mailboxes(mailbox_roots_, from, to);
  } else {
    join_ports(world_, first, second);
  }
}

}  // namespace hyla::engine
