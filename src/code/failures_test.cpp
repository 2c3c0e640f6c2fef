// What stops a run, and in which words.
#include <cmath>

#include "code/testing.h"

namespace hyla::code {
namespace {

using model::kInteger;
using model::kReal;

class Failures : public CodeTest {
 protected:
  model::VariableId x = real("x");
  model::VariableId n = variable("n", kInteger);

  std::string real_value(ExprId value) { return run({assign(b.name(x), value)}); }
  std::string integer_value(ExprId value) { return run({assign(b.name(n), value)}); }
  ExprId call(Builtin which, Type type, std::initializer_list<ExprId> operands) {
    return b.builtin(which, type, operands);
  }
};

TEST_F(Failures, OfReals) {
  slot(x).real = -1;
  slot(n).integer = 0;
  EXPECT_EQ(real_value(b.expr(Op::Divide, kReal, {b.name(x), b.name(n)})), "division by zero");
  EXPECT_EQ(real_value(call(Builtin::Sqrt, kReal, {b.name(x)})), "sqrt of -1");
  EXPECT_EQ(real_value(call(Builtin::Log, kReal, {b.name(x)})), "log of -1");
  EXPECT_EQ(real_value(call(Builtin::Mod, kReal, {b.name(x), b.real(0)})), "division by zero");
  EXPECT_EQ(real_value(b.expr(Op::Power, kReal, {b.name(x), b.real(0.5)})), "-1 ^ 0.5 is not a number");
  slot(x).real = HUGE_VAL;
  EXPECT_EQ(real_value(b.binary(Op::Subtract, b.name(x), b.real(3))), "");
  EXPECT_EQ(real_value(b.binary(Op::Subtract, b.name(x), b.name(x))), "infinity - infinity is not a number");
  EXPECT_EQ(slot(x).real, HUGE_VAL);
}

TEST_F(Failures, OfIntegers) {
  const std::string overflow = "the result is outside the range of Integers";
  slot(n).integer = INT64_MAX;
  EXPECT_EQ(integer_value(b.binary(Op::Add, b.name(n), b.integer(1))), overflow);
  EXPECT_EQ(integer_value(b.binary(Op::Multiply, b.name(n), b.name(n))), overflow);
  slot(n).integer = INT64_MIN;
  EXPECT_EQ(integer_value(b.expr(Op::Negate, kInteger, {b.name(n)})), overflow);
  EXPECT_EQ(integer_value(b.binary(Op::Subtract, b.name(n), b.integer(1))), overflow);
  EXPECT_EQ(integer_value(call(Builtin::Div, kInteger, {b.name(n), b.integer(-1)})), overflow);
  EXPECT_EQ(integer_value(call(Builtin::Mod, kInteger, {b.name(n), b.integer(-1)})), "");
  EXPECT_EQ(slot(n).integer, 0);
  EXPECT_EQ(integer_value(call(Builtin::Div, kInteger, {b.integer(3), b.name(n)})), "division by zero");
  slot(x).real = 1e30;
  EXPECT_EQ(integer_value(call(Builtin::Floor, kInteger, {b.name(x)})), "1e+30 is outside the range of Integers");
}

TEST_F(Failures, OfSizesAndRanges) {
  slot(n).integer = -4;
  const Type vector = kReal.with_rank(1);
  EXPECT_EQ(run({print({call(Builtin::Fill, vector, {b.real(0), b.name(n)})})}), "an array cannot have -4 elements");
  slot(n).integer = 0;
  const auto i = b.local("i", kInteger);
  const ExprId still = b.expr(Op::Range, kInteger.with_rank(1), {b.integer(1), b.integer(3), b.name(n)});
  EXPECT_EQ(run({loop(i, still, {})}), "the step of a range is 0");
}

TEST_F(Failures, ReleaseWhatTheProgramHeld) {
  const auto t = b.local("t", {TypeKind::String});
  const ExprId made = call(Builtin::ToString, {TypeKind::String}, {b.integer(5)});
  EXPECT_EQ(run({let(t, made), assign(b.name(x), b.expr(Op::Divide, kReal, {b.real(1), b.name(n)}))}),
            "division by zero");
  EXPECT_EQ(world().heap.live(), 0U);
}

TEST_F(Failures, DoNotKeepTheMachineFromRunningOn) {
  EXPECT_EQ(real_value(b.expr(Op::Divide, kReal, {b.real(1), b.name(n)})), "division by zero");
  EXPECT_EQ(run({print({text("on")})}), "print on\n");
}

}  // namespace
}  // namespace hyla::code
