#include "experiment/plan_factors.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/text.h"
#include "engine/follow.h"

namespace hyla::experiment {

using model::Expr;
using model::ExprId;
using model::Op;

namespace {

const model::Variable& variable_of(const model::Model& model, ExprId target) {
  const Expr* expr = &model.exprs[target];
  while (expr->op == Op::Index) expr = &model.exprs[model.operand(*expr, 0)];
  return model.variables[model::VariableId(expr->ref)];
}

bool is_of_package(const model::Model& model, const Expr& target) {
  if (target.op != Op::Entity || target.operand_count > 0) return false;
  for (const model::Package& package : model.packages) {
    const auto& own = model.bodies[model.classes[package.parameters].body].variables;
    if (std::find(own.begin(), own.end(), model::VariableId(target.ref)) != own.end()) return true;
  }
  return false;
}

constexpr double kMostValues = 1e7;

}  // namespace

bool FactorPlanner::fail(diag::Span span, const std::string& message, const std::string& hint) {
  auto entry = sink_.report(diag::Kind::BadExperiment, span, message);
  if (!hint.empty()) entry.hint(hint);
  return false;
}

std::optional<double> FactorPlanner::number(ExprId expr) {
  const auto value = engine::evaluate_in(world_, expr, {}, {});
  if (value && std::isfinite(*value)) return value;
  fail(model_.exprs[expr].span, "this has no value before the run", "numbers and parameters have one");
  return std::nullopt;
}

bool FactorPlanner::add(const model::Variation& variation, Plan& plan) {
  const Expr& target = model_.exprs[variation.target];
  const model::Variable& variable = variable_of(model_, variation.target);
  Factor factor;
  factor.path = path_of(model_, variation.target, sources_);
  factor.span = variation.span;
  factor.is_setting = is_of_package(model_, target);
  factor.is_integer = target.type.kind == model::TypeKind::Integer;
  factor.is_number = target.type.is_number();
  if (target.unit && target.unit != model::kBareUnit) factor.unit = model_.unit_name(target.unit);
  if (!variation.range) {
    if (!read_bounds(variable, factor)) return false;
  } else {
    const Expr& range = model_.exprs[variation.range];
    const bool good = range.op == Op::Range     ? read_range(range, factor)
                      : range.op == Op::Builtin ? read_distribution(range, factor)
                                                : read_values(range, factor);
    if (!good) return false;
    if (!check_bounds(variable, range.span, factor)) return false;
  }
  if (factor.kind == FactorKind::Free) {
    const auto start = engine::evaluate_in(world_, variation.target, {}, {});
    const bool is_inside = start && *start >= factor.low && *start <= factor.high;
    factor.start = is_inside && !factor.is_setting ? *start : (factor.low + factor.high) / 2;
  }
  plan.factors.push_back(std::move(factor));
  return true;
}

bool FactorPlanner::read_values(const Expr& expr, Factor& factor) {
  if (expr.op != Op::Array || expr.operand_count == 0) {
    return fail(expr.span, "the values of a varied parameter must be written out",
                "write a list `[1, 2, 5]`, a range `1..5 step 1` or a distribution `normal(1, 0.1)`");
  }
  for (std::size_t i = 0; i < expr.operand_count; ++i) {
    const ExprId element = model_.operand(expr, i);
    const auto text = value_text(model_, element, &world_);
    if (!text) return fail(model_.exprs[element].span, "this has no value before the run", "");
    Value value{*text, static_cast<double>(i + 1)};
    if (factor.is_number) value.number = engine::evaluate_in(world_, element, {}, {}).value_or(NAN);
    factor.values.push_back(std::move(value));
  }
  return true;
}

bool FactorPlanner::read_range(const Expr& expr, Factor& factor) {
  const auto first = number(model_.operand(expr, 0));
  const auto last = number(model_.operand(expr, 1));
  if (!first || !last) return false;
  if (expr.operand_count < 3) {
    if (rules_.samples > 0 || rules_.optimises) {
      if (*last < *first) return fail(expr.span, "this range is empty", "the smaller bound comes first");
      return set_interval(*first, *last, factor);
    }
  }
  const auto step = expr.operand_count > 2 ? number(model_.operand(expr, 2)) : std::optional<double>(1.0);
  if (!step) return false;
  const double count = std::floor((*last - *first) / *step + 1e-9) + 1;
  if (!(count >= 1))
    return fail(expr.span, "this range is empty", "the step must lead from the first value to the last");
  if (count > kMostValues) return fail(expr.span, "this range has more than ten million values", "take a larger step");
  for (double k = 0; k < count; ++k) {
    const double value = *first + k * *step;
    factor.values.push_back({base::format_number(value), value});
  }
  return true;
}

/// Drawn from or searched.
bool FactorPlanner::set_interval(double low, double high, Factor& factor) {
  factor.kind = rules_.samples > 0 ? FactorKind::Drawn : FactorKind::Free;
  factor.low = low;
  factor.high = high;
  factor.distribution = {model::Builtin::Uniform, {low, high}};
  if (factor.is_integer) factor.distribution.arguments = {low - 0.5, high + 0.5};
  return true;
}

bool FactorPlanner::read_bounds(const model::Variable& variable, Factor& factor) {
  const auto low = number(variable.attributes.min);
  const auto high = number(variable.attributes.max);
  if (!low || !high) return false;
  if (rules_.samples == 0 && !rules_.optimises) {
    return fail(factor.span, fmt::format("`{}` is varied without a step, samples or an objective", factor.path),
                "give a range with a step, or `samples = 100;`, or something to minimize");
  }
  return set_interval(*low, *high, factor);
}

bool FactorPlanner::read_distribution(const Expr& expr, Factor& factor) {
  if (model::info(expr.builtin).group != model::BuiltinClass::Random) return read_values(expr, factor);
  factor.kind = FactorKind::Drawn;
  factor.distribution.kind = expr.builtin;
  for (std::size_t i = 0; i < expr.operand_count; ++i) {
    const Expr& argument = model_.exprs[model_.operand(expr, i)];
    if (argument.op == Op::Array) {
      for (std::size_t k = 0; k < argument.operand_count; ++k) {
        const auto value = number(model_.operand(argument, k));
        if (!value) return false;
        factor.distribution.arguments.push_back(*value);
      }
      continue;
    }
    const auto value = number(model_.operand(expr, i));
    if (!value) return false;
    factor.distribution.arguments.push_back(*value);
  }
  const std::string error = argument_error(factor.distribution);
  return error.empty() || fail(expr.span, fmt::format("`{}`: {}", model::info(expr.builtin).name, error), "");
}

/// No value lies outside of what the parameter allows; a distribution may reach there.
bool FactorPlanner::check_bounds(const model::Variable& variable, diag::Span span, const Factor& factor) {
  const auto known = [&](ExprId expr) -> std::optional<double> {
    if (!expr || model_.exprs[expr].known == model::Known::No) return std::nullopt;
    return model_.exprs[expr].number;
  };
  if (!factor.is_number) return true;
  double low = factor.low, high = factor.high;
  if (factor.kind == FactorKind::Values) {
    const auto [least, most] = std::minmax_element(factor.values.begin(), factor.values.end(),
                                                   [](const Value& a, const Value& b) { return a.number < b.number; });
    low = least->number;
    high = most->number;
  } else if (factor.distribution.kind != model::Builtin::Uniform) {
    return true;
  }
  const auto least = known(variable.attributes.min), most = known(variable.attributes.max);
  const bool is_below = least && low < *least;
  if (!is_below && !(most && high > *most)) return true;
  sink_
      .report(diag::Kind::BadExperiment, span,
              fmt::format("`{}` cannot be {}: its {} is {}", factor.path, base::format_number(is_below ? low : high),
                          is_below ? "min" : "max", base::format_number(is_below ? *least : *most)))
      .label(variable.span, "declared here");
  return false;
}

}  // namespace hyla::experiment
