// Objects that go: by `delete`, by an exchange of a dynamic part, with their container, and with the state that
// declares them.
//
// `delete` marks an object. At the end of the event step it ends, with its parts: charts, processes, time-outs,
// conditions, links and connections. References to it are none from then on; messages on their way to it are skipped.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// `delete o`. False: told to the machine.
bool destroy(Run& run, ObjectRef object, bool with_exit);
/// The object goes at the end of the event step.
void doom(Run& run, ObjectRef object, bool with_exit);
/// At the end of an event step: what was marked goes.
void remove_doomed(Run& run);

/// A state is left: the ports joined in it are parted; its parts end.
void leave_parts(Run& run, Object& object, Index state);
/// A state is entered: its mailboxes are emptied. Until then, what was in them can be read by transitions.
void clear_mailboxes(Run& run, const Object& object, Index state);

/// What one declaration of a part holds ends: parts of states at once, occupants and members at the end of the step.
void leave_declared(Run& run, Object& object, const PlanPart& part);

/// The receiver of a message has gone.
void skip_message(Run& run, const Event& event);

}  // namespace hyla::engine
