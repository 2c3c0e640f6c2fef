#include <algorithm>
#include <numbers>
#include <unordered_map>

#include "base/text.h"
#include "model/unit_text.h"

namespace hyla::model {
namespace {

constexpr double kPi = std::numbers::pi;

enum class Prefixes : std::uint8_t { Plain, Prefixed };

struct Entry {
  std::string_view symbol;
  Prefixes prefixes;
  UnitSymbol unit;
};

constexpr auto kEntries = std::to_array<Entry>({
#define HYLA_UNIT(symbol, prefixes, factor, m, kg, s, A, K, mol, cd) \
  {symbol, Prefixes::prefixes, {factor, {m, kg, s, A, K, mol, cd}}},
#include "model/units.def"
#undef HYLA_UNIT
});

struct Prefix {
  std::string_view symbol;
  double factor;
};

// `da` stands before `d`; both signs for micro are in use.
constexpr auto kPrefixes = std::to_array<Prefix>({
    {"k", 1e3},  {"m", 1e-3}, {"M", 1e6},   {"c", 1e-2},  {"u", 1e-6},  {"\u00B5", 1e-6}, {"\u03BC", 1e-6}, {"n", 1e-9},
    {"G", 1e9},  {"da", 1e1}, {"h", 1e2},   {"d", 1e-1},  {"p", 1e-12}, {"T", 1e12},      {"P", 1e15},      {"E", 1e18},
    {"Z", 1e21}, {"Y", 1e24}, {"f", 1e-15}, {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24},
});

struct Word {
  std::string_view word;
  std::string_view symbol;
};

// What people write for a unit; the value is what to write here.
constexpr auto kWords = std::to_array<Word>({
    {"sec", "s"},      {"second", "s"},    {"seconds", "s"},  {"minute", "min"},  {"minutes", "min"},
    {"hr", "h"},       {"hour", "h"},      {"hours", "h"},    {"day", "d"},       {"days", "d"},
    {"meter", "m"},    {"meters", "m"},    {"metre", "m"},    {"metres", "m"},    {"micron", "um"},
    {"in", "inch"},    {"inches", "inch"}, {"foot", "ft"},    {"feet", "ft"},     {"mile", "mi"},
    {"miles", "mi"},   {"gram", "g"},      {"grams", "g"},    {"kilogram", "kg"}, {"kilograms", "kg"},
    {"kilo", "kg"},    {"tonne", "t"},     {"ton", "t"},      {"lbs", "lb"},      {"pound", "lb"},
    {"liter", "l"},    {"litre", "l"},     {"ampere", "A"},   {"amp", "A"},       {"kelvin", "K"},
    {"degK", "K"},     {"mole", "mol"},    {"candela", "cd"}, {"radian", "rad"},  {"radians", "rad"},
    {"degree", "deg"}, {"degrees", "deg"}, {"hertz", "Hz"},   {"newton", "N"},    {"pascal", "Pa"},
    {"joule", "J"},    {"watt", "W"},      {"coulomb", "C"},  {"volt", "V"},      {"volts", "V"},
    {"farad", "F"},    {"siemens", "S"},   {"weber", "Wb"},   {"tesla", "T"},     {"henry", "H"},
    {"percent", "%"},  {"knot", "kn"},     {"knots", "kn"},   {"kmh", "km/h"},    {"kph", "km/h"},
    {"mph", "mi/h"},   {"mps", "m/s"},     {"\u00B0", "deg"}, {"cc", "cm3"},      {"Nm", "N.m"},
    {"As", "A.s"},
});

constexpr auto kOffsetUnits = std::to_array<std::string_view>(
    {"degC", "\u00B0C", "celsius", "Celsius", "degF", "\u00B0F", "fahrenheit", "Fahrenheit"});

const Entry* find_entry(std::string_view symbol) {
  static const std::unordered_map<std::string_view, const Entry*> kTable = [] {
    std::unordered_map<std::string_view, const Entry*> entries;
    for (const Entry& entry : kEntries) entries.emplace(entry.symbol, &entry);
    return entries;
  }();
  const auto found = kTable.find(symbol);
  return found == kTable.end() ? nullptr : found->second;
}

/// Every symbol, then every symbol with each prefix, the common prefixes first.
std::vector<std::string> all_symbols() {
  std::vector<std::string> symbols;
  symbols.reserve(kEntries.size() * (1 + kPrefixes.size()));
  for (const Entry& entry : kEntries) symbols.emplace_back(entry.symbol);
  for (const Prefix& prefix : kPrefixes) {
    for (const Entry& entry : kEntries) {
      if (entry.prefixes == Prefixes::Prefixed)
        symbols.push_back(std::string(prefix.symbol) + std::string(entry.symbol));
    }
  }
  return symbols;
}

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// The symbol that differs in case alone; better one with the same first letter: `Mpa` is `MPa` rather than `mPa`.
const std::string* find_in_other_case(const std::vector<std::string>& symbols, std::string_view symbol) {
  const std::string* found = nullptr;
  for (const std::string& candidate : symbols) {
    if (!same_letters(candidate, symbol)) continue;
    if (candidate.front() == symbol.front()) return &candidate;
    if (found == nullptr) found = &candidate;
  }
  return found;
}

/// `kNm` read as `kN.m`: two symbols written without a point.
std::optional<std::string> as_two_symbols(std::string_view symbol) {
  for (std::size_t cut = symbol.size() - 1; cut > 0; --cut) {
    if (find_entry(symbol.substr(cut)) != nullptr && find_unit_symbol(symbol.substr(0, cut))) {
      return std::string(symbol.substr(0, cut)) + "." + std::string(symbol.substr(cut));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<UnitSymbol> find_unit_symbol(std::string_view symbol) {
  if (const Entry* entry = find_entry(symbol)) return entry->unit;
  for (const Prefix& prefix : kPrefixes) {
    if (!symbol.starts_with(prefix.symbol)) continue;
    const Entry* entry = find_entry(symbol.substr(prefix.symbol.size()));
    if (entry == nullptr || entry->prefixes == Prefixes::Plain) continue;
    return UnitSymbol{prefix.factor * entry->unit.factor, entry->unit.powers};
  }
  return std::nullopt;
}

std::string unit_hint(std::string_view symbol) {
  constexpr std::size_t kLongest = 32;  // longer words are not misspelt units
  if (symbol.empty() || symbol.size() > kLongest) return {};
  if (std::find(kOffsetUnits.begin(), kOffsetUnits.end(), symbol) != kOffsetUnits.end()) {
    return "units with an offset are for `display` only; use `K`";
  }
  const auto did_you_mean = [](std::string_view text) { return "did you mean `" + std::string(text) + "`?"; };
  for (const Word& word : kWords) {
    if (same_letters(word.word, symbol)) return did_you_mean(word.symbol);
  }
  const std::vector<std::string> symbols = all_symbols();
  if (const std::string* other_case = find_in_other_case(symbols, symbol)) return did_you_mean(*other_case);
  if (const std::optional<std::string> product = as_two_symbols(symbol)) return did_you_mean(*product);
  // Almost any two letters are near to some unit, so only longer words are taken for misspelt.
  if (symbol.size() <= 2) return {};
  const std::vector<std::string_view> candidates(symbols.begin(), symbols.end());
  if (const std::optional<std::string_view> near = base::nearest(symbol, candidates)) return did_you_mean(*near);
  return {};
}

}  // namespace hyla::model
