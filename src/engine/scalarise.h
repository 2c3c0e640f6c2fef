// From the expressions of the checked model to scalar terms: arrays become their elements, families have been unrolled
// before, paths through parts are followed, functions are written out, relations become modes.
//
// What does not depend on continuous quantities by its types (whole numbers, truth values, texts, states) and cannot be
// written as a term stays an opaque operand, evaluated by the machine at events. Sizes and indices are evaluated now.
#pragma once

#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/programs.h"
#include "engine/terms.h"

namespace hyla::engine {

/// Where a piece of text stands.
struct Scope {
  ObjectRef object;  ///< whose text it is
  model::ClassId object_class;
  std::vector<model::LocalId> locals;  ///< indices of the families around it
  Inputs values;                       ///< theirs
};

class Scalariser {
 public:
  Scalariser(World& world, Programs& programs, Terms& terms);
  ~Scalariser();

  /// Who is told what is wrong from now on.
  void tell(diag::Sink& sink);
  /// Slots of references, places and populations that were followed, as object << 32 | slot: if one of them changes,
  /// the texts written since the list was last cleared have to be written again.
  std::vector<std::uint64_t>& structural_reads();
  /// Whether a reference that is `none` stood in the way: it may be another one when the model has started.
  bool met_none() const;
  /// Whether all texts written since this was last set to true give the same for every object of the class.
  bool& is_general();
  /// From now on objects come while the model runs: what was written for one is kept for others.
  void expect_more();

  // Each adds its results and gives false, with a message in the sink, if the text cannot be part of an equation.

  /// `left = right;`, element by element if they are arrays.
  bool equation(const Scope& scope, model::ExprId left, model::ExprId right, std::vector<ScalarEquation>& result);
  /// The same, always in the implicit form.
  bool residual(const Scope& scope, model::ExprId left, model::ExprId right, std::vector<ScalarEquation>& result);
  /// A formula for a whole variable: `var y = e`, a connection or an argument that gives an input its value.
  /// The variable holds numbers, truth values or values of an enumeration. If `elements` are given, the value is for
  /// those of an array, by their places in it.
  bool binding(ObjectRef target, std::uint32_t slot, const Scope& scope, model::ExprId value,
               std::vector<ScalarEquation>& result, const std::vector<std::uint32_t>* elements = nullptr);
  /// A condition of `when`, `until`, `require`: relations at the top, under `and`, `or`, `not`, become modes. Those
  /// inside their sides (`abs`, `if`) do too, so that what is searched for zeros is smooth; they switch nothing else.
  /// What hides its relations (a function that is more than a `return`) becomes one mode whose function jumps between
  /// -0.5 and 0.5: it can only be sampled and refined by bisection.
  bool condition(const Scope& scope, model::ExprId condition, ScalarCondition& result);
  /// A number as it is, without modes (recorded expressions, rates, accumulated quantities).
  bool number(const Scope& scope, model::ExprId expr, ScalarCondition& result);
  /// The plugs that a connection joins; none if a place is empty.
  bool joined_plugs(const Scope& scope, const model::Connection& connection,
                    std::vector<std::pair<PlugEnd, PlugEnd>>& result);

  /// A condition over parameters and indices; false if it depends on more.
  bool decide(const Scope& scope, model::ExprId condition, bool& holds);
  /// The members of a range over parameters and indices.
  bool range(const Scope& scope, model::ExprId range, std::vector<double>& members);

  /// From now on `homotopy(actual, simplified)` is written as a mixture of both, by a leaf of kind Continuation; or as
  /// `actual` alone, which is the default.
  void continue_from_simplified(bool on);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyla::engine
