// Requirements: what is to hold, always, at last, or until something else holds.
//
// A requirement counts (is open) while its body is active, or from when its trigger comes to hold. It is looked at when
// an instant has settled in which one of its conditions, or a time of it, has come. What came of it is kept in a
// record.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// Records of all requirements that the built objects have.
void prepare_requirements(Run& run);

/// A watch of it has become active.
void begin_requirement(Run& run, Object& object, Index watch);
/// The instant has settled.
void look_at_requirement(Run& run, Object& object, Index requirement);
/// `for` or `within` is over.
void requirement_time_came(Run& run, Object& object, Index requirement, bool is_deadline);

/// The state is about to be left: what is open and not met by the end of the instant is violated.
void leave_requirements(Run& run, Object& object, const std::vector<Index>& requirements);
void conclude_left(Run& run);
/// The object goes: what is open must have been met.
void end_requirements(Run& run, Object& object);
/// The run is over: verdicts.
void conclude_requirements(Run& run);

/// How far the condition of a watch was from changing at some time since it was last looked at.
void note_margin(Run& run, Object& object, Index watch, double time, double margin);
/// Whether the watch is of something that is to come, so that its largest margin counts and not its smallest.
bool is_goal(const Run& run, const Object& object, Index watch);

}  // namespace hyla::engine
