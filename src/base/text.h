// Small text helpers shared by all libraries.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hyla::base {

/// Number of edits (insert, delete, replace, swap of neighbours) between two words; stops counting above `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// The candidate nearest to `word`, if one is near enough to be a likely misspelling: at most a third of the letters
/// differ. Differences in case alone always count as near. The first of equally near candidates wins.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "`a`", "`a` and `b`", "`a`, `b` and `c`"; beyond `most` names "… and 3 more".
std::string quoted_list(std::span<const std::string_view> names, std::size_t most = 6);

/// "a Real", "an Integer": the word with its indefinite article.
std::string with_article(std::string_view word);

std::vector<std::string_view> split_lines(std::string_view text);
std::string_view trim(std::string_view text);

/// The shortest decimal form that reads back as the same double.
std::string format_number(double value);

/// The byte length of the UTF-8 sequence that starts `text` (1 to 4), or 0 if it is not valid UTF-8; `code_point`
/// receives its value.
std::size_t decode_utf8(std::string_view text, char32_t& code_point);

}  // namespace hyla::base
