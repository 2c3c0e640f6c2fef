// Arrays and records: literals, operators, slices. Sums and reductions are in scalarise_reductions.cpp.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "engine/scalarise_writer.h"

namespace hyla::engine {

using code::NodeId;
using code::NodeOp;
using model::Builtin;
using model::EntityKind;
using model::Expr;
using model::ExprId;
using model::Op;
using model::TypeKind;

std::size_t TermWriter::product_of(const std::vector<std::int64_t>& sizes) {
  std::size_t count = 1;
  for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
  return count;
}

Symbolic TermWriter::value(ExprId id) {
  if (!good_) return {};
  const Expr& expr = model_.exprs[id];
  if (expr.type.rank == 0 && expr.type.kind != TypeKind::Record) return scalar(number(id));
  switch (expr.op) {
    case Op::Entity:
      return entity_value(expr);
    case Op::Index:
      return index_value(expr);
    case Op::Range:
      return range_value(expr);
    case Op::Array:
      return array_literal(expr);
    case Op::Negate:
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Power:
    case Op::MatrixProduct:
      return array_arithmetic(expr);
    case Op::If: {
      NodeId condition = code::kNoNode;
      if (const std::optional<bool> decided = decide(model_.operand(expr, 0), condition)) {
        return value(model_.operand(expr, *decided ? 1 : 2));
      }
      ++open_branches_;
      const Symbolic yes = value(model_.operand(expr, 1)), no = value(model_.operand(expr, 2));
      --open_branches_;
      return select(condition, yes, no, expr.span);
    }
    case Op::Der: {
      Places found;
      Symbolic result;
      if (!places(model_.operand(expr, 0), found)) refuse(expr.span, "the derivative of this");
      result.sizes = found.sizes;
      for (const Place& place : found.places) result.nodes.push_back(derivative_leaf(place));
      return result;
    }
    case Op::Call: {
      std::vector<Symbolic> results = call(expr);
      return results.empty() ? Symbolic{} : std::move(results[0]);
    }
    case Op::Builtin:
      return array_builtin(expr);
    case Op::Construct:
    case Op::Field:
      return record_value(expr);
    default:
      refuse(expr.span, "such a value in an equation");
      return {};
  }
}

Symbolic TermWriter::record_value(const Expr& expr) {
  Symbolic result;
  if (expr.op == Op::Construct) {
    for (const ExprId operand : model_.operands_of(expr)) result.parts.push_back(value(operand));
    return result;
  }
  Symbolic whole = value(model_.operand(expr, 0));
  if (expr.ref < whole.parts.size()) {
    Symbolic& part = whole.parts[expr.ref];
    if (!part.nodes.empty() || !part.parts.empty() || !part.sizes.empty()) return std::move(part);
  }
  refuse(expr.span, "such a field in an equation");
  return result;
}

Symbolic TermWriter::range_value(const Expr& expr) {
  std::vector<double> members;
  Symbolic result;
  range(expr, members);
  result.sizes.push_back(static_cast<std::int64_t>(members.size()));
  for (const double member : members) result.nodes.push_back(graph.constant(member));
  return result;
}

Symbolic TermWriter::array_literal(const Expr& expr) {
  Symbolic result;
  const auto operands = model_.operands_of(expr);
  result.sizes.push_back(static_cast<std::int64_t>(operands.size()));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Symbolic row = value(operands[i]);
    if (model_.exprs[operands[i]].type.is_scalar(TypeKind::Record)) {
      result.parts.push_back(std::move(row));
      continue;
    }
    if (i == 0) result.sizes.insert(result.sizes.end(), row.sizes.begin(), row.sizes.end());
    if (!std::equal(row.sizes.begin(), row.sizes.end(), result.sizes.begin() + 1, result.sizes.end())) {
      fail(expr.span, "the rows have different sizes");
      return {};
    }
    result.nodes.insert(result.nodes.end(), row.nodes.begin(), row.nodes.end());
    for (Symbolic& part : row.parts) result.parts.push_back(std::move(part));
  }
  return result;
}

template <class Join>
Symbolic TermWriter::elementwise(const Symbolic& a, const Symbolic& b, diag::Span span, const Join& join) {
  if (!good_) return {};
  const bool left_scalar = a.sizes.empty(), right_scalar = b.sizes.empty();
  if (!left_scalar && !right_scalar && a.sizes != b.sizes) {
    fail(span, fmt::format("arrays of {} and {} elements cannot be joined element by element", a.nodes.size(),
                           b.nodes.size()));
    return {};
  }
  Symbolic result;
  result.sizes = left_scalar ? b.sizes : a.sizes;
  const std::size_t count = product_of(result.sizes);
  for (std::size_t i = 0; i < count; ++i) {
    result.nodes.push_back(join(a.nodes[left_scalar ? 0 : i], b.nodes[right_scalar ? 0 : i]));
  }
  return result;
}

Symbolic TermWriter::array_arithmetic(const Expr& expr) {
  Symbolic a = value(model_.operand(expr, 0));
  if (expr.op == Op::Negate) {
    for (NodeId& node : a.nodes) node = graph.make(NodeOp::Negate, node);
    return a;
  }
  const Symbolic b = value(model_.operand(expr, 1));
  if (expr.op == Op::MatrixProduct) return matrix_product(a, b, expr.span);
  return elementwise(a, b, expr.span, [&](NodeId x, NodeId y) { return arithmetic(expr.op, x, y); });
}

/// What the indices of an expression take of an array of these sizes.
bool TermWriter::selection(const Expr& index, const std::vector<std::int64_t>& sizes, std::vector<Taken>& result) {
  const auto indices = model_.operands_of(index).subspan(1);
  if (indices.size() > sizes.size()) return fail(index.span, "this has not so many dimensions");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Taken taken{0, sizes[i], 1, true, code::kNoNode};
    if (i < indices.size() && !take(indices[i], sizes[i], i, taken)) return false;
    result.push_back(taken);
  }
  return true;
}

bool TermWriter::take(ExprId id, std::int64_t size, std::size_t dimension, Taken& result) {
  const Expr& expr = model_.exprs[id];
  if (expr.op == Op::Whole) return true;
  if (expr.op == Op::Range) {
    const auto bounds = model_.operands_of(expr);
    std::int64_t first = 0, last = 0, step = 1;
    if (!whole_now(bounds[0], first) || !whole_now(bounds[1], last)) return false;
    if (bounds.size() > 2 && bounds[2] && !whole_now(bounds[2], step)) return false;
    if (step == 0) return fail(expr.span, "the step of a range is 0");
    const bool empty = step > 0 ? first > last : first < last;
    if (!empty && (first < 1 || first > size || last < 1 || last > size)) {
      return fail(expr.span, fmt::format("{}..{} reaches outside, the size there is {}", first, last, size));
    }
    result = {first - 1, empty ? 0 : (last - first) / step + 1, step, true, code::kNoNode};
    return true;
  }
  NodeId node = code::kNoNode;
  const std::optional<std::int64_t> index = whole(id, node);
  if (!good_) return false;
  result = {index.value_or(0) - 1, 1, 1, false, index ? code::kNoNode : node};
  if (!index || (*index >= 1 && *index <= size)) return true;
  return fail(expr.span,
              fmt::format("index {} is outside dimension {}, whose size is {}", *index, dimension + 1, size));
}

/// The elements that are taken. An index that changes gives a chain of selections; outside all it is not a number.
Symbolic TermWriter::pick(const Symbolic& array, std::vector<Taken> taken, std::size_t from, diag::Span span) {
  for (std::size_t i = from; good_ && i < taken.size(); ++i) {
    if (taken[i].changing == code::kNoNode) continue;
    const NodeId index = std::exchange(taken[i].changing, code::kNoNode);
    Symbolic result;
    for (std::int64_t k = array.sizes[i]; k-- > 0;) {
      taken[i].first = k;
      Symbolic one = pick(array, taken, i + 1, span);
      if (k + 1 == array.sizes[i]) {
        result = one;
        for (NodeId& node : result.nodes) node = graph.constant(std::nan(""));
      }
      const NodeId here = graph.make(NodeOp::Equal, index, graph.constant(static_cast<double>(k + 1)));
      result = select(here, one, result, span);
    }
    return result;
  }
  Symbolic result;
  if (!good_) return result;
  std::size_t count = 1;
  for (const Taken& one : taken) {
    if (one.kept) result.sizes.push_back(one.count);
    count *= static_cast<std::size_t>(one.count);
  }
  std::vector<std::int64_t> at(taken.size(), 0);
  for (std::size_t n = 0; n < count; ++n) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      offset = offset * static_cast<std::size_t>(array.sizes[i]) +
               static_cast<std::size_t>(taken[i].first + at[i] * taken[i].step);
    }
    if (!array.nodes.empty()) result.nodes.push_back(array.nodes[offset]);
    if (!array.parts.empty()) result.parts.push_back(array.parts[offset]);
    for (std::size_t i = taken.size(); i-- > 0 && ++at[i] == taken[i].count;) at[i] = 0;
  }
  if (result.sizes.empty() && !result.parts.empty()) return std::move(result.parts[0]);
  return result;
}

Symbolic TermWriter::index_value(const Expr& expr) {
  const Expr& base = model_.exprs[model_.operand(expr, 0)];
  std::vector<Taken> taken;
  if (course_ != nullptr && base.op == Op::Entity && base.entity == EntityKind::Local) {
    // Without a copy of the array; it stays where it is while the indices are written.
    const auto found = course_->locals.find(model::LocalId(base.ref));
    if (found != course_->locals.end()) {
      if (!selection(expr, found->second.sizes, taken)) return {};
      return pick(found->second, std::move(taken), 0, expr.span);
    }
  }
  const Symbolic array = value(model_.operand(expr, 0));
  if (!good_ || !selection(expr, array.sizes, taken)) return {};
  return pick(array, std::move(taken), 0, expr.span);
}

/// Built-in functions whose result is an array.
Symbolic TermWriter::array_builtin(const Expr& expr) {
  const auto operands = model_.operands_of(expr);
  switch (expr.builtin) {
    case Builtin::NoEvent: {
      const Relations around = std::exchange(relations_, Relations::Raw);
      Symbolic result = value(operands[0]);
      relations_ = around;
      return result;
    }
    case Builtin::Homotopy:
      if (!mixes) return value(operands[0]);
      return elementwise(value(operands[0]), value(operands[1]), expr.span,
                         [&](NodeId a, NodeId b) { return mixture(a, b); });
    case Builtin::Fill:
      return fill(expr);
    case Builtin::Cross: {
      const Symbolic a = value(operands[0]);
      return vector_product(a, value(operands[1]), expr.span);
    }
    case Builtin::Transpose: {
      const Symbolic a = value(operands[0]);
      Symbolic result;
      if (!good_) return result;
      const auto rows = static_cast<std::size_t>(a.sizes[0]), columns = static_cast<std::size_t>(a.sizes[1]);
      result.sizes = {a.sizes[1], a.sizes[0]};
      for (std::size_t i = 0; i < rows * columns; ++i) result.nodes.push_back(a.nodes[i % rows * columns + i / rows]);
      return result;
    }
    case Builtin::Identity: {
      Symbolic result;
      std::int64_t size = 0;
      if (!whole_now(operands[0], size)) return result;
      if (size < 0 || size > 4000) fail(expr.span, fmt::format("a matrix cannot have {} rows here", size));
      result.sizes = {size, size};
      for (std::int64_t i = 0; good_ && i < size * size; ++i) {
        result.nodes.push_back(i / size == i % size ? one() : zero());
      }
      return result;
    }
    default:
      return math(expr);
  }
}

/// A function of numbers, on every element.
Symbolic TermWriter::math(const Expr& expr) {
  const auto operands = model_.operands_of(expr);
  Symbolic a = value(operands[0]);
  const bool two = operands.size() > 1;
  const bool whole = model_.exprs[operands[0]].type.kind != TypeKind::Real &&
                     (!two || model_.exprs[operands[1]].type.kind != TypeKind::Real);
  if (two) {
    const Symbolic b = value(operands[1]);
    return elementwise(a, b, expr.span, [&](NodeId x, NodeId y) { return function_of(expr.builtin, x, y, whole); });
  }
  for (NodeId& node : a.nodes) node = function_of(expr.builtin, node, code::kNoNode, whole);
  return a;
}

Symbolic TermWriter::fill(const Expr& expr) {
  const auto operands = model_.operands_of(expr);
  const Symbolic element = value(operands[0]);
  Symbolic result;
  for (const ExprId operand : operands.subspan(1)) {
    std::int64_t size = 0;
    if (!whole_now(operand, size)) return {};
    if (size < 0) fail(expr.span, fmt::format("an array cannot have {} elements", size));
    result.sizes.push_back(size);
  }
  if (!good_) return {};
  const std::size_t count = product_of(result.sizes);
  if (count > world_.heap.most_elements) fail(expr.span, "this array is too large");
  if (!good_) return {};
  if (element.nodes.empty()) {
    result.parts.assign(count, element);
  } else {
    result.nodes.assign(count, element.nodes[0]);
  }
  return result;
}

}  // namespace hyla::engine
