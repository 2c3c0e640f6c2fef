// From the bytes of a result file to its content. The format is told by the first bytes, not by the name.
#pragma once

#include <string>

#include "base/result.h"
#include "record/input.h"
#include "record/result_choice.h"
#include "record/run_result.h"

namespace hyla::record {

/// `name` begins failures and notes. Files of runs that were killed can be read, with a note; what makes no sense is a
/// failure that says where.
base::Result<RunResult> read_result(const std::string& name, Input& input, const ResultChoice& choice = {});

}  // namespace hyla::record
