// An occurrence as a line for people: `1/2 Case.lamp : Off(exit) :: on button.Press :: Lit(entry)`.
//
// The form is fixed in tests/charts/README.md, whose cases are compared with it.
#pragma once

#include <string>

#include "engine/observer.h"
#include "service/run_names.h"

namespace hyla::service {

/// Replaces `line`, without a line break; it stays empty if the occurrence is not part of a trace.
void trace_line(const model::Model& model, RunNames& names, const engine::Occurrence& occurrence, std::string& line);

}  // namespace hyla::service
