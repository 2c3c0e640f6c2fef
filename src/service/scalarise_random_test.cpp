// Random equations: their terms give the machine's values, bit for bit, with relations taken as they come and as modes.
#include <bit>

#include <gtest/gtest.h>

#include "service/scalarise_testing.h"

namespace hyla::service {
namespace {

/// Writes random expressions over the names of the model below.
class Author {
 public:
  explicit Author(unsigned seed) : random_(seed) {}

  std::string real(int depth) {
    if (depth <= 0) return leaf();
    const std::string a = real(depth - 1);
    switch (pick(15)) {
      case 0:
        return "(" + a + " + " + real(depth - 1) + ")";
      case 1:
        return "(" + a + " - " + real(depth - 2) + ")";
      case 2:
        return "(" + a + " * " + real(depth - 1) + ")";
      case 3:
        return "(" + a + " / (2 + abs(" + real(depth - 2) + ")))";
      case 4:
        return one_of({"sin", "cos", "tanh", "abs", "sign", "atan", "-"}) + "(" + a + ")";
      case 5:
        return one_of({"min", "max"}) + "(" + a + ", " + real(depth - 1) + ", " + real(depth - 2) + ")";
      case 6:
        return "(if " + truth(depth - 1) + " then " + a + " else " + real(depth - 1) + ")";
      case 7:
        return one_of({"floor", "ceil", "round", "integer"}) + "(" + a + ")";
      case 8:
        return "mod(" + a + ", 0.5)";
      case 9:
        return turn(one_of({"sum", "max", "min"}) + "((" + a + ") * v[INDEX] for INDEX in 1..n)");
      case 10:
        return "noevent(" + a + ")";
      case 11:
        return "clip(" + a + ", " + real(depth - 2) + ", " + real(depth - 2) + ")";
      case 12:
        return "search([" + a + ", " + real(depth - 2) + ", x], " + real(depth - 2) + ")";
      case 13:
        return "dot(v * (" + a + "), w)";
      default:
        return "(if k > 1 then " + a + " else v[k])";
    }
  }
  std::string truth(int depth) {
    const std::string a = real(depth - 1);
    switch (depth <= 0 ? 0 : pick(5)) {
      case 0:
        return "(" + a + one_of({" < ", " <= ", " > ", " >= "}) + real(depth - 1) + ")";
      case 1:
        return "(" + truth(depth - 1) + one_of({" and ", " or "}) + truth(depth - 1) + ")";
      case 2:
        return "(not " + truth(depth - 1) + ")";
      case 3:
        return one_of({"flag", "(k == 2)", "(n > 2)", turn("all(INDEX > " + a + " for INDEX in v)")});
      default:
        return "(" + truth(depth - 1) + " == " + truth(depth - 2) + ")";
    }
  }

 private:
  std::string leaf() {
    return one_of(
        {"x", "y", "p", "k", "n", "v[2]", "v[n]", "w[k]", "part.z", "(time / 1 [s])", "0.5", "2", "v[n + 1 - k]"});
  }
  /// Every reduction has an index of its own.
  std::string turn(std::string text) {
    const std::string name = "i" + std::to_string(++indices_);
    for (std::size_t at = text.find("INDEX"); at != std::string::npos; at = text.find("INDEX")) {
      text.replace(at, 5, name);
    }
    return text;
  }
  std::size_t pick(std::size_t count) { return random_() % count; }
  std::string one_of(const std::vector<std::string>& list) { return list[pick(list.size())]; }

  std::mt19937 random_;
  int indices_ = 0;
};

const char* const kFrame = R"(
function clip(x: Real, low: Real, high: Real) -> Real {
    if x < low {
        return low;
    }
    var y := x;
    if y > high {
        y := high - min(low, 0.5);
    }
    return y;
}
function search(list: Real[:], limit: Real) -> Real {
    var best := 0;
    for i in 1..size(list) {
        if list[i] > limit and i != 2 {
            return list[i] + best;
        }
        if abs(list[i]) > 2 {
            break;
        }
        if list[i] < 0 {
            continue;
        }
        best := best + list[i] / i;
    }
    return best - size(list);
}
model Part {
    output z := 1;
}
model Case {
    parameter p = 1.25;
    parameter n: Integer = 3;
    discrete k: Integer := 2, flag := true;
    object part: Part;
    var x := 1, y := 2, v[n], w[n] := fill(1, n);
)";

TEST(ScalariseRandom, TermsGiveTheMachinesValues) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Author author(seed);
    std::string source = kFrame;
    for (int i = 0; i < 25; ++i) {
      const std::string name = "r" + std::to_string(i);
      source += "    var " + name + ";\n    der(" + name + ") = " + author.real(4) + ";\n";
    }
    WrittenText text(source + "}\n");
    ASSERT_NE(text.world, nullptr) << text.messages();
    for (int round = 0; round < 10; ++round) {
      text.shuffle();
      for (const WrittenText::Written& equation : text.equations_of(text.world->objects[0].self)) {
        const double wanted = text.machine_value(equation.scope, text.right(equation));
        const std::vector<engine::ScalarEquation> held = text.write(equation);
        ASSERT_TRUE(text.written) << text.messages();
        engine::ScalarCondition raw;
        ASSERT_TRUE(text.scalariser->number(equation.scope, text.right(equation), raw)) << text.messages();
        EXPECT_TRUE(text.terms[raw.term].modes.empty());
        for (const double got : {text.compute(held[0].term, held[0].operands), text.compute(raw.term, raw.operands)}) {
          ASSERT_TRUE(std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(wanted) ||
                      (got == 0 && wanted == 0))
              << got << " instead of " << wanted << " in\n"
              << source;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hyla::service
