#include "code/testing.h"

namespace hyla::code {
namespace {

using model::kBoolean;
using model::kInteger;
using model::kReal;

class Actions : public CodeTest {};

TEST_F(Actions, AnAssignmentStoresAndConverts) {
  const auto x = real("x");
  const auto n = variable("n", kInteger);
  run({assign(b.name(n), b.integer(3)), assign(b.name(x), b.binary(Op::Add, b.name(n), b.integer(4)))});
  EXPECT_EQ(slot(n).integer, 3);
  EXPECT_EQ(slot(x).real, 7.0);
}

TEST_F(Actions, AllRightSidesComeFirst) {
  const auto x = real("x"), y = real("y");
  world().slots()[0] = Slot(1.0);
  world().slots()[1] = Slot(2.0);
  run({b.action(ActionKind::Assign, {b.name(x), b.name(y), b.name(y), b.name(x)})});
  EXPECT_EQ(slot(x).real, 2.0);
  EXPECT_EQ(slot(y).real, 1.0);
}

TEST_F(Actions, ArraysAreSwappedWithoutLosingOne) {
  const auto x = variable("x", kReal.with_rank(1)), y = variable("y", kReal.with_rank(1));
  const auto swap = b.action(ActionKind::Assign, {b.name(x), b.name(y), b.name(y), b.name(x)});
  const std::string log = run({assign(b.name(x), array({b.real(1), b.real(2)})),
                               assign(b.name(y), array({b.real(3), b.real(4)})), swap, print({b.name(x), b.name(y)})});
  EXPECT_EQ(log, "print [3, 4] [1, 2]\n");
}

TEST_F(Actions, OnlyChangesOfWatchedSlotsAreTold) {
  const auto x = b.variable(body, VariableKind::Output, "x");
  const auto y = real("y");
  EXPECT_EQ(run({assign(b.name(x), b.real(1)), assign(b.name(x), b.real(1)), assign(b.name(y), b.real(1))}),
            "changed object1 0\n");
}

TEST_F(Actions, WhatIsReadInATracedConditionIsTold) {
  const auto x = real("x"), y = real("y");
  Unit traced = unit();
  traced.traced = true;
  const ExprId condition =
      b.binary(Op::And, b.binary(Op::Greater, b.name(x), b.real(0)), b.binary(Op::Greater, b.name(y), b.real(0)));
  TestWorld& w = world();
  const Program program = w.compiler.expression(condition, traced);
  Slot result;
  ASSERT_EQ(w.machine->run(program, w.self, w.slots(), {}, &result), Status::Finished);
  EXPECT_EQ(result.integer, 0);
  EXPECT_EQ(w.host.take_log(), "observed object1 0\n");  // `and` did not need y
  slot(x).real = 1;
  ASSERT_EQ(w.machine->run(program, w.self, w.slots(), {}, &result), Status::Finished);
  EXPECT_EQ(w.host.take_log(), "observed object1 0\nobserved object1 1\n");
}

TEST_F(Actions, OtherObjectsAreReadThroughReferences) {
  const auto other = b.add_class("Other");
  const auto v = b.variable(b.body_of(other), VariableKind::Output, "v");
  const auto who = variable("who", {TypeKind::Object, 0, other.index});
  const auto x = real("x");
  const ExprId foreign = b.entity(model::EntityKind::Variable, v.index, kReal, {b.name(who)});
  const auto read = b.block({assign(b.name(x), foreign)});
  EXPECT_EQ(run(read, unit()), "`who` is none");
  TestWorld& w = world();
  const ObjectRef object = w.host.add_object(1);
  w.host.slots(object)[0].real = 4.5;
  slot(who).object = object;
  EXPECT_EQ(run(read, unit()), "");
  EXPECT_EQ(slot(x).real, 4.5);
}

TEST_F(Actions, MailboxesAreSearched) {
  const auto job = b.message("Job", {b.field("size", kReal)});
  const Type message{TypeKind::Message, 0, job.index};
  model::Mailbox record;
  record.name = b.symbol("box");
  record.messages = {job};
  record.body = body;
  const auto box = b.model.mailboxes.add(record);
  b.model.bodies[body].mailboxes.push_back(box);
  const auto name = [&] { return b.entity(model::EntityKind::Mailbox, box.index, {TypeKind::Mailbox, 0, box.index}); };
  const auto method = [&](Builtin which, Type type, std::initializer_list<ExprId> operands, std::uint32_t ref) {
    const ExprId id = b.expr(Op::Method, type, operands, ref);
    b.model.exprs[id].builtin = which;
    return id;
  };
  const auto m = b.local("m", message);
  const auto j = b.local("j", message);
  const auto put = [&](double size) {
    const ExprId made = b.expr(Op::Construct, message, {b.real(size)});
    return b.action(ActionKind::Evaluate, {method(Builtin::Put, {TypeKind::Nothing}, {name(), made}, UINT32_MAX)});
  };
  const ExprId small = b.binary(Op::Less, field(b.name(m), 0, kReal), b.real(2));
  const ExprId take = method(Builtin::Take, message, {name(), small}, m.index);
  const ExprId size = b.expr(Op::Property, kInteger, {name()});
  b.model.exprs[size].builtin = Builtin::SizeOf;
  world().host.mailboxes.resize(1);
  const auto block = b.block({put(3), put(1), put(2), let(j, take), print({b.name(j), size})});
  EXPECT_EQ(run(block, unit()), "print Job(size = 1) 2\n");
  const auto again = b.block({let(j, take), print({b.name(j), size})});
  EXPECT_EQ(run(again, unit()), "print none 2\n");
  const auto field_of_none = b.block({let(j, take), print({field(b.name(j), 0, kReal)})});
  EXPECT_EQ(run(field_of_none, unit()), "`j` is none");
}

TEST_F(Actions, PatternsBindFields) {
  const auto job = b.message("Job", {b.field("id", kInteger), b.field("size", kReal)});
  const auto port = b.port(body, "p", {job});
  const auto size = b.local("size", kReal), whole = b.local("j", {TypeKind::Message, 0, job.index});
  model::Awaited pattern;
  pattern.source = b.name(port);
  pattern.message = job;
  pattern.whole = whole;
  pattern.fields = {{}, size};
  Unit with = unit();
  with.pattern = &pattern;
  const auto block = b.block({print({b.name(size), b.name(whole)})});
  Box* message = world().heap.new_message(job);
  message->slots()[0].integer = 7;
  message->slots()[1].real = 1.5;
  const Slot input(message);
  EXPECT_EQ(run(block, with, std::span(&input, 1)), "print 1.5 Job(id = 7, size = 1.5)\n");
  world().heap.release(message);
}

TEST_F(Actions, MessagesAreSentNowAndLater) {
  const auto job = b.message("Job", {b.field("size", kReal)});
  const auto port = b.port(body, "p", {}, {job});
  const auto d = b.local("d", {TypeKind::Delivery});
  const auto now = b.action(ActionKind::Send, {b.name(port), b.integer(3)});
  b.model.actions[now].ref = job.index;
  const auto later = b.action(ActionKind::Send, {b.name(port), b.real(3)});
  b.model.actions[later].ref = job.index;
  b.model.actions[later].delay_kind = model::DelayKind::After;
  b.model.actions[later].delay = b.integer(2);
  b.model.actions[later].result.local = d;
  world().slots()[0] = Slot(std::int64_t{40});
  EXPECT_EQ(run({now, later, b.action(ActionKind::Cancel, {b.name(d)})}),
            "send 0 to 40\nsend 0 to 40 after 2\ncancel 2\n");
}

TEST_F(Actions, FailuresOfTheHostCarryThePlace) {
  const auto x = real("x");
  const ExprId draw = b.builtin(Builtin::Exponential, kReal, {b.real(2)});
  b.model.exprs[draw].span = {diag::FileId(0), 10, 20};
  world().host.next_draw = -1;
  EXPECT_EQ(run({assign(b.name(x), draw)}), "no such distribution");
  EXPECT_EQ(world().machine->failure().span.begin, 10U);
}

TEST_F(Actions, TheMachineCanBeEnteredAgainFromAHostCall) {
  const auto t = b.local("t", {TypeKind::String}), i = b.local("i", kInteger);
  const auto number = [&](ExprId of) { return b.builtin(Builtin::ToString, {TypeKind::String}, {of}); };
  const auto inner = b.block(
      {loop(i, range(b.integer(1), b.integer(3)), {let(t, number(b.name(i)))}), print({text("inner"), b.name(t)})});
  TestWorld& w = world();
  const Program program = w.compiler.block(inner, unit());
  w.host.on_draw = [&] { w.machine->run(program, w.self, w.slots(), {}); };
  // The text made before the draw must survive the inner program.
  const ExprId draw = b.builtin(Builtin::Exponential, kReal, {b.real(2)});
  const ExprId joined = b.expr(Op::Add, {TypeKind::String}, {number(b.integer(7)), number(draw)});
  EXPECT_EQ(run({print({joined})}), "draw 0 exponential 2\nprint inner 3\nprint 70.5\n");
}

TEST_F(Actions, WhatCannotBeRunIsListed) {
  const auto x = real("x");
  TestWorld& w = world();
  w.compiler.block(b.block({assign(b.name(x), b.der(x)), b.action(ActionKind::Equation, {b.name(x), b.name(x)})}),
                   unit());
  ASSERT_EQ(w.compiler.unsupported().size(), 1U) << "an equation is solved with the others";
  EXPECT_EQ(w.compiler.unsupported()[0].what, "the derivative `der`");
}

TEST_F(Actions, ABooleanKeepsItsOldValueWhileItsNewOneIsComputed) {
  const auto flag = b.local("flag", kBoolean);
  const ExprId value = b.binary(Op::Or, b.binary(Op::Less, b.real(2), b.real(1)), b.name(flag));
  EXPECT_EQ(run({let(flag, b.boolean(true), ActionKind::Variable), assign(b.name(flag), value), print({b.name(flag)})}),
            "print true\n");
}

}  // namespace
}  // namespace hyla::code
