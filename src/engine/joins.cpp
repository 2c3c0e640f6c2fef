#include "engine/joins.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "code/heap.h"
#include "engine/builder.h"
#include "engine/charts.h"
#include "engine/collect.h"
#include "engine/connect.h"
#include "engine/create.h"
#include "engine/join_ends.h"
#include "engine/link_index.h"
#include "engine/regather.h"
#include "engine/watch.h"
#include "model/dump_text.h"

namespace hyla::engine {
namespace {

using model::ConnectionKind;

// --- found by their objects -----------------------------------------------------------------------

void forget(std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>& index, std::uint32_t object,
            std::uint32_t number) {
  // A list that has become empty stays: most connections come again.
  if (const auto found = index.find(object); found != index.end()) std::erase(found->second, number);
}

void drop_link(Run& run, std::uint32_t number) {
  Link& link = run.world.links[number];
  if (!link.exists) return;
  forget_link(run.world, number, link.scope);
  forget_link(run.world, number, link.target);
  if (link.watcher != kNone) free_watcher(run, link.watcher);
  if (run.world.is_alive(link.target)) mark_structure(run, link.target);
  run.world.builder->release_link(number);
}

std::uint32_t take_joining(Run& run) {
  if (run.free_joinings.empty()) {
    run.world.connected.emplace_back();
    return static_cast<std::uint32_t>(run.world.connected.size() - 1);
  }
  const std::uint32_t number = run.free_joinings.back();
  run.free_joinings.pop_back();
  return number;
}

/// Joins the ports of a connection, or parts them.
template <class Change>
void change_ports(Run& run, const Joining& joining, Change&& change) {
  const model::Connection& connection = run.world.model.connections[joining.connection];
  for (const auto& [from, to] : joining.pairs) {
    const JoinEnd ends[2] = {join_end(run.world.model, connection.from, from),
                             join_end(run.world.model, connection.to, to)};
    change(run.world, ends[0], ends[1]);
    for (const JoinEnd& end : ends) {
      if (!end.is_mailbox) update_port_head(run, end.number);
    }
  }
}

void drop(Run& run, std::uint32_t number) {
  Joining& joining = run.world.connected[number];
  if (!joining.exists) return;
  const model::Connection& connection = run.world.model.connections[joining.connection];
  for (const ObjectRef object : {joining.from, joining.to, joining.scope}) {
    forget(run.joinings_of, object.index, number);
  }
  if (connection.kind == ConnectionKind::Value) {
    drop_link(run, joining.link);
  } else if (connection.kind == ConnectionKind::Messages) {
    change_ports(run, joining, part_ports);
  } else {
    run.world.gathering->plugs.changed_made.push_back(number);
    for (const ObjectRef object : {joining.from, joining.to}) {
      if (run.world.is_alive(object)) mark_structure(run, object);
    }
  }
  joining.exists = false;
  ++joining.generation;
  run.free_joinings.push_back(number);
}

// --- values ---------------------------------------------------------------------------------------

/// What feeds the input, or one of the elements that a link is to feed, already.
const Link* source_of(const Run& run, const Link& asked) {
  const auto found = run.world.links_of.find(asked.target.index);
  if (found == run.world.links_of.end()) return nullptr;
  for (const std::uint32_t number : found->second) {
    const Link& link = run.world.links[number];
    const bool meets = asked.is_partial
                           ? std::any_of(asked.elements.begin(), asked.elements.end(),
                                         [&](std::uint32_t one) { return link.feeds(asked.target, asked.slot, one); })
                           : link.target == asked.target && link.slot == asked.slot;
    if (!meets || !run.world.is_alive(link.scope)) continue;
    if (link.state == kNone || is_active(run.world.object(link.scope), link.state)) return &link;
  }
  return nullptr;
}

bool connect_value(Run& run, const Object& self, std::span<const Slot> captured, Joining& joining) {
  const model::Model& model = run.world.model;
  const model::Connection& connection = model.connections[joining.connection];
  const model::Expr& input = member_of(model, connection.to);
  index_links(run.world);
  Link link;
  link.target = joining.to;
  link.slot = run.world.layout.variables[input.ref];
  link.is_partial = model.exprs[connection.to].op == model::Op::Index;
  for (const auto& pair : joining.pairs) link.elements.push_back(pair.second);
  if (const Link* source = source_of(run, link)) {
    run.machine.fail(fmt::format("`{}` of `{}` has a source already: `{}`", fed_text(run, joining),
                                 run.world.path(joining.to), model::expression_text(model, source->expr, {})),
                     "an input has one source; disconnect the other one first");
    return false;
  }
  link.scope = self.self;
  link.inputs.assign(captured.begin(), captured.end());
  link.value = run.world.builder->linked_value(connection.from, connection.to, self.object_class);
  link.boxed = code::is_boxed(model.exprs[connection.to].type);
  link.expr = connection.from;
  link.locals = code::captured_locals(model, connection.from);
  link.span = connection.span;
  link.can_break = can_break(model, connection.from);
  joining.link = run.world.builder->add_link(link);
  index_link(run.world, joining.link);
  begin_link(run, joining.link);
  mark_structure(run, link.target);
  return true;
}

}  // namespace

void renew_links(Run& run, ObjectRef object) {
  index_links(run.world);
  const auto found = run.world.links_of.find(object.index);
  if (found == run.world.links_of.end()) return;
  for (const std::uint32_t number : found->second) {
    Watcher& watcher = run.world.watchers[run.world.links[number].watcher];
    if (std::exchange(watcher.dirty, true)) continue;
    run.dirty_links.push_back({{}, number, run.cause});
    run.dirty = true;
  }
}

bool connect(Run& run, Object& self, const code::Host::Joining& request, std::int64_t& handle) {
  const model::Connection& connection = run.world.model.connections[request.connection];
  Joining made;
  if (!find_ends(run, self, request, made)) return false;
  const bool by_object = connection.kind != ConnectionKind::Messages;
  if (by_object && (!run.world.is_alive(made.from) || !run.world.is_alive(made.to))) {
    run.machine.fail(fmt::format("`{}` cannot be connected: one end is none", text_of(run, made)),
                     "the object may have gone; ask for `!= none` first");
    return false;
  }
  if (connection.kind == ConnectionKind::Value) {
    if (!connect_value(run, self, request.values, made)) return false;
    if (run.object(made.from).cluster != kNone) mark_structure(run, made.from);
  }
  if (connection.kind == ConnectionKind::Messages) change_ports(run, made, join_ports);
  const std::uint32_t number = take_joining(run);
  Joining& joining = run.world.connected[number];
  made.exists = true;
  made.generation = joining.generation;
  joining = std::move(made);
  if (connection.kind == ConnectionKind::Plugs) run.world.gathering->plugs.changed_made.push_back(number);
  for (const ObjectRef object : {joining.from, joining.to, self.self}) {
    std::vector<std::uint32_t>& list = run.joinings_of[object.index];
    if (std::find(list.begin(), list.end(), number) == list.end()) list.push_back(number);
    if (connection.kind == ConnectionKind::Plugs) mark_structure(run, object);
  }
  handle = static_cast<std::int64_t>(std::uint64_t{joining.generation} << 32 | number);
  if (run.tells) tell_later(run, OccurrenceKind::Connect, self.self, connection.span, text_of(run, joining));
  return true;
}

bool disconnect(Run& run, std::int64_t handle) {
  const auto number = static_cast<std::uint32_t>(handle);
  const auto generation = static_cast<std::uint32_t>(static_cast<std::uint64_t>(handle) >> 32);
  const std::vector<Joining>& all = run.world.connected;
  if (handle == 0 || number >= all.size() || !all[number].exists || all[number].generation != generation) {
    run.machine.fail("this connection does not exist: it was taken back, or an object in which it ends has gone");
    return false;
  }
  const model::Connection& connection = run.world.model.connections[all[number].connection];
  if (run.tells) {
    tell_later(run, OccurrenceKind::Disconnect, all[number].scope, connection.span, text_of(run, all[number]));
  }
  drop(run, number);
  return true;
}

bool disconnect(Run& run, const Object& self, const code::Host::Joining& request) {
  Joining asked;
  if (!find_ends(run, self, request, asked)) return false;
  if (const auto found = run.joinings_of.find(self.self.index); found != run.joinings_of.end()) {
    for (std::size_t i = found->second.size(); i-- > 0;) {
      const std::uint32_t number = found->second[i];
      const Joining& joining = run.world.connected[number];
      if (joining.scope != self.self || !is_same(run, joining, asked)) continue;
      return disconnect(run, static_cast<std::int64_t>(std::uint64_t{joining.generation} << 32 | number));
    }
  }
  run.machine.fail(fmt::format("there is no connection `{}` to take back", text_of(run, asked)),
                   "`disconnect` takes back what `connect` in an action of this object has made");
  return false;
}

bool join_declared(Run& run, Object& self, const PlanConnection& connection) {
  if (run.world.model.connections[connection.id].kind == ConnectionKind::Plugs) {
    mark_structure(run, self.self);
    return true;
  }
  if (!run.world.builder->connect_ports(self.self, connection, run.sink)) {
    run.over = true;
    run.outcome.ending = Ending::Failed;
    return false;
  }
  for (const std::uint32_t port : run.world.builder->made().ports) update_port_head(run, port);
  return true;
}

void part_declared(Run& run, Object& self, const PlanConnection& connection) {
  if (run.world.model.connections[connection.id].kind == ConnectionKind::Plugs) {
    mark_structure(run, self.self);
    return;
  }
  run.world.builder->disconnect_ports(self.self, connection, run.sink);
  for (const std::uint32_t port : run.world.builder->made().ports) update_port_head(run, port);
}

void follow_place(Run& run, const Object& self) {
  index_links(run.world);
  for (ObjectRef at = self.self; at; at = run.object(at).parent) {
    Object& scope = run.object(at);
    for (const PlanConnection& connection : scope.plan->connections) {
      const bool value = run.world.model.connections[connection.id].kind == ConnectionKind::Value;
      if (!connection.follows || value) continue;
      if (connection.state == kNone || is_active(scope, connection.state)) join_declared(run, scope, connection);
    }
    const auto found = run.world.links_of.find(at.index);
    if (found == run.world.links_of.end()) continue;
    const std::vector<std::uint32_t> numbers = found->second;
    for (const std::uint32_t number : numbers) {
      Link& link = run.world.links[number];
      if (link.place == nullptr || link.scope != at) continue;
      const ObjectRef target = run.world.builder->find_place(link);
      if (target == link.target) continue;
      forget_link(run.world, number, link.target);
      forget_link(run.world, number, link.scope);
      link.target = target;
      code::Failure failure;
      if (!run.world.builder->find_elements(link, failure)) {
        return fail(run, diag::Kind::RunFailed, scope, failure.span, failure.message, failure.hint);
      }
      free_watcher(run, link.watcher);
      index_link(run.world, number);
      begin_link(run, number);
      if (target) mark_structure(run, target);
    }
  }
}

void drop_joinings(Run& run, ObjectRef object) {
  const auto found = run.joinings_of.find(object.index);
  if (found == run.joinings_of.end()) return;
  const std::vector<std::uint32_t> numbers = found->second;
  for (const std::uint32_t number : numbers) {
    const Joining& joining = run.world.connected[number];
    const bool feeds = joining.link != kNone && joining.from == object && joining.to != object;
    if (feeds && run.world.is_alive(joining.to) && !run.object(joining.to).doomed) {
      warn_of_kept_value(run, run.world.links[joining.link]);
    }
    drop(run, number);
  }
}

void detach_links(Run& run, const Object& object) {
  if (!run.joinings_of.empty()) drop_joinings(run, object.self);
  if (run.world.links.empty()) return;
  index_links(run.world);
  const auto found = run.world.links_of.find(object.self.index);
  if (found == run.world.links_of.end()) return;
  const std::vector<std::uint32_t> numbers = found->second;
  for (const std::uint32_t number : numbers) {
    Link& link = run.world.links[number];
    if (link.place != nullptr && link.target == object.self && link.scope != object.self) {
      // It refers to the place, which may get another occupant.
      forget_link(run.world, number, link.target);
      link.target = {};
    } else {
      drop_link(run, number);
    }
  }
}

}  // namespace hyla::engine
