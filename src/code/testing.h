// A model of one class built by hand, and one object of it to run programs on: the fixture of the tests of this folder.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "code/compiler.h"
#include "code/functions.h"
#include "code/machine.h"
#include "code/test_host.h"
#include "model/test_builder.h"

namespace hyla::code {

using model::ActionKind;
using model::Builtin;
using model::ExprId;
using model::Op;
using model::Type;
using model::TypeKind;
using model::VariableKind;

/// Everything that exists only once the model is complete.
struct TestWorld {
  explicit TestWorld(const model::Model& model, model::ClassId object_class)
      : layout(lay_out(model)),
        functions(model, layout),
        compiler(model, layout, functions),
        heap(model),
        host(heap),
        machine(std::make_unique<Machine>(model, functions, heap, host)),
        layout_of_class(layout.classes[object_class.index]) {
    host.machine = machine.get();
    self = host.add_object(layout_of_class.slots.size());
  }
  ~TestWorld() {
    for (std::size_t i = 0; i < layout_of_class.slots.size(); ++i) {
      if (layout_of_class.slots[i] == SlotUse::Box) heap.release(host.rows[0][i].box);
    }
    for (const std::vector<Box*>& mailbox : host.mailboxes) {
      for (Box* message : mailbox) heap.release(message);
    }
    host.mailboxes.clear();
    machine.reset();
    EXPECT_EQ(heap.live(), 0U) << "boxes have leaked";
  }
  TestWorld(const TestWorld&) = delete;
  TestWorld& operator=(const TestWorld&) = delete;

  Slot* slots() { return host.slots(self); }

  Layout layout;
  Functions functions;
  Compiler compiler;
  Heap heap;
  TestHost host;
  std::unique_ptr<Machine> machine;
  const ClassLayout& layout_of_class;
  ObjectRef self;
};

class CodeTest : public testing::Test {
 protected:
  model::TestBuilder b;
  model::ClassId object_class = b.add_class("M");
  model::BodyId body = b.body_of(object_class);

  /// From here on the model is complete.
  TestWorld& world() {
    if (world_ == nullptr) world_ = std::make_unique<TestWorld>(b.model, object_class);
    return *world_;
  }

  // Building.
  model::VariableId real(std::string_view name) { return b.variable(body, VariableKind::Discrete, name); }
  model::VariableId variable(std::string_view name, Type type) {
    return b.variable(body, VariableKind::Discrete, name, type);
  }
  ExprId array(std::initializer_list<ExprId> elements) {
    const Type element = b.model.exprs[*elements.begin()].type;
    return b.expr(Op::Array, element.with_rank(element.rank + 1U), elements);
  }
  ExprId element(ExprId array, ExprId index) {
    return b.expr(Op::Index, b.model.exprs[array].type.element(), {array, index});
  }
  ExprId range(ExprId first, ExprId last) { return b.expr(Op::Range, model::kInteger.with_rank(1), {first, last}); }
  ExprId field(ExprId record, std::uint32_t number, Type type) { return b.expr(Op::Field, type, {record}, number); }
  ExprId text(std::string_view text) {
    b.model.strings.emplace_back(text);
    return b.expr(Op::String, {TypeKind::String}, {}, static_cast<std::uint32_t>(b.model.strings.size() - 1));
  }
  model::ActionId assign(ExprId target, ExprId value) { return b.action(ActionKind::Assign, {target, value}); }
  model::ActionId let(model::LocalId local, ExprId value, ActionKind kind = ActionKind::Let) {
    const model::ActionId id = b.action(kind, {value});
    b.model.actions[id].locals = {local};
    return id;
  }
  model::ActionId loop(model::LocalId index, ExprId over, std::vector<model::ActionId> actions) {
    const model::ActionId id = b.action(ActionKind::For, {over}, {b.block(std::move(actions))});
    b.model.actions[id].locals = {index};
    return id;
  }
  model::ActionId print(std::initializer_list<ExprId> values) {
    return b.action(ActionKind::Evaluate, {b.builtin(Builtin::Print, {TypeKind::Nothing}, values)});
  }

  // Running.
  Unit unit() {
    Unit made;
    made.object_class = object_class;
    return made;
  }
  /// What happened, or why it failed.
  std::string run(std::vector<model::ActionId> actions) { return run(b.block(std::move(actions)), unit()); }
  std::string run(model::BlockId block, const Unit& unit, std::span<const Slot> inputs = {}) {
    TestWorld& w = world();
    const Program program = w.compiler.block(block, unit);
    EXPECT_TRUE(w.compiler.unsupported().empty());
    if (w.machine->run(program, w.self, w.slots(), inputs) == Status::Failed) {
      w.host.take_log();
      return w.machine->failure().message;
    }
    return w.host.take_log();
  }
  Slot& slot(model::VariableId id) { return world().slots()[world().layout.variables[id.index]]; }

 private:
  std::unique_ptr<TestWorld> world_;
};

}  // namespace hyla::code
