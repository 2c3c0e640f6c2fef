// Units as text: the symbols, the reader and the writer behind parse_unit() and the arithmetic of units.
//
// A text is read into terms, symbols with powers, and terms are written back as text. So a product of units keeps the
// symbols the modeller chose: `km/h` times `h` is `km`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/type.h"

namespace hyla::model {

/// What a symbol, with or without a prefix, stands for.
struct UnitSymbol {
  double factor = 1.0;
  std::array<std::int8_t, Unit::kBases> powers{};
};

/// The unit of exactly that symbol, or else of a prefix and a symbol that takes prefixes: `min` is the minute, `mm` is
/// `m` and `m`.
std::optional<UnitSymbol> find_unit_symbol(std::string_view symbol);
/// What to write instead of a symbol that is not known; empty if nothing comes to mind.
std::string unit_hint(std::string_view symbol);

/// A symbol to a power.
struct UnitTerm {
  std::string symbol;
  std::int32_t twelfths = 12;
};

std::optional<std::vector<UnitTerm>> parse_unit_terms(std::string_view text, UnitError& error);
/// The unit of the terms, without text; none if a power is too large.
std::optional<Unit> unit_of_terms(const std::vector<UnitTerm>& terms);
/// `kg.m/s2`, `m/(s.K)`, `1/s`, `m^(1/2)`; `1` without terms.
std::string unit_text(const std::vector<UnitTerm>& terms);

}  // namespace hyla::model
