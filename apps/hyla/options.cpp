#include "options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace hyla::app {
namespace {

constexpr std::size_t kNarrowestColumn = 16;

/// The parser says `--dump: …` of an option without its value, and `werror …` of a flag with one.
std::string wrong_values(std::string_view complaint) {
  const std::size_t colon = complaint.find(':');
  if (colon != std::string_view::npos) return in_quotes(complaint.substr(0, colon)) + " needs a value";
  return in_quotes("--" + std::string(complaint.substr(0, complaint.find(' ')))) + " takes no value";
}

/// Reads all of the word.
template <class Number>
bool read_all(const std::string& word, Number& number) {
  const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
  return result.ec == std::errc() && result.ptr == word.data() + word.size();
}

}  // namespace

std::string in_quotes(std::string_view text) { return '`' + std::string(text) + '`'; }

std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto near = base::nearest(word, candidates);
  return near ? "; did you mean " + in_quotes(*near) + "?" : "";
}

Options::Options(std::string_view usage, std::string_view summary)
    : app_(std::make_unique<CLI::App>()),
      verb_(usage.substr(0, usage.find(' '))),
      heading_("usage: hyla " + std::string(usage) + "\n\n" + std::string(summary) + "\n\n") {
  app_->allow_extras();  // unknown options are reported with the nearest known one
  app_->set_help_flag("-h,--help", "");
  descriptions_.emplace_back("--help", "print this text");
}

Options::~Options() = default;

void Options::files(std::vector<std::string>& values) { app_->add_option("FILE", values); }

void Options::argument(const std::string& name, std::string& value) { app_->add_option(name, value); }

void Options::flag(const std::string& name, bool& value, std::string_view text) {
  app_->add_flag(name, value)->disable_flag_override();
  descriptions_.emplace_back(name, text);
}

void Options::word(const std::string& name, std::string& value, std::string_view type, std::string_view text) {
  app_->add_option(name, value)->take_last();
  descriptions_.emplace_back(type.empty() ? name : name + ' ' + std::string(type), text);
}

void Options::words(const std::string& name, std::vector<std::string>& values, std::string_view type,
                    std::string_view text) {
  app_->add_option(name, values)->allow_extra_args(false);
  descriptions_.emplace_back(name + ' ' + std::string(type), text);
}

void Options::pair(const std::string& name, std::vector<std::string>& values, std::string_view types,
                   std::string_view text) {
  app_->add_option(name, values)->type_size(2)->allow_extra_args(false);
  descriptions_.emplace_back(name + ' ' + std::string(types), text);
}

bool Options::parse(const std::vector<std::string>* words) {
  if (words == nullptr) {
    answer = help();
    return false;
  }
  try {
    read(*words);
  } catch (const CLI::CallForHelp&) {
    answer = help();
    return false;
  } catch (const CLI::ArgumentMismatch& error) {
    failure = base::Failure{wrong_values(error.what())};
  } catch (const CLI::ParseError& error) {
    failure = base::Failure{std::string(error.what())};
  }
  return !failure;
}

void Options::read(const std::vector<std::string>& words) {
  app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the last first, as the parser wants them
  for (const std::string& extra : app_->remaining()) {
    if (extra == "--") continue;
    failure = unexpected(extra);
    return;
  }
}

std::string Options::help() const {
  std::size_t column = kNarrowestColumn;
  for (const auto& [name, text] : descriptions_) column = std::max(column, name.size() + 2);
  std::string all = heading_;
  for (const auto& [name, text] : descriptions_)
    all += "  " + name + std::string(column - name.size(), ' ') + text + '\n';
  return all;
}

base::Failure Options::unexpected(const std::string& word) const {
  if (!word.starts_with('-')) return {"unexpected argument " + in_quotes(word)};
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string name = word.substr(0, word.find('='));
  const std::string near = suggestion(name, {names.begin(), names.end()});
  return {"unknown option " + in_quotes(name) + (near.empty() ? "; `hyla help " + verb_ + "` lists all" : near)};
}

std::optional<base::Failure> read_number(std::string_view option, const std::string& word,
                                         std::optional<double>& value) {
  if (word.empty()) return std::nullopt;
  double number = 0;
  if (!read_all(word, number) || !std::isfinite(number) || number < 0) {
    return base::Failure{std::string(option) + " takes a number that is not negative, not " + in_quotes(word)};
  }
  value = number;
  return std::nullopt;
}

std::optional<base::Failure> read_time(std::string_view option, const std::string& word, std::optional<double>& value) {
  if (word.empty()) return std::nullopt;
  double number = 0;
  if (!read_all(word, number) || !std::isfinite(number)) {
    return base::Failure{std::string(option) + " takes a number, not " + in_quotes(word)};
  }
  value = number;
  return std::nullopt;
}

std::optional<base::Failure> read_count(std::string_view option, const std::string& word, std::uint64_t least,
                                        std::uint64_t most, std::optional<std::uint64_t>& value) {
  if (word.empty()) return std::nullopt;
  std::uint64_t number = 0;
  if (!read_all(word, number) || number < least || number > most) {
    return base::Failure{std::string(option) + " takes a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most) + ", not " + in_quotes(word)};
  }
  value = number;
  return std::nullopt;
}

base::Result<Command> Options::outcome() const {
  if (failure) return *failure;
  return print_command(answer);
}

std::optional<base::Failure> read_settings(const std::vector<std::string>& texts,
                                           std::vector<service::ParameterSetting>& settings) {
  for (const std::string& text : texts) {
    base::Result<service::ParameterSetting> setting = service::parse_setting(text);
    if (!setting.ok()) return base::Failure{"--set: " + setting.message()};
    settings.push_back(std::move(setting).value());
  }
  return std::nullopt;
}

}  // namespace hyla::app
