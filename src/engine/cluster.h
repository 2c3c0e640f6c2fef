// Continuous quantities that can have to do with each other: clusters, their configurations and islands.
//
// A cluster is a set of objects whose equations and conditions can share continuous quantities in some combination of
// states. Everything about it that does not depend on who its objects are is its shape, shared by all clusters that
// look alike: ten thousand thermostats have one shape. A configuration is the shape under one set of active equations:
// what is computed from what, in which order; met again, it costs a look-up. Its islands share no trajectory.
//
// All values of a cluster lie in one array:
//
//     time | values of variables | derivatives | modes | condition values | opaques and constants | higher | scratch
//
// The places of all but the last two are the same in all configurations. `higher` are derivatives that only reduced
// equations have (reduce.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/evaluation.h"
#include "engine/flag_table.h"
#include "engine/initial_choices.h"
#include "engine/terms.h"

namespace hyla::engine {

/// What joined plugs say.
enum class PlugRule : std::uint8_t { None, Potentials, Flows, Open };

/// When an equation counts.
enum class EquationUse : std::uint8_t {
  Run,        ///< while its state is active
  Initial,    ///< of `initial`: when its object or state begins
  Continued,  ///< in the place of the equation before it, while a start is continued from its simplified form
};

/// One scalar equation of one object, or a link that gives an input its value.
struct EquationInstance {
  ScalarEquation scalar;
  ObjectRef object;     ///< whose text it is
  Index state = kNone;  ///< of that object; none: always active
  diag::Span span;
  Index watch = kNone;         ///< the formula's watch
  std::uint32_t link = kNone;  ///< into World::links
  bool hold = false;           ///< `hold x`: the subject keeps its value
  PlugRule rule = PlugRule::None;
  std::uint64_t number = 0;  ///< of joined plugs: in the order of all their equations
  EquationUse use = EquationUse::Run;
};

/// A `when` or `require` over continuous quantities.
struct ConditionInstance {
  ObjectRef object;
  Index watch = kNone;
  ScalarCondition scalar;
};

// --- shapes ---------------------------------------------------------------------------------------

using At = std::uint32_t;  ///< place in the array of a cluster's values
inline constexpr At kNowhere = UINT32_MAX;
inline constexpr At kTime = 0;

struct ShapeVariable {
  std::uint32_t object = 0;  ///< by its number in the cluster
  std::uint32_t slot = 0;
  std::uint32_t element = kNone;
  model::TypeKind type = model::TypeKind::Real;
  model::VariableId id;
  bool fixed = false;    ///< a parameter, constant, input without equation, or discrete: never an unknown
  bool open = false;     ///< without a value of its own: an unknown rather than held, if equations are left over
  bool of_plug = false;  ///< a potential or flow: an unknown wherever it stands
  At value = kNowhere;
  At derivative = kNowhere;             ///< kNowhere if nobody asks
  double nominal = 1;                   ///< typical size
  std::uint32_t derivative_of = kNone;  ///< no variable of an object, but the derivative of this one
  StartRole start = StartRole::Default, start_derivative = StartRole::Default;
  bool has_guess = false;  ///< its search at the start begins at a value that somebody has chosen
};

struct ShapeEquation {
  model::EquationForm form = model::EquationForm::Implicit;
  std::uint32_t subject = kNone;  ///< variable
  TermId term = 0;
  std::vector<At> operands;
  std::vector<std::uint8_t> solvable;  ///< by operand: see solvable_operands()
  std::uint32_t object = 0;
  std::uint32_t activity = kNone;  ///< into Shape::activities; kNone: always active
  std::uint32_t first_mode = 0, modes = 0;
  bool hold = false;
  PlugRule rule = PlugRule::None;
  EquationUse use = EquationUse::Run;
  diag::Span span;
};

struct ShapeCondition {
  std::uint32_t object = 0;
  Index watch = kNone;
  TermId term = 0;
  std::vector<At> operands;
  std::uint32_t first_mode = 0, modes = 0;
  At value = kNowhere;
};

/// A relation whose value is held during a step.
struct ShapeMode {
  ModeKind kind{};
  TermId term = 0;
  code::NodeId g = code::kNoNode;
  std::uint32_t equation = kNone;  ///< its owner, or
  std::uint32_t condition = kNone;
  At value = kNowhere;
  bool inner = false;  ///< another mode's function depends on it
};

/// While a state of an object is active.
struct Activity {
  std::uint32_t object = 0;
  Index state = kNone;  ///< kNone: while the object exists
};

struct ShapeOpaque {
  std::uint32_t object = 0;
  const code::Program* program = nullptr;
  model::TypeKind type = model::TypeKind::Real;
  Inputs inputs;
  At value = kNowhere;
};

struct Configuration;
struct GaugePlan;
struct GuardPlan;
struct RangePlan;
struct Reduction;
struct StartPlan;

struct Shape {
  Shape();
  ~Shape();

  std::vector<const Plan*> plans;  ///< of the objects
  std::vector<ShapeVariable> variables;
  std::vector<ShapeEquation> equations;
  std::vector<ShapeCondition> conditions;
  std::vector<ShapeMode> modes;
  std::vector<Activity> activities;
  std::vector<ShapeOpaque> opaques;
  std::vector<std::pair<At, double>> constants;
  std::vector<std::uint64_t> varying;  ///< slots that can vary, sorted: object << 32 | slot
  At size = 0;                         ///< of the part that all configurations share
  At continuation = kNowhere;          ///< place of the leaf of kind Continuation, if there is one
  /// By active equations; behind them what is demoted, if equations are reduced, and what is united, if anything is.
  FlagTable<Configuration> configurations;
  std::set<std::vector<std::uint8_t>> met;  ///< of those, what a run had come to that is taken up again
  /// By active equations and roles: initial_plan.h.
  std::unordered_map<std::string, std::unique_ptr<StartPlan>> starts;
  /// Memory for what is computed and forgotten, shared so that it stays in the cache.
  struct Scratch {
    std::vector<double> search_registers, series, jets, truths;
    std::vector<std::pair<At, double>> modes_before, momentary_before;
  };
  Scratch scratch;
};

// --- configurations -------------------------------------------------------------------------------

/// What is wrong with a set of active equations.
struct Misfit {
  enum class Kind : std::uint8_t {
    None,
    TwoDerivatives,     ///< equations: both, one of which may be a `hold`; variables: the one
    TwoFormulas,        ///< equations: all of them; variables: the one
    TooMany,            ///< equations for the unknowns in them; variables: the unknowns; open: what nothing determines
    TooFew,             ///< equations; variables: those left over
    Constrained,        ///< equations that leave nothing open; variables: the states
    Dependent,          ///< constraints that depend on each other at the present values; variables: in them
    NotDifferentiated,  ///< the equation of `initial`; the variable whose derivative stands in it
    Ambiguous,          ///< equations of `initial` that could determine one or another of the variables
  };
  Kind kind = Kind::None;
  std::vector<std::uint32_t> equations, variables;
  std::vector<std::uint32_t> open, open_equations;  ///< variables left over, and equations that contain them
};

/// The Jacobian of an island: see jacobian.h.
struct JacobianPlan;

/// The derivatives of an island's states as functions of its states, written out.
struct Flow {
  bool direct = false;  ///< false: a loop has to be solved on the way, and the rest is empty
  code::Tape tape;      ///< one output for each state
  std::vector<At> inputs;
  std::vector<std::uint32_t> state_inputs;  ///< by input: number of the state, kNone for other places
};

/// One equation by itself, or a loop.
struct EvaluationPart {
  struct Step {
    std::uint32_t equation = 0;
    At unknown = kNowhere;  ///< what it gives
  };
  bool is_loop = false;
  bool is_large = false;                 ///< a loop that is not torn: large_loop.h
  std::vector<Step> steps;               ///< the only one, or those inside a loop
  std::vector<At> tears;                 ///< of a loop: what is iterated on
  std::vector<std::uint32_t> residuals;  ///< of a loop: equations
  std::vector<std::uint32_t> variables;  ///< of a loop, for messages
};

struct IslandPlan {
  std::vector<std::uint32_t> states;      ///< variables that are differentiated
  std::vector<std::pair<At, At>> places;  ///< of each state: its value, its derivative
  bool in_a_row = false;                  ///< values and derivatives lie together, in the order of the states
  std::vector<EvaluationPart> parts;      ///< everything that varies, in order
  Evaluation evaluation;                  ///< the same as code
  std::vector<std::uint32_t> outputs;     ///< variables that vary: states, and what is computed
  std::vector<At> reads;  ///< places of what does not vary and is read: if one changes, the island restarts
  std::vector<std::uint32_t> equations;
  std::vector<std::uint32_t> demoted;       ///< variables that are differentiated, but computed
  std::vector<std::uint32_t> constraints;   ///< groups of the reduction whose partial derivatives vary
  At placed = kNowhere;                     ///< where the time stands for which the values were computed that move
  std::vector<std::pair<At, At>> moving;    ///< unknowns of constraints that vary: value, derivative
  const Shape* reduced = nullptr;           ///< to which numbers refer that are not the cluster's own; null: none are
  std::vector<std::uint32_t> modes;         ///< of equations, that vary
  std::vector<double> nominals;             ///< by state
  std::vector<double> absolute_tolerances;  ///< by state; made when first needed
  std::unique_ptr<Flow> flow;               ///< made when first needed
  std::unique_ptr<JacobianPlan> jacobian;   ///< likewise
  const Configuration* configuration = nullptr;  ///< that it belongs to
  IslandPlan();
  ~IslandPlan();
  IslandPlan(IslandPlan&&) noexcept;
};

/// By variable of the cluster's own shape: islands in which a variable has the same number, not 0, are one. Empty:
/// none are.
using IslandGroups = std::vector<std::uint8_t>;

struct Configuration {
  Misfit misfit;
  const Shape* shape = nullptr;            ///< to which its numbers refer: the cluster's, or that of the reduction
  std::shared_ptr<Reduction> reduction;    ///< of equations of higher index
  bool is_open = false;                    ///< nothing else is there before it is selected who is integrated
  std::vector<std::uint8_t> demoted;       ///< by candidate of the reduction
  IslandGroups united;                     ///< islands that are one though they share no trajectory; mostly empty
  bool is_met = false;                     ///< the run has come to it
  std::vector<EvaluationPart> held_parts;  ///< what is computed at events only, in order
  Evaluation held;                         ///< the same as code
  std::vector<std::uint32_t> held_outputs;
  std::vector<std::uint32_t> held_modes;  ///< of equations
  std::vector<IslandPlan> islands;
  std::vector<std::uint32_t> island_of;  ///< by variable: the island in which it varies; kNone: it does not
  At size = 0;                           ///< of the array
  FlagTable<GuardPlan> guards;           ///< by active conditions
  std::shared_ptr<RangePlan> ranges;     ///< made when first needed: ranges.h
  Configuration();
  ~Configuration();
};

/// The relations to watch under a configuration, for one set of active conditions.
struct GuardPlan {
  struct Guard {
    std::uint32_t mode = 0;        ///< into Shape::modes
    std::uint32_t island = kNone;  ///< kNone: does not vary
    At g = kNowhere;
    At size = kNowhere;   ///< of its two sides
    At noise = kNowhere;  ///< size of all terms that it consists of; kNowhere: it does not vary
  };
  std::vector<Guard> guards;
  std::vector<std::uint32_t> conditions;         ///< active ones
  std::vector<std::uint32_t> condition_islands;  ///< by active condition: where it varies; kNone: nowhere
  std::vector<code::Code> sizes;                 ///< by island: of its guards, as sums of the sizes of their terms
  code::Code relations;                          ///< all g and their sizes, in place
  code::Code truths;                             ///< values of the active conditions from their modes
  std::vector<std::pair<At, double>> constants;
  At size = 0;

  /// For searching a step of an island: its guards as functions of its states.
  struct Search {
    std::vector<std::uint32_t> guards;  ///< into `guards`
    /// Guards that share a function, up to its sign, are searched once.
    struct Use {
      std::uint32_t guard = 0;  ///< into Search::guards
      bool negated = false;
    };
    std::vector<std::vector<Use>> functions;
    bool direct = true;                       ///< no loop has to be solved on the way
    code::Tape tape;                          ///< direct: inputs as in `inputs`, one output for each guard
    std::vector<At> inputs;                   ///< places
    std::vector<std::uint32_t> state_inputs;  ///< by input: number of the state in the island, kNone for other places
    /// Direct: one guard alone. Its inputs come first in an array of its own, the result behind all inputs.
    struct Single {
      code::Code code;
      std::vector<std::uint32_t> inputs;  ///< those that it uses
      std::vector<std::pair<std::uint32_t, double>> constants;
    };
    std::vector<Single> singles;
    std::uint32_t single_size = 0;  ///< of the array
  };
  std::vector<Search> searches;       ///< by island
  std::shared_ptr<GaugePlan> gauges;  ///< how far conditions of requirements are from changing; null: there are none
};

}  // namespace hyla::engine
