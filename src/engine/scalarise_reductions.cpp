// Sums, products, extremes: of arrays, of vectors and matrices, and of expressions over a range or an array of parts.
// Terms are added in the machine's order, so that the bits are the same.
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "code/heap.h"
#include "engine/scalarise_writer.h"

namespace hyla::engine {

using code::NodeId;
using code::NodeOp;
using model::Builtin;
using model::Expr;
using model::ExprId;
using model::Op;
using model::TypeKind;

/// One more member of a sum and the like; kNoNode stands for nothing yet.
NodeId TermWriter::join_turn(Builtin which, NodeId sum, NodeId next) {
  if (sum == code::kNoNode) return next;
  switch (which) {
    case Builtin::Sum:
      return graph.make(NodeOp::Add, sum, next);
    case Builtin::Product:
      return graph.make(NodeOp::Multiply, sum, next);
    case Builtin::All:
      return both(sum, next);
    case Builtin::Any:
      return either(sum, next);
    default:
      return extreme(which, sum, next);
  }
}

namespace {

double of_nothing(Builtin which) {
  const double infinity = std::numeric_limits<double>::infinity();
  return which == Builtin::Sum || which == Builtin::Any ? 0
         : which == Builtin::Min                        ? infinity
         : which == Builtin::Max                        ? -infinity
                                                        : 1;
}

}  // namespace

NodeId TermWriter::reduce_array(Builtin which, const Symbolic& array) {
  NodeId sum = code::kNoNode;
  for (const NodeId node : array.nodes) sum = join_turn(which, sum, node);
  return sum == code::kNoNode ? graph.constant(of_nothing(which)) : sum;
}

/// `sum(e for i in r)`: written out, one turn for each member.
NodeId TermWriter::reduce(ExprId id, const Expr& expr) {
  const ExprId over = model_.operand(expr, 1);
  const Expr& members = model_.exprs[over];
  NodeId sum = code::kNoNode;
  if (members.type.kind == TypeKind::Object) {
    if (members.type.rank != 1 || (dependence(over) & (kDiscrete | kContinuous)) != 0) return opaque(id);
    reduce_objects(expr, sum);
  } else if (members.type.kind == TypeKind::Population) {
    reduce_population(expr, sum);
  } else if (members.op == Op::Range) {
    reduce_range(expr, sum);
  } else if (members.type.rank == 1) {
    const Symbolic array = value(over);
    for (std::size_t i = 0; good_ && i < product_of(array.sizes); ++i) {
      Symbolic member = array.parts.empty() ? scalar(array.nodes[i]) : array.parts[i];
      (course_ != nullptr ? course_->locals : members_)[model::LocalId(expr.ref)] = std::move(member);
      reduce_turn(expr, sum);
    }
  } else {
    return opaque(id);
  }
  return sum == code::kNoNode ? graph.constant(of_nothing(expr.builtin)) : sum;
}

void TermWriter::reduce_turn(const Expr& expr, NodeId& sum) {
  const ExprId term = model_.operand(expr, 0);
  const bool truths = expr.builtin == Builtin::All || expr.builtin == Builtin::Any;
  sum = join_turn(expr.builtin, sum, truths ? truth(term) : number(term));
}

void TermWriter::reduce_objects(const Expr& expr, NodeId& sum) {
  Slot list;
  own_ = false;  // another object may have more of them
  if (!run(model_.operand(expr, 1), list)) return;
  for (std::uint32_t i = 0; good_ && list.box != nullptr && i < list.box->size; ++i) {
    locals_.push_back({model::LocalId(expr.ref), list.box->slots()[i]});
    reduce_turn(expr, sum);
    locals_.pop_back();
  }
  world_.heap.release(list.box);
}

void TermWriter::reduce_population(const Expr& expr, NodeId& sum) {
  Slot number;
  if (!run(model_.operand(expr, 1), number)) return;
  const auto population = static_cast<std::uint32_t>(number.integer);
  for (std::int64_t i = 0; good_ && i < host_.population_size(population); ++i) {
    locals_.push_back({model::LocalId(expr.ref), Slot(host_.population_at(population, i))});
    reduce_turn(expr, sum);
    locals_.pop_back();
  }
}

void TermWriter::reduce_range(const Expr& expr, NodeId& sum) {
  const model::LocalId index(expr.ref);
  const bool reals = model_.locals[index].type.kind == TypeKind::Real;
  std::vector<double> members;
  if (!range(model_.exprs[model_.operand(expr, 1)], members)) return;
  for (std::size_t i = 0; good_ && i < members.size(); ++i) {
    if (course_ != nullptr) {
      course_->locals[index] = scalar(graph.constant(members[i]));
      reduce_turn(expr, sum);
      continue;
    }
    locals_.push_back({index, reals ? Slot(members[i]) : Slot(static_cast<std::int64_t>(members[i]))});
    reduce_turn(expr, sum);
    locals_.pop_back();
  }
}

/// The sum of the products of two vectors.
NodeId TermWriter::products(const Symbolic& a, const Symbolic& b, diag::Span span) {
  if (a.nodes.size() != b.nodes.size()) fail(span, "the vectors have different sizes");
  NodeId sum = code::kNoNode;
  for (std::size_t i = 0; good_ && i < a.nodes.size(); ++i) {
    sum = join_turn(Builtin::Sum, sum, graph.make(NodeOp::Multiply, a.nodes[i], b.nodes[i]));
  }
  return sum == code::kNoNode ? zero() : sum;
}

Symbolic TermWriter::vector_product(const Symbolic& a, const Symbolic& b, diag::Span span) {
  Symbolic result;
  if (a.nodes.size() != 3 || b.nodes.size() != 3) fail(span, "a vector product needs vectors of 3 elements");
  result.sizes = {3};
  for (std::size_t i = 0; good_ && i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const NodeId first = graph.make(NodeOp::Multiply, a.nodes[j], b.nodes[k]);
    result.nodes.push_back(graph.make(NodeOp::Subtract, first, graph.make(NodeOp::Multiply, a.nodes[k], b.nodes[j])));
  }
  return result;
}

/// A vector on the left is a row, one on the right a column.
Symbolic TermWriter::matrix_product(const Symbolic& a, const Symbolic& b, diag::Span span) {
  Symbolic result;
  if (!good_) return result;
  const bool left_vector = a.sizes.size() == 1, right_vector = b.sizes.size() == 1;
  const auto rows = static_cast<std::size_t>(left_vector ? 1 : a.sizes[0]);
  const auto inner = static_cast<std::size_t>(a.sizes.back());
  const auto columns = static_cast<std::size_t>(right_vector ? 1 : b.sizes[1]);
  if (a.sizes.back() != b.sizes[0]) {
    fail(span, fmt::format("{} columns cannot be multiplied by {} rows", a.sizes.back(), b.sizes[0]));
    return result;
  }
  if (!left_vector) result.sizes.push_back(a.sizes[0]);
  if (!right_vector) result.sizes.push_back(b.sizes[1]);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      NodeId sum = code::kNoNode;
      for (std::size_t k = 0; k < inner; ++k) {
        const NodeId product = graph.make(NodeOp::Multiply, a.nodes[row * inner + k], b.nodes[k * columns + column]);
        sum = join_turn(Builtin::Sum, sum, product);
      }
      result.nodes.push_back(sum == code::kNoNode ? zero() : sum);
    }
  }
  return result;
}

}  // namespace hyla::engine
