// Making expressions of the model, and the rules for their shapes and units.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "check/context.h"

namespace hyla::check {

model::ExprId make_expr(Context& context, model::Op op, model::Type type, Span span,
                        std::span<const model::ExprId> operands = {});
model::ExprId make_expr(Context& context, model::Op op, model::Type type, Span span,
                        std::initializer_list<model::ExprId> operands);
model::ExprId make_error(Context& context, Span span);
model::ExprId make_local(Context& context, model::LocalId local, Span span);

constexpr model::Type real_type() { return {model::TypeKind::Real, 0, UINT32_MAX}; }
constexpr model::Type integer_type() { return {model::TypeKind::Integer, 0, UINT32_MAX}; }
constexpr model::Type boolean_type() { return {model::TypeKind::Boolean, 0, UINT32_MAX}; }
constexpr model::Type string_type() { return {model::TypeKind::String, 0, UINT32_MAX}; }
constexpr model::Type error_type() { return {}; }

/// A value of type `from` may be given where `to` is wanted.
bool assignable(const Context& context, model::Type to, model::Type from);

/// Two units that must be equal. Reports a mismatch at `operation` with both operands labelled; returns the unit of the
/// whole.
model::UnitId join_units(Context& context, model::ExprId left, model::ExprId right, Span operation,
                         std::string_view verb);
model::UnitId multiply_units(Context& context, model::UnitId left, model::UnitId right, bool divide);
/// The unit must be 1 (or not known).
void require_dimensionless(Context& context, model::ExprId value, std::string_view what);
/// The value's unit must be `wanted`, if both are known.
bool require_unit(Context& context, model::ExprId value, model::UnitId wanted, std::string_view what);
bool is_known(model::UnitId unit);

/// The unit of a built-in function's result; reports arguments whose units do not fit.
model::UnitId builtin_unit(Context& context, const model::BuiltinInfo& builtin,
                           std::span<const model::ExprId> arguments, Span call);

/// The size of a dimension if it is known; the shape of a scalar has none.
std::optional<std::int64_t> known_size(const Context& context, model::ShapeId shape, std::size_t dimension);
/// Two shapes that must be equal as far as they are known; returns false on a clash.
bool shapes_agree(const Context& context, model::ShapeId left, model::ShapeId right);
/// "[3, n]" for messages.
std::string shape_name(const Context& context, model::ShapeId shape);

/// The value of a scalar that is known before the run.
std::optional<double> known_value(const Context& context, model::ExprId expr,
                                  model::Known at_least = model::Known::ByDefault);
/// Computes the value of an operation from the known values of its operands and reports impossible ones.
void fold(Context& context, model::ExprId expr);

}  // namespace hyla::check
