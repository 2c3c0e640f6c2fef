// Expressions of the checked model, as data.
//
// An expression is a record in Model::exprs; its operands are ids of records made before it, so walking the store
// forwards meets operands before their users. Every expression knows its type, unit, shape and place in the source.
#pragma once

#include <cstdint>
#include <string_view>

#include "diag/source.h"
#include "model/builtins.h"
#include "model/ids.h"
#include "model/type.h"

namespace hyla::model {

enum class Op : std::uint8_t {
#define HYLA_OP(op, payload) op,
#include "model/expression_ops.def"
#undef HYLA_OP
};

std::string_view name_of(Op op);

/// What is known of a scalar's value before the run.
enum class Known : std::uint8_t {
  No,
  ByDefault,  ///< if every parameter keeps its default
  Always,
};

struct Expr {
  Op op = Op::Error;
  EntityKind entity = EntityKind::None;
  Builtin builtin = Builtin::None;
  Known known = Known::No;
  Type type;
  UnitId unit;    ///< none: not known, fits any unit; kBareUnit: a bare number
  ShapeId shape;  ///< none for a scalar
  diag::Span span;
  std::uint32_t first_operand = 0;  ///< into Model::operands
  std::uint32_t operand_count = 0;
  std::uint32_t ref = UINT32_MAX;
  double number = 0;  ///< of a literal, and of every scalar number, Boolean or enumeration value that is known

  Entity target() const { return {entity, ref}; }
};

}  // namespace hyla::model
