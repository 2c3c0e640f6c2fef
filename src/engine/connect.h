// Joining ports and mailboxes of built objects.
//
// A port has two sides. Outside it is joined in the body that holds its owner; inside, in the owner's own body. What
// the owner sends leaves on the outside (and towards parts that are joined inside); what arrives from outside stops at
// an owner who waits for it, and goes on to the parts joined inside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/world.h"

namespace hyla::engine {

/// One end of `connect a -- b`.
struct JoinEnd {
  bool is_mailbox = false;
  bool own = false;  ///< of the object in whose body the connection stands
  std::uint32_t number = 0;
};
JoinEnd join_end(const model::Model& model, model::ExprId expr, std::uint32_t number);

/// Two ports, or a port and a mailbox.
void join_ports(World& world, const JoinEnd& a, const JoinEnd& b);

/// The number, or the array of numbers, that an end of a connection gives: ports, mailboxes, places in an array.
std::vector<std::uint32_t> numbers_at(Slot end, bool is_array);

/// Whether an expression reads objects that can go: through references, dynamic parts or populations.
bool can_break(const model::Model& model, model::ExprId expr);

/// Finds who gets what the owner of the port sends there: PortInstance::receivers, each once, in the order of the
/// connections.
void resolve_receivers(World& world, std::uint32_t port);
/// Who gets a message that is sent straight to the port of another object: as if it came from outside.
void resolve_direct(const World& world, std::uint32_t port, std::vector<Receiver>& receivers);

/// Two mailboxes become one; settle_mailboxes() makes it true. `roots` leads from each mailbox towards the first of its
/// set.
void join_mailboxes(std::vector<std::uint32_t>& roots, std::uint32_t a, std::uint32_t b);
/// Gives the members of sets of joined mailboxes, among those named, the number of their first one.
void settle_mailboxes(World& world, std::vector<std::uint32_t>& roots, std::span<const std::uint32_t> mailboxes,
                      std::span<const std::uint32_t> ports);

bool are_joined(const World& world, const JoinEnd& a, const JoinEnd& b);
/// Takes a join back.
void part_ports(World& world, const JoinEnd& a, const JoinEnd& b);
/// Takes back all joins of a port.
void isolate_port(World& world, std::uint32_t port);
void isolate_mailbox(World& world, std::uint32_t mailbox);

}  // namespace hyla::engine
