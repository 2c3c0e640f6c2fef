// An entry of an event log in words, for comparisons and explanations.
#pragma once

#include <string>
#include <string_view>

#include "record/event_log.h"

namespace hyla::service {

/// "Off -> Lit (on button.Press, line 8)", "gets box.Job", "the run ends: stop-time"; without time and object.
std::string event_text(const record::LogEntry& entry);

/// What set a reaction off: "on button.Press, line 8", "press: on button.Press", "after, line 42"; empty for none.
std::string trigger_text(const record::LogEntry& entry);

/// "t = 3.25 s".
std::string time_text(double time, std::string_view unit);

}  // namespace hyla::service
