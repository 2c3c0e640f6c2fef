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
    port.resolved = false;
  };
  add(a, b);
  add(b, a);
}

void resolve_receivers(World& world, std::uint32_t port) {
  std::vector<Receiver> receivers;
  Route(world, receivers).send_from(port);
  world.ports[port].receivers = std::move(receivers);
  world.ports[port].resolved = true;
}

void resolve_direct(const World& world, std::uint32_t port, std::vector<Receiver>& receivers) {
  Route(world, receivers).arrive_outside(port);
}

}  // namespace hyla::engine
