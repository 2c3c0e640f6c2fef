// Objects made, exchanged and deleted by actions: what the host is asked for.
#include "code/testing.h"

namespace hyla::code {
namespace {

using model::kReal;

class Structure : public CodeTest {
 protected:
  const model::ClassId car = b.add_class("Car");
  const model::VariableId speed = b.variable(b.body_of(car), VariableKind::Parameter, "speed");
  const model::VariableId leader = b.variable(b.body_of(car), VariableKind::Input, "u");

  std::uint32_t occupant(std::vector<model::Argument> arguments) {
    b.model.occupants.push_back({car, std::move(arguments), {}});
    return static_cast<std::uint32_t>(b.model.occupants.size() - 1);
  }
  model::ActionId make(std::uint32_t what, model::LocalId result = {}) {
    const model::ActionId id = b.action(ActionKind::New);
    b.model.actions[id].ref = what;
    b.model.actions[id].result.local = result;
    return id;
  }
};

TEST_F(Structure, ArgumentsAreValuesNow) {
  const auto x = real("x");
  const auto made = b.local("made", {TypeKind::Object, 0, car.index});
  const std::uint32_t what = occupant({{b.name(speed), false, b.expr(Op::Add, kReal, {b.name(x), b.integer(2)})}});
  EXPECT_EQ(run({assign(b.name(x), b.real(3)), make(what, made), b.action(ActionKind::Delete, {b.name(made)})}),
            "create 0 5\ndelete object2\n");
}

TEST_F(Structure, AnInputTakesTheLocalsThatItReads) {
  const auto n = b.local("n", kReal), other = b.local("other", kReal);
  const std::uint32_t what = occupant({{b.name(leader), false, b.expr(Op::Multiply, kReal, {b.name(n), b.name(n)})}});
  EXPECT_EQ(run({let(n, b.real(4)), let(other, b.real(5)), make(what)}), "create 0 4\n");
}

TEST_F(Structure, DeletingNothingFails) {
  const auto reference = variable("r", {TypeKind::Object, 0, car.index});
  EXPECT_EQ(run({b.action(ActionKind::Delete, {b.name(reference)})}), "there is no object to delete");
}

TEST_F(Structure, ObjectsThatAreComparedAreObserved) {
  const auto a = variable("a", {TypeKind::Object, 0, car.index}), c = variable("c", {TypeKind::Object, 0, car.index});
  const ExprId same = b.binary(Op::Equal, b.name(a), b.name(c));
  EXPECT_TRUE(reads_of(b.model, world().layout, same).foreign) << "an object can go without a slot changing";
  slot(a).object = world().host.add_object(1);
  Unit traced = unit();
  traced.traced = true;
  const Program program = world().compiler.expression(same, traced);
  Slot result;
  ASSERT_EQ(world().machine->run(program, world().self, world().slots(), {}, &result), Status::Finished);
  EXPECT_EQ(result.integer, 0);
  EXPECT_NE(world().host.take_log().find("observed object2 4294967295"), std::string::npos);
}

}  // namespace
}  // namespace hyla::code
