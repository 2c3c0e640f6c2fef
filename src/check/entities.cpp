// Words and places for entities, shared by the messages of all passes.
#include "check/context.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace): this file names nearly every id type

Span declaration_span(const Context& context, Entity entity) {
  if (entity.index == UINT32_MAX) return {};  // built in
  const Model& model = context.model;
  switch (entity.kind) {
    case EntityKind::Variable:
      return model.variables[VariableId(entity.index)].span;
    case EntityKind::Part:
      return model.parts[PartId(entity.index)].span;
    case EntityKind::Plug:
      return model.plugs[PlugId(entity.index)].span;
    case EntityKind::Port:
      return model.ports[PortId(entity.index)].span;
    case EntityKind::Mailbox:
      return model.mailboxes[MailboxId(entity.index)].span;
    case EntityKind::Signal:
      return model.signals[SignalId(entity.index)].span;
    case EntityKind::Statistic:
      return model.statistics[StatisticId(entity.index)].span;
    case EntityKind::Process:
      return model.processes[ProcessId(entity.index)].span;
    case EntityKind::Chart:
      return model.charts[ChartId(entity.index)].span;
    case EntityKind::State:
      return model.states[StateId(entity.index)].span;
    case EntityKind::Choice:
      return model.choices[ChoiceId(entity.index)].span;
    case EntityKind::Local:
      return model.locals[LocalId(entity.index)].span;
    case EntityKind::Class:
      return model.classes[ClassId(entity.index)].span;
    case EntityKind::Message:
      return model.messages[MessageId(entity.index)].span;
    case EntityKind::Record:
      return model.records[RecordId(entity.index)].span;
    case EntityKind::Enum:
      return model.enums[EnumId(entity.index)].span;
    case EntityKind::Connector:
      return model.connectors[ConnectorId(entity.index)].span;
    case EntityKind::Protocol:
      return model.protocols[ProtocolId(entity.index)].span;
    case EntityKind::Function:
      return model.functions[FunctionId(entity.index)].span;
    case EntityKind::ExternalObject:
      return model.external_objects[ExternalObjectId(entity.index)].span;
    case EntityKind::Package:
      return model.packages[PackageId(entity.index)].span;
    case EntityKind::Experiment:
      return model.experiments[ExperimentId(entity.index)].span;
    case EntityKind::EnumValue:
      return model.enums[context.enum_values[entity.index].first].span;
    case EntityKind::TypeAlias: {
      const TypeAlias& alias = context.type_aliases[entity.index];
      const syntax::Tree& tree = context.tree(alias.origin.module);
      return tree.span(tree.find(alias.origin.node, NodeKind::Name));
    }
    case EntityKind::Module:
    case EntityKind::None:
      break;
  }
  return {};
}

std::string_view word_for(EntityKind kind) {
  switch (kind) {
    case EntityKind::None:
      return "thing";
    case EntityKind::Variable:
      return "variable";
    case EntityKind::Part:
      return "object";
    case EntityKind::Plug:
      return "plug";
    case EntityKind::Port:
      return "port";
    case EntityKind::Mailbox:
      return "mailbox";
    case EntityKind::Signal:
      return "signal";
    case EntityKind::Statistic:
      return "statistic";
    case EntityKind::Process:
      return "process";
    case EntityKind::Chart:
      return "chart";
    case EntityKind::State:
      return "state";
    case EntityKind::Choice:
      return "choice";
    case EntityKind::Local:
      return "local name";
    case EntityKind::Module:
      return "module";
    case EntityKind::Class:
      return "model";
    case EntityKind::Message:
      return "message";
    case EntityKind::Record:
      return "record";
    case EntityKind::Enum:
      return "enumeration";
    case EntityKind::EnumValue:
      return "enumeration value";
    case EntityKind::TypeAlias:
      return "type";
    case EntityKind::Connector:
      return "connector";
    case EntityKind::Protocol:
      return "protocol";
    case EntityKind::Function:
      return "function";
    case EntityKind::ExternalObject:
      return "external object";
    case EntityKind::Package:
      return "environment package";
    case EntityKind::Experiment:
      return "experiment";
  }
  return "thing";
}

std::string_view word_for(const Context& context, Entity entity) {
  if (entity.kind == EntityKind::Variable) {
    switch (context.model.variables[VariableId(entity.index)].kind) {
      case VariableKind::Constant:
        return "constant";
      case VariableKind::Parameter:
        return "parameter";
      case VariableKind::Input:
        return "input";
      case VariableKind::Output:
        return "output";
      case VariableKind::Discrete:
        return "discrete variable";
      case VariableKind::Var:
        return "variable";
    }
  }
  if (entity.kind == EntityKind::Part) {
    switch (context.model.parts[PartId(entity.index)].kind) {
      case PartKind::Object:
        return "object";
      case PartKind::Dynamic:
        return "dynamic object";
      case PartKind::Population:
        return "population";
    }
  }
  if (entity.kind == EntityKind::Class && context.model.classes[ClassId(entity.index)].kind == ClassKind::Atomic) {
    return "atomic model";
  }
  return word_for(entity.kind);
}

}  // namespace hyla::check
