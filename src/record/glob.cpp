#include "record/glob.h"

#include <string>

namespace hyla::record {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

}  // namespace

// Greedy from left to right: where a character does not fit, the last star takes one more. At most pattern times name
// comparisons.
bool matches(std::string_view pattern, std::string_view name) {
  std::string_view after_star, held;  // where to go on if the last star takes one more character
  bool has_star = false;
  for (;;) {
    pattern = without_blanks(pattern);
    name = without_blanks(name);
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      after_star = pattern;
      held = name;
      has_star = true;
    } else if (!pattern.empty() && !name.empty() && (pattern.front() == '?' || pattern.front() == name.front())) {
      pattern.remove_prefix(1);
      name.remove_prefix(1);
    } else if (pattern.empty() && name.empty()) {
      return true;
    } else if (has_star && !held.empty()) {
      held.remove_prefix(1);
      name = held;
      pattern = after_star;
    } else {
      return false;
    }
  }
}

bool takes(std::string_view pattern, std::string_view name) {
  const std::string text(pattern);
  return matches(text, name) || matches(text + ".*", name) || matches(text + "[*", name);
}

bool is_pattern(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

}  // namespace hyla::record
