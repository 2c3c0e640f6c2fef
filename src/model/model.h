// The checked model: classes as data. What check::check() returns and everything later reads.
//
// All records live in stores and refer to each other by typed ids. Inheritance is resolved: a class holds all its
// members, its charts are merged, redefinitions have replaced what they redefine. The model knows nothing of files'
// syntax and nothing of running; spans lead back to the source for messages. verify() checks the invariants, dump()
// prints it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/action.h"
#include "model/body.h"
#include "model/expression.h"
#include "model/ids.h"
#include "model/type.h"

namespace hyla::model {

struct Enum {
  SymbolId name;
  diag::Span span;
  std::vector<SymbolId> values;
};

struct Field {
  SymbolId name;
  diag::Span span;
  Type type;
  UnitId unit;
  ShapeId shape;
  ExprId default_value;
  bool is_flow = false;  ///< in connectors
};

struct Record {
  SymbolId name;
  diag::Span span;
  std::vector<Field> fields;
};

struct Message {
  SymbolId name;
  diag::Span span;
  std::vector<Field> fields;
};

struct Connector {
  SymbolId name;
  diag::Span span;
  std::vector<Field> fields;
};

struct Protocol {
  SymbolId name;
  diag::Span span;
  std::vector<MessageId> receives, sends;
};

struct Function {
  SymbolId name;
  diag::Span span;
  std::vector<LocalId> parameters;
  std::vector<ExprId> defaults;  ///< one per parameter; none where it must be given
  std::vector<Field> results;    ///< unnamed if there is one
  BlockId block;                 ///< none for an external function
  std::string library_symbol;    ///< `libfem.so:fem_step`
  std::string derivative_symbol;
};

struct ExternalObject {
  SymbolId name;
  diag::Span span;
  std::vector<LocalId> parameters;
  std::vector<ExprId> defaults;
  std::string library_prefix;
  std::vector<FunctionId> functions;
};

enum class ClassKind : std::uint8_t { Model, Atomic };
enum class DevsFunctionKind : std::uint8_t { Advance, Lambda, Internal, External, Confluent };

struct DevsFunction {
  DevsFunctionKind kind = DevsFunctionKind::Advance;
  diag::Span span;
  std::vector<LocalId> parameters;
  BlockId block;
};

/// `name = value;` in a section or experiment.
struct Setting {
  SymbolId name;
  diag::Span span;
  ExprId value;
};

/// `Plot(h1, h2)` in a section: an anonymous object of a package's model.
struct SectionObject {
  ClassId object_class;
  diag::Span span;
  std::vector<Argument> arguments;
  std::vector<ExprId> references;  ///< the values of its open list of references
};

struct Section {
  PackageId package;
  diag::Span span;
  std::vector<Setting> settings;
  std::vector<SectionObject> objects;
};

struct Class {
  SymbolId name;
  SymbolId module;
  diag::Span span;
  ClassKind kind = ClassKind::Model;
  bool is_abstract = false;
  ClassId base;
  /// `extends Tank(area = 0.2)`, with targets in the base. Values of the class's own members are in its variables
  /// already; paths into parts (`valve[2].travel = 60`) are not.
  std::vector<Argument> base_arguments;
  ClassId outer;      ///< of a member model
  PackageId package;  ///< of a model in an environment package
  BodyId body;
  std::vector<DevsFunction> devs_functions;
  std::vector<Section> sections;
  std::string documentation;
};

/// An environment package: what a tool outside the language understands.
struct Package {
  SymbolId name;
  diag::Span span;
  ClassId parameters;  ///< a class that holds the package's own parameters
  std::vector<ClassId> models;
};

struct Variation {
  diag::Span span;
  ExprId target;
  ExprId range;  ///< a Range, an array, a call of a random distribution; none: between the bounds of the parameter
};

struct Observation {
  SymbolId name;
  diag::Span span;
  ExprId value;
  LocalId local;  ///< how objectives and requirements refer to it
};

struct Experiment {
  SymbolId name;
  diag::Span span;
  ClassId of;
  std::vector<Setting> settings;     ///< of the packages Simulation and Experiment
  std::vector<Argument> parameters;  ///< of the model
  std::vector<Variation> variations;
  ExprId replications;
  ExprId enough;  ///< `replicate n until …`: over the observations
  std::vector<Observation> observations;
  ExprId objective;
  bool maximize = false;
  std::vector<RequirementId> requirements;
};

/// Interned names.
class Symbols {
 public:
  Symbols() = default;
  Symbols(Symbols&&) = default;
  Symbols& operator=(Symbols&&) = default;
  Symbols(const Symbols&) = delete;  // the table refers to the names
  Symbols& operator=(const Symbols&) = delete;

  SymbolId intern(std::string_view name);
  std::string_view operator[](SymbolId id) const {
    return id ? std::string_view(names_[id.index]) : std::string_view();
  }
  std::size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;  ///< a deque, so that the keys of the table stay where they are
  std::unordered_map<std::string_view, SymbolId> table_;
};

struct Model {
  Symbols symbols;
  std::vector<std::string> strings;
  base::Store<UnitId, Unit> units;
  base::Store<ShapeId, Shape> shapes;
  base::Store<ExprId, Expr> exprs;
  std::vector<ExprId> operands;
  std::vector<Occupant> occupants;
  base::Store<LocalId, Local> locals;
  base::Store<ActionId, Action> actions;
  base::Store<BlockId, Block> blocks;
  std::vector<Branch> branches;

  base::Store<EnumId, Enum> enums;
  base::Store<RecordId, Record> records;
  base::Store<MessageId, Message> messages;
  base::Store<ConnectorId, Connector> connectors;
  base::Store<ProtocolId, Protocol> protocols;
  base::Store<FunctionId, Function> functions;
  base::Store<ExternalObjectId, ExternalObject> external_objects;
  base::Store<ClassId, Class> classes;
  base::Store<PackageId, Package> packages;
  base::Store<ExperimentId, Experiment> experiments;

  base::Store<BodyId, Body> bodies;
  base::Store<VariableId, Variable> variables;
  base::Store<PartId, Part> parts;
  base::Store<PlugId, Plug> plugs;
  base::Store<PortId, Port> ports;
  base::Store<MailboxId, Mailbox> mailboxes;
  base::Store<SignalId, Signal> signals;
  base::Store<StatisticId, Statistic> statistics;
  base::Store<ProcessId, Process> processes;
  base::Store<EquationId, Equation> equations;
  base::Store<ConnectionId, Connection> connections;
  base::Store<RequirementId, Requirement> requirements;
  base::Store<ReactionId, Reaction> reactions;
  base::Store<ChartId, Chart> charts;
  base::Store<StateId, State> states;
  base::Store<ChoiceId, Choice> choices;

  /// Hash to id, for intern_unit() and intern_shape().
  std::unordered_multimap<std::size_t, UnitId> unit_index;
  std::unordered_multimap<std::size_t, ShapeId> shape_index;
  /// Results of multiply_units() and divide_units(), by both ids.
  std::unordered_map<std::uint64_t, UnitId> unit_products, unit_quotients;

  std::span<const ExprId> operands_of(const Expr& expr) const {
    return std::span(operands).subspan(expr.first_operand, expr.operand_count);
  }
  ExprId operand(const Expr& expr, std::size_t index) const { return operands_of(expr)[index]; }
  std::string_view name(SymbolId id) const { return symbols[id]; }

  /// "Real(unit = "m")[3]", "message Job": a type in the modeller's words.
  std::string type_name(Type type) const;
  /// The unit as text; "?" if it is not known.
  std::string_view unit_name(UnitId unit) const;
  /// The id of an equal unit or shape, adding it if it is new.
  UnitId intern_unit(const Unit& unit);
  ShapeId intern_shape(const Shape& shape);
  /// Product and quotient of interned units, remembered; none if one of them is not known. A bare number counts as 1.
  UnitId multiply_units(UnitId a, UnitId b);
  UnitId divide_units(UnitId a, UnitId b);
  /// `derived` is `base` or extends it.
  bool extends(ClassId derived, ClassId base) const;
  /// Bytes held by all stores, roughly.
  std::size_t memory() const;
};

/// A text of the whole model for people and golden tests.
std::string dump(const Model& model);

/// Breaches of the invariants of the model, as sentences; empty if all is well. Only a model checked without errors is
/// verified.
std::vector<std::string> verify(const Model& model);

/// Whether an expression of an experiment takes one number out of a course over time, or out of several runs:
/// `mean(h)`, and `max(h)` of one scalar.
bool is_fold(const Model& model, const Expr& expr);

}  // namespace hyla::model
