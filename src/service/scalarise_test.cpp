// Equations as scalar terms: the value of every term is compared with the machine's value of the same text, bit for
// bit, at random values of all variables.
#include <bit>

#include "service/scalarise_testing.h"

namespace hyla::service {
namespace {

using engine::Leaf;
using engine::ModeKind;
using engine::ScalarEquation;

/// Compares all equations of all objects with the machine: raw, and with modes set from their functions.
void expect_same(WrittenText& text) {
  for (int round = 0; round < 20; ++round) {
    text.shuffle();
    for (const engine::Object& object : text.world->objects) {
      for (const WrittenText::Written& equation : text.equations_of(object.self)) {
        const std::vector<double> wanted = text.machine_values(equation.scope, text.right(equation));
        const std::vector<ScalarEquation> got = text.write(equation);
        ASSERT_TRUE(text.written) << text.messages();
        ASSERT_EQ(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
          const double value = text.compute(got[i].term, got[i].operands);
          EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(wanted[i]))
              << value << " instead of " << wanted[i] << " by "
              << text.terms[got[i].term].graph.text(text.terms[got[i].term].value);
        }
        if (got.size() != 1 || text.model().exprs[text.right(equation)].type.rank > 0) continue;
        engine::ScalarCondition raw;
        ASSERT_TRUE(text.scalariser->number(equation.scope, text.right(equation), raw)) << text.messages();
        EXPECT_TRUE(text.terms[raw.term].modes.empty());
        EXPECT_EQ(text.compute(raw.term, raw.operands), wanted[0]);
      }
    }
  }
}

/// The terms of the equations of the top object, one a line.
std::string terms_of(const std::string& source) {
  WrittenText text(source);
  std::string result;
  for (const WrittenText::Written& equation : text.equations_of(text.world->objects[0].self)) {
    for (const ScalarEquation& one : text.write(equation)) {
      const engine::Term& term = text.terms[one.term];
      result += term.graph.text(term.value);
      for (const engine::Mode& mode : term.modes) {
        result += " | x" + std::to_string(mode.operand) + (mode.kind == ModeKind::Positive ? " > " : " >= ") +
                  term.graph.text(mode.g);
      }
      result += "\n";
    }
  }
  return result + text.messages();
}

TEST(Scalarise, TakesArithmeticAndFunctionsAsTheMachine) {
  WrittenText text(R"(
model Case {
    parameter p = 2.5;
    parameter n: Integer = 3;
    var x := 1.5, y := 0.5, a, b, c, d, e;
    der(a) = x * y + p / n - 3;
    der(b) = sin(x) * cos(y) ^ 2 + exp(-x) - tanh(time / 10);
    der(c) = abs(x) + min(x, y, 0) + max(x, 2 * y) + sign(x - y);
    der(d) = floor(x) + ceil(3 * y) + round(x * y) + integer(4 * x) + div(x, 0.25) + mod(x, 0.5);
    der(e) = if x > y and not (x >= 1 or y < 0) then x else if x + y < 1 then y else p;
}
)");
  expect_same(text);
}

TEST(Scalarise, MakesModesOfRelations) {
  EXPECT_EQ(terms_of(R"(
model Case {
    parameter p = 2;
    var x := 1, a, b, c;
    discrete k := 1;
    der(a) = abs(x);
    der(b) = if x > p then 1 else noevent(abs(x));
    der(c) = if k > p then 1 else max(k, p);
}
)"),
            "select(x0, x1, (-x1)) | x0 >= x1\n"
            "select(x0, 1, abs(x1)) | x0 > x1 - x2\n"
            "select((x0 < x1), 1, max(x1, x0))\n");
}

}  // namespace
}  // namespace hyla::service
