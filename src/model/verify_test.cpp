#include <gtest/gtest.h>

#include "model/model.h"
#include "model/test_builder.h"

namespace hyla::model {
namespace {

using Sentences = std::vector<std::string>;

/// A tank with an equation, a chart of two states, a port and a process; each test breaks one thing.
class Verify : public testing::Test {
 protected:
  void SetUp() override {
    b.equation(body, EquationForm::Derivative, level, b.der(level), b.real(1));
    b.model.charts[chart].initial = {{}, TestBuilder::to(empty), {}};
    b.when(b.body_of(empty), b.binary(Op::Greater, b.name(level), b.real(1)), TestBuilder::to(full),
           b.assignment(b.name(level), b.real(0)));
    Process process;
    process.name = b.symbol("fill");
    process.block = b.block({b.action(ActionKind::Wait, {b.real(1)})});
    process.body = body;
    b.model.bodies[body].processes.push_back(b.model.processes.add(process));
  }

  Sentences verify() const { return model::verify(b.model); }
  /// One more action in a block of its own.
  ActionId act(ActionKind kind, std::vector<ExprId> exprs = {}) {
    const ActionId id = b.action(kind, std::move(exprs));
    b.block({id});
    return id;
  }

  TestBuilder b;
  ClassId tank = b.add_class("Tank");
  BodyId body = b.body_of(tank);
  VariableId level = b.variable(body, VariableKind::Var, "level");
  MessageId job = b.message("Job", {b.field("id", kInteger), b.field("size", kReal)});
  PortId port = b.port(body, "orders", {job}, {job});
  ChartId chart = b.chart(body, "mode");
  StateId empty = b.state(chart, "Empty");
  StateId full = b.state(chart, "Full");
};

TEST_F(Verify, FindsNothingInASoundModel) { EXPECT_EQ(verify(), Sentences{}); }

TEST_F(Verify, FindsNothingInAnEmptyModel) { EXPECT_EQ(model::verify(Model{}), Sentences{}); }

TEST_F(Verify, FindsIdsOutsideTheirStores) {
  b.model.equations[EquationId(0)].right = ExprId(1000);
  b.model.states[full].chart = ChartId(7);
  b.model.variables[level].type = {TypeKind::Enum, 0, 3};
  EXPECT_EQ(verify(),
            (Sentences{"variable 0: it holds an id outside its store", "equation 0: it holds an id outside its store",
                       "state 1: it holds an id outside its store"}));
}

TEST_F(Verify, FindsOperandsOutOfOrder) {
  const ExprId sum = b.binary(Op::Add, b.real(1), b.real(2));
  b.model.operands[b.model.exprs[sum].first_operand] = sum;
  const ExprId cut = b.real(1);
  b.model.exprs[cut].operand_count = 5;
  EXPECT_EQ(verify(), (Sentences{"expression " + std::to_string(sum.index) + ": an operand does not come before it",
                                 "expression " + std::to_string(cut.index) + ": its operands are outside their list"}));
}

TEST_F(Verify, FindsMistakesLeftInTheModel) {
  const ExprId wrong = b.expr(Op::Error, {});
  b.model.equations[EquationId(0)].right = wrong;
  const ExprId untyped = b.expr(Op::Negate, {}, {b.real(1)});
  b.model.variables[level].initial = untyped;
  EXPECT_EQ(verify(), (Sentences{"expression " + std::to_string(untyped.index) + ": (Negate) it has no type",
                                 "expression " + std::to_string(wrong.index) +
                                     ": (Error) a reported mistake is left in the model"}));
}

TEST_F(Verify, ForgivesWhatIsNotUsed) {
  b.expr(Op::Error, {});
  b.model.reactions.add({});
  EXPECT_EQ(verify(), Sentences{});
}

TEST_F(Verify, FindsConditionsThatAreNone) {
  b.when(body, b.real(1));
  b.when(body, {});
  EXPECT_EQ(verify(),
            (Sentences{"reaction 1: its condition is Real, not Boolean", "reaction 2: its condition is missing"}));
}

TEST_F(Verify, FindsTargetsThatDoNotFit) {
  const ClassId other = b.add_class("Other");
  const ChartId other_chart = b.chart(b.body_of(other), "");
  const StateId elsewhere = b.state(other_chart, "Elsewhere");
  b.when(body, b.boolean(true), TestBuilder::to(elsewhere));
  b.when(body, b.boolean(true), {TargetKind::State, {}, {}, {}});
  EXPECT_EQ(verify(), (Sentences{"reaction 1: its target is a state of another class",
                                 "reaction 2: its target does not fit its kind"}));
}

TEST_F(Verify, FindsStatesOutsideTheirChart) {
  b.model.charts[chart].states.pop_back();
  EXPECT_EQ(verify(), Sentences{"state 1: its chart does not list it"});
}

TEST_F(Verify, FindsBodiesThatDoNotHangTogether) {
  b.model.bodies[b.body_of(full)].parent = b.body_of(empty);
  b.model.variables[level].body = b.body_of(full);
  b.model.bodies[body].families.push_back({{}, {}, b.expr(Op::Range, kInteger, {b.integer(1), b.integer(2)}), body});
  const Sentences expected = {"variable 0: it is listed by a body that it does not name",
                              "body 2: its parent is not the body that holds it", "body 0: it is met twice"};
  EXPECT_EQ(verify(), expected);
}

TEST_F(Verify, FindsFieldsThatDoNotFit) {
  const Type type{TypeKind::Message, 0, job.index};
  const ExprId built = b.expr(Op::Construct, type, {b.integer(1)});
  act(ActionKind::Evaluate, {b.expr(Op::Field, kReal, {built}, 2)});
  const ActionId send = act(ActionKind::Send, {b.name(port), b.real(1)});
  b.model.actions[send].ref = job.index;
  EXPECT_EQ(verify(),
            (Sentences{"action 3: (Send) its values are not those of the message's fields",
                       "expression " + std::to_string(built.index + 1) + ": (Field) its operand has no such field",
                       "expression " + std::to_string(built.index) + ": (Construct) it has 1 operands, not 2"}));
}

TEST_F(Verify, FindsActionsThatLackSomething) {
  act(ActionKind::If, {b.boolean(true)});
  act(ActionKind::Raise);
  act(ActionKind::While, {b.real(1)});
  act(ActionKind::Receive);
  EXPECT_EQ(
      verify(),
      (Sentences{"action 2: (If) it has too few or too many blocks", "action 3: (Raise) it refers to nothing",
                 "action 4: its condition is Real, not Boolean", "action 4: (While) it has too few or too many blocks",
                 "action 5: (Receive) it waits for nothing"}));
}

TEST_F(Verify, FindsAClassThatExtendsItself) {
  b.model.classes[tank].base = tank;
  EXPECT_EQ(verify(), Sentences{"class 0: it extends itself"});
}

TEST_F(Verify, StopsAfterTheFirstFewBreaches) {
  for (int i = 0; i < 1000; ++i) b.when(body, {});
  EXPECT_EQ(verify().size(), 50U);
}

TEST_F(Verify, WalksDeepModels) {
  ExprId sum = b.real(0);
  for (int i = 0; i < 100'000; ++i) sum = b.binary(Op::Add, sum, b.name(level));
  b.model.variables[level].initial = sum;
  BodyId inner = body;
  for (int i = 0; i < 10'000; ++i) {
    const BodyId next = b.inner_body(inner);
    b.model.bodies[inner].conditionals.push_back({{}, b.boolean(true), next, {}});
    inner = next;
  }
  EXPECT_EQ(verify(), Sentences{});
}

}  // namespace
}  // namespace hyla::model
