// What of the model a run has reached (engine/coverage.h), as a list of the counts that are not zero: short enough to
// be kept for each of many runs, in journals too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/coverage.h"

namespace hyla::experiment {

/// Places in all lists of a coverage, counted through, with their counts; places increase. Empty: nothing was counted.
using CoverageCounts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

CoverageCounts counts_of(const engine::Coverage& coverage);

/// Adds the counts of a run of the same model. False, and nothing is added: the model has no such places.
bool add_counts(const CoverageCounts& counts, engine::Coverage& coverage);

std::string counts_text(const CoverageCounts& counts);
/// None if it is no such text.
std::optional<CoverageCounts> read_counts(std::string_view text);

}  // namespace hyla::experiment
