// What expressions read: a walk over their operands.
#include <algorithm>

#include "code/layout.h"

namespace hyla::code {
namespace {

using model::Builtin;
using model::EntityKind;
using model::Expr;
using model::Op;

class Reader {
 public:
  Reader(const model::Model& model, const Layout& layout) : model_(model), layout_(layout) {}

  Reads read(model::ExprId expr) {
    walk(expr);
    std::sort(reads_.slots.begin(), reads_.slots.end());
    reads_.slots.erase(std::unique(reads_.slots.begin(), reads_.slots.end()), reads_.slots.end());
    return std::move(reads_);
  }

 private:
  void walk(model::ExprId id) {
    if (!id) return;
    const Expr& expr = model_.exprs[id];
    if (expr.known == model::Known::Always) return;
    if (expr.op == Op::Time) reads_.time = true;
    if (expr.op == Op::Der) reads_.derivative = true;
    if (expr.op == Op::Builtin) builtin(expr.builtin);
    if (expr.op == Op::Entity) entity(expr, slot_of(layout_, expr));
    // An object can go without any slot changing.
    const bool compares = expr.op == Op::Equal || expr.op == Op::NotEqual;
    if (compares && model_.exprs[model_.operand(expr, 0)].type.kind == model::TypeKind::Object) reads_.foreign = true;
    if (compares && model_.exprs[model_.operand(expr, 1)].type.kind == model::TypeKind::Object) reads_.foreign = true;
    if (expr.op == Op::InState) {
      entity(expr, layout_.charts[model_.states[model::StateId(expr.ref)].chart.index]);
    }
    for (const model::ExprId operand : model_.operands_of(expr)) walk(operand);
  }

  void builtin(Builtin which) {
    if (model::info(which).group == model::BuiltinClass::Random) reads_.random = true;
    if (which == Builtin::Crosses || which == Builtin::Rises || which == Builtin::Falls || which == Builtin::Delay) {
      reads_.derivative = true;
    }
  }

  void entity(const Expr& expr, std::uint32_t slot) {
    if (slot == Layout::kNoSlot) return;
    const bool own = expr.operand_count == 0 || model_.exprs[model_.operand(expr, 0)].op == Op::This;
    if (own) {
      reads_.slots.push_back(slot);
    } else {
      reads_.foreign = true;
    }
  }

  const model::Model& model_;
  const Layout& layout_;
  Reads reads_;
};

enum class Degree : std::uint8_t { Free, Affine, Other };

Degree degree(const model::Model& model, model::ExprId id) {
  if (!id) return Degree::Free;
  const Expr& expr = model.exprs[id];
  if (expr.op == Op::Time) return Degree::Affine;
  Degree most = Degree::Free, last = Degree::Free;
  std::size_t dependent = 0;
  for (const model::ExprId operand : model.operands_of(expr)) {
    last = degree(model, operand);
    most = std::max(most, last);
    dependent += last != Degree::Free ? 1 : 0;
  }
  if (most == Degree::Free) return Degree::Free;
  switch (expr.op) {
    case Op::Negate:
    case Op::Add:
    case Op::Subtract:
      return most;
    case Op::Multiply:
      return dependent == 1 ? most : Degree::Other;
    case Op::Divide:
      return last == Degree::Free ? most : Degree::Other;
    case Op::Builtin:
      return expr.builtin == Builtin::NoEvent ? most : Degree::Other;
    default:
      return Degree::Other;
  }
}

}  // namespace

Reads reads_of(const model::Model& model, const Layout& layout, model::ExprId expr) {
  return Reader(model, layout).read(expr);
}

std::vector<model::LocalId> captured_locals(const model::Model& model, model::ExprId expr) {
  std::vector<model::LocalId> found, bound;
  const auto walk = [&](const auto& self, model::ExprId id) -> void {
    if (!id) return;
    const Expr& record = model.exprs[id];
    const bool binds = record.op == Op::Reduce || (record.op == Op::Method && record.ref != model::LocalId::kNone);
    if (binds) bound.emplace_back(record.ref);
    if (record.op == Op::Entity && record.entity == EntityKind::Local) {
      const model::LocalId local(record.ref);
      const bool known = std::find(bound.begin(), bound.end(), local) != bound.end() ||
                         std::find(found.begin(), found.end(), local) != found.end();
      if (!known) found.push_back(local);
    }
    for (const model::ExprId operand : model.operands_of(record)) self(self, operand);
  };
  walk(walk, expr);
  return found;
}

bool is_affine_in_time(const model::Model& model, model::ExprId expr) { return degree(model, expr) != Degree::Other; }

void real_relations(const model::Model& model, model::ExprId condition,
                    std::vector<std::pair<model::ExprId, model::ExprId>>& relations) {
  const model::Expr& record = model.exprs[condition];
  switch (record.op) {
    case model::Op::Less:
    case model::Op::LessEqual:
    case model::Op::Greater:
    case model::Op::GreaterEqual: {
      const model::ExprId left = model.operand(record, 0), right = model.operand(record, 1);
      const bool real =
          model.exprs[left].type.kind == model::TypeKind::Real || model.exprs[right].type.kind == model::TypeKind::Real;
      if (real) relations.emplace_back(left, right);
      break;
    }
    case model::Op::And:
    case model::Op::Or:
    case model::Op::Not:
    case model::Op::If:
      for (const model::ExprId operand : model.operands_of(record)) real_relations(model, operand, relations);
      break;
    default:
      break;
  }
}

bool time_relations(const model::Model& model, const Layout& layout, model::ExprId condition,
                    std::vector<std::pair<model::ExprId, model::ExprId>>& relations) {
  if (!reads_of(model, layout, condition).time) return true;
  const model::Expr& record = model.exprs[condition];
  switch (record.op) {
    case model::Op::Less:
    case model::Op::LessEqual:
    case model::Op::Greater:
    case model::Op::GreaterEqual: {
      const model::ExprId left = model.operand(record, 0), right = model.operand(record, 1);
      relations.emplace_back(left, right);
      return is_affine_in_time(model, left) && is_affine_in_time(model, right);
    }
    case model::Op::And:
    case model::Op::Or:
    case model::Op::Not:
    case model::Op::If:
      for (const model::ExprId operand : model.operands_of(record)) {
        if (!time_relations(model, layout, operand, relations)) return false;
      }
      return true;
    default:
      return false;
  }
}

}  // namespace hyla::code
