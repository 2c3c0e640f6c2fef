// Checks expressions: from syntax to typed, measured, folded expressions of the model.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "check/context.h"

namespace hyla::check {

/// What an expression is for; decides what it may use.
enum class Use : std::uint8_t {
  Constant,     ///< value of a constant, array size: constants only
  Parameter,    ///< value of a parameter, structure: constants and parameters
  Start,        ///< start value of a variable of a model: as Parameter, plus `time`
  Equation,     ///< holds over time: relations are located, no random numbers
  Condition,    ///< `when`, `wait until`, `require`: as Equation
  Action,       ///< evaluated at an instant
  Function,     ///< inside a function: its own names and constants
  Observation,  ///< in experiments and sections: may read all of an object
};

/// Where an expression stands.
struct Place {
  std::uint32_t module = 0;
  ScopeId scope;
  model::ClassId object_class;  ///< the object that `this` is; none in functions and module constants
  model::BodyId body;           ///< the body it stands in; none outside bodies
  Use use = Use::Equation;
  bool draws = false;      ///< a distribution may stand here: what an experiment varies
  bool reads_all = false;  ///< a requirement watches the inside of other objects too
  /// States whose variables may be used although they do not enclose the place: source and targets of the transition
  /// being checked.
  const std::vector<model::StateId>* open_states = nullptr;
};

/// What a name, member access or index leads to: a value, or something that is none by itself (a state, a model, a
/// module).
struct Resolved {
  Entity entity;
  model::ExprId object;  ///< the object it belongs to, if not `this`
  model::ExprId value;   ///< set if it is a value
  bool failed = false;   ///< reported already

  static Resolved failure() {
    Resolved resolved;
    resolved.failed = true;
    return resolved;
  }
};

/// An argument given by position: a plain expression.
bool is_plain_argument(NodeKind kind);

class ExpressionChecker {
 public:
  ExpressionChecker(Context& context, const Place& place)
      : context_(context), tree_(context.tree(place.module)), place_(place) {}

  /// Any value.
  model::ExprId check(NodeId node);
  /// A value that fits the type (and unit and shape, if given); reports a mismatch.
  model::ExprId check_as(NodeId node, const TypeInfo& wanted, std::string_view what);
  /// A scalar Boolean.
  model::ExprId check_condition(NodeId node);
  /// A scalar Integer, Real or duration.
  model::ExprId check_integer(NodeId node, std::string_view what);
  model::ExprId check_real(NodeId node, std::string_view what);
  model::ExprId check_duration(NodeId node, std::string_view what);

  /// A name with members and indices that need not be a value.
  Resolved resolve(NodeId node);

  /// `1..n step 2`, a population, an array: what a `for` runs over; the type of its elements goes to `element`.
  model::ExprId check_range(NodeId node, model::Type& element);

  /// The arguments of `Tank(area = 1, h := 2)`: bound in the object's class, evaluated here.
  std::vector<model::Argument> check_arguments(NodeId arguments, model::ClassId object_class);
  /// Values for named slots (fields, parameters): positional first, then named. `defaults` are used where nothing is
  /// given.
  std::vector<model::ExprId> match_arguments(NodeId arguments, std::span<const SymbolId> names,
                                             std::span<const TypeInfo> types, std::span<const model::ExprId> defaults,
                                             Span call, std::string_view callee);
  /// The value of each field of a message or record.
  std::vector<model::ExprId> match_fields(NodeId arguments, std::span<const model::Field> fields, Span call,
                                          std::string_view callee);

  /// Reports a value that does not fit; `value` keeps its place.
  bool fits(model::ExprId value, const TypeInfo& wanted, std::string_view what);

  const Place& place() const { return place_; }

 private:
  // expressions.cpp
  model::ExprId check_node(NodeId node);
  model::ExprId check_number(NodeId node);
  model::ExprId check_unit_literal(NodeId node);
  model::ExprId check_array(NodeId node);
  model::ExprId check_tuple(NodeId node);
  model::ExprId check_if(NodeId node);
  model::ExprId check_der(NodeId node);
  model::ExprId check_in_state(NodeId node);
  model::ExprId check_is(NodeId node);
  model::ExprId value_of(const Resolved& resolved, NodeId node);
  // operators.cpp
  model::ExprId check_logic(NodeId node, model::Op op);
  model::ExprId check_not(NodeId node);
  model::ExprId check_comparison(NodeId node);
  model::ExprId check_sum(NodeId node);
  model::ExprId check_product(NodeId node);
  model::ExprId check_sign(NodeId node);
  model::ExprId check_power(NodeId node);
  model::ExprId add(model::ExprId left, model::ExprId right, bool subtract, Span operation);
  model::ExprId multiply(model::ExprId left, model::ExprId right, bool divide, Span operation);
  // references.cpp
  Resolved resolve_name(NodeId node);
  Resolved resolve_member(NodeId node);
  Resolved resolve_member_of_value(model::ExprId base, NodeId node, NodeId name_node);
  Resolved resolve_index(NodeId node);
  Resolved plug_variable(model::ExprId base, std::uint32_t field, Span at);
  Resolved member_of_object(model::ExprId base, model::ClassId object_class, NodeId node, NodeId name_node);
  Resolved entity_value(Entity entity, model::ExprId object, Span span);
  bool check_visible(Entity entity, Span span);
  bool check_own_object(Entity entity, Span span);
  bool check_allowed(const model::Variable& variable, Span span);
  bool state_is_open(model::BodyId body) const;
  // calls.cpp
  model::ExprId check_call(NodeId node);
  model::ExprId call_builtin(model::Builtin builtin, NodeId node, NodeId arguments);
  void check_vectors(model::Builtin builtin, const std::vector<model::ExprId>& values, Span call);
  model::ExprId call_function(model::FunctionId function, NodeId node, NodeId arguments);
  model::ExprId call_method(model::ExprId base, NodeId node, NodeId name_node, NodeId arguments);
  model::ExprId construct(Entity entity, NodeId node, NodeId arguments);
  model::ExprId check_reduction(model::Builtin builtin, NodeId node, NodeId comprehension);
  model::ExprId check_where(NodeId argument, model::Type message, model::LocalId& local);
  NodeId unknown_owner(const Place& place, NodeId node) const;

  model::ExprId error(NodeId node);
  Span span(NodeId node) const { return tree_.span(node); }

  Context& context_;
  const syntax::Tree& tree_;
  Place place_;
};

}  // namespace hyla::check
