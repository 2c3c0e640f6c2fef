// Values for parameters from outside: `--set servers[2].mean=0.5`, and files of such lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hyla::service {

/// `servers[2].mean`, "0.5". What they mean is for the model to say.
struct ParameterSetting {
  std::string path;
  std::string value;
  std::string origin;  ///< `plant.txt:3: ` for one from a file; begins messages about it
};

/// A line of such a file up to a `#` outside a text in quotes.
std::string_view without_comment(std::string_view line);

/// Reads `PATH=VALUE`; blanks around both do not count.
base::Result<ParameterSetting> parse_setting(std::string_view text);

/// Reads lines `PATH = VALUE`. Empty lines and what follows a `#` outside a text in quotes do not count. A line without
/// `=` or a path that is set twice is a failure with file and line.
base::Result<std::vector<ParameterSetting>> parse_parameters(const std::string& file, std::string_view text);

}  // namespace hyla::service
