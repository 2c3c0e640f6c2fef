// Equations of higher index, made fit for integration.
//
// Where active equations tie variables together that are differentiated, they are differentiated with respect to time
// until all highest derivatives can be computed from the rest (structure::offsets). All equations hold then at all
// orders, so there are more of them than unknowns: some variables that are differentiated are not integrated but
// computed, as any unknown. Which ones is open until values are known; a selection says so, and gives a configuration.
//
// The derivatives of equations and the places for derivatives of higher order come behind those of the shape.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/cluster.h"
#include "solve/elimination.h"
#include "structure/structure.h"

namespace hyla::engine {

/// Something that could be integrated: a variable, or a derivative of one that is differentiated again.
struct Candidate {
  std::uint32_t variable = 0;     ///< of the reduction's shape
  bool is_derivative = false;     ///< of a variable: computed rather than integrated if there is a choice
  bool is_algebraic = false;      ///< only constraints differentiate it: likewise, and no value of it is kept
  At own = kNowhere;              ///< of a derivative: the place that equations read; the value is a copy of it
  std::uint32_t copying = kNone;  ///< of a derivative: the equation of the copy, which holds if it is integrated
};

/// Equations that tie candidates together, and the partial derivatives by which it is decided who is integrated.
struct ConstraintGroup {
  struct Row {
    std::uint32_t equation = 0;  ///< of the cluster's shape
    std::uint32_t times = 0;     ///< so often it is differentiated
  };
  struct Column {
    std::uint32_t first = 0;   ///< candidate: the variable itself, its derivatives follow
    std::uint32_t orders = 0;  ///< number of them
  };
  struct Entry {
    std::uint32_t row = 0, column = 0;
    At value = kNowhere;
  };
  std::vector<Row> rows;
  std::vector<Column> columns;
  std::vector<Entry> entries;
  code::Code partials;  ///< fills the values of the entries
  std::vector<std::pair<At, double>> constants;
  bool varies = false;  ///< entries depend on values
};

/// An equation as often differentiated as it is at all.
struct HighestEquation {
  std::uint32_t equation = 0;
  std::uint32_t below = kNone;  ///< differentiated once less; none: it is not differentiated
};

/// An unknown at the highest order at which it occurs.
struct HighestUnknown {
  std::uint32_t variable = 0;  ///< of the cluster's shape
  At place = kNowhere;
  At below = kNowhere;    ///< one order less, where equations read it; none: it is not differentiated
  At state = kNowhere;    ///< the same as what may be integrated
  bool is_first = false;  ///< the place is that of the variable's first derivative
};

struct ImpulsePlan;

struct Reduction {
  Shape shape;
  std::uint32_t own_equations = 0;       ///< so many of the shape's equations are the cluster's own
  std::vector<std::uint32_t> equations;  ///< that hold, derivatives included
  std::vector<At> unknowns;              ///< all but the values of variables that are integrated
  std::vector<Candidate> candidates;
  std::vector<ConstraintGroup> groups;
  std::vector<HighestEquation> highest_equations;  ///< one for each active equation
  std::vector<HighestUnknown> highest_unknowns;    ///< as many
  std::shared_ptr<ImpulsePlan> impulses;           ///< see impulse.h; made when first needed
};

/// Active equations and the variables in them that are unknown, whether differentiated or not.
struct SignedEquations {
  std::vector<std::uint32_t> equations;  ///< by row
  /// Rows that are stated differently: hidden_constraints.h.
  std::map<std::uint32_t, ShapeEquation> restated;
  std::vector<std::uint32_t> variables;  ///< by column
  structure::Signature signature;
};
/// The equation of a row as it is stated.
const ShapeEquation& equation_of(const Shape& shape, const SignedEquations& all, std::uint32_t row);
/// Fills in the signature.
void make_signature(const Shape& shape, const Terms& terms, SignedEquations& all);
/// Equations that are too many for their variables, as few as possible; of kind None if there are none.
Misfit too_many(const SignedEquations& all);

std::shared_ptr<Reduction> reduce(const Shape& shape, Terms& terms, const SignedEquations& all,
                                  const structure::Offsets& offsets);

/// Each island gets the constraints of its own variables to watch.
void assign_constraints(Configuration& configuration);

// --- selection ------------------------------------------------------------------------------------

/// Who is computed instead of integrated: by candidate, 1 if so.
using Demoted = std::vector<std::uint8_t>;

/// One order of a group: rows solved for those that are demoted.
struct SelectionStage {
  const ConstraintGroup* group = nullptr;
  std::vector<std::uint32_t> rows;        ///< of the group
  std::vector<std::uint32_t> columns;     ///< of the group, by column of the elimination
  std::vector<std::uint32_t> candidates;  ///< likewise
  solve::Elimination elimination;
  bool good = false;
};

/// Selects by the partial derivatives at the present values. A candidate with a smaller weight is kept rather than
/// others. The stages tell what depends on what; if one of them is not good, its equations depend on each other.
std::vector<SelectionStage> select(const Reduction& reduction, double* values, const std::vector<double>& weights,
                                   Demoted& demoted);
/// The same stages for a selection that is given.
std::vector<SelectionStage> review(const ConstraintGroup& group, double* values, const std::vector<double>& weights,
                                   const Demoted& demoted);

/// Weights without any wish: derivatives and what is algebraic are demoted rather than other variables.
std::vector<double> plain_weights(const Reduction& reduction);

}  // namespace hyla::engine
