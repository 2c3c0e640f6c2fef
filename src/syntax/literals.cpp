#include "syntax/literals.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace hyla::syntax {
namespace {

void append_utf8(std::string& text, char32_t code_point) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | (code_point >> 6));
    byte(0x80 | (code_point & 0x3F));
  } else {
    byte(0xE0 | (code_point >> 12));
    byte(0x80 | ((code_point >> 6) & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  }
}

std::size_t decode_hex_escape(std::string_view text, std::size_t digits, char32_t& code_point) {
  const std::size_t length = 2 + digits;
  if (text.size() < length) return 0;
  std::uint32_t value = 0;
  const char* const end = text.data() + length;
  if (const auto result = std::from_chars(text.data() + 2, end, value, 16); result.ptr != end) return 0;
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  code_point = value;
  return surrogate ? 0 : length;
}

}  // namespace

std::size_t decode_escape(std::string_view text, char32_t& code_point) {
  if (text.size() < 2) return 0;
  const auto simple = [&](char32_t meaning) {
    code_point = meaning;
    return std::size_t{2};
  };
  switch (text[1]) {
    case 'n':
      return simple('\n');
    case 't':
      return simple('\t');
    case 'r':
      return simple('\r');
    case '0':
      return simple('\0');
    case '\\':
      return simple('\\');
    case '"':
      return simple('"');
    case 'x':
      return decode_hex_escape(text, 2, code_point);
    case 'u':
      return decode_hex_escape(text, 4, code_point);
    default:
      return 0;
  }
}

std::string string_value(std::string_view token_text) {
  if (token_text.empty()) return {};
  const char quote = token_text.front();
  token_text.remove_prefix(1);
  std::string value;
  value.reserve(token_text.size());
  while (!token_text.empty() && token_text.front() != quote) {
    char32_t code_point = 0;
    const std::size_t escape = token_text.front() == '\\' ? decode_escape(token_text, code_point) : 0;
    if (escape > 0) {
      append_utf8(value, code_point);
    } else {
      value += token_text.front();
    }
    token_text.remove_prefix(escape > 0 ? escape : 1);
  }
  return value;
}

double number_value(std::string_view token_text) {
  double value = 0;
  const char* const end = token_text.data() + token_text.size();
  const auto result = std::from_chars(token_text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end ? value : 0;
}

}  // namespace hyla::syntax
