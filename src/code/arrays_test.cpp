#include "code/testing.h"

namespace hyla::code {
namespace {

using model::kInteger;
using model::kReal;

constexpr Type kVector{TypeKind::Real, 1};

class Arrays : public CodeTest {
 protected:
  ExprId numbers(std::initializer_list<double> values) {
    const ExprId id = b.expr(Op::Array, kVector);
    std::vector<ExprId> elements;
    for (const double value : values) elements.push_back(b.real(value));
    b.model.exprs[id].first_operand = static_cast<std::uint32_t>(b.model.operands.size());
    b.model.exprs[id].operand_count = static_cast<std::uint32_t>(elements.size());
    b.model.operands.insert(b.model.operands.end(), elements.begin(), elements.end());
    return id;
  }
};

TEST_F(Arrays, AreValues) {
  const auto x = variable("x", kVector);
  const auto saved = b.local("saved", kVector);
  const std::string log =
      run({assign(b.name(x), numbers({1, 2, 3})), let(saved, b.name(x)),
           assign(element(b.name(x), b.integer(2)), b.integer(9)), print({b.name(saved), b.name(x)})});
  EXPECT_EQ(log, "print [1, 2, 3] [1, 9, 3]\n");
}

TEST_F(Arrays, ElementsOfRecordsInArraysAreAssigned) {
  const auto point = b.model.records.add({b.symbol("P"), {}, {b.field("x", kReal), b.field("y", kReal)}});
  const Type type{TypeKind::Record, 0, point.index};
  const auto points = variable("points", type.with_rank(1));
  const auto one = b.local("one", type);
  const auto made = [&] { return b.expr(Op::Construct, type, {b.real(1), b.real(2)}); };
  const auto name = [&] { return b.name(points); };
  const ExprId target = field(element(name(), b.integer(2)), 0, kReal);
  const std::string log =
      run({assign(name(), array({made(), made()})), let(one, element(name(), b.integer(2))), assign(target, b.real(7)),
           assign(element(name(), b.integer(1)), element(name(), b.integer(2))), assign(target, b.real(8)),
           print({name(), b.name(one)})});
  EXPECT_EQ(log, "print [P(x = 7, y = 2), P(x = 8, y = 2)] P(x = 1, y = 2)\n");
}

TEST_F(Arrays, IndicesAreChecked) {
  const auto x = variable("x", kVector);
  const auto n = variable("n", kInteger);
  world();
  run(b.block({assign(b.name(x), numbers({1, 2, 3}))}), unit());
  slot(n).integer = 4;
  EXPECT_EQ(run({print({element(b.name(x), b.name(n))})}), "index 4 is outside `x`, which has 3 elements");
  EXPECT_EQ(run({assign(element(b.name(x), b.name(n)), b.real(1))}), "index 4 is outside `x`, which has 3 elements");
  slot(n).integer = 0;
  EXPECT_EQ(run({print({element(b.name(x), b.name(n))})}), "index 0 is outside `x`, which has 3 elements");
}

TEST_F(Arrays, SlicesAreReadAndAssigned) {
  const auto x = variable("x", kVector);
  const auto slice = [&](int first, int last) {
    return b.expr(Op::Index, kVector, {b.name(x), range(b.integer(first), b.integer(last))});
  };
  EXPECT_EQ(run({assign(b.name(x), numbers({1, 2, 3, 4})), assign(slice(1, 2), slice(3, 4)),
                 print({b.name(x), slice(2, 3), slice(3, 2)})}),
            "print [3, 4, 3, 4] [4, 3] []\n");
  EXPECT_EQ(run({assign(slice(1, 2), slice(2, 4))}), "3 elements cannot be assigned to a slice of 2");
  EXPECT_EQ(run({print({slice(3, 5)})}), "3..5 reaches outside `x`, whose size there is 4");
}

TEST_F(Arrays, MatricesMultiply) {
  const Type matrix = kReal.with_rank(2);
  const ExprId a = array({numbers({1, 2}), numbers({3, 4})});
  const ExprId product = b.expr(Op::MatrixProduct, matrix, {a, a});
  const ExprId column = b.expr(Op::MatrixProduct, kVector, {a, numbers({1, 1})});
  const ExprId row = b.expr(Op::MatrixProduct, kVector, {numbers({1, 1}), a});
  const ExprId second = b.expr(Op::Index, kVector, {a, b.expr(Op::Whole, {}), b.integer(2)});
  EXPECT_EQ(run({print({product, column, row, second, b.builtin(Builtin::Transpose, matrix, {a})})}),
            "print [[7, 10], [15, 22]] [3, 7] [4, 6] [2, 4] [[1, 3], [2, 4]]\n");
}

TEST_F(Arrays, FunctionsGetAndGiveArrays) {
  // function twice(v) { var w := v; for i in 1..size(v) { w[i] := v[i] * 2; } return w; }
  const auto v = b.local("v", kVector), w = b.local("w", kVector), i = b.local("i", kInteger);
  model::Function function;
  function.name = b.symbol("twice");
  function.parameters = {v};
  function.defaults = {{}};
  function.results = {model::TestBuilder::result(kVector)};
  const ExprId doubled = b.binary(Op::Multiply, element(b.name(v), b.name(i)), b.real(2));
  function.block = b.block({let(w, b.name(v), ActionKind::Variable),
                            loop(i, range(b.integer(1), b.builtin(Builtin::Size, kInteger, {b.name(v)})),
                                 {assign(element(b.name(w), b.name(i)), doubled)}),
                            b.action(ActionKind::Return, {b.name(w)})});
  const auto id = b.model.functions.add(function);
  const auto x = variable("x", kVector);
  const ExprId call = b.expr(Op::Call, kVector, {b.name(x)}, id.index);
  EXPECT_EQ(run({assign(b.name(x), numbers({1, 2})), print({call, b.name(x)})}), "print [2, 4] [1, 2]\n");
}

TEST_F(Arrays, TooDeepCallsFail) {
  const auto n = b.local("n", kInteger);
  model::Function function;
  function.name = b.symbol("f");
  function.parameters = {n};
  function.defaults = {{}};
  function.results = {model::TestBuilder::result(kInteger)};
  const ExprId again = b.expr(Op::Call, kInteger, {b.binary(Op::Add, b.name(n), b.integer(1))}, 0);
  function.block = b.block({b.action(ActionKind::Return, {again})});
  b.model.functions.add(function);
  EXPECT_EQ(run({print({b.expr(Op::Call, kInteger, {b.integer(1)}, 0)})}), "functions call each other too deeply");
}

TEST_F(Arrays, ReductionsRunOverRangesAndArrays) {
  const auto reduce = [&](Builtin which, ExprId term, ExprId over, model::LocalId local) {
    const ExprId id = b.expr(Op::Reduce, b.model.exprs[term].type, {term, over}, local.index);
    b.model.exprs[id].builtin = which;
    return id;
  };
  const auto i = b.local("i", kInteger), v = b.local("v", kReal);
  const ExprId empty = range(b.integer(2), b.integer(1)), three = range(b.integer(1), b.integer(3));
  const ExprId square = b.binary(Op::Multiply, b.name(v), b.name(v));
  const ExprId large = b.binary(Op::Greater, b.name(v), b.real(1));
  EXPECT_EQ(
      run({print({reduce(Builtin::Sum, b.name(i), three, i), reduce(Builtin::Product, b.name(i), empty, i),
                  reduce(Builtin::Max, square, numbers({1, -3, 2}), v), reduce(Builtin::Any, large, numbers({1, 2}), v),
                  reduce(Builtin::All, large, numbers({1, 2}), v)})}),
      "print 6 1 9 true false\n");
  EXPECT_EQ(run({print({reduce(Builtin::Min, b.name(i), empty, i)})}), "there is no least or greatest of no Integers");
}

TEST_F(Arrays, BoxesOfLoopTurnsAreReleased) {
  const auto i = b.local("i", kInteger), t = b.local("t", {TypeKind::String});
  const ExprId made = b.builtin(Builtin::ToString, {TypeKind::String}, {b.name(i)});
  const auto block = b.block({loop(i, range(b.integer(1), b.integer(1000)), {let(t, made)}), print({b.name(t)})});
  const Program program = world().compiler.block(block, unit());
  EXPECT_EQ(run(block, unit()), "print 1000\n");
  EXPECT_EQ(world().heap.live(), 0U);
  EXPECT_LT(program.registers, 20);
}

}  // namespace
}  // namespace hyla::code
