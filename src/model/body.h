// What the body of a model or of a state holds.
//
// A state is a piece of model that exists while it is active, so models and states share one record, Body. Families
// (`for`) and conditional parts (`if` over parameters) are bodies inside a body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diag/source.h"
#include "model/action.h"
#include "model/expression.h"
#include "model/ids.h"
#include "model/type.h"

namespace hyla::model {

enum class VariableKind : std::uint8_t { Constant, Parameter, Input, Output, Var, Discrete };

struct Attributes {
  ExprId min, max, nominal, guess, display;
  std::optional<bool> fixed;
};

struct Variable {
  SymbolId name;
  diag::Span span;
  VariableKind kind = VariableKind::Var;
  Type type;
  UnitId unit;
  ShapeId shape;
  bool keep = false;  ///< survives from exit to the next entry of its state
  ExprId initial;     ///< behind `:=`
  ExprId binding;     ///< behind `=`: value of a constant or parameter, equation of the others
  Attributes attributes;
  BodyId body;                  ///< none for a constant of a module or a field
  PlugId plug;                  ///< whose potential or flow it is
  std::optional<double> value;  ///< a scalar constant or parameter default that could be folded; enums by index

  /// Changes at events only, whatever its declaration says.
  bool is_discrete() const { return kind == VariableKind::Discrete || type.kind != TypeKind::Real; }
  bool is_fixed() const { return kind == VariableKind::Constant || kind == VariableKind::Parameter; }
};

/// `p = e` or `x := e` in an argument list. The target is an expression in the scope of the new object's class.
struct Argument {
  ExprId target;
  bool initial = false;  ///< `:=`
  ExprId value;
};

/// An object to be made: its class and arguments.
struct Occupant {
  ClassId object_class;
  std::vector<Argument> arguments;
  diag::Span span;
};

enum class PartKind : std::uint8_t { Object, Dynamic, Population };

struct Part {
  SymbolId name;
  diag::Span span;
  PartKind kind = PartKind::Object;
  ClassId object_class;
  ExternalObjectId external;  ///< instead of a class
  ShapeId shape;
  LocalId family_index;  ///< the `i` of `valve[i in 1..3]`
  std::vector<Argument> arguments;
  std::vector<ExprId> external_arguments;
  std::optional<Occupant> occupant;  ///< of a dynamic part; none means empty at the start
  BodyId body;
};

struct Plug {
  SymbolId name;
  diag::Span span;
  ConnectorId connector;
  ShapeId shape;
  /// Its potentials and flows, by field of the connector: `p.v` is an ordinary variable of the body, with the sizes of
  /// the plug before those of the field.
  std::vector<VariableId> variables;
  BodyId body;
};

struct Port {
  SymbolId name;
  diag::Span span;
  ShapeId shape;
  std::vector<MessageId> receives, sends;
  ProtocolId protocol;
  bool conjugate = false;
  ExprId relayed;  ///< `port a = b.c`
  BodyId body;
};

struct Mailbox {
  SymbolId name;
  diag::Span span;
  ShapeId shape;
  std::vector<MessageId> messages;
  ExprId order;  ///< `by size`, an expression over `order_message`
  LocalId order_message;
  ExprId relayed;
  BodyId body;
};

struct Signal {
  SymbolId name;
  diag::Span span;
  BodyId body;
};

enum class StatisticKind : std::uint8_t { Tally, Accumulate };

struct Statistic {
  SymbolId name;
  diag::Span span;
  StatisticKind kind = StatisticKind::Tally;
  UnitId unit;
  ExprId observed;  ///< of `accumulate`
  BodyId body;
};

struct Process {
  SymbolId name;
  diag::Span span;
  bool automatic = false;
  std::vector<LocalId> parameters;
  std::vector<ExprId> defaults;  ///< one per parameter; none where a value must be given
  BlockId block;
  BodyId body;
};

/// How an equation is written; what is computed from it is decided per configuration.
enum class EquationForm : std::uint8_t { Derivative, Formula, Implicit };

struct Equation {
  SymbolId label;
  diag::Span span;
  EquationForm form = EquationForm::Implicit;
  VariableId subject;  ///< of `name = e` and `der(name) = e`, for a variable of the object itself
  ExprId left, right;
  BodyId body;
};

enum class ConnectionKind : std::uint8_t { Value, Messages, Plugs, Mailboxes };

struct Connection {
  diag::Span span;
  ConnectionKind kind = ConnectionKind::Value;
  ExprId from, to;
};

enum class RequirementForm : std::uint8_t {
  Always,      ///< the condition holds
  Eventually,  ///< it comes to hold
  Until,       ///< it holds until the goal comes to hold
};

struct Requirement {
  diag::Span span;
  RequirementForm form = RequirementForm::Always;
  ExprId trigger;  ///< `when c:` it counts from when this comes to hold; none: from when its body becomes active
  ExprId condition;
  ExprId goal;      ///< of Until
  ExprId duration;  ///< `for 5`, of Always: how long the condition may be broken
  ExprId within;    ///< how long it counts, or how long the goal may take; none: while its body is active
  std::string text;
};

enum class TriggerKind : std::uint8_t { On, When, After, At, Every, Rate, Done, Automatic };
enum class TargetKind : std::uint8_t { None, State, Choice, Self, Final, History, DeepHistory, Fork };

struct Target {
  TargetKind kind = TargetKind::None;
  diag::Span span;
  std::vector<StateId> states;  ///< one, or several of a fork
  ChoiceId choice;
};

struct Reaction {
  SymbolId label;
  diag::Span span;
  std::int64_t priority = 0;
  bool from_any = false;
  std::vector<StateId> from;  ///< of `from A, B when …`
  TriggerKind trigger = TriggerKind::Automatic;
  std::vector<Awaited> awaited;  ///< of On
  ExprId condition;              ///< condition, duration, time, period or rate
  ExprId every_from;
  ExprId guard;
  Target target;
  BlockId block;
  BodyId body;
};

struct Deferral {
  diag::Span span;
  Awaited awaited;
};

struct InitialTransition {
  diag::Span span;
  Target target;
  BlockId block;
};

struct Chart {
  SymbolId name;  ///< none for an anonymous chart
  diag::Span span;
  BodyId body;  ///< the body that holds the chart
  InitialTransition initial;
  std::vector<StateId> states;
  std::vector<ChoiceId> choices;
  std::vector<ReactionId> reactions;  ///< the `from …` transitions; they rank after the states' own
};

struct State {
  SymbolId name;
  diag::Span span;
  ChartId chart;
  BodyId body;
};

struct ChoiceBranch {
  diag::Span span;
  ExprId guard;  ///< none for `else`
  Target target;
  BlockId block;
};

struct Choice {
  SymbolId name;
  diag::Span span;
  ChartId chart;
  std::vector<ChoiceBranch> branches;
};

/// `for i in a..b { … }` in a body.
struct Family {
  diag::Span span;
  LocalId index;
  ExprId range;
  BodyId body;
};

/// `if p { … } else { … }` in a body; `else if` is a conditional in the other body.
struct Conditional {
  diag::Span span;
  ExprId condition;
  BodyId then_body, else_body;
};

struct SelectOrder {
  diag::Span span;
  std::vector<ExprId> order;  ///< `select [a, b];`
  LocalId imminent;           ///< `select(imminent) { … }`
  BlockId function;
};

struct Body {
  ClassId object_class;  ///< the class whose text this belongs to
  StateId state;         ///< the state whose body this is; none for a model's own
  BodyId parent;         ///< the enclosing body; none for a model's own
  std::vector<VariableId> variables;
  std::vector<PartId> parts;
  std::vector<PlugId> plugs;
  std::vector<PortId> ports;
  std::vector<MailboxId> mailboxes;
  std::vector<SignalId> signals;
  std::vector<StatisticId> statistics;
  std::vector<ProcessId> processes;
  std::vector<EquationId> equations;
  std::vector<ExprId> holds;
  std::vector<ConnectionId> connections;
  std::vector<RequirementId> requirements;
  std::vector<ReactionId> reactions;
  std::vector<Deferral> deferrals;
  std::vector<ChartId> charts;
  std::vector<BlockId> initial_blocks, entry_blocks, exit_blocks;
  std::vector<Family> families;
  std::vector<Conditional> conditionals;
  std::optional<SelectOrder> select;
};

}  // namespace hyla::model
