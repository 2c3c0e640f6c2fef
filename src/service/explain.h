// What `hyla explain` prints: the page of one kind of diagnostic, or the list of all kinds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hyla::service {

struct ExplainOptions {
  std::size_t width = 80;
  bool colour = false;
};

/// The page of a kind for a terminal, or why there is none, with the nearest kind.
base::Result<std::string> explain(std::string_view kind_name, const ExplainOptions& options);

/// All kinds with their summaries, one a line.
std::string list_kinds(const ExplainOptions& options);

}  // namespace hyla::service
