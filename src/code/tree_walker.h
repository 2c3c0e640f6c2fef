// Runs actions straight from the checked model, as slowly and simply as can be: what compiled programs are compared
// with. Numbers and Booleans only, own variables and locals only. For tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "code/layout.h"
#include "code/slot.h"
#include "model/model.h"

namespace hyla::code {

class TreeWalker {
 public:
  TreeWalker(const model::Model& model, const Layout& layout, std::vector<Slot>& slots)
      : model_(model), layout_(layout), slots_(slots) {}

  /// False: it failed on the way.
  bool run(model::BlockId block) { return walk(block) != Flow::Fail; }

 private:
  using Op = model::Op;
  using TypeKind = model::TypeKind;
  using Builtin = model::Builtin;
  enum class Flow : std::uint8_t { Next, Break, Continue, Fail };
  __extension__ using Wide = __int128;  ///< holds every sum and product of Integers
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

  Flow walk(model::BlockId block) {
    for (const model::ActionId id : model_.blocks[block].actions) {
      const Flow flow = walk(model_.actions[id]);
      if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
  }

  Flow walk(const model::Action& action) {
    using Kind = model::ActionKind;
    switch (action.kind) {
      case Kind::Let:
      case Kind::Variable:
        locals_[action.locals[0].index] = value(action.exprs[0], model_.locals[action.locals[0]].type.kind);
        return failed_ ? Flow::Fail : Flow::Next;
      case Kind::Assign: {
        const std::size_t count = action.exprs.size() / 2;
        std::vector<Slot> values;
        for (std::size_t i = 0; i < count && !failed_; ++i) {
          values.push_back(value(action.exprs[count + i], model_.exprs[action.exprs[i]].type.kind));
        }
        if (failed_) return Flow::Fail;
        for (std::size_t i = 0; i < count; ++i) place(model_.exprs[action.exprs[i]]) = values[i];
        return Flow::Next;
      }
      case Kind::If: {
        const bool holds = value(action.exprs[0], TypeKind::Boolean).integer != 0;
        if (failed_) return Flow::Fail;
        if (holds) return walk(action.blocks[0]);
        return action.blocks.size() > 1 ? walk(action.blocks[1]) : Flow::Next;
      }
      case Kind::While:
        for (;;) {
          const bool holds = value(action.exprs[0], TypeKind::Boolean).integer != 0;
          if (failed_) return Flow::Fail;
          if (!holds) return Flow::Next;
          const Flow flow = walk(action.blocks[0]);
          if (flow == Flow::Break) return Flow::Next;
          if (flow == Flow::Fail) return flow;
        }
      case Kind::For:
        return walk_range(action);
      case Kind::Break:
        return Flow::Break;
      case Kind::Continue:
        return Flow::Continue;
      default:
        failed_ = true;
        return Flow::Fail;
    }
  }

  Flow walk_range(const model::Action& action) {
    const model::Expr& range = model_.exprs[action.exprs[0]];
    const std::int64_t first = value(model_.operand(range, 0), TypeKind::Integer).integer;
    if (failed_) return Flow::Fail;
    const std::int64_t last = value(model_.operand(range, 1), TypeKind::Integer).integer;
    if (failed_) return Flow::Fail;
    const std::int64_t step = range.operand_count > 2 ? value(model_.operand(range, 2), TypeKind::Integer).integer : 1;
    if (failed_ || step == 0) return Flow::Fail;
    for (Wide i = first; step > 0 ? i <= last : i >= last; i += step) {
      locals_[action.locals[0].index] = Slot(static_cast<std::int64_t>(i));
      const Flow flow = walk(action.blocks[0]);
      if (flow == Flow::Break) break;
      if (flow == Flow::Fail) return flow;
    }
    return Flow::Next;
  }

  Slot& place(const model::Expr& target) {
    if (target.entity == model::EntityKind::Local) return locals_[target.ref];
    return slots_[layout_.variables[target.ref]];
  }

  Slot value(model::ExprId id, TypeKind wanted) {
    const model::Expr& expr = model_.exprs[id];
    const Slot result = value(expr);
    if (wanted == TypeKind::Real && expr.type.kind == TypeKind::Integer) {
      return Slot(static_cast<double>(result.integer));
    }
    return result;
  }

  Slot value(const model::Expr& expr) {
    switch (expr.op) {
      case Op::Real:
        return Slot(expr.number);
      case Op::Integer:
      case Op::Boolean:
        return Slot(static_cast<std::int64_t>(expr.number));
      case Op::Entity:
        return place(expr);
      case Op::And:
      case Op::Or: {
        const Slot first = operand(expr, 0, TypeKind::Boolean);
        if (failed_ || (first.integer != 0) == (expr.op == Op::Or)) return first;
        return operand(expr, 1, TypeKind::Boolean);
      }
      case Op::Not:
        return Slot(std::int64_t{operand(expr, 0, TypeKind::Boolean).integer == 0});
      case Op::If: {
        const bool holds = operand(expr, 0, TypeKind::Boolean).integer != 0;
        return failed_ ? Slot() : operand(expr, holds ? 1 : 2, expr.type.kind);
      }
      default:
        return operate(expr);
    }
  }

  Slot operand(const model::Expr& expr, std::size_t index, TypeKind wanted) {
    return value(model_.operand(expr, index), wanted);
  }

  Slot operate(const model::Expr& expr) {
    const bool relation = expr.op >= Op::Less && expr.op <= Op::NotEqual;
    bool real = expr.type.kind == TypeKind::Real;
    if (relation || expr.builtin == Builtin::Floor) {
      real = false;
      for (const model::ExprId id : model_.operands_of(expr)) real |= model_.exprs[id].type.kind == TypeKind::Real;
    }
    const TypeKind kind = real ? TypeKind::Real : TypeKind::Integer;
    const Slot a = operand(expr, 0, kind);
    if (failed_) return {};
    const Slot b = expr.operand_count > 1 ? operand(expr, 1, kind) : a;
    if (failed_) return {};
    if (relation)
      return Slot(std::int64_t{real ? compare(expr.op, a.real, b.real) : compare(expr.op, a.integer, b.integer)});
    if (expr.builtin == Builtin::Floor) return real ? whole(std::floor(a.real)) : a;
    return real ? Slot(reals(expr, a.real, b.real)) : Slot(integers(expr, a.integer, b.integer));
  }

  template <class T>
  static bool compare(Op op, T a, T b) {
    return op == Op::Less           ? a < b
           : op == Op::LessEqual    ? a <= b
           : op == Op::Greater      ? a > b
           : op == Op::GreaterEqual ? a >= b
           : op == Op::Equal        ? a == b
                                    : a != b;
  }

  Slot whole(double rounded) {
    failed_ = !(rounded >= -0x1p63 && rounded < 0x1p63);
    return failed_ ? Slot() : Slot(static_cast<std::int64_t>(rounded));
  }

  double reals(const model::Expr& expr, double a, double b) {
    double result = 0;
    if (expr.op == Op::Divide && b == 0) failed_ = true;
    switch (expr.op) {
      case Op::Negate:
        result = -a;
        break;
      case Op::Add:
        result = a + b;
        break;
      case Op::Subtract:
        result = a - b;
        break;
      case Op::Multiply:
        result = a * b;
        break;
      case Op::Divide:
        result = a / b;
        break;
      default:
        result = expr.builtin == Builtin::Sqrt  ? std::sqrt(a)
                 : expr.builtin == Builtin::Abs ? std::abs(a)
                 : expr.builtin == Builtin::Min ? (b < a ? b : a)
                                                : (b > a ? b : a);
    }
    if (std::isnan(result)) failed_ = true;  // no operand is one
    return result;
  }

  std::int64_t integers(const model::Expr& expr, std::int64_t a, std::int64_t b) {
    Wide result = 0;
    switch (expr.op) {
      case Op::Negate:
        result = -static_cast<Wide>(a);
        break;
      case Op::Add:
        result = static_cast<Wide>(a) + b;
        break;
      case Op::Subtract:
        result = static_cast<Wide>(a) - b;
        break;
      case Op::Multiply:
        result = static_cast<Wide>(a) * b;
        break;
      default:
        result = function(expr.builtin, a, b);
    }
    failed_ = failed_ || result > kMost || result < kLeast;
    return failed_ ? 0 : static_cast<std::int64_t>(result);
  }

  Wide function(Builtin which, Wide a, Wide b) {
    if (which == Builtin::Abs) return a < 0 ? -a : a;
    if (which == Builtin::Min) return b < a ? b : a;
    if (which == Builtin::Max) return b > a ? b : a;
    if (b == 0) {
      failed_ = true;
      return 0;
    }
    if (which == Builtin::Div) return a / b;
    const Wide rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }

  const model::Model& model_;
  const Layout& layout_;
  std::vector<Slot>& slots_;
  std::unordered_map<std::uint32_t, Slot> locals_;
  bool failed_ = false;
};

}  // namespace hyla::code
