// Functions, written out by running them on nodes instead of numbers.
//
// Where the way is known (bounds of loops, conditions over constants and parameters) it is followed. At a condition
// that is not known both ways are taken, each with the values of the locals at that point, and then merged: every local
// that differs becomes a selection. `return`, `break` and `continue` on one of the ways are merged likewise: a course
// keeps the conditions on which it has been left, and what follows is one more branch that counts if they do not hold.
// Relations inside a function are no events.
//
// What cannot be written out (a `while` loop whose end depends on what changes, recursion, too many steps) makes the
// innermost function around it one that is called; so are external functions (function_callee.h).
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/compiled_model.h"
#include "engine/function_callee.h"
#include "engine/scalarise_writer.h"

namespace hyla::engine {

using code::NodeId;
using code::NodeOp;
using model::Action;
using model::ActionKind;
using model::EntityKind;
using model::Expr;
using model::ExprId;
using model::Op;
using model::TypeKind;

namespace {

constexpr std::size_t kMostNodes = 100'000;  ///< of one call
constexpr std::size_t kMostSteps = 300'000;  ///< of one call: actions and turns of loops
constexpr std::size_t kMostCalls = 200;      ///< of functions inside each other

}  // namespace

bool TermWriter::count_step(diag::Span span) {
  if (++steps_ <= kMostSteps && graph.size() <= nodes_before_ + kMostNodes) return good_;
  refuse(span, "a function with so many steps in an equation");
  given_up_ = calls_.front().first;
  return false;
}

/// What a function returns if its body is only that.
const Expr* TermWriter::only_result(const model::Function& function) const {
  const model::Block& block = model_.blocks[function.block];
  if (block.actions.size() != 1) return nullptr;
  const Action& action = model_.actions[block.actions[0]];
  if (action.kind != ActionKind::Return || action.exprs.size() != 1) return nullptr;
  return &model_.exprs[action.exprs[0]];
}

bool TermWriter::is_open(model::FunctionId function) const {
  return std::any_of(calls_.begin(), calls_.end(), [&](const auto& call) { return call.first == function; });
}

/// The arguments of a call, those that are texts left empty.
std::vector<Symbolic> TermWriter::arguments_of(const Expr& expr) {
  const model::Function& function = model_.functions[model::FunctionId(expr.ref)];
  std::vector<Symbolic> arguments;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const ExprId argument = argument_of(expr, i);
    const model::Type type = model_.exprs[argument].type;
    const Relations around = relations_;
    if (around == Relations::Condition && !type.is_scalar(TypeKind::Boolean)) relations_ = Relations::Raw;
    arguments.push_back(type.kind == TypeKind::String ? Symbolic() : value(argument));
    relations_ = around;
  }
  return arguments;
}

ExprId TermWriter::argument_of(const Expr& expr, std::size_t index) const {
  const auto operands = model_.operands_of(expr);
  if (index < operands.size() && operands[index]) return operands[index];
  return model_.functions[model::FunctionId(expr.ref)].defaults[index];
}

std::vector<Symbolic> TermWriter::call(const Expr& expr) {
  const model::FunctionId id(expr.ref);
  const model::Function& function = model_.functions[id];
  for (const auto& [open, branches] : calls_) {
    if (open != id || branches >= open_branches_ || !good_) continue;
    refuse(expr.span, "a function that calls itself in an equation");
    given_up_ = id;
  }
  if (calls_.size() >= kMostCalls && good_) {
    refuse(expr.span, "functions that call each other so deeply in an equation");
    given_up_ = calls_.front().first;
  }
  const std::vector<Symbolic> arguments = arguments_of(expr);
  if (!good_) return {};
  const bool takes_text =
      std::any_of(function.parameters.begin(), function.parameters.end(),
                  [&](model::LocalId parameter) { return model_.locals[parameter].type.kind == TypeKind::String; });
  if (!function.block || takes_text) return closed_call(expr, arguments);
  Course course;
  for (std::size_t i = 0; i < arguments.size(); ++i) course.locals[function.parameters[i]] = arguments[i];
  if (calls_.empty()) {
    nodes_before_ = graph.size();
    steps_ = 0;
  }
  calls_.emplace_back(id, open_branches_);
  std::vector<Symbolic> results = run_function(expr, std::move(course));
  calls_.pop_back();
  if (good_ || given_up_ != id || is_open(id)) return results;
  given_up_ = {};
  good_ = true;
  return closed_call(expr, arguments);
}

/// A text that does not change.
bool TermWriter::text_argument(ExprId id, std::string& text) {
  const std::uint8_t depends = dependence(id);
  if (course_ != nullptr || (depends & (kDiscrete | kContinuous)) != 0) {
    return refuse(model_.exprs[id].span, "a text that changes, as an argument in an equation,");
  }
  if (depends != 0) own_ = false;
  Slot slot;
  if (!run(id, slot)) return false;
  text = code::Heap::text(slot.box);
  world_.heap.release(slot.box);
  return true;
}

/// The results of a function that is called as it is.
std::vector<Symbolic> TermWriter::closed_call(const Expr& expr, const std::vector<Symbolic>& arguments) {
  const model::FunctionId id(expr.ref);
  const model::Function& function = model_.functions[id];
  std::vector<FlatValue> parameters;
  std::vector<NodeId> numbers;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    FlatValue& value =
        parameters.emplace_back(FlatValue{model_.locals[function.parameters[i]].type, arguments[i].sizes, ""});
    if (value.type.kind == TypeKind::String && !text_argument(argument_of(expr, i), value.text)) return {};
    numbers.insert(numbers.end(), arguments[i].nodes.begin(), arguments[i].nodes.end());
  }
  std::vector<code::Unsupported> unsupported;
  std::string why_not;
  const code::Callee* const callee = world_.compiled->callees.find(id, std::move(parameters), unsupported, why_not);
  const std::string name = fmt::format("`{}`", model_.name(function.name));
  if (callee == nullptr) {
    if (!unsupported.empty()) {
      refuse(unsupported.front());
    } else if (!function.block) {
      refuse(code::Unsupported{expr.span, "the external function " + name, why_not});
    } else {
      refuse(expr.span,
             fmt::format("the function {} in an equation, which cannot be written out ({}),", name, why_not));
    }
    return {};
  }
  std::vector<Symbolic> results;
  std::uint32_t next = 0;
  for (const model::Field& field : function.results) {
    Symbolic& result = results.emplace_back();
    for (std::size_t i = 0; i < field.type.rank; ++i) {
      result.sizes.push_back(*model_.shapes[field.shape].dimensions[i].size);
    }
    for (std::size_t i = product_of(result.sizes); i > 0; --i) {
      result.nodes.push_back(graph.call(*callee, numbers, next++));
    }
  }
  return results;
}

std::vector<Symbolic> TermWriter::run_function(const Expr& expr, Course course) {
  const model::Function& function = model_.functions[model::FunctionId(expr.ref)];
  course.returned = course.broken = course.continued = zero();
  Course* const around = std::exchange(course_, &course);
  const Relations relations = relations_;
  const Expr* only = only_result(function);
  if (relations == Relations::Condition && only != nullptr && only->type.is_scalar(TypeKind::Boolean)) {
    // Its relations are those of the condition that calls it.
    const ExprId result = model_.actions[model_.blocks[function.block].actions[0]].exprs[0];
    course.results.push_back(scalar(truth(result)));
  } else {
    relations_ = Relations::Raw;
    actions(function.block);
    relations_ = relations;
  }
  course_ = around;
  if (good_ && course.results.size() != function.results.size()) {
    fail(expr.span, fmt::format("`{}` gives no result", model_.name(function.name)));
  }
  return good_ ? std::move(course.results) : std::vector<Symbolic>{};
}

/// The condition on which a course does not go on to the next action.
NodeId TermWriter::left(const Course& course) {
  return either(either(course.returned, course.broken), course.continued);
}

void TermWriter::actions(model::BlockId block, std::size_t from) {
  if (!block) return;
  const std::vector<model::ActionId>& list = model_.blocks[block].actions;
  for (std::size_t i = from; i < list.size(); ++i) {
    const Action& record = model_.actions[list[i]];
    if (!count_step(record.span)) return;
    action(record);
    const NodeId gone = left(*course_);
    const std::optional<double> known = settled(gone);
    if (known && *known != 0) return;
    if (known || i + 1 == list.size()) continue;
    Course before = *course_;
    course_->returned = course_->broken = course_->continued = zero();
    ++open_branches_;
    actions(block, i + 1);
    --open_branches_;
    return merge(gone, std::move(before), record.span);
  }
}

/// Joins another course, which holds on a condition, with the present one.
void TermWriter::merge(NodeId condition, Course yes, diag::Span span) {
  if (!good_) return;
  Course& no = *course_;
  for (auto local = no.locals.begin(); local != no.locals.end();) {
    const auto other = yes.locals.find(local->first);
    if (other == yes.locals.end()) {  // declared inside the branch
      local = no.locals.erase(local);
      continue;
    }
    if (other->second != local->second) local->second = select(condition, other->second, local->second, span);
    ++local;
  }
  if (no.results.empty()) {
    no.results = std::move(yes.results);
  } else if (!yes.results.empty()) {
    for (std::size_t i = 0; i < no.results.size(); ++i) {
      no.results[i] = select(condition, yes.results[i], no.results[i], span);
    }
  }
  no.returned = select(condition, yes.returned, no.returned);
  no.broken = select(condition, yes.broken, no.broken);
  no.continued = select(condition, yes.continued, no.continued);
}

void TermWriter::action(const Action& action) {
  switch (action.kind) {
    case ActionKind::Let:
    case ActionKind::Variable:
      return let(action);
    case ActionKind::Assign:
      return assign(action);
    case ActionKind::If:
      return branch(action);
    case ActionKind::For:
      return for_each(action);
    case ActionKind::While:
    case ActionKind::Loop:
      return repeat(action);
    case ActionKind::Return:
      return give_back(action);
    case ActionKind::Break:
      course_->broken = one();
      return;
    case ActionKind::Continue:
      course_->continued = one();
      return;
    default:
      refuse(action.span, "such an action in a function of an equation");
  }
}

void TermWriter::branch(const Action& action) {
  NodeId condition = code::kNoNode;
  const model::BlockId otherwise = action.blocks.size() > 1 ? action.blocks[1] : model::BlockId();
  if (const std::optional<bool> decided = decide(action.exprs[0], condition)) {
    return actions(*decided ? action.blocks[0] : otherwise);
  }
  Course before = *course_;
  ++open_branches_;
  actions(action.blocks[0]);
  Course yes = std::exchange(*course_, std::move(before));
  actions(otherwise);
  --open_branches_;
  merge(condition, std::move(yes), action.span);
}

void TermWriter::for_each(const Action& action) {
  const Expr& over = model_.exprs[action.exprs[0]];
  const model::LocalId index = action.locals[0];
  const NodeId continued = course_->continued, broken = course_->broken;
  if (over.op == Op::Range) {
    std::vector<double> members;
    if (!range(over, members)) return;
    for (std::size_t i = 0; good_ && i < members.size(); ++i) {
      turn(index, scalar(graph.constant(members[i])), action.blocks[0]);
    }
  } else {
    const Symbolic array = value(action.exprs[0]);
    if (!good_) return;
    std::vector<Taken> taken;
    for (const std::int64_t size : array.sizes) taken.push_back({0, size, 1, true, code::kNoNode});
    for (std::int64_t i = 0; good_ && i < array.sizes[0]; ++i) {
      taken[0] = {i, 1, 1, false, code::kNoNode};
      turn(index, pick(array, taken, 0, action.span), action.blocks[0]);
    }
  }
  course_->continued = continued;
  course_->broken = broken;
}

/// One turn of a loop, which counts if the loop has not been left before.
void TermWriter::turn(model::LocalId index, Symbolic member, model::BlockId block) {
  const diag::Span span = model_.locals[index].span;
  if (!count_step(span)) return;
  course_->continued = zero();
  const NodeId gone = left(*course_);
  const std::optional<double> known = settled(gone);
  if (known && *known != 0) return;
  Course before;
  if (!known) {
    before = *course_;
    course_->returned = course_->broken = zero();
    ++open_branches_;
  }
  course_->locals[index] = std::move(member);
  actions(block);
  course_->continued = zero();
  if (known) return;
  --open_branches_;
  merge(gone, std::move(before), span);
}

/// `while` and `loop`, as long as it is known how often they turn.
void TermWriter::repeat(const Action& action) {
  const NodeId continued = course_->continued, broken = course_->broken;
  const bool endless = action.kind == ActionKind::Loop;
  while (count_step(action.span)) {
    NodeId condition = code::kNoNode;
    const std::optional<bool> goes_on = endless ? true : decide(action.exprs[0], condition);
    if (!goes_on) {
      refuse(action.span, "a function with a `while` loop in an equation");
      return;
    }
    if (!*goes_on) break;
    actions(action.blocks[0]);
    course_->continued = zero();
    const std::optional<double> gone = settled(left(*course_));
    if (!gone) {
      refuse(action.span, "a function with a loop that a changing condition ends, in an equation,");
      return;
    }
    if (*gone != 0) break;
  }
  course_->continued = continued;
  course_->broken = broken;
}

/// The values of a call with several results, of a tuple, or of one expression.
std::vector<Symbolic> TermWriter::results_of(ExprId id) {
  const Expr& expr = model_.exprs[id];
  if (expr.op == Op::Call && expr.type.kind == TypeKind::Tuple) return call(expr);
  std::vector<Symbolic> results;
  if (expr.op != Op::Tuple) {
    results.push_back(value(id));
    return results;
  }
  for (const ExprId operand : model_.operands_of(expr)) results.push_back(value(operand));
  return results;
}

void TermWriter::give_back(const Action& action) {
  std::vector<Symbolic> results;
  for (const ExprId expr : action.exprs) {
    for (Symbolic& one : results_of(expr)) results.push_back(std::move(one));
  }
  course_->results = std::move(results);
  course_->returned = one();
}

void TermWriter::let(const Action& action) {
  if (action.exprs.empty()) {
    const model::Local& local = model_.locals[action.locals[0]];
    course_->locals[action.locals[0]] = default_value(local.type, local.shape);
    return;
  }
  std::vector<Symbolic> values = results_of(action.exprs[0]);
  if (!good_) return;
  for (std::size_t i = 0; i < action.locals.size() && i < values.size(); ++i) {
    if (action.locals[i]) course_->locals[action.locals[i]] = std::move(values[i]);
  }
}

/// Zeros, in the shape that a local is declared with.
Symbolic TermWriter::default_value(model::Type type, model::ShapeId shape) {
  Symbolic result;
  for (std::size_t i = 0; i < type.rank; ++i) {
    const model::Dimension size = shape ? model_.shapes[shape].dimensions[i] : model::Dimension{};
    std::int64_t count = size.size.value_or(0);
    if (!size.size && size.expr && !whole_now(size.expr, count)) return result;
    result.sizes.push_back(count);
  }
  const std::size_t count = product_of(result.sizes);
  if (type.kind != TypeKind::Record) {
    result.nodes.assign(count, zero());
    return result;
  }
  Symbolic record;
  for (const model::Field& field : model_.records[model::RecordId(type.ref)].fields) {
    record.parts.push_back(field.default_value ? value(field.default_value) : default_value(field.type, field.shape));
  }
  if (type.rank == 0) return record;
  result.parts.assign(count, record);
  return result;
}

/// All right sides come first.
void TermWriter::assign(const Action& action) {
  const std::span<const ExprId> exprs(action.exprs);
  const bool tuple = model_.exprs[exprs.back()].type.kind == TypeKind::Tuple;
  const std::size_t count = tuple ? exprs.size() - 1 : exprs.size() / 2;
  std::vector<Symbolic> values;
  for (const ExprId expr : exprs.subspan(count)) {
    for (Symbolic& one : results_of(expr)) values.push_back(std::move(one));
  }
  if (!good_) return;
  for (std::size_t i = 0; i < count && i < values.size(); ++i) store(exprs[i], std::move(values[i]));
}

void TermWriter::store(ExprId target, Symbolic value) {
  const Expr& expr = model_.exprs[target];
  const Expr& base = expr.op == Op::Entity ? expr : model_.exprs[model_.operand(expr, 0)];
  if (base.op != Op::Entity || base.entity != EntityKind::Local) {
    refuse(expr.span, "an assignment to a part of a part in a function of an equation");
    return;
  }
  const auto found = course_->locals.find(model::LocalId(base.ref));
  if (expr.op == Op::Entity) {
    course_->locals[model::LocalId(base.ref)] = std::move(value);
  } else if (found == course_->locals.end()) {
    refuse(expr.span, "an assignment to this in a function of an equation");
  } else if (expr.op == Op::Field) {
    if (expr.ref < found->second.parts.size()) found->second.parts[expr.ref] = std::move(value);
  } else {
    std::vector<Taken> taken;
    if (selection(expr, found->second.sizes, taken)) store_element(found->second, taken, value, expr.span);
  }
}

/// Puts a value into elements of an array. Where an index changes, every element that it may mean becomes a selection.
void TermWriter::store_element(Symbolic& array, const std::vector<Taken>& taken, const Symbolic& value,
                               diag::Span span) {
  std::vector<Taken> all = taken;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].changing != code::kNoNode) all[i] = {0, array.sizes[i], 1, false, all[i].changing};
  }
  std::size_t count = 1, kept = 1;
  for (const Taken& one : all) {
    count *= static_cast<std::size_t>(one.count);
    if (one.kept) kept *= static_cast<std::size_t>(one.count);
  }
  const bool records = !array.parts.empty();
  if ((records ? !value.sizes.empty() : value.nodes.size() != kept)) {
    fail(span, fmt::format("{} elements cannot be assigned to a slice of {}", value.nodes.size(), kept));
    return;
  }
  std::vector<std::int64_t> at(all.size(), 0);
  for (std::size_t n = 0; n < count; ++n) {
    std::size_t offset = 0, from = 0;
    NodeId condition = one();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int64_t place = all[i].first + at[i] * all[i].step;
      offset = offset * static_cast<std::size_t>(array.sizes[i]) + static_cast<std::size_t>(place);
      if (all[i].kept) from = from * static_cast<std::size_t>(all[i].count) + static_cast<std::size_t>(at[i]);
      if (all[i].changing == code::kNoNode) continue;
      const NodeId number = graph.constant(static_cast<double>(place + 1));
      condition = both(condition, graph.make(NodeOp::Equal, all[i].changing, number));
    }
    if (records) {
      array.parts[offset] = select(condition, value, array.parts[offset], span);
    } else {
      array.nodes[offset] = select(condition, value.nodes[from], array.nodes[offset]);
    }
    for (std::size_t i = all.size(); i-- > 0 && ++at[i] == all[i].count;) at[i] = 0;
  }
}

}  // namespace hyla::engine
