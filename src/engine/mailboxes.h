// Mailboxes: messages that wait until they are taken.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// Puts a message in its place; takes a reference of its own. False: the run has failed (Machine::fail was told).
bool put(Run& run, std::uint32_t mailbox, Box* message);
/// Takes the message at a place out; its reference goes to the caller.
Box* take(Run& run, std::uint32_t mailbox, std::int64_t place);

/// Throws away what is in it.
void clear_mailbox(Run& run, std::uint32_t mailbox);

/// A message sent through a port arrives in a mailbox; its reference goes to the run.
void deliver_into(Run& run, std::uint32_t mailbox, Box* message, ObjectRef sender, Sequence cause);
/// Whether somebody is to be told of an arrival: an `on box` in a class that knows the mailbox, or a waiting process.
bool has_listeners(const Run& run, std::uint32_t mailbox);
/// Something has been put into the mailbox: `on box` reactions, then the processes that wait there, longest first.
void announce(Run& run, std::uint32_t mailbox, Box* message, Sequence cause);

}  // namespace hyla::engine
