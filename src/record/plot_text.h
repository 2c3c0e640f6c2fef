// What the parts of a picture share: colours, and texts as gnuplot reads them.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace hyla::record {

// Okabe and Ito's colours (2008), which people with any colour vision can tell apart; without the yellow, which is
// hard to see on white.
inline constexpr std::array<std::string_view, 7> kColours = {"#0072B2", "#D55E00", "#009E73", "#E69F00",
                                                             "#CC79A7", "#56B4E9", "#000000"};

/// Single quotes: gnuplot understands nothing inside.
inline std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + "'";
}

inline std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

}  // namespace hyla::record
