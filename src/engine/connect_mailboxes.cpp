#include <algorithm>

#include "engine/connect.h"

namespace hyla::engine {
namespace {

std::uint32_t root_of(std::vector<std::uint32_t>& roots, std::uint32_t mailbox) {
  while (roots[mailbox] != mailbox) {
    roots[mailbox] = roots[roots[mailbox]];
    mailbox = roots[mailbox];
  }
  return mailbox;
}

/// Replaces the number of a joined mailbox in a slot, or in the array that the slot holds.
void renumber(World& world, ObjectRef object, std::uint32_t slot, std::vector<std::uint32_t>& roots) {
  const auto settle = [&](Slot& value) { value.integer = root_of(roots, static_cast<std::uint32_t>(value.integer)); };
  Slot& value = world.object(object).slots[slot];
  const code::ClassLayout& layout = world.layout.classes[world.object(object).plan->object_class.index];
  if (layout.slots[slot] == code::SlotUse::Plain) {
    settle(value);
    return;
  }
  for (std::uint32_t i = 0; i < value.box->size; ++i) settle(value.box->slots()[i]);
}

}  // namespace

void join_mailboxes(std::vector<std::uint32_t>& roots, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t first = root_of(roots, a), second = root_of(roots, b);
  roots[std::max(first, second)] = std::min(first, second);
}

void settle_mailboxes(World& world, std::vector<std::uint32_t>& roots, std::span<const std::uint32_t> mailboxes,
                      std::span<const std::uint32_t> ports) {
  bool any = false;
  for (const std::uint32_t i : mailboxes) {
    const std::uint32_t root = root_of(roots, i);
    if (root == i) continue;
    any = true;
    MailboxInstance& joined = world.mailboxes[i];
    for (const auto& [object, slot] : joined.members) {
      renumber(world, object, slot, roots);
      world.mailboxes[root].members.emplace_back(object, slot);
    }
    std::vector<std::uint32_t>& joined_ports = world.mailboxes[root].ports;
    joined_ports.insert(joined_ports.end(), joined.ports.begin(), joined.ports.end());
    joined.ports.clear();
    joined.members.clear();
    joined.owner = {};
  }
  if (!any) return;
  for (const std::uint32_t number : ports) {
    PortInstance& port = world.ports[number];
    for (std::vector<Receiver>* joins : {&port.outside, &port.inside}) {
      for (Receiver& other : *joins) {
        if (other.is_mailbox) other.index = root_of(roots, other.index);
      }
    }
  }
}

}  // namespace hyla::engine
