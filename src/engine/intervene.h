// Looking at a world and changing it while its run is held: run_loop.h.
#pragma once

#include <string>

#include "engine/context.h"

namespace hyla::engine {

/// Brings the slots of an object up to the present time.
void bring_up_to_date(Run& run, ObjectRef object);

/// Why a value cannot be given from outside now; empty: it can.
std::string why_not_assigned(Run& run, const RecordedPlace& place);

/// Gives a place a value, as an action of its object would. The run is to be disturbed before.
void assign(Run& run, const RecordedPlace& place, Slot value);

}  // namespace hyla::engine
