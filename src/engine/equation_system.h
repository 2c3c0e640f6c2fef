// What configuring works on: the active equations of a cluster, what they say about its variables, the unknowns in
// them, who determines whom, and in which order. Filled pass by pass; see configure.cpp for their order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/configure.h"
#include "structure/structure.h"

namespace hyla::engine {

struct SignedEquations;

/// What the active equations say about a variable.
struct VariableRole {
  std::uint32_t derivative = kNone;  ///< the equation `der(x) = e`
  std::uint32_t first_formula = kNone;
  std::uint32_t formulas = 0;
  bool is_state = false, is_held = false;
  std::uint32_t hold = kNone;  ///< the equation `hold x`, if it is held
  bool is_implicit = false;    ///< it stands in an implicit equation
};

struct EquationSystem {
  EquationSystem(const Shape& its_shape, TermTapes& its_tapes);
  /// Takes in the equations that are active, by equation of the shape.
  void add_active(const std::vector<std::uint8_t>& active);

  const ShapeEquation& equation(std::uint32_t row) const { return shape.equations[equations[row]]; }
  std::uint32_t variable_of_column(std::uint32_t column) const {
    const At place = columns[column];
    return variable_at[place] != kNone ? variable_at[place] : derivative_at[place];
  }
  bool is_state_value(At place) const { return variable_at[place] != kNone && roles[variable_at[place]].is_state; }
  /// The variable that is integrated with this unknown as its derivative.
  std::uint32_t state_of_column(std::uint32_t column) const {
    const std::uint32_t variable = derivative_at[columns[column]];
    return variable != kNone && roles[variable].is_state ? variable : kNone;
  }
  /// Operands from which the value of an equation follows; others are compared in relations only, whose outcomes are
  /// held.
  const std::vector<std::uint32_t>& needed_operands(const ShapeEquation& equation);
  void add_column(At place);

  const Shape& shape;
  TermTapes& tapes;
  const StartRoles* start = nullptr;     ///< of a start; null: for the run
  std::vector<std::uint32_t> equations;  ///< active, without holds
  std::vector<std::uint32_t> held;       ///< active holds
  std::vector<std::uint8_t> absent;      ///< by object: it is declared in a state that is not active
  std::vector<VariableRole> roles;       ///< by variable
  std::vector<std::uint32_t> variable_at, derivative_at, column_at;  ///< by place
  std::vector<At> columns;                                           ///< unknowns
  structure::Incidence incidence;
  structure::Matching matching;
  std::vector<structure::Block> blocks;

 private:
  std::unordered_map<TermId, std::vector<std::uint32_t>> needed_;
};

/// The roles of the variables, and the unknowns. Under a reduction, what is integrated has been selected. False: the
/// misfit tells why.
bool find_unknowns(EquationSystem& system, const Configuration& configuration, Misfit& misfit);

/// Which unknowns stand in which equations, and who can be solved for whom.
void find_incidence(EquationSystem& system);

/// Why there is no complete matching; `all` are the equations of higher index, as far as they were looked at.
Misfit explain_misfit(const EquationSystem& system, const SignedEquations& all);

/// What of the system varies between events, who shares it, and code for all of it.
void make_islands(const EquationSystem& system, Configuration& configuration);

}  // namespace hyla::engine
