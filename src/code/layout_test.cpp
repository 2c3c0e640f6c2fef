#include "code/layout.h"

#include <gtest/gtest.h>

#include "model/test_builder.h"

namespace hyla::code {
namespace {

using model::kInteger;
using model::kReal;
using model::Op;
using model::VariableKind;

TEST(Layout, ADerivedClassStartsWithTheSlotsOfItsBase) {
  model::TestBuilder b;
  // The derived class stands first, and names its own variable before the inherited one.
  const auto derived = b.add_class("Derived"), base = b.add_class("Base");
  b.model.classes[derived].base = base;
  const auto own = b.variable(b.body_of(derived), VariableKind::Discrete, "own");
  const auto inherited = b.variable(b.body_of(derived), VariableKind::Discrete, "x");
  const auto derived_chart = b.chart(b.body_of(derived), "");
  const auto derived_new = b.state(derived_chart, "New"), derived_a = b.state(derived_chart, "A");
  const auto derived_q = b.variable(b.body_of(derived_a), VariableKind::Discrete, "q");
  const auto x = b.variable(b.body_of(base), VariableKind::Discrete, "x");
  const auto chart = b.chart(b.body_of(base), "");
  const auto a = b.state(chart, "A");
  const auto q = b.variable(b.body_of(a), VariableKind::Discrete, "q", kReal.with_rank(1));

  const Layout layout = lay_out(b.model);
  EXPECT_EQ(layout.classes[base.index].slots.size(), 3U);
  EXPECT_EQ(layout.classes[derived.index].slots.size(), 4U);
  EXPECT_EQ(layout.variables[inherited.index], layout.variables[x.index]);
  EXPECT_EQ(layout.variables[derived_q.index], layout.variables[q.index]);
  EXPECT_EQ(layout.charts[derived_chart.index], layout.charts[chart.index]);
  EXPECT_EQ(layout.state_numbers[derived_a.index], layout.state_numbers[a.index]);
  EXPECT_EQ(layout.state_numbers[derived_new.index], 1U);
  EXPECT_EQ(layout.variables[own.index], 3U);
  EXPECT_EQ(layout.classes[base.index].slots[layout.variables[q.index]], SlotUse::Box);
  EXPECT_EQ(layout.classes[base.index].slots[layout.variables[x.index]], SlotUse::Plain);
}

TEST(Layout, WhatConditionsReadIsWatched) {
  model::TestBuilder b;
  const auto id = b.add_class("M");
  const auto x = b.variable(b.body_of(id), VariableKind::Discrete, "x");
  const auto y = b.variable(b.body_of(id), VariableKind::Discrete, "y");
  const auto out = b.variable(b.body_of(id), VariableKind::Output, "out");
  b.when(b.body_of(id), b.binary(Op::Greater, b.name(x), b.real(1)), {}, b.assignment(b.name(y), b.name(y)));
  const Layout layout = lay_out(b.model);
  const std::vector<bool>& watched = layout.classes[id.index].watched;
  EXPECT_TRUE(watched[layout.variables[x.index]]);
  EXPECT_FALSE(watched[layout.variables[y.index]]);
  EXPECT_TRUE(watched[layout.variables[out.index]]);
}

TEST(Layout, ConditionsOfWaitingProcessesAreWatched) {
  model::TestBuilder b;
  const auto id = b.add_class("M");
  const auto x = b.variable(b.body_of(id), VariableKind::Discrete, "x", kInteger);
  model::Process process;
  const auto wait = b.action(model::ActionKind::WaitUntil, {b.binary(Op::Greater, b.name(x), b.integer(1))});
  process.block = b.block({b.action(model::ActionKind::Loop, {}, {b.block({wait})})});
  process.body = b.body_of(id);
  b.model.bodies[b.body_of(id)].processes.push_back(b.model.processes.add(process));
  const Layout layout = lay_out(b.model);
  EXPECT_TRUE(layout.classes[id.index].watched[layout.variables[x.index]]);
}

TEST(Layout, ReadsAreFound) {
  model::TestBuilder b;
  const auto id = b.add_class("M"), other = b.add_class("Other");
  const auto x = b.variable(b.body_of(id), VariableKind::Discrete, "x");
  const auto who = b.variable(b.body_of(id), VariableKind::Discrete, "who", {model::TypeKind::Object, 0, other.index});
  const auto v = b.variable(b.body_of(other), VariableKind::Output, "v");
  const Layout layout = lay_out(b.model);
  const auto foreign = b.entity(model::EntityKind::Variable, v.index, kReal, {b.name(who)});
  const auto sum = b.binary(Op::Add, b.binary(Op::Add, b.name(x), b.name(x)), foreign);
  const Reads reads = reads_of(b.model, layout, sum);
  EXPECT_EQ(reads.slots, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(reads.foreign);
  EXPECT_FALSE(reads.time);
  const auto draw = b.builtin(model::Builtin::Exponential, kReal, {b.expr(Op::Time, kReal)});
  EXPECT_TRUE(reads_of(b.model, layout, draw).random);
  EXPECT_TRUE(reads_of(b.model, layout, draw).time);
  EXPECT_TRUE(reads_of(b.model, layout, b.der(x)).derivative);
}

TEST(Layout, KnowsWhatIsAffineInTime) {
  model::TestBuilder b;
  const auto x = b.variable(b.body_of(b.add_class("M")), VariableKind::Discrete, "x");
  const auto time = b.expr(Op::Time, kReal);
  const auto line = b.binary(Op::Add, b.binary(Op::Multiply, b.name(x), time), b.real(2));
  EXPECT_TRUE(is_affine_in_time(b.model, line));
  EXPECT_TRUE(is_affine_in_time(b.model, b.name(x)));
  EXPECT_TRUE(is_affine_in_time(b.model, b.binary(Op::Divide, line, b.name(x))));
  EXPECT_FALSE(is_affine_in_time(b.model, b.binary(Op::Divide, b.real(1), time)));
  EXPECT_FALSE(is_affine_in_time(b.model, b.binary(Op::Multiply, time, line)));
  EXPECT_FALSE(is_affine_in_time(b.model, b.builtin(model::Builtin::Sin, kReal, {time})));
}

}  // namespace
}  // namespace hyla::code
