// The passes of the checker in the order in which check.cpp runs them, and the on-demand steps they share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/context.h"

namespace hyla::check {

// --- Names ---

/// Enters the declarations of every module into its scope. Afterwards every global name is known, nothing of its
/// inside.
void declare_modules(Context& context);
/// Enters one declaration (of a module, a package or a class) into a scope. False if the node is no declaration.
bool declare_global(Context& context, std::uint32_t module, ScopeId scope, NodeId node, model::ClassId outer);

/// Settles the base of a class, reporting circles.
void settle_base(Context& context, model::ClassId id);
/// Enters the members of a class: variables, parts, charts, states, reactions, with inherited ones merged in.
void declare_members(Context& context, model::ClassId id);
/// Enters the items of a body from all its pieces; the oldest generation first.
void declare_body(Context& context, model::BodyId body, const std::vector<Piece>& pieces);
/// Enters the states, choices and transitions of a chart.
void declare_chart(Context& context, model::ChartId chart, const std::vector<Piece>& pieces);

// --- Types, on demand ---

/// Reads a unit and reports what is wrong with it; none if it is not a unit. `span` is the place of the text.
model::UnitId read_unit(Context& context, std::string_view text, Span span);
/// Settles the types that `type T = …;` declares, used or not.
void settle_aliases(Context& context);
/// A type or record that is settled because another needs it. Converts to false, with a message, if too many need each
/// other in a row.
class TypeDescent {
 public:
  TypeDescent(Context& context, Span span);
  ~TypeDescent() { --context_.type_depth; }
  TypeDescent(const TypeDescent&) = delete;
  TypeDescent& operator=(const TypeDescent&) = delete;
  explicit operator bool() const { return context_.type_depth <= kMost; }

 private:
  static constexpr int kMost = 256;
  Context& context_;
};
/// The sizes in `[n, m]`, behind those of `outer`; none if there are none.
model::ShapeId read_dimensions(Context& context, ScopeId scope, std::uint32_t module, NodeId dimensions,
                               const model::Shape& outer);
TypeInfo resolve_type(Context& context, ScopeId scope, std::uint32_t module, NodeId type_ref);
/// Settles the type of a variable and, where the type or a fixed value depends on it, what is behind `=` or `:=`; what
/// that needs is settled before. Reports fixed values that depend on themselves.
void settle_variable(Context& context, model::VariableId id);
/// The same for one variable whose needs are settled, or which is met again while it is being settled.
void settle_variable_now(Context& context, model::VariableId id);
/// Checks what stands behind `:=` or `=` of a variable's declaration, once.
void check_variable_value(Context& context, model::VariableId id);
void settle_part(Context& context, model::PartId id);
void settle_plug(Context& context, model::PlugId id);
void settle_port(Context& context, model::PortId id);
void settle_mailbox(Context& context, model::MailboxId id);
void settle_process(Context& context, model::ProcessId id);
void settle_record(Context& context, model::RecordId id);
void settle_message(Context& context, model::MessageId id);
void settle_connector(Context& context, model::ConnectorId id);
void settle_protocol(Context& context, model::ProtocolId id);
/// The parameters and results of a function, not its block.
void settle_function(Context& context, model::FunctionId id);
void settle_external_object(Context& context, model::ExternalObjectId id);
/// Fields of a record, message or connector.
std::vector<model::Field> read_fields(Context& context, const Origin& origin, NodeKind field_kind);

// --- Contents ---

/// Checks all expressions and actions of a class.
void check_class(Context& context, model::ClassId id);
void check_body(Context& context, model::BodyId id);
/// The arguments of `extends Base(p = …)`.
void check_base_arguments(Context& context, model::ClassId id);
void check_equation(Context& context, model::EquationId id);
void check_chart(Context& context, model::ChartId id);
void check_reaction(Context& context, model::ReactionId id);
void check_function(Context& context, model::FunctionId id);
void check_sections(Context& context, model::ClassId id);
void check_devs(Context& context, model::ClassId id);
void check_experiment(Context& context, model::ExperimentId id);

/// Reports the parameters of a new object that have no value of their own and get none by its arguments.
void require_parameters(Context& context, model::ClassId object_class, const std::vector<model::Argument>& given,
                        Span at);

/// Checks a `connect`, in a body or in an action.
model::ConnectionId check_connection(Context& context, const Origin& origin, model::BodyId body, NodeId node);

// --- The model as a whole ---

/// Initial transitions, unreachable states, choices, forks, history.
void judge_charts(Context& context, model::ClassId id);
/// Definitions that meet, unknowns that are assigned, state variables that a way in leaves without a value.
void judge_definitions(Context& context, model::ClassId id);
/// Ways into a state that leave one of its differential variables without a value.
void judge_state_values(Context& context, model::ClassId id);
/// Marks the classes that may contain themselves, so that judge_structure() looks only at those.
void find_endless(Context& context);
/// Inputs fed by nothing or twice, abstract objects, endless structure.
void judge_structure(Context& context, model::ClassId id);

}  // namespace hyla::check
