// Diagnostics as text for people.
//
//   plant/tank.hyla:14:24: error[unit-mismatch]: `-` joins `m` and `m/s`
//     14 |     der(level) = level - outflow / area
//        |                  ~~~~~ ^ ~~~~~~~~~~~~~~
//        |                  `m`     `m/s`
//     hint: …
//
// `^` marks the place of the diagnostic, `~` the places of its labels, each with its text below. Places on other lines
// and in other files follow in order, with `...` for the lines left out. The form is part of the golden tests: stable,
// without colours unless asked.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "diag/diagnostic.h"

namespace hyla::diag {

struct RenderOptions {
  bool colour = false;
  std::size_t max_columns = 120;  ///< longer source lines are cut around the place
};

/// One diagnostic with its source lines, ending with a line break.
std::string render(const Diagnostic& diagnostic, const Sources& sources, const RenderOptions& options = {});

/// Several diagnostics, with an empty line between them.
std::string render(std::span<const Diagnostic> diagnostics, const Sources& sources, const RenderOptions& options = {});

/// "2 errors, 1 warning", "1000 errors and 17 more"; empty if there is nothing to count.
std::string summary(const Counts& counts);

}  // namespace hyla::diag
