// Reads the text of a unit.
//
//   unit   = factor { ('.' | '*' | '·' | '/') factor }         '/' divides by the next factor only
//   factor = ('1' | symbol | '(' unit ')') [ power ]
//   power  = ['^'] ['+' | '-'] digits | '^' '(' ['-'] digits ['/' digits] ')' | superscript digits
#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "model/unit_text.h"

namespace hyla::model {
namespace {

constexpr int kDeepest = 8;
constexpr std::int32_t kLargestPower = 999;  ///< of one symbol in a text
constexpr std::int32_t kMostTwelfths = 12 * 100;
constexpr double kLargestFactor = 1e100;
constexpr std::size_t kMostTerms = 64;

/// A power as a fraction.
struct Fraction {
  std::int32_t numerator = 1;
  std::int32_t denominator = 1;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The digit of a superscript, -1 for the superscript minus, none for anything else.
std::optional<int> superscript(char32_t c) {
  if (c == U'\u00B2') return 2;
  if (c == U'\u00B3') return 3;
  if (c == U'\u00B9') return 1;
  if (c == U'\u2070') return 0;
  if (c >= U'\u2074' && c <= U'\u2079') return static_cast<int>(c - U'\u2070');
  if (c == U'\u207B') return -1;
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, UnitError& error) : text_(text), error_(error) {}

  std::optional<std::vector<UnitTerm>> parse() {
    skip_blanks();
    if (at_end()) return fail(0, text_.size(), "a unit must not be empty", "write `1` for a number without unit");
    std::optional<std::vector<UnitTerm>> terms = product(0);
    if (!terms) return std::nullopt;
    skip_blanks();
    if (!at_end()) return unexpected();
    return terms;
  }

 private:
  using Terms = std::vector<UnitTerm>;

  // Recursion through factor() is bounded by kDeepest.
  std::optional<Terms> product(int depth) {
    Terms terms;
    bool divides = false;
    while (true) {
      std::optional<Terms> factors = factor(depth);
      if (!factors) return std::nullopt;
      for (UnitTerm& term : *factors) {
        if (divides) term.twelfths = -term.twelfths;
        terms.push_back(std::move(term));
      }
      if (terms.size() > kMostTerms) return fail(0, text_.size(), "this unit has too many factors", {});
      const std::size_t before_blanks = position_;
      skip_blanks();
      if (accept("/")) {
        divides = true;
      } else if (accept(".") || accept("*") || accept("\u00B7")) {
        divides = false;
      } else {
        position_ = before_blanks;
        return terms;
      }
      skip_blanks();
    }
  }

  std::optional<Terms> factor(int depth) {
    const std::size_t start = position_;
    Terms terms;
    if (accept("(")) {
      if (depth == kDeepest) return fail(start, 1, "parentheses nest too deeply in a unit", {});
      skip_blanks();
      std::optional<Terms> inner = product(depth + 1);
      if (!inner) return std::nullopt;
      skip_blanks();
      if (!accept(")")) return at_end() ? fail(start, 1, "a `(` without its `)` in a unit", {}) : unexpected();
      terms = std::move(*inner);
    } else if (!at_end() && is_digit(text_[position_])) {
      while (!at_end() && is_digit(text_[position_])) ++position_;
      if (text_.substr(start, position_ - start) != "1") {
        return fail(start, position_ - start, "a unit holds no number but `1`",
                    "choose a unit with another prefix, or scale the value");
      }
      return terms;
    } else {
      const std::string_view symbol = take_symbol();
      if (symbol.empty()) return unexpected();
      if (!find_unit_symbol(symbol)) {
        return fail(start, symbol.size(), "`" + std::string(symbol) + "` is not a unit", unit_hint(symbol));
      }
      terms.push_back({std::string(symbol), 12});
    }
    const std::size_t power_start = position_;
    const std::optional<Fraction> exponent = power();
    if (!exponent) return std::nullopt;
    for (UnitTerm& term : terms) {
      const std::int32_t product = term.twelfths * exponent->numerator;
      if (product % exponent->denominator != 0 || std::abs(product / exponent->denominator) > 12 * kLargestPower) {
        return fail(power_start, position_ - power_start, "this power of a unit is not possible", {});
      }
      term.twelfths = product / exponent->denominator;
    }
    return terms;
  }

  std::optional<Fraction> power() {
    const std::size_t start = position_;
    if (const std::optional<std::int32_t> raised = superscript_number()) return checked({*raised, 1}, start);
    const bool caret = accept("^");
    const bool parenthesis = caret && accept("(");
    const bool negative = accept("-");
    if (!negative) accept("+");
    std::optional<std::int32_t> numerator = number();
    if (!numerator) {
      if (position_ == start) return Fraction{};  // no power at all
      return fail_power(start);
    }
    Fraction result{negative ? -*numerator : *numerator, 1};
    if (parenthesis) {
      if (accept("/")) {
        const std::optional<std::int32_t> denominator = number();
        if (!denominator || *denominator == 0) return fail_power(start);
        result.denominator = *denominator;
      }
      if (!accept(")")) return fail_power(start);
    }
    return checked(result, start);
  }

  /// Digits; numbers beyond kLargestPower come back as a number just beyond it.
  std::optional<std::int32_t> number() {
    if (at_end() || !is_digit(text_[position_])) return std::nullopt;
    std::int32_t value = 0;
    for (; !at_end() && is_digit(text_[position_]); ++position_) {
      value = std::min(value * 10 + (text_[position_] - '0'), kLargestPower + 1);
    }
    return value;
  }

  std::optional<std::int32_t> superscript_number() {
    std::optional<std::int32_t> value;
    bool negative = false;
    while (true) {
      char32_t c = 0;
      const std::size_t length = base::decode_utf8(text_.substr(position_), c);
      const std::optional<int> digit = length == 0 ? std::nullopt : superscript(c);
      if (!digit || (*digit < 0 && (value || negative))) break;
      if (*digit < 0) {
        negative = true;
      } else {
        value = std::min(value.value_or(0) * 10 + *digit, kLargestPower + 1);
      }
      position_ += length;
    }
    if (value && negative) return -*value;
    return value;
  }

  std::optional<Fraction> checked(Fraction fraction, std::size_t start) {
    if (std::abs(fraction.numerator) > kLargestPower || fraction.denominator > kLargestPower) {
      fail(start, position_ - start, "this power of a unit is too large", {});
      return std::nullopt;
    }
    return fraction;
  }

  std::optional<Fraction> fail_power(std::size_t start) {
    fail(start, position_ - start, "the power of a unit is not complete", "write it as in `m2`, `s^-1` or `Hz^(1/2)`");
    return std::nullopt;
  }

  /// Letters, or the signs for per cent, degree, micro and ohm.
  std::string_view take_symbol() {
    const std::size_t start = position_;
    while (!at_end()) {
      char32_t c = 0;
      const std::size_t length = base::decode_utf8(text_.substr(position_), c);
      const bool sign =
          c == U'%' || c == U'\u00B0' || c == U'\u00B5' || c == U'\u03BC' || c == U'\u03A9' || c == U'\u2126';
      if (length == 0 || !(sign || (length == 1 && is_letter(text_[position_])))) break;
      position_ += length;
    }
    return text_.substr(start, position_ - start);
  }

  std::nullopt_t unexpected() {
    if (at_end()) return fail(text_.size(), 0, "a unit ends too early", {});
    char32_t c = 0;
    const std::size_t length = base::decode_utf8(text_.substr(position_), c);
    if (length == 0) return fail(position_, 1, "a unit must be text in UTF-8", {});
    if (position_ > 0 && is_blank(text_[position_ - 1])) {
      return fail(position_, length, "two units stand side by side", "join units by a point: `N.m`");
    }
    if (c < U' ' || c == 0x7F) return fail(position_, length, "a unit must not hold control characters", {});
    return fail(position_, length, "`" + std::string(text_.substr(position_, length)) + "` is not expected in a unit",
                {});
  }

  std::nullopt_t fail(std::size_t offset, std::size_t length, std::string message, std::string hint) {
    error_ = {offset, length, std::move(message), std::move(hint)};
    return std::nullopt;
  }

  bool at_end() const { return position_ >= text_.size(); }
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  void skip_blanks() {
    while (!at_end() && is_blank(text_[position_])) ++position_;
  }
  bool accept(std::string_view word) {
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }

  std::string_view text_;
  UnitError& error_;
  std::size_t position_ = 0;
};

/// What a modeller writes stays far from the bounds of the arithmetic of units.
bool is_reasonable(const Unit& unit) {
  return unit.factor <= kLargestFactor && unit.factor >= 1 / kLargestFactor &&
         std::all_of(unit.twelfths.begin(), unit.twelfths.end(),
                     [](std::int32_t t) { return std::abs(t) <= kMostTwelfths; });
}

}  // namespace

std::optional<std::vector<UnitTerm>> parse_unit_terms(std::string_view text, UnitError& error) {
  return Parser(text, error).parse();
}

std::optional<Unit> parse_unit(std::string_view text, UnitError& error) {
  const std::optional<std::vector<UnitTerm>> terms = parse_unit_terms(text, error);
  if (!terms) return std::nullopt;
  std::optional<Unit> unit = unit_of_terms(*terms);
  if (!unit || !is_reasonable(*unit)) {
    error = {0, text.size(), "the powers in this unit are too large", {}};
    return std::nullopt;
  }
  unit->text = base::trim(text);
  return unit;
}

}  // namespace hyla::model
