#include "code/testing.h"

namespace hyla::code {
namespace {

using model::Branch;
using model::kInteger;
using model::kReal;

class Processes : public CodeTest {
 protected:
  model::ProcessId process(std::vector<model::ActionId> actions, std::vector<model::LocalId> parameters = {}) {
    model::Process record;
    record.name = b.symbol("serve");
    record.parameters = std::move(parameters);
    record.defaults.resize(record.parameters.size());
    record.block = b.block(std::move(actions));
    record.body = body;
    const auto id = b.model.processes.add(record);
    b.model.bodies[body].processes.push_back(id);
    return id;
  }
  Status go_on(Frame& frame, std::uint32_t pc) {
    return world().machine->resume(frame, pc, world().self, world().slots());
  }
  const WaitBranch& at(const Frame& frame, std::size_t branch = 0) {
    return frame.program->waits[frame.wait].branches[branch];
  }
  bool probe(Frame& frame, const WaitBranch& branch) {
    bool holds = false;
    EXPECT_EQ(world().machine->probe(frame, branch.probe, world().self, world().slots(), holds), Status::Finished);
    return holds;
  }
};

TEST_F(Processes, WaitAndKeepTheirLocals) {
  const auto n = b.local("n", kInteger), i = b.local("i", kInteger), t = b.local("t", {TypeKind::String});
  const ExprId made = b.builtin(Builtin::ToString, {TypeKind::String}, {b.name(i)});
  const auto id = process({loop(i, range(b.integer(1), b.name(n)),
                                {let(t, made), b.action(ActionKind::Wait, {b.name(i)}), print({b.name(t)})})},
                          {n});
  TestWorld& w = world();
  const Program program = w.compiler.process(id, 0);
  const Slot two(std::int64_t{2});
  Frame frame = w.machine->make_frame(program, std::span(&two, 1));
  ASSERT_EQ(go_on(frame, 0), Status::Waiting);
  EXPECT_EQ(at(frame).kind, Branch::Kind::After);
  EXPECT_EQ(frame.registers[at(frame).value].real, 1.0);
  ASSERT_EQ(go_on(frame, at(frame).resume), Status::Waiting);
  EXPECT_EQ(frame.registers[at(frame).value].real, 2.0);
  EXPECT_EQ(w.host.take_log(), "print 1\n");
  ASSERT_EQ(go_on(frame, at(frame).resume), Status::Finished);
  EXPECT_EQ(w.host.take_log(), "print 2\n");
  w.machine->destroy_frame(frame);
}

TEST_F(Processes, StoppedOnTheirWayReleaseTheirBoxes) {
  const auto t = b.local("t", {TypeKind::String});
  const auto id = process({let(t, b.builtin(Builtin::ToString, {TypeKind::String}, {b.integer(12)})),
                           b.action(ActionKind::Wait, {b.real(1)})});
  TestWorld& w = world();
  const Program program = w.compiler.process(id, 0);
  Frame frame = w.machine->make_frame(program, {});
  ASSERT_EQ(go_on(frame, 0), Status::Waiting);
  EXPECT_EQ(w.heap.live(), 1U);
  w.machine->destroy_frame(frame);
  EXPECT_EQ(w.heap.live(), 0U);
}

TEST_F(Processes, TakeTheBranchThatIsChosen) {
  const auto job = b.message("Job", {b.field("size", kReal)});
  const auto port = b.port(body, "p", {job});
  const auto x = real("x");
  const auto size = b.local("size", kReal);
  Branch receive;
  receive.kind = Branch::Kind::Receive;
  receive.awaited.source = b.name(port);
  receive.awaited.message = job;
  receive.awaited.fields = {size};
  receive.awaited.where = b.binary(Op::Greater, b.name(size), b.name(x));
  receive.block = b.block({print({b.name(size)})});
  Branch until;
  until.kind = Branch::Kind::Until;
  until.condition = b.binary(Op::Greater, b.name(x), b.real(3));
  until.block = b.block({print({text("until")})});
  Branch after;
  after.kind = Branch::Kind::After;
  after.condition = b.real(5);
  b.model.branches = {receive, until, after};
  const auto wait = b.action(ActionKind::FirstOf);
  b.model.actions[wait].ref = 0;
  b.model.actions[wait].branch_count = 3;
  const auto id = process({wait, print({text("end")})});
  TestWorld& w = world();
  const Program program = w.compiler.process(id, 0);
  slot(x).real = 2;
  w.slots()[w.layout.ports[port.index]] = Slot(std::int64_t{77});

  Frame frame = w.machine->make_frame(program, {});
  ASSERT_EQ(go_on(frame, 0), Status::Waiting);
  const WaitBranch& first = at(frame, 0);
  EXPECT_EQ(first.source_kind, model::EntityKind::Port);
  EXPECT_EQ(first.source_number, 0U);
  EXPECT_EQ(frame.registers[first.source].integer, 77);
  Box* message = w.heap.new_message(job);
  message->slots()[0].real = 1;
  w.machine->set_message(frame, first.message_register, message);
  EXPECT_FALSE(probe(frame, first));
  message->slots()[0].real = 2.5;
  EXPECT_TRUE(probe(frame, first));
  EXPECT_FALSE(probe(frame, at(frame, 1)));
  const std::string slot_of_x = std::to_string(w.layout.variables[x.index]);
  const std::string seen = "observed object1 " + slot_of_x + "\n";
  EXPECT_EQ(w.host.take_log(), seen + seen + seen);
  ASSERT_EQ(go_on(frame, first.resume), Status::Finished);
  EXPECT_EQ(w.host.take_log(), "print 2.5\nprint end\n");
  w.machine->destroy_frame(frame);
  w.heap.release(message);

  frame = w.machine->make_frame(program, {});
  ASSERT_EQ(go_on(frame, 0), Status::Waiting);
  ASSERT_EQ(go_on(frame, at(frame, 1).resume), Status::Finished);
  EXPECT_EQ(w.host.take_log(), "print until\nprint end\n");
  w.machine->destroy_frame(frame);
}

TEST_F(Processes, DevsFunctionsAreCalledInPlace) {
  const auto x = real("x");
  const auto elapsed = b.local("elapsed", kReal);
  const auto give_back = b.action(ActionKind::Return);
  const auto early =
      b.action(ActionKind::If, {b.binary(Op::Greater, b.name(elapsed), b.real(1))}, {b.block({give_back})});
  model::DevsFunction external;
  external.kind = model::DevsFunctionKind::External;
  external.parameters = {elapsed};
  external.block = b.block({early, assign(b.name(x), b.binary(Op::Add, b.name(x), b.name(elapsed)))});
  b.model.classes[object_class].devs_functions = {external};
  const auto call = [&](double value) {
    const auto id = b.action(ActionKind::DevsCall, {b.real(value)});
    b.model.actions[id].ref = static_cast<std::uint32_t>(model::DevsFunctionKind::External);
    return id;
  };
  run({call(0.5), call(2), call(0.25), print({b.name(x)})});
  EXPECT_EQ(slot(x).real, 0.75);
}

}  // namespace
}  // namespace hyla::code
