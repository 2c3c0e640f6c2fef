#include "base/text.h"
#include "model/dump_text.h"

namespace hyla::model {
namespace {

template <class IdType, class Record>
std::string name_in(const Model& model, const base::Store<IdType, Record>& store, std::uint32_t index) {
  const IdType id(index);
  return store.contains(id) ? std::string(model.name(store[id].name)) : "?";
}

/// The bodies and charts around a scope, from the inside out.
class Surroundings {
 public:
  Surroundings(const Model& model, Scope scope) : model_(model), scope_(scope) {}

  bool holds(BodyId body) const {
    return body && any([&](BodyId id) { return id == body; });
  }
  bool holds(ChartId chart) const {
    if (chart == scope_.chart) return true;
    return any([&](BodyId id) {
      const StateId state = model_.bodies[id].state;
      return state && model_.states[state].chart == chart;
    });
  }

 private:
  template <class Predicate>
  bool any(Predicate predicate) const {
    BodyId body = scope_.body;
    for (std::size_t steps = 0; body && steps < model_.bodies.size(); ++steps) {
      if (predicate(body)) return true;
      body = model_.bodies[body].parent;
    }
    return false;
  }

  const Model& model_;
  Scope scope_;
};

/// The path of what stands in `body`, with a point at its end; empty if the scope sees it directly.
std::string path_of_body(const Model& model, BodyId body, Scope scope) {
  const Surroundings around(model, scope);
  std::string path;
  for (std::size_t steps = 0; body && !around.holds(body) && steps < model.bodies.size(); ++steps) {
    const StateId state_id = model.bodies[body].state;
    body = model.bodies[body].parent;
    if (!state_id) continue;
    const State& state = model.states[state_id];
    // The bodies of families and conditionals inside a state name the state too; its name counts once.
    if (body && model.bodies[body].state == state_id) continue;
    path.insert(0, std::string(model.name(state.name)) + ".");
    if (!state.chart || around.holds(state.chart)) break;
    if (const SymbolId chart_name = model.charts[state.chart].name)
      path.insert(0, std::string(model.name(chart_name)) + ".");
  }
  return path;
}

template <class IdType, class Record>
std::string member_name(const Model& model, const base::Store<IdType, Record>& store, std::uint32_t index,
                        Scope scope) {
  const IdType id(index);
  if (!store.contains(id)) return "?";
  return path_of_body(model, store[id].body, scope) + std::string(model.name(store[id].name));
}

std::string size_text(const Model& model, const Dimension& dimension, Scope scope) {
  if (!dimension.expr) return dimension.size ? std::to_string(*dimension.size) : ":";
  std::string text = expression_text(model, dimension.expr, scope);
  if (dimension.size && text != std::to_string(*dimension.size)) text += " = " + std::to_string(*dimension.size);
  return text;
}

}  // namespace

void DumpWriter::line(std::string_view text) {
  text_.append(2 * depth_, ' ');
  text_ += text;
  text_ += '\n';
}

std::string state_path(const Model& model, StateId state_id, Scope scope) {
  if (!state_id) return "?";
  const State& state = model.states[state_id];
  std::string name(model.name(state.name));
  if (!state.chart || Surroundings(model, scope).holds(state.chart)) return name;
  const Chart& chart = model.charts[state.chart];
  if (chart.name) name.insert(0, std::string(model.name(chart.name)) + ".");
  return path_of_body(model, chart.body, scope) + name;
}

std::string entity_name(const Model& model, Entity entity, Scope scope) {
  switch (entity.kind) {
    case EntityKind::Variable:
      return member_name(model, model.variables, entity.index, scope);
    case EntityKind::Part:
      return member_name(model, model.parts, entity.index, scope);
    case EntityKind::Plug:
      return member_name(model, model.plugs, entity.index, scope);
    case EntityKind::Port:
      return member_name(model, model.ports, entity.index, scope);
    case EntityKind::Mailbox:
      return member_name(model, model.mailboxes, entity.index, scope);
    case EntityKind::Signal:
      return member_name(model, model.signals, entity.index, scope);
    case EntityKind::Statistic:
      return member_name(model, model.statistics, entity.index, scope);
    case EntityKind::Process:
      return member_name(model, model.processes, entity.index, scope);
    case EntityKind::Chart:
      return member_name(model, model.charts, entity.index, scope);
    case EntityKind::State:
      return state_path(model, StateId(entity.index), scope);
    case EntityKind::Choice:
      return name_in(model, model.choices, entity.index);
    case EntityKind::Local:
      return name_in(model, model.locals, entity.index);
    case EntityKind::Class:
      return name_in(model, model.classes, entity.index);
    case EntityKind::Message:
      return name_in(model, model.messages, entity.index);
    case EntityKind::Record:
      return name_in(model, model.records, entity.index);
    case EntityKind::Enum:
      return name_in(model, model.enums, entity.index);
    case EntityKind::Connector:
      return name_in(model, model.connectors, entity.index);
    case EntityKind::Protocol:
      return name_in(model, model.protocols, entity.index);
    case EntityKind::Function:
      return name_in(model, model.functions, entity.index);
    case EntityKind::ExternalObject:
      return name_in(model, model.external_objects, entity.index);
    case EntityKind::Package:
      return name_in(model, model.packages, entity.index);
    case EntityKind::Experiment:
      return name_in(model, model.experiments, entity.index);
    case EntityKind::None:
    case EntityKind::Module:
    case EntityKind::EnumValue:
    case EntityKind::TypeAlias:
      return "?";  // not part of a checked expression
  }
  return "?";
}

std::string shape_text(const Model& model, ShapeId shape, LocalId index, Scope scope) {
  if (!shape) return {};
  std::string text;
  for (const Dimension& dimension : model.shapes[shape].dimensions) {
    text += text.empty() ? "[" : ", ";
    const bool is_range = dimension.expr && model.exprs[dimension.expr].op == Op::Range;
    if (index) text += std::string(model.name(model.locals[index].name)) + (is_range ? " in " : " in 1..");
    text += size_text(model, dimension, scope);
  }
  return text.empty() ? text : text + "]";
}

std::string type_text(const Model& model, Type type, UnitId unit, ShapeId shape, Scope scope) {
  std::string text =
      shape ? model.type_name(type.element()) + shape_text(model, shape, {}, scope) : model.type_name(type);
  if (unit && unit != kBareUnit) text += " [" + std::string(model.unit_name(unit)) + "]";
  return text;
}

std::string field_text(const Model& model, const Field& field) {
  std::string text = field.is_flow ? "flow " : "";
  if (field.name) text += std::string(model.name(field.name)) + ": ";
  text += type_text(model, field.type, field.unit, field.shape, {});
  if (field.default_value) text += " = " + expression_text(model, field.default_value, {});
  return text;
}

std::string parameters_text(const Model& model, const std::vector<LocalId>& parameters,
                            const std::vector<ExprId>& defaults) {
  std::string text;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Local& local = model.locals[parameters[i]];
    text += text.empty() ? "(" : ", ";
    text += std::string(model.name(local.name)) + ": " + type_text(model, local.type, local.unit, local.shape, {});
    if (i < defaults.size() && defaults[i]) text += " = " + expression_text(model, defaults[i], {});
  }
  return text.empty() ? "()" : text + ")";
}

std::string message_list(const Model& model, const std::vector<MessageId>& messages) {
  std::string text;
  for (const MessageId message : messages) {
    if (!text.empty()) text += ", ";
    text += name_in(model, model.messages, message.index);
  }
  return text;
}

std::string_view devs_function_name(DevsFunctionKind kind) {
  switch (kind) {
    case DevsFunctionKind::Advance:
      return "advance";
    case DevsFunctionKind::Lambda:
      return "lambda";
    case DevsFunctionKind::Internal:
      return "internal";
    case DevsFunctionKind::External:
      return "external";
    case DevsFunctionKind::Confluent:
      return "confluent";
  }
  return "?";
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      case '\r':
        result += "\\r";
        break;
      default:
        result += c;
    }
  }
  return result + '"';
}

const std::vector<Field>* fields_of(const Model& model, Type type) {
  const auto fields = [&]<class IdType, class Record>(const base::Store<IdType, Record>& store) {
    const IdType id(type.ref);
    return store.contains(id) ? &store[id].fields : nullptr;
  };
  if (type.kind == TypeKind::Record) return fields(model.records);
  if (type.kind == TypeKind::Message) return fields(model.messages);
  if (type.kind == TypeKind::Connector) return fields(model.connectors);
  return nullptr;
}

}  // namespace hyla::model
