// Which variables of a result file are wanted.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/run_result.h"

namespace hyla::record {

/// The others cost neither memory nor much time.
struct ResultChoice {
  std::vector<std::string> patterns;  ///< as for find_columns; none: all. One that stands for nothing is a failure.
};

struct ChosenColumns {
  std::vector<ResultColumn> columns;  ///< their series are places in `series`
  std::vector<std::size_t> series;    ///< of the file, ascending
};

base::Result<ChosenColumns> choose_columns(const std::vector<ResultColumn>& all, const ResultChoice& choice);

}  // namespace hyla::record
