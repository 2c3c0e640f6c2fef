#include <algorithm>
#include <unordered_set>

#include "engine/connect.h"

namespace hyla::engine {
namespace {

/// Follows joins from port to port.
class Route {
 public:
  Route(const World& world, std::vector<Receiver>& receivers) : world_(world), receivers_(receivers) {}

  void send_from(std::uint32_t port) {
    const PortInstance& sender = world_.ports[port];
    visit(port, true);
    for (const Receiver& other : sender.outside) arrive(other);
    for (const Receiver& other : sender.inside) {
      if (!other.is_mailbox) arrive(other);
    }
  }

  /// A message reaches a port from the body that holds its owner.
  void arrive_outside(std::uint32_t port) {
    const PortInstance& target = world_.ports[port];
    if (!visit(port, false) || world_.model.ports[target.id].receives.empty()) return;
    if (waits(target) || target.inside.empty()) add({false, false, port});
    for (const Receiver& other : target.inside) arrive(other);
  }

 private:
  void arrive(const Receiver& other) {
    if (other.is_mailbox) {
      add({true, false, other.index});
    } else if (other.from_inside) {
      arrive_inside(other.index);
    } else {
      arrive_outside(other.index);
    }
  }

  /// A message of a part reaches a port of the container: the container itself may wait there, or it is handed on.
  void arrive_inside(std::uint32_t port) {
    const PortInstance& target = world_.ports[port];
    if (!visit(port, true)) return;
    const model::Port& record = world_.model.ports[target.id];
    if (!record.receives.empty() && (waits(target) || record.sends.empty())) add({false, false, port});
    if (record.sends.empty()) return;
    for (const Receiver& other : target.outside) arrive(other);
  }

  bool waits(const PortInstance& port) const { return world_.object(port.owner).plan->waits_at_port[port.number]; }
  bool visit(std::uint32_t port, bool inside) {
    return visited_.insert((std::uint64_t{port} << 1) | (inside ? 1 : 0)).second;
  }
  void add(Receiver receiver) {
    if (added_.insert((std::uint64_t{receiver.index} << 1) | (receiver.is_mailbox ? 1 : 0)).second) {
      receivers_.push_back(receiver);
    }
  }

  const World& world_;
  std::vector<Receiver>& receivers_;
  std::unordered_set<std::uint64_t> visited_, added_;
};

}  // namespace

JoinEnd join_end(const model::Model& model, model::ExprId expr, std::uint32_t number) {
  const model::Expr* root = &model.exprs[expr];
  while (root->op == model::Op::Index) root = &model.exprs[model.operand(*root, 0)];
  JoinEnd end;
  end.is_mailbox = root->entity == model::EntityKind::Mailbox;
  end.number = number;
  // An exported port is that of the part.
  const bool exported = root->entity == model::EntityKind::Port && model.ports[model::PortId(root->ref)].relayed;
  end.own = root->operand_count == 0 && !exported;
  return end;
}

void join_ports(World& world, const JoinEnd& a, const JoinEnd& b) {
  const auto add = [&](const JoinEnd& end, const JoinEnd& other) {
    if (end.is_mailbox) return;
    PortInstance& port = world.ports[end.number];
    std::vector<Receiver>& joins = end.own ? port.inside : port.outside;
    joins.push_back({other.is_mailbox, !other.is_mailbox && other.own, other.number});
    if (other.is_mailbox) world.mailboxes[other.number].ports.push_back(end.number);
  };
  add(a, b);
  add(b, a);
  ++world.joinings;
}

namespace {

bool leads_to(const Receiver& receiver, const JoinEnd& end) {
  return receiver.index == end.number && receiver.is_mailbox == end.is_mailbox &&
         receiver.from_inside == (!end.is_mailbox && end.own);
}

}  // namespace

bool are_joined(const World& world, const JoinEnd& a, const JoinEnd& b) {
  if (a.is_mailbox) return are_joined(world, b, a);
  const std::vector<Receiver>& joins = a.own ? world.ports[a.number].inside : world.ports[a.number].outside;
  return std::any_of(joins.begin(), joins.end(), [&](const Receiver& receiver) { return leads_to(receiver, b); });
}

void part_ports(World& world, const JoinEnd& a, const JoinEnd& b) {
  const auto remove = [&](const JoinEnd& end, const JoinEnd& other) {
    if (end.is_mailbox) return;
    PortInstance& port = world.ports[end.number];
    std::vector<Receiver>& joins = end.own ? port.inside : port.outside;
    const auto found =
        std::find_if(joins.begin(), joins.end(), [&](const Receiver& receiver) { return leads_to(receiver, other); });
    if (found == joins.end()) return;
    joins.erase(found);
    if (!other.is_mailbox) return;
    std::vector<std::uint32_t>& ports = world.mailboxes[other.number].ports;
    if (const auto one = std::find(ports.begin(), ports.end(), end.number); one != ports.end()) ports.erase(one);
  };
  remove(a, b);
  remove(b, a);
  ++world.joinings;
}

void isolate_port(World& world, std::uint32_t number) {
  PortInstance& port = world.ports[number];
  for (const bool inside : {false, true}) {
    std::vector<Receiver>& joins = inside ? port.inside : port.outside;
    for (const Receiver& other : joins) {
      if (other.is_mailbox) std::erase(world.mailboxes[other.index].ports, number);
      if (other.is_mailbox || other.index == number) continue;
      std::vector<Receiver>& back =
          other.from_inside ? world.ports[other.index].inside : world.ports[other.index].outside;
      const auto gone = [&](const Receiver& one) { return !one.is_mailbox && one.index == number; };
      back.erase(std::remove_if(back.begin(), back.end(), gone), back.end());
    }
    if (!joins.empty()) ++world.joinings;
    joins.clear();
  }
}

void isolate_mailbox(World& world, std::uint32_t number) {
  for (const std::uint32_t port : world.mailboxes[number].ports) {
    const auto gone = [&](const Receiver& one) { return one.is_mailbox && one.index == number; };
    std::erase_if(world.ports[port].outside, gone);
    std::erase_if(world.ports[port].inside, gone);
  }
  if (!world.mailboxes[number].ports.empty()) ++world.joinings;
  world.mailboxes[number].ports.clear();
}

void resolve_receivers(World& world, std::uint32_t port) {
  std::vector<Receiver> receivers;
  Route(world, receivers).send_from(port);
  world.ports[port].receivers = std::move(receivers);
  world.ports[port].resolved_at = world.joinings;
}

void resolve_direct(const World& world, std::uint32_t port, std::vector<Receiver>& receivers) {
  Route(world, receivers).arrive_outside(port);
}

}  // namespace hyla::engine
