// Arguments of parts: evaluated in the container's scope before the part exists, and carried to where they lead.
#include <algorithm>

#include <fmt/core.h>

#include "code/heap.h"
#include "engine/builder.h"

namespace hyla::engine {

using model::EntityKind;
using model::Op;

bool matches(const std::vector<IndexRange>& ranges, std::span<const std::int64_t> dimensions, std::int64_t place) {
  if (ranges.empty()) return true;
  for (std::size_t i = std::min(ranges.size(), dimensions.size()); i-- > 0;) {
    if (!ranges[i].contains(place % dimensions[i] + 1)) return false;
    place /= dimensions[i];
  }
  return true;
}

bool Builder::evaluate_arguments(ObjectRef self, const std::vector<model::Argument>& arguments, const TextUnit& unit,
                                 const Inputs& inputs, std::deque<Override>& result) {
  for (const model::Argument& argument : arguments) {
    if (!evaluate_argument(self, argument, unit, inputs, result.emplace_back())) return false;
  }
  return true;
}

bool Builder::evaluate_argument(ObjectRef self, const model::Argument& argument, TextUnit unit, const Inputs& inputs,
                                Override& result) {
  if (!read_target(argument.target, result)) return false;
  const model::Expr& target = model_.exprs[argument.target];
  const model::Expr* root = &target;
  while (root->op == Op::Index) root = &model_.exprs[model_.operand(*root, 0)];
  unit.as_real = target.type.kind == model::TypeKind::Real;
  result.span = target.span;
  if (model_.variables[model::VariableId(root->ref)].kind == model::VariableKind::Input) {
    if (!result.elements.empty()) {
      report_unsupported(*sink_, target.span, "an argument for an element of an input");
      return false;
    }
    unit.traced = true;
    result.link = programs_.expression(argument.value, unit);
    result.scope = self;
    result.inputs = inputs;
    result.expr = argument.value;
    result.locals = unit.inputs;
    return true;
  }
  const code::Program* program = programs_.expression(argument.value, unit);
  if (!run(*program, self, inputs, result.value)) return false;
  result.boxed = code::is_boxed(target.type);
  return true;
}

/// The path and slot of a target such as `valve[2].travel`.
bool Builder::read_target(model::ExprId target, Override& result) {
  const model::Expr* expr = &model_.exprs[target];
  if (expr->op == Op::Index) {
    if (!read_indices(*expr, result.elements)) return false;
    expr = &model_.exprs[model_.operand(*expr, 0)];
  }
  result.slot = world_.layout.variables[expr->ref];
  while (expr->operand_count > 0) {
    expr = &model_.exprs[model_.operand(*expr, 0)];
    PathStep step;
    if (expr->op == Op::Index) {
      if (!read_indices(*expr, step.indices)) return false;
      expr = &model_.exprs[model_.operand(*expr, 0)];
    }
    if (expr->op != Op::Entity || expr->entity != EntityKind::Part) {
      report_unsupported(*sink_, expr->span, "such a path in an argument");
      return false;
    }
    step.slot = world_.layout.parts[expr->ref];
    result.path.insert(result.path.begin(), std::move(step));
  }
  return true;
}

bool Builder::read_indices(const model::Expr& index, std::vector<IndexRange>& result) {
  const auto known = [&](model::ExprId expr, std::int64_t& value) {
    const model::Expr& record = model_.exprs[expr];
    value = static_cast<std::int64_t>(record.number);
    if (record.known == model::Known::Always) return true;
    report_unsupported(*sink_, record.span, "an index that depends on parameters, in the path of an argument,");
    return false;
  };
  for (const model::ExprId operand : model_.operands_of(index).subspan(1)) {
    const model::Expr& record = model_.exprs[operand];
    IndexRange range;
    if (record.op == Op::Range) {
      const auto bounds = model_.operands_of(record);
      if (!known(bounds[0], range.first) || !known(bounds[1], range.last)) return false;
      if (bounds.size() > 2 && bounds[2] && !known(bounds[2], range.step)) return false;
      range.step = std::max<std::int64_t>(range.step, 1);
    } else if (record.op != Op::Whole) {
      if (!known(operand, range.first)) return false;
      range.last = range.first;
    }
    result.push_back(range);
  }
  return true;
}

/// `extends Plant(valve[2].travel = 60)`: evaluated in the new object itself; the nearest base comes last and wins.
bool Builder::base_arguments(ObjectRef self, std::deque<Override>& result) {
  std::vector<model::ClassId> chain;
  for (model::ClassId id = class_of(self); id; id = model_.classes[id].base) chain.push_back(id);
  for (auto id = chain.rbegin(); id != chain.rend(); ++id) {
    const TextUnit unit{*id, {}, nullptr, "", false, false};
    for (const model::Argument& argument : model_.classes[*id].base_arguments) {
      const model::Expr* root = &model_.exprs[argument.target];
      while (root->op == Op::Index) root = &model_.exprs[model_.operand(*root, 0)];
      if (root->operand_count == 0) continue;  // of an own member: in its variable already
      if (!evaluate_argument(self, argument, unit, {}, result.emplace_back())) return false;
    }
  }
  return true;
}

/// Puts the value of an override into the variable, or into some of its elements.
bool Builder::apply(ObjectRef self, const VariableRecipe& recipe, const Override& override) {
  Slot& slot = world_.object(self).slots[recipe.slot];
  if (!override.text.empty() && !check_range(recipe, override)) return false;
  if (override.elements.empty()) {
    if (recipe.boxed) {
      code::Heap::retain(override.value.box);
      world_.heap.release(slot.box);
    }
    slot = override.value;
    return check_dimensions(self, recipe);
  }
  Box* box = slot.box;
  if (box == nullptr || box->rank > 2) return fail(self, override.span, "this element does not exist");
  if (box->references > 1) {
    slot.box = world_.heap.copy(box);
    world_.heap.release(box);
    box = slot.box;
  }
  const std::int64_t dimensions[2] = {box->dimensions[0], box->dimensions[1]};
  bool found = false;
  for (std::uint32_t i = 0; i < box->size; ++i) {
    if (!matches(override.elements, std::span(dimensions, box->rank), i)) continue;
    found = true;
    note_written(self, recipe, i);
    if (box->boxed_elements) {
      code::Heap::retain(override.value.box);
      world_.heap.release(box->slots()[i].box);
    }
    box->slots()[i] = override.value;
  }
  return found || fail(self, override.span, "this element does not exist");
}

/// `min` and `max` of a value from outside, as far as they are known before the run.
bool Builder::check_range(const VariableRecipe& recipe, const Override& override) {
  const model::Variable& record = model_.variables[recipe.id];
  if (!record.type.is_number()) return true;
  const auto bound = [&](model::ExprId expr) {
    return expr && model_.exprs[expr].known != model::Known::No ? std::optional(model_.exprs[expr].number)
                                                                : std::nullopt;
  };
  const std::optional<double> least = bound(record.attributes.min), most = bound(record.attributes.max);
  const auto check = [&](Slot slot) {
    const double value = record.type.kind == model::TypeKind::Real ? slot.real : static_cast<double>(slot.integer);
    if ((!least || value >= *least) && (!most || value <= *most)) return true;
    complaint_ = fmt::format("`{}` cannot be {}: its range is", override.text, value);
    if (least) complaint_ += fmt::format(" at least {}", *least);
    if (least && most) complaint_ += ",";
    if (most) complaint_ += fmt::format(" at most {}", *most);
    return false;
  };
  if (!override.boxed) return check(override.value);
  for (std::uint32_t i = 0; override.value.box != nullptr && i < override.value.box->size; ++i) {
    if (!check(override.value.box->slots()[i])) return false;
  }
  return true;
}

void Builder::release(std::deque<Override>& overrides) {
  for (const Override& override : overrides) {
    if (override.boxed) world_.heap.release(override.value.box);
  }
  overrides.clear();
}

}  // namespace hyla::engine
