// Thousands of random well-typed programs: the machine and the tree walker must agree bit for bit, also on what fails.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <tuple>

#include "code/testing.h"
#include "code/tree_walker.h"

namespace hyla::code {
namespace {

using model::kBoolean;
using model::kInteger;
using model::kReal;

class Generator {
 public:
  Generator(model::TestBuilder& builder, model::BodyId body, std::uint64_t seed) : b(builder), random_(seed) {
    for (const char* name : {"x", "y", "z"}) reals_.push_back(b.name(b.variable(body, VariableKind::Discrete, name)));
    for (const char* name : {"i", "j", "k"}) {
      integers_.push_back(b.name(b.variable(body, VariableKind::Discrete, name, kInteger)));
    }
    for (const char* name : {"p", "q"}) {
      booleans_.push_back(b.name(b.variable(body, VariableKind::Discrete, name, kBoolean)));
    }
    targets_ = {reals_, integers_, booleans_};
  }

  model::BlockId block(int depth, bool in_loop) {
    const Scope before{reals_, integers_, booleans_};
    std::vector<model::ActionId> actions;
    for (std::size_t n = 1 + below(4); n > 0; --n) action(depth, in_loop, actions);
    std::tie(reals_, integers_, booleans_) = before;
    return b.block(std::move(actions));
  }

 private:
  using Names = std::vector<ExprId>;
  using Scope = std::tuple<Names, Names, Names>;

  std::size_t below(std::size_t limit) { return random_() % limit; }
  const Names& names(Type type) const { return type == kReal ? reals_ : type == kInteger ? integers_ : booleans_; }
  Type any_type() { return std::array{kReal, kInteger, kBoolean}[below(3)]; }
  ExprId pick(const Names& from) { return from[below(from.size())]; }

  ExprId literal(Type type) {
    if (type == kBoolean) return b.boolean(below(2) == 0);
    if (type == kInteger) return b.integer(std::array{0.0, 1.0, 2.0, -1.0, 3.0, -7.0, 4e15}[below(7)]);
    return b.real(std::array{0.0, 1.0, -1.0, 0.5, 0.1, 1e300, -3.75}[below(7)]);
  }
  /// Integers stand where Reals are wanted, too.
  ExprId number(Type type, int depth) { return value(type == kReal && below(4) == 0 ? kInteger : type, depth); }

  ExprId value(Type type, int depth) {
    if (depth <= 0 || below(5) == 0) return below(3) == 0 ? literal(type) : pick(names(type));
    const auto next = depth - 1;
    if (below(8) == 0) return b.expr(Op::If, type, {value(kBoolean, next), number(type, next), number(type, next)});
    if (type == kBoolean) return condition(next);
    switch (below(8)) {
      case 0:
        return b.expr(Op::Negate, type, {value(type, next)});
      case 1:
        return b.builtin(below(2) == 0 ? Builtin::Min : Builtin::Max, type, {number(type, next), number(type, next)});
      case 2:
        return b.builtin(Builtin::Abs, type, {value(type, next)});
      case 3:
        if (type == kReal) return b.builtin(Builtin::Sqrt, type, {number(type, next)});
        return b.builtin(below(2) == 0 ? Builtin::Mod : Builtin::Div, type, {value(type, next), value(type, next)});
      case 4:
        if (type == kInteger) return b.builtin(Builtin::Floor, type, {value(kReal, next)});
        return b.expr(Op::Divide, type, {number(type, next), number(type, next)});
      default:
        return b.expr(std::array{Op::Add, Op::Subtract, Op::Multiply}[below(3)], type,
                      {number(type, next), number(type, next)});
    }
  }

  ExprId condition(int depth) {
    switch (below(4)) {
      case 0:
        return b.expr(below(2) == 0 ? Op::And : Op::Or, kBoolean, {value(kBoolean, depth), value(kBoolean, depth)});
      case 1:
        return b.expr(Op::Not, kBoolean, {value(kBoolean, depth)});
      default: {
        const auto op = static_cast<Op>(static_cast<int>(Op::Less) + static_cast<int>(below(6)));
        const Type type = below(2) == 0 ? kReal : kInteger;
        return b.expr(op, kBoolean, {number(type, depth), number(type, depth)});
      }
    }
  }

  void local(model::ActionId action, Type type, bool assignable) {
    const auto id = b.local("local", type);
    b.model.actions[action].locals = {id};
    const ExprId name = b.name(id);
    (type == kReal ? reals_ : type == kInteger ? integers_ : booleans_).push_back(name);
    if (assignable) mutable_.push_back(name);
  }

  ExprId target(Type type) {
    for (const ExprId name : mutable_) {
      if (below(3) == 0 && b.model.exprs[name].type == type) {
        const Names& visible = names(type);
        if (std::find(visible.begin(), visible.end(), name) != visible.end()) return name;
      }
    }
    return pick(type == kReal      ? std::get<0>(targets_)
                : type == kInteger ? std::get<1>(targets_)
                                   : std::get<2>(targets_));
  }

  void action(int depth, bool in_loop, std::vector<model::ActionId>& actions) {
    const Type type = any_type();
    switch (below(depth > 0 ? 10 : 5)) {
      case 0: {
        const auto id = b.action(below(2) == 0 ? ActionKind::Let : ActionKind::Variable, {value(type, 3)});
        actions.push_back(id);
        return local(id, type, b.model.actions[id].kind == ActionKind::Variable);
      }
      case 1: {
        const Type second = any_type();
        const ExprId one = target(type), other = target(second);
        actions.push_back(b.action(ActionKind::Assign, {one, other, number(type, 2), number(second, 2)}));
        return;
      }
      case 2:
        if (in_loop && below(3) == 0) {
          const auto leave = b.action(below(2) == 0 ? ActionKind::Break : ActionKind::Continue);
          actions.push_back(b.action(ActionKind::If, {value(kBoolean, 2)}, {b.block({leave})}));
        }
        return;
      case 5:
      case 6: {
        std::vector<model::BlockId> blocks = {block(depth - 1, in_loop)};
        if (below(2) == 0) blocks.push_back(block(depth - 1, in_loop));
        actions.push_back(b.action(ActionKind::If, {value(kBoolean, 3)}, std::move(blocks)));
        return;
      }
      case 7:
      case 8:
        return ranged(depth, actions);
      case 9:
        return guarded(depth, actions);
      default: {
        const ExprId goal = target(type);
        actions.push_back(b.action(ActionKind::Assign, {goal, number(type, 4)}));
      }
    }
  }

  void ranged(int depth, std::vector<model::ActionId>& actions) {
    const ExprId first = b.integer(static_cast<double>(below(4))), last = b.integer(static_cast<double>(below(6)));
    const auto index = b.local("index", kInteger);
    ExprId range = b.expr(Op::Range, kInteger.with_rank(1), {first, last});
    if (below(3) == 0) {
      const ExprId step = b.integer(std::array{1.0, 2.0, -1.0}[below(3)]);
      range = b.expr(Op::Range, kInteger.with_rank(1), {first, last, step});
    }
    const Names before = integers_;
    integers_.push_back(b.name(index));
    const auto id = b.action(ActionKind::For, {range}, {block(depth - 1, true)});
    integers_ = before;
    b.model.actions[id].locals = {index};
    actions.push_back(id);
  }

  /// A loop that ends because it counts its turns.
  void guarded(int depth, std::vector<model::ActionId>& actions) {
    const auto turns = b.local("turns", kInteger);
    const auto start = b.action(ActionKind::Variable, {b.integer(0)});
    b.model.actions[start].locals = {turns};
    const auto count = b.action(ActionKind::Assign, {b.name(turns), b.binary(Op::Add, b.name(turns), b.integer(1))});
    const ExprId more = b.binary(Op::Less, b.name(turns), b.integer(4));
    const model::BlockId inner = block(depth - 1, true);
    std::vector<model::ActionId> body = {count};
    for (const model::ActionId id : b.model.blocks[inner].actions) body.push_back(id);
    const ExprId condition = b.expr(Op::And, kBoolean, {more, value(kBoolean, 2)});
    actions.push_back(start);
    actions.push_back(b.action(ActionKind::While, {condition}, {b.block(std::move(body))}));
  }

  model::TestBuilder& b;
  std::mt19937_64 random_;
  Names reals_, integers_, booleans_, mutable_;
  Scope targets_;
};

class RandomPrograms : public testing::Test {};

TEST_F(RandomPrograms, GiveWhatTheTreeWalkerGives) {
  int failures = 0, changes = 0;
  constexpr int kPrograms = 5000;
  for (int seed = 0; seed < kPrograms; ++seed) {
    model::TestBuilder b;
    const model::ClassId object_class = b.add_class("M");
    Generator generator(b, b.body_of(object_class), static_cast<std::uint64_t>(seed));
    const model::BlockId block = generator.block(3, false);
    TestWorld world(b.model, object_class);
    std::vector<Slot> expected(world.layout_of_class.slots.size());
    for (std::size_t i = 0; i < 3; ++i) expected[i] = Slot(0.25 + static_cast<double>(i));
    for (std::size_t i = 3; i < 6; ++i) expected[i] = Slot(static_cast<std::int64_t>(i) - 4);
    std::copy(expected.begin(), expected.end(), world.slots());
    const std::vector<Slot> before = expected;
    const bool good = TreeWalker(b.model, world.layout, expected).run(block);
    Unit unit;
    unit.object_class = object_class;
    const Program program = world.compiler.block(block, unit);
    const Status status = world.machine->run(program, world.self, world.slots(), {});
    ASSERT_EQ(status == Status::Finished, good) << "program " << seed << ": " << world.machine->failure().message;
    ASSERT_EQ(std::memcmp(expected.data(), world.slots(), expected.size() * sizeof(Slot)), 0) << "program " << seed;
    failures += good ? 0 : 1;
    changes += std::memcmp(expected.data(), before.data(), expected.size() * sizeof(Slot)) != 0 ? 1 : 0;
  }
  EXPECT_GT(failures, kPrograms / 50);
  EXPECT_LT(failures, kPrograms / 2);
  EXPECT_GT(changes, kPrograms / 2);
}

}  // namespace
}  // namespace hyla::code
