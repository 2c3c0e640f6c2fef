// Arithmetic on whole arrays. An array of Integers has Integers in its slots, one of Reals has Reals; the instruction
// says which.
#include <cmath>

#include <fmt/format.h>

#include "code/machine_impl.h"
#include "code/numbers.h"

namespace hyla::code {

using model::Builtin;
using model::Op;

namespace {

std::size_t size_of(const Box* array) { return array == nullptr ? 0 : array->size; }

bool same_shape(const Box* a, const Box* b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a->rank != b->rank) return false;
  for (std::size_t i = 0; i < a->rank; ++i) {
    if (dimension(a, i) != dimension(b, i)) return false;
  }
  return true;
}

/// "3 x 2".
std::string shape_text(const Box* array) {
  std::string text;
  for (std::size_t i = 0; array != nullptr && i < array->rank; ++i) {
    text += (i > 0 ? " x " : "") + std::to_string(dimension(array, i));
  }
  return text;
}

/// A new array of the same shape; its slots are still to be filled.
Box* like(Heap& heap, const Box* array) {
  std::int64_t sizes[kMostDimensions] = {};
  const std::size_t rank = array == nullptr ? 1 : array->rank;
  for (std::size_t i = 0; i < rank; ++i) sizes[i] = dimension(array, i);
  return heap.new_array(std::span(sizes).first(rank), false);
}

double combine(Op op, double a, double b) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Subtract:
      return a - b;
    case Op::Multiply:
      return a * b;
    case Op::Divide:
      return a / b;
    default:
      return power(a, b);
  }
}

/// True: overflow.
bool combine(Op op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  return op == Op::Add        ? __builtin_add_overflow(a, b, &result)
         : op == Op::Subtract ? __builtin_sub_overflow(a, b, &result)
                              : __builtin_mul_overflow(a, b, &result);
}

/// sum += a * b; true: overflow.
bool accumulate(Slot& sum, Slot a, Slot b, bool reals) {
  if (reals) {
    sum.real += a.real * b.real;
    return false;
  }
  std::int64_t product = 0;
  return __builtin_mul_overflow(a.integer, b.integer, &product) ||
         __builtin_add_overflow(sum.integer, product, &sum.integer);
}

}  // namespace

template <>
bool Machine::Impl::perform<Opcode::ArrayArithmetic>(const Instruction& instruction, Activation& at) {
  const ArrayOperation how = unpack_operation(instruction.immediate.integer);
  const Slot left = at[instruction.b], right = at[instruction.c];
  if (!how.left_scalar && !how.right_scalar && !same_shape(left.box, right.box)) {
    return fail(fmt::format("arrays of {} and {} elements cannot be joined element by element", shape_text(left.box),
                            shape_text(right.box)));
  }
  const Box* model_array = how.left_scalar ? right.box : left.box;
  Box* made = keep(like(heap, model_array));
  for (std::size_t i = 0; i < size_of(model_array); ++i) {
    const Slot a = how.left_scalar ? left : left.box->slots()[i], b = how.right_scalar ? right : right.box->slots()[i];
    Slot& goal = made->slots()[i];
    if (!how.reals) {
      if (combine(how.op, a.integer, b.integer, goal.integer)) return fail_overflow();
      continue;
    }
    if (how.op == Op::Divide && b.real == 0) return fail("division by zero");
    goal.real = combine(how.op, a.real, b.real);
    if (std::isnan(goal.real) && !std::isnan(a.real) && !std::isnan(b.real)) {
      const char* sign = how.op == Op::Add        ? "+"
                         : how.op == Op::Subtract ? "-"
                         : how.op == Op::Multiply ? "*"
                         : how.op == Op::Divide   ? "/"
                                                  : "^";
      return fail_number(sign, a.real, b.real);
    }
  }
  at[instruction.a].box = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::ArrayNegate>(const Instruction& instruction, Activation& at) {
  const Box* array = at[instruction.b].box;
  Box* made = keep(like(heap, array));
  for (std::size_t i = 0; i < size_of(array); ++i) {
    const Slot from = array->slots()[i];
    if (instruction.immediate.integer != 0) {
      made->slots()[i].real = -from.real;
    } else if (__builtin_sub_overflow(std::int64_t{0}, from.integer, &made->slots()[i].integer)) {
      return fail_overflow();
    }
  }
  at[instruction.a].box = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::ArrayToReal>(const Instruction& instruction, Activation& at) {
  const Box* array = at[instruction.b].box;
  Box* made = keep(like(heap, array));
  for (std::size_t i = 0; i < size_of(array); ++i) {
    made->slots()[i].real = static_cast<double>(array->slots()[i].integer);
  }
  at[instruction.a].box = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::ArrayMath>(const Instruction& instruction, Activation& at) {
  const auto which = static_cast<Builtin>(lower(instruction.immediate.integer));
  const std::uint32_t sort = upper(instruction.immediate.integer);  // 0 Reals, 1 Integers, 2 Reals to Integers
  const Box *left = at[instruction.b].box, *right = at[instruction.c].box;
  if (!same_shape(left, right)) return fail("the arrays have different shapes");
  Box* made = keep(like(heap, left));
  for (std::size_t i = 0; i < size_of(left); ++i) {
    const Slot a = left->slots()[i], b = right->slots()[i];
    Slot& goal = made->slots()[i];
    if (sort == 1) {
      if (!integer_function(which, a.integer, b.integer, goal.integer)) return fail_overflow();
    } else if (sort == 2) {
      if (!round_number(which, a.real, goal.integer)) return fail_overflow();
    } else {
      goal.real = real_function(which, a.real, b.real);
      if (std::isnan(goal.real) && !std::isnan(a.real) && !std::isnan(b.real)) {
        return fail_function(which, a.real, b.real);
      }
    }
  }
  at[instruction.a].box = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::ArrayReduce>(const Instruction& instruction, Activation& at) {
  const auto which = static_cast<Builtin>(lower(instruction.immediate.integer));
  const bool reals = upper(instruction.immediate.integer) != 0;
  const Box* array = at[instruction.b].box;
  Slot result;
  const double infinity = HUGE_VAL;
  if (which == Builtin::Product) result = reals ? Slot(1.0) : Slot(std::int64_t{1});
  if (which == Builtin::All) result = Slot(std::int64_t{1});
  if (which == Builtin::Min || which == Builtin::Max) {
    if (size_of(array) == 0 && !reals) return fail("the least or greatest of no Integers");
    const double nothing = which == Builtin::Min ? infinity : -infinity;
    result = size_of(array) == 0 ? Slot(nothing) : array->slots()[0];
  }
  for (std::size_t i = 0; i < size_of(array); ++i) {
    const Slot next = array->slots()[i];
    const Op op = which == Builtin::Product ? Op::Multiply : Op::Add;
    if (which == Builtin::All || which == Builtin::Any) {
      result.integer = which == Builtin::All ? result.integer & next.integer : result.integer | next.integer;
    } else if (which == Builtin::Min || which == Builtin::Max) {
      if (reals) {
        result.real = real_function(which, result.real, next.real);
      } else if (!integer_function(which, result.integer, next.integer, result.integer)) {
        return fail_overflow();
      }
    } else if (reals) {
      const double before = result.real;
      result.real = combine(op, before, next.real);
      if (std::isnan(result.real) && !std::isnan(before) && !std::isnan(next.real)) {
        return fail_number(op == Op::Add ? "+" : "*", before, next.real);
      }
    } else if (combine(op, result.integer, next.integer, result.integer)) {
      return fail_overflow();
    }
  }
  at[instruction.a] = result;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::MatrixProduct>(const Instruction& instruction, Activation& at) {
  const Box *a = at[instruction.b].box, *b = at[instruction.c].box;
  if (a == nullptr || b == nullptr) return fail_none(at, false);
  const bool reals = instruction.immediate.integer != 0;
  // A vector on the left is a row, one on the right a column.
  const std::int64_t rows = a->rank == 1 ? 1 : dimension(a, 0),
                     inner = a->rank == 1 ? dimension(a, 0) : dimension(a, 1);
  const std::int64_t columns = b->rank == 1 ? 1 : dimension(b, 1);
  if (inner != dimension(b, 0)) {
    return fail(fmt::format("a matrix of {} cannot be multiplied by one of {}", shape_text(a), shape_text(b)));
  }
  std::int64_t sizes[2] = {rows, columns};
  // Each factor fits into memory, so the product of two sizes does not overflow.
  if (rows * columns > static_cast<std::int64_t>(heap.most_elements)) return fail_size(rows * columns);
  Box* made = nullptr;
  if (a->rank == 2 && b->rank == 2) {
    made = heap.new_array(sizes, false);
  } else {
    made = heap.new_array(std::span(a->rank == 2 ? sizes : sizes + 1, 1), false);
  }
  keep(made);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      Slot& sum = made->slots()[row * columns + column];
      for (std::int64_t k = 0; k < inner; ++k) {
        if (accumulate(sum, a->slots()[row * inner + k], b->slots()[k * columns + column], reals)) {
          return fail_overflow();
        }
      }
    }
  }
  at[instruction.a].box = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Dot>(const Instruction& instruction, Activation& at) {
  const Box *a = at[instruction.b].box, *b = at[instruction.c].box;
  if (size_of(a) != size_of(b)) return fail("the vectors have different sizes");
  Slot sum;
  for (std::size_t i = 0; i < size_of(a); ++i) {
    if (accumulate(sum, a->slots()[i], b->slots()[i], instruction.immediate.integer != 0)) return fail_overflow();
  }
  at[instruction.a] = sum;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Cross>(const Instruction& instruction, Activation& at) {
  const Box *a = at[instruction.b].box, *b = at[instruction.c].box;
  if (size_of(a) != 3 || size_of(b) != 3) return fail("a vector product needs vectors of 3 elements");
  Box* made = keep(like(heap, a));
  for (std::size_t i = 0; i < 3; ++i) {
    const Slot x = a->slots()[(i + 1) % 3], y = a->slots()[(i + 2) % 3];
    const Slot u = b->slots()[(i + 1) % 3], v = b->slots()[(i + 2) % 3];
    if (instruction.immediate.integer != 0) {
      made->slots()[i].real = x.real * v.real - y.real * u.real;
      continue;
    }
    Slot second;
    if (accumulate(made->slots()[i], x, v, false) || accumulate(second, y, u, false) ||
        __builtin_sub_overflow(made->slots()[i].integer, second.integer, &made->slots()[i].integer)) {
      return fail_overflow();
    }
  }
  at[instruction.a].box = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Norm>(const Instruction& instruction, Activation& at) {
  const Box* array = at[instruction.b].box;
  double sum = 0;
  for (std::size_t i = 0; i < size_of(array); ++i) sum += array->slots()[i].real * array->slots()[i].real;
  at[instruction.a].real = std::sqrt(sum);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Transpose>(const Instruction& instruction, Activation& at) {
  const Box* array = at[instruction.b].box;
  const std::int64_t rows = dimension(array, 0), columns = dimension(array, 1), sizes[2] = {columns, rows};
  Box* made = keep(heap.new_array(sizes, false));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      made->slots()[column * rows + row] = array->slots()[row * columns + column];
    }
  }
  at[instruction.a].box = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Identity>(const Instruction& instruction, Activation& at) {
  const std::int64_t size = at[instruction.b].integer, sizes[2] = {size, size};
  if (size < 0 || size > 40000) return fail(fmt::format("a matrix cannot have {} rows", size));
  if (size * size > static_cast<std::int64_t>(heap.most_elements)) return fail_size(size * size);
  Box* made = keep(heap.new_array(sizes, false));
  for (std::int64_t i = 0; i < size; ++i) {
    made->slots()[i * size + i] = instruction.immediate.integer != 0 ? Slot(1.0) : Slot(std::int64_t{1});
  }
  at[instruction.a].box = made;
  return true;
}

}  // namespace hyla::code
