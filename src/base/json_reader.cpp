#include "base/json_reader.h"

#include <charconv>
#include <limits>

namespace hyla::base {
namespace {

void append_utf8(std::string& text, std::uint32_t code_point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  if (code_point < 0x80) {
    text += byte(code_point);
  } else if (code_point < 0x800) {
    text += byte(0xC0 | (code_point >> 6));
    text += byte(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    text += byte(0xE0 | (code_point >> 12));
    text += byte(0x80 | ((code_point >> 6) & 0x3F));
    text += byte(0x80 | (code_point & 0x3F));
  } else {
    text += byte(0xF0 | (code_point >> 18));
    text += byte(0x80 | ((code_point >> 12) & 0x3F));
    text += byte(0x80 | ((code_point >> 6) & 0x3F));
    text += byte(0x80 | (code_point & 0x3F));
  }
}

constexpr std::uint32_t kReplacement = 0xFFFD;
bool is_high(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool JsonReader::fail(std::string_view expected) {
  if (problem_.empty()) problem_ = "expected " + std::string(expected);
  return false;
}

char JsonReader::next() {
  if (failed()) return 0;
  while (place_ < text_.size() && std::string_view(" \t\r\n").find(text_[place_]) != std::string_view::npos) ++place_;
  return place_ < text_.size() ? text_[place_] : '\0';
}

bool JsonReader::at_end() {
  if (failed()) return false;
  next();
  return place_ == text_.size() || fail("nothing more");
}

bool JsonReader::take(char sign, std::string_view expected) {
  if (failed()) return false;
  if (next() != sign) return fail(expected);
  ++place_;
  return true;
}

bool JsonReader::take_comma() {
  if (next() != ',') return false;
  ++place_;
  return true;
}

bool JsonReader::take_word(std::string_view word) {
  if (next() == 0 || !text_.substr(place_).starts_with(word)) return fail("a value");
  place_ += word.size();
  return true;
}

bool JsonReader::read_hex(std::uint32_t& unit) {
  if (text_.size() - place_ < 4) return fail("four hexadecimal digits");
  const char* const begin = text_.data() + place_;
  const auto result = std::from_chars(begin, begin + 4, unit, 16);
  if (result.ptr != begin + 4) return fail("four hexadecimal digits");
  place_ += 4;
  return true;
}

/// Behind the backslash.
bool JsonReader::read_escape(std::string& text) {
  if (place_ == text_.size()) return fail("an escape");
  constexpr std::string_view kSigns = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char sign = text_[place_];
  if (const std::size_t found = kSigns.find(sign); found != std::string_view::npos) {
    text += kMeanings[found];
    ++place_;
    return true;
  }
  if (sign != 'u') return fail("an escape");
  ++place_;
  std::uint32_t unit = 0;
  if (!read_hex(unit)) return false;
  if (is_high(unit) && text_.substr(place_).starts_with("\\u")) {
    place_ += 2;
    std::uint32_t second = 0;
    if (!read_hex(second)) return false;
    if (is_low(second)) {
      append_utf8(text, 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00));
      return true;
    }
    append_utf8(text, kReplacement);
    unit = second;
  }
  append_utf8(text, is_high(unit) || is_low(unit) ? kReplacement : unit);
  return true;
}

bool JsonReader::read_text(std::string& text) {
  text.clear();
  if (!take('"', "a text")) return false;
  while (place_ < text_.size()) {
    std::size_t plain = place_;
    while (plain < text_.size() && text_[plain] != '"' && text_[plain] != '\\') ++plain;
    text += text_.substr(place_, plain - place_);
    place_ = plain;
    if (place_ == text_.size()) break;
    if (text_[place_++] == '"') return true;
    if (!read_escape(text)) return false;
  }
  return fail("`\"`");
}

std::string_view JsonReader::number_text() {
  next();
  std::size_t end = place_;
  while (end < text_.size() &&
         (is_digit(text_[end]) || std::string_view("+-.eE").find(text_[end]) != std::string_view::npos)) {
    ++end;
  }
  return text_.substr(place_, end - place_);
}

bool JsonReader::read_number(double& number) {
  if (failed()) return false;
  if (next_is('"')) {
    const std::size_t begin = place_;
    std::string word;
    if (!read_text(word)) return false;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (word != "infinity" && word != "-infinity" && word != "nan") {
      place_ = begin;
      return fail("a number");
    }
    number = word == "nan" ? std::numeric_limits<double>::quiet_NaN() : word == "infinity" ? kInfinity : -kInfinity;
    return true;
  }
  const std::string_view digits = number_text();
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_sound = result.ptr == digits.data() + digits.size() && result.ec != std::errc::invalid_argument;
  if (digits.empty() || !is_sound) return fail("a number");
  if (result.ec == std::errc::result_out_of_range) return fail("a number that fits into 64 bits");
  place_ += digits.size();
  return true;
}

bool JsonReader::read_count(std::uint64_t& count) {
  if (failed()) return false;
  const std::string_view digits = number_text();
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (digits.empty() || result.ec != std::errc() || result.ptr != digits.data() + digits.size()) {
    return fail("a whole number");
  }
  place_ += digits.size();
  return true;
}

bool JsonReader::read_flag(bool& flag) {
  if (failed()) return false;
  flag = next_is('t');
  return flag ? take_word("true") : next_is('f') ? take_word("false") : fail("`true` or `false`");
}

bool JsonReader::read_raw(std::string_view& raw) {
  next();
  const std::size_t begin = place_;
  if (!skip()) return false;
  raw = text_.substr(begin, place_ - begin);
  return true;
}

bool JsonReader::skip_value(int depth) {
  if (depth > kMostDeep) return fail("fewer objects and arrays inside each other");
  std::string text;
  double number = 0;
  switch (next()) {
    case '{':
      return read_object([&](std::string_view) { return skip_value(depth + 1); });
    case '[':
      return read_array([&] { return skip_value(depth + 1); });
    case '"':
      return read_text(text);
    case 't':
      return take_word("true");
    case 'f':
      return take_word("false");
    case 'n':
      return take_word("null");
    default:
      return read_number(number);
  }
}

}  // namespace hyla::base
