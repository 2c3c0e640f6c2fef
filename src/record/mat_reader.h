// Trajectories from MAT files of level 4 in the layout of mat_writer.h, as Dymola and OpenModelica write them too: with
// numbers of any kind, of either byte order, stored by columns ("binTrans") or by rows ("binNormal").
#pragma once

#include <string_view>

#include "record/input.h"
#include "record/result_choice.h"

namespace hyla::record {

/// Whether the bytes begin like a MAT file of level 4.
bool looks_like_mat(std::string_view beginning);

base::Result<RunResult> read_mat(const std::string& name, Input& input, const ResultChoice& choice);

}  // namespace hyla::record
