// What all passes of the checker share.
//
// The checker is a row of passes over one Context: declare the names of all modules, declare the members of all
// classes, settle types, check what expressions and actions say, then judge charts, definitions and connections as a
// whole. Passes are free functions in files of their name; check.cpp lists them in order. Records of the model know
// nothing of syntax; the Origin tables here tell where each came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check/forest.h"
#include "check/scopes.h"
#include "diag/diagnostic.h"
#include "model/model.h"
#include "syntax/tree.h"

namespace hyla::check {

using diag::Kind;
using diag::Span;
using model::Entity;
using model::EntityKind;
using model::SymbolId;
using syntax::NodeId;
using syntax::NodeKind;
using syntax::TokenKind;

/// The text that a record came from, and the scope in which its names are looked up.
struct Origin {
  std::uint32_t module = UINT32_MAX;
  NodeId node;
  ScopeId scope;
  bool inherited = false;  ///< already checked in the base model: not reported again
};

/// How far an on-demand record has been settled.
enum class Progress : std::uint8_t { Untouched, Busy, Done };

/// A side table for the records of one store, grown on demand.
template <class IdType, class Record>
class Side {
 public:
  Record& operator[](IdType id) {
    if (id.index >= records_.size()) records_.resize(id.index + 1);
    return records_[id.index];
  }
  const Record& operator[](IdType id) const {
    HYLA_CHECK(id.index < records_.size(), "no side record for this id");
    return records_[id.index];
  }

 private:
  std::vector<Record> records_;
};

/// A type as written: what a TypeRef stands for.
struct TypeInfo {
  model::Type type;
  model::UnitId unit;
  model::ShapeId shape;
  model::Attributes attributes;
};

struct TypeAlias {
  SymbolId name;
  Origin origin;
  Progress progress = Progress::Untouched;
  TypeInfo info;
};

/// One body node of a class or state; a derived class has one per generation, the oldest first.
struct Piece {
  std::uint32_t module = UINT32_MAX;
  NodeId node;
  bool inherited = false;
};

/// A value that a derived model gives to an inherited parameter or variable: `extends Tank(area = 0.2)`.
struct BaseValue {
  SymbolId name;
  Origin value;
  bool initial = false;  ///< `:=`
};

struct ClassOrigin {
  Origin origin;  ///< the ModelDecl; its scope is the scope that holds the class
  ScopeId scope;  ///< of the class's own members
  Progress base_progress = Progress::Untouched;
  Progress member_progress = Progress::Untouched;
  std::vector<Piece> pieces;
  int generation = 0;  ///< how many bases are above the class
};

/// What holds an item; decides what may be written there.
enum class Container : std::uint8_t { Model, Atomic, Package, State, Chart, Family, Conditional };

struct VariableOrigin {
  Origin origin;  ///< the Declarator
  NodeId type_node;
  Progress type_progress = Progress::Untouched;
  bool value_checked = false;
  bool needs_added = false;  ///< see settle_order.cpp
  bool declared_type = false;
  bool binding_replaced = false;  ///< a derived model redefines the variable's equation
};

struct Context {
  Context(const Forest& the_forest, diag::Sink& the_sink, model::Model& the_model)
      : forest(the_forest), sink(the_sink), model(the_model) {}

  const Forest& forest;
  diag::Sink& sink;
  model::Model& model;
  Scopes scopes;

  std::vector<ScopeId> module_scopes;  ///< one per module
  std::vector<TypeAlias> type_aliases;
  std::vector<std::pair<model::EnumId, std::uint32_t>> enum_values;  ///< EntityKind::EnumValue indexes this
  std::unordered_map<std::uint64_t, bool> private_names;             ///< entities declared `private`, by kind and index

  Side<model::ClassId, ClassOrigin> class_origins;
  Side<model::ClassId, std::vector<BaseValue>> base_values;  ///< of all generations
  Side<model::RecordId, std::pair<Origin, Progress>> record_origins;
  Side<model::MessageId, std::pair<Origin, Progress>> message_origins;
  Side<model::ConnectorId, std::pair<Origin, Progress>> connector_origins;
  Side<model::ProtocolId, std::pair<Origin, Progress>> protocol_origins;
  Side<model::FunctionId, std::pair<Origin, Progress>> function_origins;
  Side<model::FunctionId, ScopeId> function_scopes;
  Side<model::ExternalObjectId, std::pair<Origin, Progress>> external_origins;
  Side<model::ExperimentId, Origin> experiment_origins;
  Side<model::PackageId, Origin> package_origins;

  Side<model::BodyId, ScopeId> body_scopes;
  Side<model::BodyId, Container> containers;
  Side<model::ChartId, ScopeId> chart_scopes;
  std::unordered_map<model::BodyId, std::vector<model::ChartId>> anonymous_charts;
  Side<model::VariableId, VariableOrigin> variable_origins;
  Side<model::PartId, std::pair<Origin, Progress>> part_origins;
  Side<model::PartId, NodeId> part_types;  ///< the TypeRef, maybe shared: `object a, b: Tank;`
  Side<model::PlugId, NodeId> plug_types;
  std::unordered_map<model::PartId, Origin> redefined_parts;  ///< what a redefined part was in the base
  Side<model::PlugId, Origin> plug_origins;
  Side<model::PlugId, Progress> plug_progress;
  Side<model::PortId, std::pair<Origin, Progress>> port_origins;
  Side<model::PortId, NodeId> port_declarators;
  Side<model::MailboxId, std::pair<Origin, Progress>> mailbox_origins;
  Side<model::StatisticId, Origin> statistic_origins;
  Side<model::ProcessId, std::pair<Origin, Progress>> process_origins;
  Side<model::ProcessId, ScopeId> process_scopes;
  Side<model::EquationId, Origin> equation_origins;
  Side<model::EquationId, SymbolId> equation_keys;  ///< the left side as written, for `redefine y = …`
  Side<model::ReactionId, Origin> reaction_origins;
  Side<model::ChartId, Origin> initial_origins;         ///< the InitialTransition of a chart
  std::unordered_set<std::uint32_t> incomplete_scopes;  ///< of classes whose base is not known: names may be missing
  std::unordered_set<std::uint32_t> stray_charts;       ///< made for states outside any chart; not judged
  Side<model::ChoiceId, Origin> choice_origins;
  std::unordered_set<std::uint64_t> state_body_nodes;  ///< Body nodes of states, by module and node
  /// Items without a store of their own: hold, connect, require, defer, blocks, families, conditionals, sections, DEVS
  /// functions.
  Side<model::BodyId, std::vector<Origin>> loose_items;
  std::unordered_set<std::uint64_t> inherited_devs;  ///< DEVS functions taken over from a base, by class and kind
  Side<model::ClassId, std::vector<model::BodyId>>
      class_bodies;  ///< all bodies of a class; known before the class is judged
  Side<model::ClassId, std::vector<model::ConnectionId>> action_connections;  ///< made by actions
  std::unordered_set<std::uint32_t> implicit_charts;  ///< made of states that are written directly in a state
  std::unordered_set<std::uint32_t> spoiled_parts;    ///< parts with a mistake in an argument or connection of theirs
  Side<model::ClassId, char> maybe_endless;           ///< the class may contain itself; see find_endless()
  std::vector<model::ClassId> class_order;            ///< bases before derived, as declared otherwise

  std::vector<model::VariableId> settling;  ///< constants and parameters whose values are being found, outermost first

  model::UnitId time_unit;
  /// How many names may still be compared for "did you mean": a file full of mistakes must not take minutes.
  mutable std::size_t comparisons_left = 1'000'000;
  int expression_depth = 0;  ///< how many expressions are being checked, one inside the other
  int type_depth = 0;        ///< the same for types and records that are settled on demand

  /// Names in text that the parser could not make sense of: they may be declared there, so they are not reported as
  /// unknown.
  std::unordered_set<std::uint64_t> lost_names;
  /// Unknown names already reported, by class scope and name: one mistake gives one message.
  std::unordered_set<std::uint64_t> reported_names;

  const syntax::Tree& tree(std::uint32_t module) const { return forest.modules[module].tree; }
  Span span(const Origin& origin) const { return tree(origin.module).span(origin.node); }
  SymbolId intern(std::string_view name) { return model.symbols.intern(name); }
  std::string_view name(SymbolId id) const { return model.symbols[id]; }
};

/// Where an entity was declared, for labels; an empty optional-like span (no file) for built-in things.
Span declaration_span(const Context& context, Entity entity);
/// "model", "variable", "port": the word for a kind of entity in messages.
std::string_view word_for(EntityKind kind);
std::string_view word_for(const Context& context, Entity entity);

}  // namespace hyla::check
