// Patterns for names of variables, as on a command line.
//
// `*` stands for any characters, also dots, so that `plant.*` takes everything below the plant; `?` stands for one
// character. Brackets stand for themselves, so that the name of an element (`T[3]`) is a pattern for it. Blanks in
// names and patterns do not count: `a[1, 2]` and `a[1,2]` are the same.
#pragma once

#include <string_view>

namespace hyla::record {

bool matches(std::string_view pattern, std::string_view name);

/// Whether the pattern stands for the name itself, or for the array, record or object that holds it: `T` takes `T[3]`,
/// `tank` takes `tank.level`.
bool takes(std::string_view pattern, std::string_view name);

/// Whether it can stand for more than one name.
bool is_pattern(std::string_view text);

}  // namespace hyla::record
