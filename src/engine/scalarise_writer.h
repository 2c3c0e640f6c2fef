// Writes expressions as nodes of a graph: the inside of the scalariser.
//
// Numbers become nodes, arrays and records become lists of nodes. Three things are decided while writing, from the
// values that parameters have now: which element an index means, how often a loop turns, which branch of an `if` over
// parameters counts. What was decided that way is noted as a guard, so that the result can be used again for another
// object for which all guards hold.
//
// A writer never stops in the middle: after the first mistake it gives zeros, and good() is false.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/machine.h"
#include "diag/diagnostic.h"
#include "engine/builder.h"
#include "engine/programs.h"
#include "engine/scalarise.h"
#include "engine/terms.h"

namespace hyla::engine {

/// A value whose numbers are nodes. A scalar has one node; an array its elements row by row; a record its fields, and
/// an array of records its elements, as parts.
struct Symbolic {
  std::vector<std::int64_t> sizes;  ///< of an array
  std::vector<code::NodeId> nodes;
  std::vector<Symbolic> parts;

  friend bool operator==(const Symbolic&, const Symbolic&) = default;
};

/// Variables or elements that an expression names.
struct Places {
  std::vector<std::int64_t> sizes;  ///< empty for a single one
  std::vector<Place> places;
  model::VariableId variable;
};

/// What becomes of relations.
enum class Relations : std::uint8_t {
  Held,       ///< of an equation: all become modes
  Condition,  ///< of a condition: those at the top become modes; what they compare is held like an equation
  Raw,        ///< inside `noevent` and functions
};

/// Something that was decided from the values of an object.
struct Guard {
  model::ExprId expr;  ///< had this value; none: see below
  double value = 0;
  Leaf leaf;                        ///< or this parameter had it, if `sizes` is empty;
  std::vector<std::int64_t> sizes;  ///< or the array at the leaf's slot had these sizes
};

/// Notes what a text reads that is evaluated while terms are written.
class WriterHost final : public BuildHost {
 public:
  using BuildHost::BuildHost;
  void observed(ObjectRef object, std::uint32_t slot) override { reads.emplace_back(object, slot); }

  std::vector<std::pair<ObjectRef, std::uint32_t>> reads;
};

class TermWriter {
 public:
  TermWriter(World& world, Programs& programs);

  void tell(diag::Sink& sink) { sink_ = &sink; }

  /// For holds().
  void look_at(const Scope& scope);
  /// Forgets everything and starts on a text.
  void begin(const Scope& scope, Relations relations);
  bool good() const { return good_; }
  bool fail(diag::Span span, const std::string& message);
  bool refuse(diag::Span span, const std::string& what);
  bool refuse(const code::Unsupported& item);

  /// A scalar: a number, a truth value as 0 or 1, an enumeration's value as its place.
  code::NodeId number(model::ExprId id);
  /// A truth value or its contrary, with negations pushed to the relations.
  code::NodeId truth(model::ExprId id, bool negated = false);
  Symbolic value(model::ExprId id);
  /// What a variable, an element or a slice stands for; false if it is none or depends on what changes.
  bool places(model::ExprId id, Places& result);
  /// The plugs that an end of a connection names.
  bool plugs(model::ExprId id, std::vector<PlugEnd>& result);
  /// Whether what was written holds only places of the own object.
  bool is_own() const { return own_; }
  bool holds(const Guard& guard);

  code::Graph graph;
  std::vector<Leaf> leaves;  ///< by operand
  std::vector<Mode> modes;
  std::vector<Opaque> opaques;
  std::vector<Guard> guards;
  bool guarded = true;                          ///< guards are noted: somebody may use them
  std::vector<std::uint64_t> structural_reads;  ///< see Scalariser
  bool met_none = false;                        ///< likewise
  bool mixes = false;                           ///< `homotopy` is a mixture of its operands

  /// A condition or range outside functions that depends on parameters and indices only.
  bool decide_now(model::ExprId id, bool& holds);
  bool range_now(model::ExprId id, std::vector<double>& members);

 private:
  using NodeId = code::NodeId;
  using NodeOp = code::NodeOp;

  /// What is known of a node beside how it is computed.
  struct Facts {
    bool varies = false;  ///< changes while time passes
    bool fixed = false;   ///< depends on constants and parameters only
    double value = 0;     ///< if it is fixed
  };
  /// What an expression depends on, as far as the text tells.
  enum Dependence : std::uint8_t {
    kFamily = 1,
    kTurn = 2,  ///< the index of a reduction that is known now
    kParameter = 4,
    kDiscrete = 8,
    kContinuous = 16,
    kUnknown = 128,  ///< not looked at yet
  };
  struct KnownLocal {
    model::LocalId id;
    Slot value;
  };
  /// What an index takes of one dimension: places counted from 0, or one that changes.
  struct Taken {
    std::int64_t first = 0, count = 1, step = 1;
    bool kept = false;  ///< the dimension stays in the result
    NodeId changing = code::kNoNode;
  };

  /// How far a function has got: values of its locals, and on which conditions it has been left.
  struct Course {
    std::map<model::LocalId, Symbolic> locals;
    std::vector<Symbolic> results;
    NodeId returned = code::kNoNode, broken = code::kNoNode, continued = code::kNoNode;
  };

  // scalarise_nodes.cpp: nodes and leaves.
  NodeId zero() { return graph.constant(0); }
  NodeId one() { return graph.constant(1); }
  const Facts& facts(NodeId id);
  NodeId operand(const Leaf& leaf, Facts facts, std::uint32_t origin);
  NodeId value_leaf(const Place& place, model::VariableId variable);
  NodeId slot_leaf(const Place& place, model::TypeKind type);
  NodeId local_number(model::LocalId id, Slot value);
  NodeId folded(model::ExprId id);
  NodeId time_leaf();
  NodeId mixture(NodeId actual, NodeId simplified);
  NodeId derivative_leaf(const Place& place);
  NodeId mode(ModeKind kind, NodeId g);
  NodeId opaque(model::ExprId id);
  NodeId select(NodeId condition, NodeId yes, NodeId no);
  Symbolic select(NodeId condition, const Symbolic& yes, const Symbolic& no, diag::Span span);
  NodeId both(NodeId a, NodeId b);
  NodeId either(NodeId a, NodeId b);
  NodeId negation(NodeId a);
  NodeId relation(model::Op op, NodeId a, NodeId b);
  bool is_held(NodeId a) { return relations_ == Relations::Held && facts(a).varies; }

  // scalarise_known.cpp: what is known now.
  std::uint8_t dependence(model::ExprId id);
  std::uint8_t dependence_of(const model::Expr& expr);
  std::uint8_t dependence_of_entity(const model::Expr& expr);
  void find_locals();
  void find_indices(model::BlockId block);
  std::optional<double> known(model::ExprId id);
  bool evaluate(model::ExprId id, double& result);
  bool evaluate_operator(const model::Expr& expr, double& result);
  bool run(model::ExprId id, Slot& result);
  const KnownLocal* known_local(model::LocalId id) const;
  /// The value of a node if it depends on constants and parameters only.
  std::optional<double> settled(NodeId node);
  /// A condition: decided now, or a node for it or its contrary.
  std::optional<bool> decide(model::ExprId id, NodeId& node, bool negated = false);
  void note(Guard guard);
  /// An Integer: known now, or a node.
  std::optional<std::int64_t> whole(model::ExprId id, NodeId& node);
  bool whole_now(model::ExprId id, std::int64_t& result);
  bool range(const model::Expr& expr, std::vector<double>& members);

  // scalarise_expressions.cpp
  NodeId operation(model::ExprId id, const model::Expr& expr);
  NodeId arithmetic(model::Op op, NodeId a, NodeId b);
  NodeId comparison(model::ExprId id, const model::Expr& expr, bool negated);
  NodeId logic(const model::Expr& expr, bool negated);
  NodeId conditional(const model::Expr& expr);
  NodeId builtin(model::ExprId id, const model::Expr& expr);
  NodeId plain_function(model::ExprId id, const model::Expr& expr);
  NodeId size(model::ExprId id, const model::Expr& expr);
  NodeId function_of(model::Builtin which, NodeId a, NodeId b, bool whole);
  NodeId held_function(model::Builtin which, NodeId a, NodeId b);
  NodeId crossing(const model::Expr& expr);
  NodeId extreme(model::Builtin which, NodeId a, NodeId b);

  // scalarise_members.cpp
  bool object_of(const model::Expr& entity, ObjectRef& result);
  bool resolve(model::ExprId id, ObjectRef& result);
  void note_structural(ObjectRef object, std::uint32_t slot);
  bool fail_at_none(diag::Span span, const std::string& message);
  NodeId entity(model::ExprId id, const model::Expr& expr);
  NodeId in_state(model::ExprId id, const model::Expr& expr);
  NodeId field(model::ExprId id, const model::Expr& expr);
  NodeId element(model::ExprId id, const model::Expr& expr);
  bool is_element(const model::Expr& expr);
  std::optional<Place> element_place(const model::Expr& expr, std::vector<Taken>& taken);
  NodeId derivative(const model::Expr& expr);
  Symbolic entity_value(const model::Expr& expr);
  Symbolic module_constant(model::VariableId id);
  Symbolic record_variable(const Place& place, model::Type type);
  bool sizes_at(const Place& place, diag::Span span, std::vector<std::int64_t>& sizes);
  bool whole_variable(const model::Expr& expr, Places& result);

  // scalarise_arrays.cpp
  bool selection(const model::Expr& index, const std::vector<std::int64_t>& sizes, std::vector<Taken>& result);
  bool take(model::ExprId id, std::int64_t size, std::size_t dimension, Taken& result);
  Symbolic pick(const Symbolic& array, std::vector<Taken> taken, std::size_t from, diag::Span span);
  Symbolic index_value(const model::Expr& expr);
  Symbolic array_arithmetic(const model::Expr& expr);
  /// Joins two arrays, or an array and a scalar, element by element.
  template <class Join>
  Symbolic elementwise(const Symbolic& a, const Symbolic& b, diag::Span span, const Join& join);
  Symbolic matrix_product(const Symbolic& a, const Symbolic& b, diag::Span span);
  Symbolic array_literal(const model::Expr& expr);
  Symbolic array_builtin(const model::Expr& expr);
  Symbolic fill(const model::Expr& expr);
  NodeId reduce(model::ExprId id, const model::Expr& expr);
  void reduce_turn(const model::Expr& expr, NodeId& sum);
  void reduce_objects(const model::Expr& expr, NodeId& sum);
  void reduce_population(const model::Expr& expr, NodeId& sum);
  void reduce_range(const model::Expr& expr, NodeId& sum);
  NodeId join_turn(model::Builtin which, NodeId sum, NodeId next);
  NodeId reduce_array(model::Builtin which, const Symbolic& array);
  NodeId products(const Symbolic& a, const Symbolic& b, diag::Span span);
  Symbolic vector_product(const Symbolic& a, const Symbolic& b, diag::Span span);
  Symbolic math(const model::Expr& expr);
  Symbolic range_value(const model::Expr& expr);
  Symbolic record_value(const model::Expr& expr);
  Symbolic scalar(NodeId node) const { return {{}, {node}, {}}; }
  Symbolic default_value(model::Type type, model::ShapeId shape);
  static std::size_t product_of(const std::vector<std::int64_t>& sizes);

  // scalarise_functions.cpp
  std::vector<Symbolic> call(const model::Expr& expr);
  std::vector<Symbolic> run_function(const model::Expr& expr, Course course);
  std::vector<Symbolic> closed_call(const model::Expr& expr, const std::vector<Symbolic>& arguments);
  bool text_argument(model::ExprId id, std::string& text);
  std::vector<Symbolic> arguments_of(const model::Expr& expr);
  model::ExprId argument_of(const model::Expr& expr, std::size_t index) const;
  bool is_open(model::FunctionId function) const;
  const model::Expr* only_result(const model::Function& function) const;
  std::vector<Symbolic> results_of(model::ExprId id);
  void actions(model::BlockId block, std::size_t from = 0);
  void action(const model::Action& action);
  void branch(const model::Action& action);
  void for_each(const model::Action& action);
  void turn(model::LocalId index, Symbolic member, model::BlockId block);
  void repeat(const model::Action& action);
  void give_back(const model::Action& action);
  void let(const model::Action& action);
  void assign(const model::Action& action);
  void store(model::ExprId target, Symbolic value);
  void store_element(Symbolic& array, const std::vector<Taken>& taken, const Symbolic& value, diag::Span span);
  NodeId left(const Course& course);
  void merge(NodeId condition, Course yes, diag::Span span);
  bool count_step(diag::Span span);

  World& world_;
  const model::Model& model_;
  Programs& programs_;
  diag::Sink* sink_ = nullptr;
  WriterHost host_;
  code::Machine machine_;

  const Scope* scope_ = nullptr;
  Relations relations_ = Relations::Held;
  bool good_ = true;
  bool own_ = true;
  bool places_may_be_empty_ = false;            ///< of dynamic parts: what is joined to them is joined to nothing
  std::vector<KnownLocal> locals_;              ///< families, then reductions
  std::map<model::LocalId, Symbolic> members_;  ///< indices of reductions over arrays of numbers
  std::vector<Facts> facts_;                    ///< by node
  std::vector<Facts> leaf_facts_;               ///< by operand
  std::vector<std::uint32_t> origins_;          ///< by operand: of constants and opaques
  std::unordered_map<std::uint64_t, std::uint32_t> mode_numbers_;  ///< into modes, by function and kind
  std::unordered_multimap<std::size_t, std::uint32_t> operands_;   ///< by hash, once there are many
  Course* course_ = nullptr;                                       ///< of the function that is being written out
  std::vector<std::pair<model::FunctionId, std::size_t>> calls_;   ///< and how many branches were open at each
  model::FunctionId given_up_;  ///< a function that cannot be written out: it is called
  std::size_t open_branches_ = 0;
  std::size_t steps_ = 0;
  std::size_t nodes_before_ = 0;  ///< in the graph when the outermost call began

  std::vector<std::uint8_t> dependences_;        ///< by expression
  std::vector<std::uint8_t> local_dependences_;  ///< by local
};

}  // namespace hyla::engine
