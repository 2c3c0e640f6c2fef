#include "service/start_values.h"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"

namespace hyla::service {
namespace {

using engine::StartWish;

constexpr std::string_view kHeading = "hyla start values 1";

std::optional<double> read_number(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string_view word_of(StartWish::Kind kind) {
  switch (kind) {
    case StartWish::Kind::Fix:
      return "fix";
    case StartWish::Kind::Free:
      return "free";
    case StartWish::Kind::Guess:
      return "guess";
  }
  return "";
}

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

class Reader {
 public:
  Reader(const std::string& file, std::string_view text) : file_(file), lines_(base::split_lines(text)) {}

  base::Result<StartValues> read() {
    bool has_heading = false;
    for (std::string_view line : lines_) {
      ++number_;
      line = base::trim(without_comment(line));
      if (line.empty()) continue;
      if (!has_heading) {
        if (line != kHeading) return fail("start values begin with the line " + quoted(kHeading));
        has_heading = true;
      } else if (const auto failure = read_line(line)) {
        return *failure;
      }
    }
    if (!has_heading) return base::Failure{file_ + ": start values begin with the line " + quoted(kHeading)};
    return std::move(values_);
  }

 private:
  base::Failure fail(const std::string& why) const { return {file_ + ':' + std::to_string(number_) + ": " + why}; }

  std::optional<base::Failure> read_line(std::string_view line) {
    const std::size_t blank = line.find_first_of(" \t");
    const std::string_view word = line.substr(0, blank);
    const std::string_view rest = blank == std::string_view::npos ? "" : base::trim(line.substr(blank));
    static constexpr std::string_view kWords[] = {"model", "set", "fix", "free", "guess"};
    if (word == "model") {
      if (rest.empty() || !values_.model.empty()) return fail("one model has one name");
      values_.model = rest;
      return std::nullopt;
    }
    if (word == "set") {
      base::Result<ParameterSetting> setting = parse_setting(rest);
      if (!setting.ok()) return fail(setting.message());
      values_.settings.push_back(std::move(setting).value());
      values_.settings.back().origin = file_ + ':' + std::to_string(number_) + ": ";
      return is_new("set " + values_.settings.back().path);
    }
    for (const StartWish::Kind kind : {StartWish::Kind::Fix, StartWish::Kind::Free, StartWish::Kind::Guess}) {
      if (word == word_of(kind)) return read_wish(kind, rest);
    }
    const auto near = base::nearest(word, {std::begin(kWords), std::end(kWords)});
    return fail("a line begins with `model`, `set`, `fix`, `free` or `guess`, not " + quoted(word) +
                (near ? "; did you mean " + quoted(*near) + "?" : ""));
  }

  std::optional<base::Failure> read_wish(StartWish::Kind kind, std::string_view text) {
    base::Result<StartWish> wish = parse_wish(kind, text);
    if (!wish.ok()) return fail(wish.message());
    if (!wish.value().number) return fail(quoted(wish.value().name) + " has no value");
    values_.wishes.push_back(std::move(wish).value());
    values_.wishes.back().origin = engine::StartOrigin::Loaded;
    return is_new(values_.wishes.back().name);
  }

  std::optional<base::Failure> is_new(const std::string& name) {
    const auto [first, added] = first_lines_.emplace(name, number_);
    if (added) return std::nullopt;
    return fail(quoted(name) + " stands here twice, first in line " + std::to_string(first->second));
  }

  const std::string& file_;
  std::vector<std::string_view> lines_;
  std::size_t number_ = 0;
  StartValues values_;
  std::map<std::string, std::size_t> first_lines_;
};

}  // namespace

base::Result<StartValues> parse_start_values(const std::string& file, std::string_view text) {
  return Reader(file, text).read();
}

base::Result<StartValues> load_start_values(const std::string& file, const FileSystem& files) {
  const base::Result<std::string> text = files.read(file);
  if (!text.ok()) return base::Failure{text.message()};
  return parse_start_values(file, text.value());
}

std::string start_values_text(const StartValues& values) {
  std::string text = std::string(kHeading) + "\nmodel " + values.model + '\n';
  for (const ParameterSetting& setting : values.settings) text += "set " + setting.path + " = " + setting.value + '\n';
  for (const StartWish& wish : values.wishes) {
    text += std::string(word_of(wish.kind)) + ' ' + wish.name;
    if (wish.number) text += " = " + base::format_number(*wish.number);
    text += '\n';
  }
  return text;
}

base::Result<StartWish> parse_wish(StartWish::Kind kind, std::string_view text) {
  StartWish wish;
  wish.kind = kind;
  const std::size_t sign = text.find('=');
  wish.name = base::trim(text.substr(0, sign));
  if (wish.name.empty()) return base::Failure{quoted(text) + " is not of the form NAME=NUMBER"};
  if (sign == std::string_view::npos) return wish;
  const std::string_view number = base::trim(text.substr(sign + 1));
  wish.number = read_number(number);
  if (!wish.number) return base::Failure{quoted(number) + " for " + quoted(wish.name) + " is not a number"};
  return wish;
}

}  // namespace hyla::service
