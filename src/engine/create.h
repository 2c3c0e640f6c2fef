// Objects that come while the model runs: by `new`, as occupants of dynamic parts, and with the states that declare
// them.
//
// A new object can be read and connected at once. Its charts are entered by an event of the next step, before all
// others; its equations act from the end of the instant.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// `new M(…)`, `part := M(…)`, `part := none`. False: told to the machine or to the sink.
bool create(Run& run, Object& self, const code::Host::Creation& creation, ObjectRef& result);

/// The event by which a new object begins: it and its parts, containers first.
void begin_object(Run& run, ObjectRef object);

/// A state that declares parts is entered: they are made anew, and the ports of the state are joined.
void enter_parts(Run& run, Object& object, Index state);

/// What reading through references and sending need to know of an object and of a port.
void update_head(Run& run, const Object& object);
void update_port_head(Run& run, std::uint32_t port);
/// Gives a link its watcher; its value is taken between the event steps.
void begin_link(Run& run, std::uint32_t link);

/// Adds the parts of an object that exist: declared ones, occupants, members of its populations. With `absent`, also
/// those declared in states that are not active.
void parts_of(const World& world, const Object& object, bool absent, std::vector<ObjectRef>& parts);

/// Something to be told when the present event has run to completion; and the telling.
void tell_later(Run& run, OccurrenceKind kind, ObjectRef object, diag::Span span, std::string text = "");
void tell_announcements(Run& run);

}  // namespace hyla::engine
