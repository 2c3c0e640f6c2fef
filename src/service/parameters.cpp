#include "service/parameters.h"

#include <map>

#include "base/text.h"

namespace hyla::service {
std::string_view without_comment(std::string_view line) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && is_quoted) {
      ++i;
    } else if (line[i] == '"') {
      is_quoted = !is_quoted;
    } else if (line[i] == '#' && !is_quoted) {
      return line.substr(0, i);
    }
  }
  return line;
}

base::Result<ParameterSetting> parse_setting(std::string_view text) {
  const std::size_t sign = text.find('=');
  const std::string_view path = base::trim(text.substr(0, sign));
  if (sign == std::string_view::npos || path.empty()) {
    return base::Failure{"`" + std::string(text) + "` is not of the form PATH=VALUE"};
  }
  const std::string_view value = base::trim(text.substr(sign + 1));
  if (value.empty()) return base::Failure{"`" + std::string(path) + "` has no value"};
  return ParameterSetting{std::string(path), std::string(value), ""};
}

base::Result<std::vector<ParameterSetting>> parse_parameters(const std::string& file, std::string_view text) {
  std::vector<ParameterSetting> settings;
  std::map<std::string, std::size_t> first_lines;
  std::size_t number = 0;
  for (const std::string_view whole : base::split_lines(text)) {
    ++number;
    const std::string_view line = base::trim(without_comment(whole));
    if (line.empty()) continue;
    const std::string origin = file + ':' + std::to_string(number) + ": ";
    base::Result<ParameterSetting> setting = parse_setting(line);
    if (!setting.ok()) return base::Failure{origin + setting.message()};
    settings.push_back(std::move(setting).value());
    settings.back().origin = origin;
    const auto [first, is_new] = first_lines.emplace(settings.back().path, number);
    if (!is_new) {
      return base::Failure{origin + "`" + settings.back().path + "` is set twice, first in line " +
                           std::to_string(first->second)};
    }
  }
  return settings;
}

}  // namespace hyla::service
