// The arithmetic of units. Powers and factors are computed; the text is composed from the symbols of both operands.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "model/unit_text.h"

namespace hyla::model {
namespace {

constexpr double kFactorTolerance = 1e-10;  ///< relative; factors carry the rounding of a few multiplications
constexpr double kLargestFactor = 1e300;
constexpr std::int32_t kMostTwelfths = 12 * 1000;
constexpr std::size_t kMostShownTerms = 8;
constexpr std::array<std::string_view, Unit::kBases> kBaseSymbols = {"m", "kg", "s", "A", "K", "mol", "cd"};
constexpr std::array<Unit::Base, Unit::kBases> kShownOrder = {Unit::Kilogram, Unit::Metre, Unit::Second, Unit::Ampere,
                                                              Unit::Kelvin,   Unit::Mole,  Unit::Candela};

using Terms = std::vector<UnitTerm>;

/// Products in a model may pile up without end; what is beyond these bounds stays at the bound.
std::int16_t bounded(std::int32_t twelfths) {
  return static_cast<std::int16_t>(std::clamp(twelfths, -kMostTwelfths, kMostTwelfths));
}
double bounded(double factor) { return std::clamp(factor, 1.0 / kLargestFactor, kLargestFactor); }

/// The terms of the unit's own text, if the text says what the unit is.
std::optional<Terms> terms_of(const Unit& unit) {
  if (unit.text.empty()) return unit.is_one() ? std::optional<Terms>(Terms{}) : std::nullopt;
  UnitError error;
  std::optional<Terms> terms = parse_unit_terms(unit.text, error);
  if (!terms) return std::nullopt;
  const std::optional<Unit> meant = unit_of_terms(*terms);
  if (!meant || !meant->same_unit(unit)) return std::nullopt;
  return terms;
}

/// Joins `terms` by `more` to the power `sign`; equal symbols become one term, terms to the power 0 go.
void join(Terms& terms, const Terms& more, int sign) {
  for (const UnitTerm& term : more) {
    const auto same =
        std::find_if(terms.begin(), terms.end(), [&](const UnitTerm& t) { return t.symbol == term.symbol; });
    if (same == terms.end()) {
      terms.push_back({term.symbol, sign * term.twelfths});
    } else {
      same->twelfths += sign * term.twelfths;
    }
  }
  std::erase_if(terms, [](const UnitTerm& term) { return term.twelfths == 0; });
}

/// `1000 kg.m/s2`: the unit in base units, with its factor if that is not 1.
std::string text_in_base_units(const Unit& unit) {
  Terms terms;
  for (const Unit::Base base : kShownOrder) {
    if (unit.twelfths[base] != 0) terms.push_back({std::string(kBaseSymbols[base]), unit.twelfths[base]});
  }
  const std::string text = unit_text(terms);
  Unit coherent = unit;
  coherent.factor = 1.0;
  return coherent.same_unit(unit) ? text : base::format_number(unit.factor) + " " + text;
}

/// Gives `result` = a · b^sign its text. Angles count as 1 and vanish beside other units: `m` times `rad/s` is `m/s`.
void compose_text(Unit& result, const Unit& a, const Unit& b, int sign) {
  std::optional<Terms> terms = terms_of(a);
  const std::optional<Terms> more = terms_of(b);
  if (terms && more) {
    Terms joined;
    join(joined, *terms, 1);
    join(joined, *more, sign);
    const auto is_angle = [](const UnitTerm& t) { return t.symbol == "rad" || t.symbol == "sr"; };
    const auto leads = [&](const UnitTerm& t) { return t.twelfths > 0 && !is_angle(t); };
    if (std::any_of(joined.begin(), joined.end(), leads)) std::erase_if(joined, is_angle);
    const std::optional<Unit> meant = unit_of_terms(joined);
    if (joined.size() <= kMostShownTerms && meant && meant->same_unit(result)) {
      result.text = unit_text(joined);
      return;
    }
  }
  result.text = text_in_base_units(result);
}

std::string term_text(const UnitTerm& term, std::int32_t twelfths) {
  if (twelfths == 12) return term.symbol;
  if (twelfths % 12 == 0) return term.symbol + std::to_string(twelfths / 12);
  const std::int32_t divisor = std::gcd(twelfths, 12);
  return term.symbol + "^(" + std::to_string(twelfths / divisor) + "/" + std::to_string(12 / divisor) + ")";
}

}  // namespace

std::optional<Unit> unit_of_terms(const std::vector<UnitTerm>& terms) {
  std::array<std::int32_t, Unit::kBases> twelfths{};
  double factor = 1.0;
  for (const UnitTerm& term : terms) {
    const std::optional<UnitSymbol> symbol = find_unit_symbol(term.symbol);
    if (!symbol) return std::nullopt;
    for (std::size_t i = 0; i < twelfths.size(); ++i) {
      twelfths[i] += term.twelfths * symbol->powers[i];
      if (std::abs(twelfths[i]) > kMostTwelfths) return std::nullopt;
    }
    factor *= std::pow(symbol->factor, term.twelfths / 12.0);
    if (factor != bounded(factor)) return std::nullopt;
  }
  Unit unit;
  std::transform(twelfths.begin(), twelfths.end(), unit.twelfths.begin(), [](std::int32_t t) { return bounded(t); });
  unit.factor = factor;
  return unit;
}

std::string unit_text(const std::vector<UnitTerm>& terms) {
  std::string above, below;
  std::size_t below_count = 0;
  for (const UnitTerm& term : terms) {
    std::string& side = term.twelfths > 0 ? above : below;
    if (!side.empty()) side += '.';
    side += term_text(term, std::abs(term.twelfths));
    below_count += term.twelfths > 0 ? 0 : 1;
  }
  if (above.empty()) above = "1";
  if (below_count == 0) return above;
  return below_count == 1 ? above + "/" + below : above + "/(" + below + ")";
}

bool Unit::same_unit(const Unit& other) const {
  return same_dimension(other) &&
         std::abs(factor - other.factor) <= kFactorTolerance * std::max(std::abs(factor), std::abs(other.factor));
}

Unit multiply(const Unit& a, const Unit& b) {
  Unit result;
  for (std::size_t i = 0; i < Unit::kBases; ++i) result.twelfths[i] = bounded(a.twelfths[i] + b.twelfths[i]);
  result.factor = bounded(a.factor * b.factor);
  compose_text(result, a, b, 1);
  return result;
}

Unit divide(const Unit& a, const Unit& b) {
  Unit result;
  for (std::size_t i = 0; i < Unit::kBases; ++i) result.twelfths[i] = bounded(a.twelfths[i] - b.twelfths[i]);
  result.factor = bounded(a.factor / b.factor);
  compose_text(result, a, b, -1);
  return result;
}

std::optional<Unit> power(const Unit& unit, double exponent) {
  const auto scaled = [&](std::int32_t twelfths) -> std::optional<std::int32_t> {
    const double exact = twelfths * exponent;
    const double whole = std::round(exact);
    // The negation also refuses what is not a number.
    if (!(std::abs(whole) <= kMostTwelfths) || std::abs(exact - whole) > 1e-9 * std::max(1.0, std::abs(whole))) {
      return std::nullopt;
    }
    return static_cast<std::int32_t>(whole);
  };
  Unit result;
  for (std::size_t i = 0; i < Unit::kBases; ++i) {
    const std::optional<std::int32_t> twelfths = scaled(unit.twelfths[i]);
    if (!twelfths) return std::nullopt;
    result.twelfths[i] = bounded(*twelfths);
  }
  result.factor = std::pow(unit.factor, exponent);
  if (result.factor != bounded(result.factor)) return std::nullopt;

  std::optional<Terms> terms = terms_of(unit);
  for (std::size_t i = 0; terms && i < terms->size(); ++i) {
    if (const std::optional<std::int32_t> twelfths = scaled((*terms)[i].twelfths)) {
      (*terms)[i].twelfths = *twelfths;
    } else {
      terms.reset();
    }
  }
  Terms joined;
  if (terms) join(joined, *terms, 1);
  result.text = terms ? unit_text(joined) : text_in_base_units(result);
  return result;
}

}  // namespace hyla::model
