// The options of one verb: declared once, for parsing and for help. Only options.cpp knows the parser.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "command.h"
#include "console.h"
#include "service/parameters.h"

namespace CLI {
class App;
}

namespace hyla::app {

std::string in_quotes(std::string_view text);
/// "; did you mean `check`?", or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates);

class Options {
 public:
  Options(std::string_view usage, std::string_view summary);
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options();

  void flag(const std::string& name, bool& value, std::string_view text);
  void word(const std::string& name, std::string& value, std::string_view type, std::string_view text);
  void words(const std::string& name, std::vector<std::string>& values, std::string_view type, std::string_view text);
  /// An option with two values; those of all its uses, one after the other.
  void pair(const std::string& name, std::vector<std::string>& values, std::string_view types, std::string_view text);
  void files(std::vector<std::string>& values);
  /// An argument without a text of its own: the usage names it.
  void argument(const std::string& name, std::string& value);

  /// Reads the words. False: `answer` holds a help text, also if there are no words to read, or `failure` the reason.
  bool parse(const std::vector<std::string>* words);
  /// What parsing has ended with early: a command that prints the help text, or the failure.
  base::Result<Command> outcome() const;
  std::string answer;
  std::optional<base::Failure> failure;

 private:
  std::string help() const;
  void read(const std::vector<std::string>& words);
  base::Failure unexpected(const std::string& word) const;

  std::unique_ptr<CLI::App> app_;
  std::string verb_;
  std::string heading_;
  std::vector<std::pair<std::string, std::string>> descriptions_;
};

inline constexpr std::array<std::pair<std::string_view, Colour>, 3> kColours = {
    {{"auto", Colour::Auto}, {"always", Colour::Always}, {"never", Colour::Never}}};

/// Turns the word given for an option into its value.
template <class Value, std::size_t count>
std::optional<base::Failure> choose(std::string_view option, const std::string& word,
                                    const std::array<std::pair<std::string_view, Value>, count>& choices,
                                    Value& value) {
  std::vector<std::string_view> words;
  for (const auto& [name, meaning] : choices) {
    words.push_back(name);
    if (name == word) {
      value = meaning;
      return std::nullopt;
    }
  }
  return base::Failure{std::string(option) + " takes one of " + base::quoted_list(words) + ", not " + in_quotes(word) +
                       suggestion(word, words)};
}

/// A finite number that is not negative. An empty word leaves the value alone.
std::optional<base::Failure> read_number(std::string_view option, const std::string& word,
                                         std::optional<double>& value);
/// A finite number; times may be negative. An empty word leaves the value alone.
std::optional<base::Failure> read_time(std::string_view option, const std::string& word, std::optional<double>& value);
/// A whole number within bounds. An empty word leaves the value alone.
std::optional<base::Failure> read_count(std::string_view option, const std::string& word, std::uint64_t least,
                                        std::uint64_t most, std::optional<std::uint64_t>& value);
/// The values of `--set PATH=VALUE`.
std::optional<base::Failure> read_settings(const std::vector<std::string>& texts,
                                           std::vector<service::ParameterSetting>& settings);

}  // namespace hyla::app
