// The two atoms of JSON that are not plain: texts and numbers. Whoever writes JSON puts the rest together by hand.
#pragma once

#include <string>
#include <string_view>

namespace hyla::base {

/// Appends the text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// Appends the shortest form that reads back as the same double. JSON has no words for what is not finite: the strings
/// "infinity", "-infinity" and "nan" stand for it.
void append_json_number(std::string& out, double value);

}  // namespace hyla::base
