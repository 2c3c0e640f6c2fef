// A plot as text for a terminal: the same panels, strips and histograms as in a picture.
#pragma once

#include <cstddef>
#include <string>

#include "record/plot.h"

namespace hyla::record {

struct TerminalStyle {
  std::size_t width = 80;  ///< columns
  bool colours = true;     ///< else letters tell curves apart
};

std::string terminal_text(const Plot& plot, const TerminalStyle& style);

}  // namespace hyla::record
