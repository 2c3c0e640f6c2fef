// The values of literals.
#pragma once

#include <string>
#include <string_view>

namespace hyla::syntax {

/// The value of a string token, quotes included in `token_text`. Escapes that the lexer has refused stay as they are
/// written.
std::string string_value(std::string_view token_text);

/// The value of a number token; the lexer has reported a bad one, which counts as 0.
double number_value(std::string_view token_text);

/// The length of the escape at the start of `text`, which begins with a backslash, or 0 if there is no such escape.
/// `code_point` receives what it stands for: `\xHH` and `\uHHHH` give characters, not bytes.
std::size_t decode_escape(std::string_view text, char32_t& code_point);

}  // namespace hyla::syntax
