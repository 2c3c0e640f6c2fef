// Diagnostics as JSON for programs. docs/schemas/diagnostics.schema.json is the contract; a test validates real outputs
// against it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"

namespace hyla::diag {

/// The text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// One diagnostic as a JSON object on one line.
std::string to_json(const Diagnostic& diagnostic, const Sources& sources);

/// The whole document: the diagnostics, their counts, and `failures`, the reasons why something could not be checked at
/// all.
std::string to_json(std::span<const Diagnostic> diagnostics, const Counts& counts,
                    std::span<const std::string> failures, const Sources& sources);

}  // namespace hyla::diag
