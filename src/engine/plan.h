// What the objects of a class do, compiled: its reactions, charts, conditions, formulas and processes as flat tables.
//
// A class has one plan, unless families (`for i in 1..n`) or conditional bodies (`if p`) in it depend on parameters:
// then there is one for every combination of their outcomes that occurs. Plans are made once, shared by all objects,
// and never change while the model runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "code/layout.h"
#include "code/program.h"
#include "model/model.h"

namespace hyla::engine {

/// Index into one of the tables of a plan. States and charts: by their numbers in the class (Layout::state_numbers).
using Index = std::uint32_t;
inline constexpr Index kNone = UINT32_MAX;

/// Values of the indices of the families around a piece of text: the inputs of its programs.
using Inputs = std::vector<code::Slot>;

/// One way to set a reaction off by a message.
struct Pattern {
  model::EntityKind source_kind = model::EntityKind::None;  ///< Port, Mailbox or Signal
  std::uint32_t source = 0;                ///< number of the port or signal in the class; slot of the mailbox
  const code::Program* element = nullptr;  ///< for an element of an array: gives the host's number of port or mailbox
  model::MessageId message;                ///< none: any
  const code::Program* guard = nullptr;    ///< inputs, then the message; null: always
  const code::Program* action = nullptr;   ///< likewise; null: nothing to do
};

/// Where a transition leads. States by number.
struct PlanTarget {
  model::TargetKind kind = model::TargetKind::None;
  std::vector<Index> states;
  Index choice = kNone;
  /// Slots of variables of states that the transition's actions assign: entering leaves them alone.
  std::vector<std::uint32_t> assigned;
};

struct PlanReaction {
  model::ReactionId id;
  model::TriggerKind trigger{};
  std::uint16_t priority_rank = 0;  ///< 0 for the highest @priority of the model
  std::uint32_t place = 0;          ///< order of the text; inner states before outer ones, `from` transitions last
  Index state = kNone;              ///< whose reaction it is; none in a model's body and for `from` transitions
  Index chart = kNone;              ///< of a `from` transition
  bool from_any = false;
  std::vector<Index> from;  ///< states, of a `from` transition
  Inputs inputs;
  std::vector<Pattern> patterns;              ///< On
  const code::Program* condition = nullptr;   ///< condition; duration, time, period or rate as Real
  const code::Program* every_from = nullptr;  ///< as Real
  const code::Program* guard = nullptr;       ///< of triggers other than On
  const code::Program* action = nullptr;      ///< of triggers other than On
  Index watch = kNone;                        ///< When, Rate
  Index timer = kNone;                        ///< After, At, Every, Rate
  Index stream = kNone;                       ///< Rate: for its times, into Plan::streams
  PlanTarget target;
};

/// How far a condition is from changing, step by step: each takes the results of those before it. A relation is as far
/// as its sides are apart, `and` as the nearest of its operands, `or` as the farthest; anything else infinitely far.
struct PlanMargin {
  enum class Op : std::uint8_t { Relation, Truth, Least, Greatest };
  Op op = Op::Truth;
  bool negated = false;                  ///< Relation, Truth: it is to be false
  const code::Program* left = nullptr;   ///< Relation: as Real, holds if it is less than `right`; Truth: the condition
  const code::Program* right = nullptr;  ///< Relation
};

/// Something that is looked at again when what it reads has changed.
struct PlanWatch {
  enum class Kind : std::uint8_t { When, Rate, Formula, Accumulate, Require };
  Kind kind = Kind::When;
  Index owner = kNone;                     ///< reaction, formula or requirement
  Index state = kNone;                     ///< active with this state; none: always
  const code::Program* program = nullptr;  ///< condition, rate, or value
  Inputs inputs;
  bool traced = false;                 ///< reads other objects: what it depends on is found while evaluating
  Index time_plan = kNone;             ///< When, Require: reads `time`; see TimePlan
  std::uint32_t statistic_slot = 0;    ///< Accumulate
  Index timer = kNone;                 ///< conditions over `time`
  std::vector<PlanMargin> margin;      ///< Require: unless only an island can evaluate it
  model::ExprId expr;                  ///< what `program` computes, for islands
  std::vector<model::LocalId> locals;  ///< the indices whose values the inputs are
};

/// Its conditions are watches of kind Require.
struct PlanRequirement {
  model::RequirementId id;
  Index state = kNone;  ///< active with this state; none: always
  Index condition = kNone, goal = kNone, trigger = kNone;
  const code::Program* duration = nullptr;  ///< `for d`
  const code::Program* within = nullptr;
  Index break_timer = kNone, deadline_timer = kNone;  ///< of `for`, of `within`
  Inputs inputs;
  std::vector<model::LocalId> locals;  ///< the indices whose values the inputs are
};

/// An equation, as text: which scalar equations it gives is found for every object (scalarise.h).
struct PlanEquation {
  model::EquationId equation;  ///< or, of `var y = e`:
  model::VariableId variable;
  model::ExprId hold;         ///< or, of `hold x`
  model::ExprId left, right;  ///< left: none for `var y = e`
  Index state = kNone;        ///< active with this state; none: always
  Index watch = kNone;        ///< a formula: the watch by which it is brought up to date at events
  Inputs inputs;
  std::vector<model::LocalId> locals;
  diag::Span span;
};

/// The relations of a condition that compare an expression affine in `time`: when one changes can be computed.
struct TimePlan {
  struct Relation {
    const code::Program* left = nullptr;  ///< both as Real, untraced
    const code::Program* right = nullptr;
  };
  std::vector<Relation> relations;
};

struct PlanFormula {
  model::EquationId equation;  ///< none for `var y = e`
  model::VariableId variable;
  std::uint32_t slot = 0;  ///< what it defines
  bool boxed = false;
  const code::Program* assignment = nullptr;  ///< where it defines an element or field: takes inputs and the value
  bool shares_variable = false;               ///< another formula defines it too, in some state
  bool is_ranged = false;                     ///< the variable has `min` or `max`
};

/// The value with which a variable begins: of the object, or of a state at each entry.
struct PlanVariable {
  model::VariableId id;
  std::uint32_t slot = 0;
  const code::Program* initial = nullptr;        ///< null: the default of its type
  std::vector<const code::Program*> dimensions;  ///< of an array, as Integer
  bool boxed_elements = false;
  bool keep = false;
};

/// A block of actions with the indices of the families around it.
struct PlanBlock {
  const code::Program* program = nullptr;
  Inputs inputs;
};

/// `initial { … }` with equations in it.
struct PlanInitial {
  model::BlockId block;
  Index state = kNone;  ///< holds at each entry of it; none: when the object begins
  Inputs inputs;
  std::vector<model::LocalId> locals;
};

struct PlanChart {
  model::ChartId id;
  std::uint32_t slot = 0;   ///< holds the active state's number, kInactive or kFinal
  Index parent = kNone;     ///< the state that holds it; none for a chart of the model
  std::uint32_t place = 0;  ///< order of the text among reactions and processes
  std::vector<Index> states;
  std::vector<Index> from_reactions;
  const code::Program* initial_action = nullptr;
  PlanTarget initial;
  Index history = kNone;  ///< index into the object's memory, if a history target needs it
};

struct PlanState {
  model::StateId id;
  Index chart = kNone;   ///< index into Plan::charts
  Index parent = kNone;  ///< the state around it
  std::uint32_t depth = 0;
  std::vector<Index> charts;
  std::vector<Index> reactions;        ///< own ones in their order
  std::vector<Index> automatic, done;  ///< among them, those without other trigger
  std::vector<Index> timers;           ///< reactions with After, At, Every, Rate among them and `from`: see PlanChart
  std::vector<Index> watches, requirements;
  std::vector<PlanVariable> variables;
  std::vector<PlanBlock> initial;
  std::vector<const code::Program*> entry, exit;
  bool has_initial_equations = false;
  std::vector<Pattern> deferrals;  ///< guard and action unused
  std::vector<Index> processes, automatic_processes;
  std::vector<Index> parts;              ///< into Plan::parts
  std::vector<Index> connections;        ///< of ports, into Plan::connections
  std::vector<std::uint32_t> mailboxes;  ///< slots
  bool has_links = false;                ///< values are connected in it
};

struct PlanChoice {
  struct Branch {
    const code::Program* guard = nullptr;  ///< null: else
    const code::Program* action = nullptr;
    PlanTarget target;
  };
  model::ChoiceId id;
  Index chart = kNone;
  std::vector<Branch> branches;
};

struct PlanProcess {
  model::ProcessId id;
  const code::Program* program = nullptr;
  Index state = kNone;
  bool automatic = false;
  std::uint32_t place = 0;
};

struct PlanDevs {
  const code::Program *advance = nullptr, *lambda = nullptr, *internal = nullptr;
  const code::Program* external = nullptr;   ///< elapsed, bag
  const code::Program* confluent = nullptr;  ///< bag; null: internal, then external(0, bag)
};

/// A body whose members the objects have: the model's own, a state's, or one chosen by a condition.
struct PlanBody {
  model::BodyId id;
  Index state = kNone;  ///< its members exist while this state is active
};

/// A connection in a body, to be made when the object is built.
struct PlanConnection {
  model::ConnectionId id;
  Inputs inputs;
  const code::Program* from =
      nullptr;  ///< ports and mailboxes: the host's number, or a box of them; values: the value (traced); plugs: none
  const code::Program* to =
      nullptr;                ///< ports and mailboxes likewise; values: the object of the input (null: this object)
  std::uint32_t to_slot = 0;  ///< values
  const code::Program* to_elements = nullptr;  ///< values for elements of an input: their places in it
  std::vector<model::LocalId> locals;          ///< values, plugs: the indices whose values the inputs are
  Index state = kNone;                         ///< while this state is active
  bool follows = false;  ///< it leads through a dynamic part: it refers to the place, not to the occupant
};

/// A part, population or dynamic part of the objects.
struct PlanPart {
  model::PartId id;
  std::uint32_t slot = 0;
  Index state = kNone;  ///< in whose body it is declared
};

/// Who may take a message, in the order of the text.
struct Participant {
  enum class Kind : std::uint8_t { Body, Chart, Process };
  Kind kind = Kind::Body;
  Index index = kNone;  ///< Chart, Process
  std::uint32_t place = 0;
};

struct Plan {
  model::ClassId object_class;
  std::uint32_t number = 0;      ///< into World::plans
  std::vector<PlanBody> bodies;  ///< without families, which declare nothing
  std::vector<PlanReaction> reactions;
  std::vector<Index> body_reactions;  ///< of the model's body, in their order
  std::vector<Index> body_on;         ///< among them, those set off by messages
  std::vector<Index> body_watches;
  std::vector<PlanWatch> watches;
  std::vector<TimePlan> time_plans;
  std::vector<PlanRequirement> requirements;
  std::vector<PlanFormula> formulas;
  std::vector<PlanEquation> equations;
  std::vector<PlanChart> charts;
  std::vector<Index> top_charts;
  std::vector<PlanState> states;  ///< by state number; unused numbers have no id
  std::vector<PlanChoice> choices;
  std::vector<PlanProcess> processes;  ///< by process number
  std::vector<PlanConnection> connections;
  std::vector<PlanPart> parts;
  std::vector<Participant> participants;
  bool only_body_takes = true;     ///< no chart and no process takes part
  Index only_taker = kNone;        ///< the only reaction to messages, in the body, if there is nothing else
  std::vector<PlanBlock> initial;  ///< `initial { }` of the model
  std::vector<PlanInitial> initial_equations;
  bool has_start = false;  ///< start values have to be found: equations in `initial`, free variables, guesses
  PlanDevs devs;
  bool is_atomic = false;
  bool has_inputs = false;
  bool has_deferrals = false;
  bool waits_at_mailbox = false;  ///< a reaction has `on box`
  std::uint32_t timer_count = 0, history_count = 0;
  std::vector<bool> waits_at_port;               ///< by port number: a reaction, deferral or process waits there
  std::vector<std::vector<Index>> slot_watches;  ///< by slot: the watches that read it
  std::vector<bool> is_reference;                ///< by slot: it refers to an object that can be another one later
  std::vector<std::string> streams;              ///< purposes of random streams, by number
};

}  // namespace hyla::engine
