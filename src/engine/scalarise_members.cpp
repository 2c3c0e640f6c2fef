// Names: variables of the own and of other objects, elements, fields, states, derivatives.
#include <utility>

#include <fmt/core.h>

#include "code/heap.h"
#include "engine/scalarise_writer.h"
#include "model/dump_text.h"

namespace hyla::engine {

using code::Layout;
using code::NodeId;
using code::NodeOp;
using model::EntityKind;
using model::Expr;
using model::ExprId;
using model::Op;
using model::TypeKind;

/// The object whose member an expression names.
bool TermWriter::object_of(const Expr& entity, ObjectRef& result) {
  if (entity.operand_count == 0) {
    result = scope_->object;
    return true;
  }
  return resolve(model_.operand(entity, 0), result);
}

/// The object that an expression stands for. References that change have been sorted out before.
bool TermWriter::resolve(ExprId id, ObjectRef& result) {
  const Expr& expr = model_.exprs[id];
  if (expr.op == Op::This) {
    result = scope_->object;
    return true;
  }
  const bool indexed = expr.op == Op::Index && expr.operand_count == 2;
  const Expr& base = indexed ? model_.exprs[model_.operand(expr, 0)] : expr;
  if (base.op == Op::Entity && base.entity == EntityKind::Part) {
    ObjectRef owner;
    if (!object_of(base, owner)) return false;
    if (places_may_be_empty_ && !world_.is_alive(owner)) return true;
    const Slot slot = world_.object(owner).slots[world_.layout.parts[base.ref]];
    const model::Part& part = model_.parts[model::PartId(base.ref)];
    if (part.kind == model::PartKind::Dynamic) note_structural(owner, world_.layout.parts[base.ref]);
    if (!indexed) {
      result = slot.object;
      if (part.kind != model::PartKind::Dynamic || world_.is_alive(result) || places_may_be_empty_) return true;
      return fail_at_none(expr.span, fmt::format("`{}` is empty", model_.name(part.name)));
    }
    std::int64_t index = 0;
    if (slot.box != nullptr && slot.box->rank == 1) {
      if (!whole_now(model_.operand(expr, 1), index)) return false;
      if (index < 1 || index > slot.box->size) {
        return fail(expr.span, fmt::format("index {} is outside `{}`, whose size is {}", index,
                                           model_.name(model_.parts[model::PartId(base.ref)].name), slot.box->size));
      }
      result = slot.box->slots()[index - 1].object;
      return true;
    }
  }
  if (expr.op == Op::Entity && expr.entity == EntityKind::Local) {
    if (const KnownLocal* local = known_local(model::LocalId(expr.ref))) {
      result = local->value.object;
      return true;
    }
  }
  Slot slot;
  if (course_ != nullptr) return refuse(expr.span, "an object in a function of an equation");
  if (!run(id, slot)) return false;
  result = slot.object;
  own_ = false;
  if (world_.is_alive(result)) return true;
  const std::string reader = world_.path(scope_->object), name = model::expression_text(model_, id, {});
  const std::string gone = result ? world_.former_path(result) : "none";
  return fail_at_none(expr.span, gone == "none"
                                     ? fmt::format("`{}` reads through `{}`, which is `none`", reader, name)
                                     : fmt::format("`{}` reads through `{}`, but `{}` has gone", reader, name, gone));
}

bool TermWriter::fail_at_none(diag::Span span, const std::string& message) {
  met_none = true;
  return fail(span, message);
}

void TermWriter::note_structural(ObjectRef object, std::uint32_t slot) {
  own_ = false;
  structural_reads.push_back(std::uint64_t{object.index} << 32 | slot);
}

NodeId TermWriter::entity(ExprId id, const Expr& expr) {
  if (expr.entity == EntityKind::Local) {
    const model::LocalId local(expr.ref);
    if (course_ != nullptr) {
      if (const auto found = course_->locals.find(local); found != course_->locals.end()) {
        return found->second.nodes.empty() ? zero() : found->second.nodes[0];
      }
    }
    if (const auto found = members_.find(local); found != members_.end()) return found->second.nodes[0];
    if (const KnownLocal* known = known_local(local)) return local_number(local, known->value);
    return opaque(id);
  }
  if (expr.entity != EntityKind::Variable) return opaque(id);
  const model::VariableId variable(expr.ref);
  const std::uint32_t slot = world_.layout.variables[expr.ref];
  if (slot == Layout::kNoSlot) {  // a constant of a module
    const model::Variable& record = model_.variables[variable];
    if (record.binding) return number(record.binding);
    return opaque(id);
  }
  for (const ExprId operand : model_.operands_of(expr)) {
    if ((dependence(operand) & (kDiscrete | kContinuous)) != 0) return opaque(id);
  }
  Place place{{}, slot, kNone};
  if (!object_of(expr, place.object)) return zero();
  return value_leaf(place, variable);
}

/// The number of the active state of a chart stands in its slot.
NodeId TermWriter::in_state(ExprId id, const Expr& expr) {
  for (const ExprId operand : model_.operands_of(expr)) {
    if ((dependence(operand) & (kDiscrete | kContinuous)) != 0) return opaque(id);
  }
  const model::StateId state(expr.ref);
  Place place{{}, world_.layout.charts[model_.states[state].chart.index], kNone};
  if (!object_of(expr, place.object)) return zero();
  const NodeId active = slot_leaf(place, TypeKind::Integer);
  return graph.make(NodeOp::Equal, active, graph.constant(world_.layout.state_numbers[state.index]));
}

NodeId TermWriter::field(ExprId id, const Expr& expr) {
  const Expr& record = model_.exprs[model_.operand(expr, 0)];
  if (record.type.kind != TypeKind::Record) return opaque(id);
  const bool element_of_array = record.op == Op::Index && (dependence(model_.operand(expr, 0)) & kContinuous) == 0;
  if (course_ == nullptr && element_of_array) return opaque(id);
  const Symbolic whole = value(model_.operand(expr, 0));
  if (expr.ref < whole.parts.size() && !whole.parts[expr.ref].nodes.empty()) return whole.parts[expr.ref].nodes[0];
  if (good_) return opaque(id);
  return zero();
}

bool TermWriter::sizes_at(const Place& place, diag::Span span, std::vector<std::int64_t>& sizes) {
  const Box* box = world_.object(place.object).slots[place.slot].box;
  if (box == nullptr) return fail(span, "this array has no size yet");
  for (std::size_t i = 0; i < box->rank; ++i) sizes.push_back(code::dimension(box, i));
  if (guarded && place.object == scope_->object) {
    Guard guard;
    guard.leaf.place = place;
    guard.sizes = sizes;
    note(std::move(guard));
  }
  return true;
}

/// The places of a variable, all of them if it is an array.
bool TermWriter::whole_variable(const Expr& expr, Places& result) {
  if (expr.op != Op::Entity || expr.entity != EntityKind::Variable) return false;
  Place place{{}, world_.layout.variables[expr.ref], kNone};
  if (place.slot == Layout::kNoSlot) return false;
  for (const ExprId operand : model_.operands_of(expr)) {
    if ((dependence(operand) & (kDiscrete | kContinuous)) != 0) return false;
  }
  result.variable = model::VariableId(expr.ref);
  if (!object_of(expr, place.object)) return false;
  if (expr.type.rank == 0) {
    result.places.push_back(place);
    return true;
  }
  if (!sizes_at(place, expr.span, result.sizes)) return false;
  const std::size_t count = product_of(result.sizes);
  for (std::uint32_t i = 0; i < count; ++i) result.places.push_back({place.object, place.slot, i});
  return true;
}

bool TermWriter::places(ExprId id, Places& result) {
  const Expr& expr = model_.exprs[id];
  if (expr.op != Op::Index) return whole_variable(expr, result);
  if (is_element(expr)) {
    std::vector<Taken> taken;
    const std::optional<Place> place = element_place(expr, taken);
    if (!place) return false;
    result.variable = model::VariableId(model_.exprs[model_.operand(expr, 0)].ref);
    result.places.push_back(*place);
    return true;
  }
  Places whole;
  if (!places(model_.operand(expr, 0), whole)) return false;
  std::vector<Taken> taken;
  if (!selection(expr, whole.sizes, taken)) return false;
  Symbolic numbers;
  numbers.sizes = whole.sizes;
  for (const Taken& one : taken) {
    if (one.changing != code::kNoNode) return false;
  }
  for (NodeId i = 0; i < whole.places.size(); ++i) numbers.nodes.push_back(i);
  const Symbolic picked = pick(numbers, std::move(taken), 0, expr.span);
  result.variable = whole.variable;
  result.sizes = picked.sizes;
  for (const NodeId place : picked.nodes) result.places.push_back(whole.places[place]);
  return true;
}

bool TermWriter::plugs(ExprId id, std::vector<PlugEnd>& result) {
  const Expr& expr = model_.exprs[id];
  const Expr& whole = expr.op == Op::Index ? model_.exprs[model_.operand(expr, 0)] : expr;
  PlugEnd end;
  end.plug = model::PlugId(whole.ref);
  end.own = whole.operand_count == 0;
  places_may_be_empty_ = true;
  const bool found = object_of(whole, end.object);
  places_may_be_empty_ = false;
  if (!found) return false;
  if (!world_.is_alive(end.object)) return true;
  const std::vector<model::VariableId>& variables = model_.plugs[end.plug].variables;
  if (whole.type.rank == 0 || variables.empty()) {
    result.push_back(end);
    return true;
  }
  Symbolic numbers;
  const std::uint32_t slot = world_.layout.variables[variables[0].index];
  if (!sizes_at({end.object, slot, kNone}, expr.span, numbers.sizes)) return false;
  numbers.sizes.resize(whole.type.rank);
  for (NodeId i = 0; i < product_of(numbers.sizes); ++i) numbers.nodes.push_back(i);
  if (expr.op == Op::Index) {
    std::vector<Taken> taken;
    if (!selection(expr, numbers.sizes, taken)) return false;
    for (const Taken& one : taken) {
      if (one.changing != code::kNoNode) return refuse(expr.span, "a connection to an element that changes");
    }
    numbers = pick(numbers, std::move(taken), 0, expr.span);
  }
  for (const NodeId number : numbers.nodes) {
    end.element = number;
    result.push_back(end);
  }
  return good_;
}

/// Whether an expression is a scalar element of a variable that can be found now.
bool TermWriter::is_element(const Expr& expr) {
  if (expr.op != Op::Index || expr.type.rank != 0) return false;
  const Expr& array = model_.exprs[model_.operand(expr, 0)];
  if (array.op != Op::Entity || array.entity != EntityKind::Variable) return false;
  if (world_.layout.variables[array.ref] == Layout::kNoSlot) return false;
  for (const ExprId operand : model_.operands_of(array)) {
    if ((dependence(operand) & (kDiscrete | kContinuous)) != 0) return false;
  }
  return true;
}

/// Its place, without looking at the other elements, so that families over long arrays are quick. If an index changes,
/// the result is none and `taken` tells which.
std::optional<Place> TermWriter::element_place(const Expr& expr, std::vector<Taken>& taken) {
  const Expr& array = model_.exprs[model_.operand(expr, 0)];
  Place place{{}, world_.layout.variables[array.ref], kNone};
  std::vector<std::int64_t> sizes;
  if (!object_of(array, place.object) || !sizes_at(place, array.span, sizes)) return std::nullopt;
  if (!selection(expr, sizes, taken)) return std::nullopt;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i].changing != code::kNoNode) return std::nullopt;
    offset = offset * static_cast<std::size_t>(sizes[i]) + static_cast<std::size_t>(taken[i].first);
  }
  place.element = static_cast<std::uint32_t>(offset);
  return place;
}

NodeId TermWriter::element(ExprId id, const Expr& expr) {
  const Expr& array = model_.exprs[model_.operand(expr, 0)];
  std::vector<Taken> taken;
  if (is_element(expr)) {
    const std::optional<Place> place = element_place(expr, taken);
    if (place) return value_leaf(*place, model::VariableId(array.ref));
    if (!good_) return zero();
    const Symbolic result = pick(value(model_.operand(expr, 0)), std::move(taken), 0, expr.span);
    return result.nodes.empty() ? zero() : result.nodes[0];
  }
  const bool foreign = array.op == Op::Entity && array.entity == EntityKind::Variable && array.operand_count > 0;
  if (foreign) return opaque(id);
  const Symbolic result = index_value(expr);
  return result.nodes.empty() ? zero() : result.nodes[0];
}

NodeId TermWriter::derivative(const Expr& expr) {
  Places found;
  if (!places(model_.operand(expr, 0), found) || found.places.empty()) {
    refuse(expr.span, "the derivative of this");
    return zero();
  }
  return derivative_leaf(found.places[0]);
}

Symbolic TermWriter::entity_value(const Expr& expr) {
  if (expr.entity == EntityKind::Local) {
    const model::LocalId local(expr.ref);
    if (course_ != nullptr) {
      if (const auto found = course_->locals.find(local); found != course_->locals.end()) return found->second;
    }
    if (const auto found = members_.find(local); found != members_.end()) return found->second;
  } else if (expr.entity == EntityKind::Variable) {
    const model::VariableId variable(expr.ref);
    if (world_.layout.variables[expr.ref] == Layout::kNoSlot) return module_constant(variable);
    Places found;
    if (whole_variable(expr, found)) {
      if (expr.type.kind == TypeKind::Record && expr.type.rank == 0) {
        return record_variable(found.places[0], expr.type);
      }
      Symbolic result;
      result.sizes = found.sizes;
      if (expr.type.is_number() || expr.type.kind == TypeKind::Boolean || expr.type.kind == TypeKind::Enum) {
        for (const Place& place : found.places) result.nodes.push_back(value_leaf(place, variable));
        return result;
      }
    }
  }
  refuse(expr.span, "such a value in an equation");
  return {};
}

/// A record that changes at events: its fields are operands. Fields that live in boxes of their own stay out.
Symbolic TermWriter::record_variable(const Place& place, model::Type type) {
  Symbolic result;
  const std::vector<model::Field>& fields = model_.records[model::RecordId(type.ref)].fields;
  for (std::uint32_t i = 0; i < fields.size(); ++i) {
    Symbolic field;
    if (!code::is_boxed(fields[i].type)) {
      field.nodes.push_back(slot_leaf({place.object, place.slot, i}, fields[i].type.kind));
    }
    result.parts.push_back(std::move(field));
  }
  return result;
}

Symbolic TermWriter::module_constant(model::VariableId id) {
  const model::Variable& record = model_.variables[id];
  if (!record.binding) {
    refuse(record.span, "such a constant in an equation");
    return {};
  }
  Course* const around = std::exchange(course_, nullptr);
  Symbolic result = value(record.binding);
  course_ = around;
  return result;
}

}  // namespace hyla::engine
