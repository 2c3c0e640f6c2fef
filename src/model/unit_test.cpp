#include <array>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "model/type.h"

namespace hyla::model {
namespace {

Unit unit(std::string_view text) {
  UnitError error;
  const std::optional<Unit> parsed = parse_unit(text, error);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << error.message;
  return parsed.value_or(Unit{});
}

struct Case {
  std::string_view text;
  double factor;
  std::array<int, Unit::kBases> powers;  ///< of m, kg, s, A, K, mol, cd
};

void PrintTo(const Case& unit_case, std::ostream* out) { *out << unit_case.text; }  // NOLINT: the name is GoogleTest's

class UnitTable : public testing::TestWithParam<Case> {};

TEST_P(UnitTable, HasFactorAndDimension) {
  const Unit parsed = unit(GetParam().text);
  EXPECT_NEAR(parsed.factor / GetParam().factor, 1.0, 1e-14);
  for (std::size_t i = 0; i < Unit::kBases; ++i) EXPECT_EQ(parsed.twelfths[i], 12 * GetParam().powers[i]) << i;
  EXPECT_EQ(parsed.text, GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Base, UnitTable,
                         testing::Values(Case{"1", 1, {}}, Case{"m", 1, {1}}, Case{"g", 0.001, {0, 1}},
                                         Case{"kg", 1, {0, 1}}, Case{"s", 1, {0, 0, 1}}, Case{"A", 1, {0, 0, 0, 1}},
                                         Case{"K", 1, {0, 0, 0, 0, 1}}, Case{"mol", 1, {0, 0, 0, 0, 0, 1}},
                                         Case{"cd", 1, {0, 0, 0, 0, 0, 0, 1}}));

INSTANTIATE_TEST_SUITE_P(Derived, UnitTable,
                         testing::Values(Case{"rad", 1, {}}, Case{"sr", 1, {}}, Case{"Hz", 1, {0, 0, -1}},
                                         Case{"N", 1, {1, 1, -2}}, Case{"Pa", 1, {-1, 1, -2}}, Case{"J", 1, {2, 1, -2}},
                                         Case{"W", 1, {2, 1, -3}}, Case{"C", 1, {0, 0, 1, 1}},
                                         Case{"V", 1, {2, 1, -3, -1}}, Case{"F", 1, {-2, -1, 4, 2}},
                                         Case{"Ohm", 1, {2, 1, -3, -2}}, Case{"Ω", 1, {2, 1, -3, -2}},
                                         Case{"S", 1, {-2, -1, 3, 2}}, Case{"Wb", 1, {2, 1, -2, -1}},
                                         Case{"T", 1, {0, 1, -2, -1}}, Case{"H", 1, {2, 1, -2, -2}},
                                         Case{"lm", 1, {0, 0, 0, 0, 0, 0, 1}}, Case{"lx", 1, {-2, 0, 0, 0, 0, 0, 1}},
                                         Case{"Bq", 1, {0, 0, -1}}, Case{"Gy", 1, {2, 0, -2}},
                                         Case{"Sv", 1, {2, 0, -2}}, Case{"kat", 1, {0, 0, -1, 0, 0, 1}}));

INSTANTIATE_TEST_SUITE_P(Others, UnitTable,
                         testing::Values(Case{"min", 60, {0, 0, 1}}, Case{"h", 3600, {0, 0, 1}},
                                         Case{"d", 86400, {0, 0, 1}}, Case{"l", 0.001, {3}}, Case{"L", 0.001, {3}},
                                         Case{"t", 1000, {0, 1}}, Case{"bar", 100000, {-1, 1, -2}},
                                         Case{"atm", 101325, {-1, 1, -2}}, Case{"psi", 6894.757293168361, {-1, 1, -2}},
                                         Case{"deg", 0.017453292519943295, {}}, Case{"rev", 6.283185307179586, {}},
                                         Case{"rpm", 0.10471975511965977, {0, 0, -1}},
                                         Case{"eV", 1.602176634e-19, {2, 1, -2}}, Case{"cal", 4.184, {2, 1, -2}},
                                         Case{"Wh", 3600, {2, 1, -2}}, Case{"Ah", 3600, {0, 0, 1, 1}},
                                         Case{"%", 0.01, {}}, Case{"inch", 0.0254, {1}}, Case{"ft", 0.3048, {1}},
                                         Case{"mi", 1609.344, {1}}, Case{"lb", 0.45359237, {0, 1}},
                                         Case{"kn", 0.5144444444444445, {1, 0, -1}}));

INSTANTIATE_TEST_SUITE_P(
    Prefixed, UnitTable,
    testing::Values(Case{"dam", 10, {1}}, Case{"hPa", 100, {-1, 1, -2}}, Case{"km", 1000, {1}},
                    Case{"MW", 1e6, {2, 1, -3}}, Case{"GHz", 1e9, {0, 0, -1}}, Case{"TJ", 1e12, {2, 1, -2}},
                    Case{"PBq", 1e15, {0, 0, -1}}, Case{"EJ", 1e18, {2, 1, -2}}, Case{"Zg", 1e18, {0, 1}},
                    Case{"Ym", 1e24, {1}}, Case{"dm", 0.1, {1}}, Case{"cm", 0.01, {1}}, Case{"mm", 0.001, {1}},
                    Case{"mg", 1e-6, {0, 1}}, Case{"um", 1e-6, {1}}, Case{"\u00B5s", 1e-6, {0, 0, 1}},
                    Case{"\u03BCF", 1e-6, {-2, -1, 4, 2}}, Case{"nA", 1e-9, {0, 0, 0, 1}},
                    Case{"pF", 1e-12, {-2, -1, 4, 2}}, Case{"fs", 1e-15, {0, 0, 1}}, Case{"am", 1e-18, {1}},
                    Case{"zC", 1e-21, {0, 0, 1, 1}}, Case{"yg", 1e-27, {0, 1}}, Case{"kWh", 3.6e6, {2, 1, -2}},
                    Case{"mbar", 100, {-1, 1, -2}}, Case{"ml", 1e-6, {3}}, Case{"kcal", 4184, {2, 1, -2}},
                    Case{"kΩ", 1000, {2, 1, -3, -2}}, Case{"mmol", 0.001, {0, 0, 0, 0, 0, 1}}));

INSTANTIATE_TEST_SUITE_P(Composed, UnitTable,
                         testing::Values(Case{"kg.m/s2", 1, {1, 1, -2}}, Case{"m/s^2", 1, {1, 0, -2}},
                                         Case{"m.s-2", 1, {1, 0, -2}}, Case{"m.s^-2", 1, {1, 0, -2}},
                                         Case{"1/s", 1, {0, 0, -1}}, Case{"m/(s.K)", 1, {1, 0, -1, 0, -1}},
                                         Case{"m/s.K", 1, {1, 0, -1, 0, 1}}, Case{"1/(m.K)", 1, {-1, 0, 0, 0, -1}},
                                         Case{"km/h", 1 / 3.6, {1, 0, -1}}, Case{"W/(m2.K)", 1, {0, 1, -3, 0, -1}},
                                         Case{"(m/s)2", 1, {2, 0, -2}}, Case{"cm3", 1e-6, {3}},
                                         Case{"m²/s³", 1, {2, 0, -3}}, Case{"s⁻¹", 1, {0, 0, -1}},
                                         Case{"N·m", 1, {2, 1, -2}}, Case{"N*m", 1, {2, 1, -2}}, Case{"m+2", 1, {2}},
                                         Case{"1/mm2", 1e6, {-2}}, Case{"m / s", 1, {1, 0, -1}},
                                         Case{"J/(kg.K)", 1, {2, 0, -2, 0, -1}}, Case{"mm3/(mm.mm)", 0.001, {1}}));

TEST(ParseUnit, KeepsTheTextWithoutOuterBlanks) { EXPECT_EQ(unit("  kg.m/s2 ").text, "kg.m/s2"); }

TEST(ParseUnit, ReadsRootsExactly) {
  EXPECT_EQ(unit("V/Hz^(1/2)").twelfths[Unit::Second], 12 * -3 + 6);
  EXPECT_EQ(unit("m^(-1/3)").twelfths[Unit::Metre], -4);
}

struct ErrorCase {
  std::string_view text;
  std::size_t offset;
  std::size_t length;
  std::string_view message;
  std::string_view hint;
};

void PrintTo(const ErrorCase& error_case, std::ostream* out) { *out << error_case.text; }  // NOLINT: GoogleTest's name

class UnitErrors : public testing::TestWithParam<ErrorCase> {};

TEST_P(UnitErrors, AreToldWithPlaceAndHint) {
  UnitError error{};
  EXPECT_FALSE(parse_unit(GetParam().text, error).has_value());
  EXPECT_EQ(error.offset, GetParam().offset);
  EXPECT_EQ(error.length, GetParam().length);
  EXPECT_EQ(error.message, GetParam().message);
  EXPECT_EQ(error.hint, GetParam().hint);
}

INSTANTIATE_TEST_SUITE_P(Symbols, UnitErrors,
                         testing::Values(ErrorCase{"kg.meter", 3, 5, "`meter` is not a unit", "did you mean `m`?"},
                                         ErrorCase{"Mpa", 0, 3, "`Mpa` is not a unit", "did you mean `MPa`?"},
                                         ErrorCase{"ohm", 0, 3, "`ohm` is not a unit", "did you mean `Ohm`?"},
                                         ErrorCase{"m/sec", 2, 3, "`sec` is not a unit", "did you mean `s`?"},
                                         ErrorCase{"in", 0, 2, "`in` is not a unit", "did you mean `inch`?"},
                                         ErrorCase{"kmh", 0, 3, "`kmh` is not a unit", "did you mean `km/h`?"},
                                         ErrorCase{"Nm", 0, 2, "`Nm` is not a unit", "did you mean `N.m`?"},
                                         ErrorCase{"kNm", 0, 3, "`kNm` is not a unit", "did you mean `kN.m`?"},
                                         ErrorCase{"KW", 0, 2, "`KW` is not a unit", "did you mean `kW`?"},
                                         ErrorCase{"inhc", 0, 4, "`inhc` is not a unit", "did you mean `inch`?"},
                                         ErrorCase{"kmin", 0, 4, "`kmin` is not a unit", "did you mean `min`?"},
                                         ErrorCase{"degC", 0, 4, "`degC` is not a unit",
                                                   "units with an offset are for `display` only; use `K`"},
                                         ErrorCase{"J/°C", 2, 3, "`°C` is not a unit",
                                                   "units with an offset are for `display` only; use `K`"},
                                         ErrorCase{"bananas", 0, 7, "`bananas` is not a unit", ""},
                                         ErrorCase{"x", 0, 1, "`x` is not a unit", ""}));

INSTANTIATE_TEST_SUITE_P(
    Form, UnitErrors,
    testing::Values(
        ErrorCase{"", 0, 0, "a unit must not be empty", "write `1` for a number without unit"},
        ErrorCase{"  ", 0, 2, "a unit must not be empty", "write `1` for a number without unit"},
        ErrorCase{"m/", 2, 0, "a unit ends too early", ""},
        ErrorCase{"m//s", 2, 1, "`/` is not expected in a unit", ""},
        ErrorCase{"m)", 1, 1, "`)` is not expected in a unit", ""},
        ErrorCase{"m/(s.K", 2, 1, "a `(` without its `)` in a unit", ""},
        ErrorCase{"N m", 2, 1, "two units stand side by side", "join units by a point: `N.m`"},
        ErrorCase{"1000.m", 0, 4, "a unit holds no number but `1`",
                  "choose a unit with another prefix, or scale the value"},
        ErrorCase{"m^", 1, 1, "the power of a unit is not complete", "write it as in `m2`, `s^-1` or `Hz^(1/2)`"},
        ErrorCase{"m^(1/0)", 1, 5, "the power of a unit is not complete", "write it as in `m2`, `s^-1` or `Hz^(1/2)`"},
        ErrorCase{"m1000", 1, 4, "this power of a unit is too large", ""},
        ErrorCase{"m999", 0, 4, "the powers in this unit are too large", ""},
        ErrorCase{"m99999999999999999999", 1, 20, "this power of a unit is too large", ""},
        ErrorCase{"m^(1/7)", 1, 6, "this power of a unit is not possible", ""},
        ErrorCase{"((m99)99)99", 6, 2, "this power of a unit is not possible", ""},
        ErrorCase{"Ym99", 0, 4, "the powers in this unit are too large", ""},
        ErrorCase{"m.\xff", 2, 1, "a unit must be text in UTF-8", ""},
        ErrorCase{"m\n", 1, 1, "a unit must not hold control characters", ""},
        ErrorCase{"(((((((((m)))))))))", 8, 1, "parentheses nest too deeply in a unit", ""}));

TEST(ParseUnit, SurvivesLongTexts) {
  std::string many = "m";
  for (int i = 0; i < 100'000; ++i) many += ".m";
  UnitError error{};
  EXPECT_FALSE(parse_unit(many, error).has_value());
  EXPECT_FALSE(parse_unit(std::string(1'000'000, 'x'), error).has_value());
  EXPECT_FALSE(parse_unit(std::string(1'000'000, '('), error).has_value());
}

TEST(UnitArithmetic, KeepsTheSymbolsOfTheModeller) {
  EXPECT_EQ(multiply(unit("m/s"), unit("s")).text, "m");
  EXPECT_EQ(multiply(unit("km/h"), unit("h")).text, "km");
  EXPECT_EQ(multiply(unit("V"), unit("A")).text, "V.A");
  EXPECT_EQ(multiply(unit("m"), unit("m")).text, "m2");
  EXPECT_EQ(multiply(unit("kg"), unit("m/s2")).text, "kg.m/s2");
  EXPECT_EQ(divide(unit("W"), unit("m2.K")).text, "W/(m2.K)");
  EXPECT_EQ(divide(unit("1"), unit("s")).text, "1/s");
  EXPECT_EQ(divide(unit("m"), unit("m")).text, "1");
  EXPECT_EQ(divide(Unit{}, Unit{}).text, "1");
  EXPECT_EQ(multiply(Unit{}, unit("rad/s")).text, "rad/s");
}

TEST(UnitArithmetic, ComputesFactorsAndPowers) {
  EXPECT_TRUE(multiply(unit("V"), unit("A")).same_unit(unit("W")));
  EXPECT_TRUE(divide(unit("km"), unit("h")).same_unit(unit("km/h")));
  EXPECT_TRUE(divide(unit("J"), unit("s")).same_unit(unit("W")));
  EXPECT_TRUE(divide(unit("rad"), unit("s")).same_unit(unit("Hz")));
  EXPECT_FALSE(unit("km").same_unit(unit("m")));
  EXPECT_TRUE(unit("km").same_dimension(unit("m")));
  EXPECT_TRUE(unit("rad").is_one());
  EXPECT_FALSE(unit("%").is_one());
}

TEST(UnitArithmetic, WritesBaseUnitsWhereTheTextDoesNotHelp) {
  Unit force = unit("N");
  force.text = "newtons, of course";
  EXPECT_EQ(multiply(force, unit("s")).text, "kg.m/s");
  Unit far = unit("km");
  far.text.clear();
  EXPECT_EQ(multiply(far, unit("kg")).text, "1000 kg.m");
  EXPECT_EQ(multiply(multiply(far, unit("kg")), unit("s")).text, "1000 kg.m.s");
}

TEST(UnitArithmetic, RaisesToPowers) {
  EXPECT_EQ(power(unit("m/s"), 2)->text, "m2/s2");
  EXPECT_EQ(power(unit("m2"), 0.5)->text, "m");
  EXPECT_EQ(power(unit("m"), 0.5)->text, "m^(1/2)");
  EXPECT_EQ(power(unit("m3"), 1.0 / 3.0)->text, "m");
  EXPECT_EQ(power(unit("s"), -1)->text, "1/s");
  EXPECT_EQ(power(unit("km"), 0)->text, "1");
  EXPECT_TRUE(power(unit("km"), 0)->is_one());
  EXPECT_TRUE(power(unit("km"), 2)->same_unit(unit("km2")));
  EXPECT_TRUE(power(power(unit("N"), 0.5).value(), 2)->same_unit(unit("N")));
  EXPECT_EQ(power(power(unit("N"), 0.5).value(), 2)->text, "N");
  EXPECT_TRUE(power(unit("1"), 0.123)->is_one());
}

TEST(UnitArithmetic, RefusesPowersThatHaveNoUnit) {
  EXPECT_FALSE(power(unit("m"), 0.123).has_value());
  EXPECT_FALSE(power(unit("m"), 1e9).has_value());
  EXPECT_FALSE(power(unit("m"), std::numeric_limits<double>::quiet_NaN()).has_value());
  EXPECT_FALSE(power(unit("m"), std::numeric_limits<double>::infinity()).has_value());
  EXPECT_FALSE(power(unit("%"), 1e9).has_value());
}

TEST(UnitArithmetic, StaysBoundedInLongProducts) {
  Unit product = unit("Ym");
  for (int i = 0; i < 5000; ++i) product = multiply(product, unit("Ym"));
  EXPECT_TRUE(std::isfinite(product.factor));
  Unit quotient = unit("Ym");
  for (int i = 0; i < 5000; ++i) quotient = divide(quotient, unit("Ym"));
  EXPECT_GT(quotient.factor, 0.0);
  EXPECT_TRUE(divide(quotient, quotient).is_one());
}

}  // namespace
}  // namespace hyla::model
