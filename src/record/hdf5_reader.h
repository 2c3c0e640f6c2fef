// Results from HDF5 files in the layout of hdf5_writer.h, also while the run that writes them goes on.
#pragma once

#include <string_view>

#include "record/input.h"
#include "record/result_choice.h"

namespace hyla::record {

/// Whether the bytes begin like an HDF5 file.
bool looks_like_hdf5(std::string_view beginning);

base::Result<RunResult> read_hdf5(const std::string& name, Input& input, const ResultChoice& choice);

}  // namespace hyla::record
