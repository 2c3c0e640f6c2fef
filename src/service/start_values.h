// Files of start values, one for each scenario: which quantities are given, which are free, and where searches begin.
//
//     hyla start values 1
//     model Plant
//     set pump.power = 3        # a parameter, before objects are made
//     fix tank.level = 2        # given
//     free pump.speed = 1.5     # computed; the number is where the search begins
//     guess pipe.flow = 0.1     # computed anyway
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/initial_choices.h"
#include "service/files.h"
#include "service/parameters.h"

namespace hyla::service {

struct StartValues {
  std::string model;
  std::vector<ParameterSetting> settings;
  std::vector<engine::StartWish> wishes;
};

/// Reads such a file. Empty lines and what follows a `#` do not count; anything else that is not of this form is a
/// failure with file and line.
base::Result<StartValues> parse_start_values(const std::string& file, std::string_view text);
base::Result<StartValues> load_start_values(const std::string& file, const FileSystem& files);
std::string start_values_text(const StartValues& values);

/// `NAME`, `NAME=NUMBER`: of an option.
base::Result<engine::StartWish> parse_wish(engine::StartWish::Kind kind, std::string_view text);

}  // namespace hyla::service
