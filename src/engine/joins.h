// Connections that come and go: made by actions, with states, and those that follow the occupants of dynamic parts.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// `connect a -> b` as an action. False: told to the machine.
bool connect(Run& run, Object& self, const code::Host::Joining& joining, std::int64_t& handle);
bool disconnect(Run& run, std::int64_t handle);
bool disconnect(Run& run, const Object& self, const code::Host::Joining& joining);

/// A connection of ports that stands in a state: the state is entered, or left.
bool join_declared(Run& run, Object& self, const PlanConnection& connection);
void part_declared(Run& run, Object& self, const PlanConnection& connection);

/// A dynamic part of the object has another occupant: connections that lead through it lead to that one now.
void follow_place(Run& run, const Object& self);

/// Connections made by actions that end in the object are taken back.
void drop_joinings(Run& run, ObjectRef object);
/// The object goes: so do its links and the connections that actions have made to it.
void detach_links(Run& run, const Object& object);
/// Links of the object may have become active: their values are taken between the event steps.
void renew_links(Run& run, ObjectRef object);

}  // namespace hyla::engine
