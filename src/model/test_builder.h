// Builds small models by hand, for the tests of this folder.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/model.h"

namespace hyla::model {

inline constexpr Type kReal{TypeKind::Real};
inline constexpr Type kInteger{TypeKind::Integer};
inline constexpr Type kBoolean{TypeKind::Boolean};

class TestBuilder {
 public:
  Model model;

  SymbolId symbol(std::string_view name) { return model.symbols.intern(name); }
  UnitId unit(std::string_view text) {
    UnitError error{};
    return model.intern_unit(parse_unit(text, error).value());
  }

  ExprId expr(Op op, Type type, std::initializer_list<ExprId> operands = {}, std::uint32_t ref = UINT32_MAX) {
    Expr record;
    record.op = op;
    record.type = type;
    record.ref = ref;
    record.first_operand = static_cast<std::uint32_t>(model.operands.size());
    record.operand_count = static_cast<std::uint32_t>(operands.size());
    model.operands.insert(model.operands.end(), operands);
    return model.exprs.add(record);
  }
  ExprId real(double number) { return literal(Op::Real, kReal, number); }
  ExprId integer(double number) { return literal(Op::Integer, kInteger, number); }
  ExprId boolean(bool value) { return literal(Op::Boolean, kBoolean, value ? 1 : 0); }
  ExprId binary(Op op, ExprId a, ExprId b) {
    const bool relation = op >= Op::Less && op <= Op::Or;
    return expr(op, relation ? kBoolean : model.exprs[a].type, {a, b});
  }
  ExprId builtin(Builtin which, Type type, std::initializer_list<ExprId> operands) {
    const ExprId id = expr(Op::Builtin, type, operands);
    model.exprs[id].builtin = which;
    return id;
  }
  ExprId entity(EntityKind kind, std::uint32_t index, Type type, std::initializer_list<ExprId> object = {}) {
    const ExprId id = expr(Op::Entity, type, object, index);
    model.exprs[id].entity = kind;
    return id;
  }
  ExprId name(VariableId id) { return entity(EntityKind::Variable, id.index, model.variables[id].type); }
  ExprId name(LocalId id) { return entity(EntityKind::Local, id.index, model.locals[id].type); }
  ExprId name(PortId id) { return entity(EntityKind::Port, id.index, {TypeKind::Port, 0, id.index}); }
  ExprId der(VariableId id) { return expr(Op::Der, kReal, {name(id)}); }

  LocalId local(std::string_view name, Type type) { return model.locals.add({symbol(name), {}, type, {}, {}, false}); }
  MessageId message(std::string_view name, std::vector<Field> fields = {}) {
    return model.messages.add({symbol(name), {}, std::move(fields)});
  }
  Field field(std::string_view name, Type type) {
    Field record;
    record.name = symbol(name);
    record.type = type;
    return record;
  }
  /// The only result of a function: a field without name.
  static Field result(Type type) {
    Field record;
    record.type = type;
    return record;
  }

  ClassId add_class(std::string_view name, std::string_view module = "main") {
    Class record;
    record.name = symbol(name);
    record.module = symbol(module);
    const ClassId id = model.classes.add(std::move(record));
    Body body;
    body.object_class = id;
    model.classes[id].body = model.bodies.add(std::move(body));
    return id;
  }
  BodyId body_of(ClassId id) const { return model.classes[id].body; }
  BodyId inner_body(BodyId parent) {
    Body body;
    body.object_class = model.bodies[parent].object_class;
    body.parent = parent;
    return model.bodies.add(std::move(body));
  }

  VariableId variable(BodyId body, VariableKind kind, std::string_view name, Type type = kReal) {
    Variable record;
    record.name = symbol(name);
    record.kind = kind;
    record.type = type;
    record.body = body;
    const VariableId id = model.variables.add(std::move(record));
    model.bodies[body].variables.push_back(id);
    return id;
  }
  PortId port(BodyId body, std::string_view name, std::vector<MessageId> receives, std::vector<MessageId> sends = {}) {
    Port record;
    record.name = symbol(name);
    record.receives = std::move(receives);
    record.sends = std::move(sends);
    record.body = body;
    const PortId id = model.ports.add(std::move(record));
    model.bodies[body].ports.push_back(id);
    return id;
  }
  EquationId equation(BodyId body, EquationForm form, VariableId subject, ExprId left, ExprId right) {
    const EquationId id = model.equations.add({{}, {}, form, subject, left, right, body});
    model.bodies[body].equations.push_back(id);
    return id;
  }

  ChartId chart(BodyId body, std::string_view name) {
    Chart record;
    if (!name.empty()) record.name = symbol(name);
    record.body = body;
    const ChartId id = model.charts.add(std::move(record));
    model.bodies[body].charts.push_back(id);
    return id;
  }
  StateId state(ChartId chart, std::string_view name) {
    const BodyId body = inner_body(model.charts[chart].body);
    const StateId id = model.states.add({symbol(name), {}, chart, body});
    model.bodies[body].state = id;
    model.charts[chart].states.push_back(id);
    return id;
  }
  BodyId body_of(StateId id) const { return model.states[id].body; }
  static Target to(StateId state) { return {TargetKind::State, {}, {state}, {}}; }

  ReactionId when(BodyId body, ExprId condition, Target target = {}, BlockId block = {}) {
    Reaction record;
    record.trigger = TriggerKind::When;
    record.condition = condition;
    record.target = std::move(target);
    record.block = block;
    record.body = body;
    return reaction(std::move(record));
  }
  ReactionId reaction(Reaction record) {
    const BodyId body = record.body;
    const ReactionId id = model.reactions.add(std::move(record));
    model.bodies[body].reactions.push_back(id);
    return id;
  }

  ActionId action(ActionKind kind, std::vector<ExprId> exprs = {}, std::vector<BlockId> blocks = {}) {
    Action record;
    record.kind = kind;
    record.exprs = std::move(exprs);
    record.blocks = std::move(blocks);
    return model.actions.add(std::move(record));
  }
  BlockId block(std::vector<ActionId> actions) { return model.blocks.add({std::move(actions)}); }
  BlockId assignment(ExprId target, ExprId value) { return block({action(ActionKind::Assign, {target, value})}); }

 private:
  ExprId literal(Op op, Type type, double number) {
    const ExprId id = expr(op, type);
    model.exprs[id].number = number;
    model.exprs[id].known = Known::Always;
    return id;
  }
};

}  // namespace hyla::model
