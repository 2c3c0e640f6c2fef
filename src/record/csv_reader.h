// Trajectories from comma-separated values: those of csv_writer.h, and those of others that have a line of names, the
// time in the first column and numbers in the rest.
//
// The file is read in pieces, and only the cells of chosen columns are converted.
#pragma once

#include "record/read_result.h"

namespace hyla::record {

base::Result<RunResult> read_csv(const std::string& name, Input& input, const ResultChoice& choice);

}  // namespace hyla::record
