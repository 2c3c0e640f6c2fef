// Objects that come and go, and connections made by actions.
#include <string>

#include "code/unit_compiler.h"

namespace hyla::code {

using model::Action;
using model::EntityKind;
using model::Expr;
using model::ExprId;
using model::Op;

namespace {

/// The member that a target such as `valve[2].travel` or a connected end leads to.
const Expr& member_of(const model::Model& model, ExprId target) {
  const Expr* expr = &model.exprs[target];
  while (expr->op == Op::Index || expr->op == Op::Field) expr = &model.exprs[model.operand(*expr, 0)];
  return *expr;
}

}  // namespace

/// How many values there are, then the values that the host needs: see Host::Creation.
Register UnitCompiler::argument_values(const model::Occupant* occupant) {
  struct Value {
    ExprId expr;           ///< or
    model::LocalId local;  ///< captured
    model::Type type;
  };
  std::vector<Value> values;
  for (const model::Argument& argument : occupant != nullptr ? occupant->arguments : std::vector<model::Argument>()) {
    const Expr& member = member_of(model_, argument.target);
    if (model_.variables[model::VariableId(member.ref)].kind != model::VariableKind::Input) {
      values.push_back({argument.value, {}, at(argument.target).type});
      continue;
    }
    for (const model::LocalId id : captured_locals(model_, argument.value)) {
      if (is_boxed(model_.locals[id].type)) {
        unsupported("an input that follows a local array, record, message or text");
      } else {
        values.push_back({{}, id, model_.locals[id].type});
      }
    }
  }
  const Register first = fresh(values.size() + 1);
  emit(Opcode::LoadConstant, first, 0, 0, Slot(static_cast<std::int64_t>(values.size())));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto goal = static_cast<Register>(first + 1 + i);
    const Temporaries scope(*this);
    if (values[i].expr) {
      into(values[i].expr, values[i].type, goal);
    } else {
      emit(Opcode::Move, goal, local(values[i].local));
    }
  }
  return first;
}

void UnitCompiler::create(const Action& action) {
  const Register population = action.exprs.empty() ? kNoRegister : value(action.exprs[0]);
  const Register values = argument_values(&model_.occupants[action.ref]), made = fresh();
  program_.creates.push_back(action.ref);
  emit(Opcode::Create, made, values, population, Slot(std::int64_t{action.ref}));
  result(action.result, made);
}

/// `engine := Motor(…)` and `engine := none`. False: this is another assignment.
bool UnitCompiler::exchange(const Action& action) {
  if (action.exprs.size() != 2) return false;
  const Expr& target = at(action.exprs[0]);
  const Expr& part = member_of(model_, action.exprs[0]);
  if (part.op != Op::Entity || part.entity != EntityKind::Part) return false;
  Register element = kNoRegister;
  if (target.op == Op::Index) {
    if (target.operand_count != 2) {
      unsupported("a dynamic object in an array of several dimensions");
      return true;
    }
    element = value(model_.operand(target, 1));
  }
  const Expr& given = at(action.exprs[1]);
  const bool filled = given.op == Op::Occupant;
  const Register values = argument_values(filled ? &model_.occupants[given.ref] : nullptr);
  if (filled) program_.creates.push_back(given.ref);
  emit(Opcode::Exchange, fresh(), values, element, Slot(pack(filled ? given.ref : UINT32_MAX, part.ref)));
  return true;
}

void UnitCompiler::destroy(const Action& action) {
  emit(Opcode::Delete, value(action.exprs[0]), 0, 0, Slot(std::int64_t{action.flag ? 1 : 0}));
}

/// The object to which an end belongs.
void UnitCompiler::end_object(ExprId end, Register goal) {
  const Expr& member = member_of(model_, end);
  if (member.op == Op::Entity && member.entity != EntityKind::Local && member.operand_count > 0) {
    into(model_.operand(member, 0), at(model_.operand(member, 0)).type, goal);
  } else {
    emit(Opcode::LoadSelf, goal);
  }
}

/// The place of an element in an array of plugs or in an input, or an array of places; 0 where there is no array.
void UnitCompiler::end_places(ExprId end, Register object, Register goal) {
  const Expr& expr = at(end);
  const At place(*this, expr.span, end);
  const std::uint32_t slot = array_slot(model_, layout_, member_of(model_, end));
  if (slot == Layout::kNoSlot) {
    emit(Opcode::LoadConstant, goal);
    return;
  }
  const Register array = fresh();
  if (expr.op == Op::Index) {
    end_places(model_.operand(expr, 0), object, array);
    return index_in(array, expr, goal);
  }
  emit(Opcode::LoadForeign, array, object, 0, Slot(std::int64_t{slot}));
  emit(Opcode::Places, goal, array, 0, Slot(std::int64_t{expr.type.rank}));
}

Program UnitCompiler::places(ExprId end) {
  start_inputs(unit_.inputs, false);
  floor_ = next_;
  program_.inputs = static_cast<std::uint16_t>(unit_.inputs.size());
  const Register object = fresh(), result = fresh();
  end_object(end, object);
  end_places(end, object, result);
  program_.boxed_result = at(end).type.rank > 0;
  if (program_.boxed_result) emit(Opcode::Retain, result);
  emit(Opcode::Return, result, 1);
  return finish();
}

/// Both ends and the places there, then how many values there are and the values: see Host::Joining.
Register UnitCompiler::ends_of(const model::Connection& connection, bool captures) {
  const bool plugs = connection.kind == model::ConnectionKind::Plugs;
  const bool objects = plugs || connection.kind == model::ConnectionKind::Value;
  std::vector<model::LocalId> captured;
  if (captures && objects && !plugs) captured = captured_locals(model_, connection.from);
  for (const model::LocalId id : captured) {
    if (is_boxed(model_.locals[id].type)) unsupported("a connection to a local array, record, message or text");
  }
  const Register first = fresh(5 + captured.size());
  const ExprId ends[2] = {connection.from, connection.to};
  for (Register i = 0; i < 2; ++i) {
    const auto goal = static_cast<Register>(first + i);
    const Temporaries scope(*this);
    if (objects) {
      end_object(ends[i], goal);
    } else {
      into(ends[i], at(ends[i]).type, goal);
    }
    const auto place = static_cast<Register>(first + 2 + i);
    if (plugs || (objects && i == 1 && at(ends[i]).op == Op::Index)) {
      end_places(ends[i], goal, place);
    } else {
      emit(Opcode::LoadConstant, place);
    }
  }
  emit(Opcode::LoadConstant, static_cast<Register>(first + 4), 0, 0, Slot(static_cast<std::int64_t>(captured.size())));
  for (std::size_t i = 0; i < captured.size(); ++i) {
    emit(Opcode::Move, static_cast<Register>(first + 5 + i), local(captured[i]));
  }
  return first;
}

void UnitCompiler::connect(const Action& action) {
  const model::Connection& connection = model_.connections[model::ConnectionId(action.ref)];
  if (connection.kind == model::ConnectionKind::Mailboxes) return unsupported("`connect` of mailboxes as an action");
  const Register ends = ends_of(connection, true), handle = fresh();
  program_.connects.push_back(model::ConnectionId(action.ref));
  emit(Opcode::Connect, handle, ends, 0, Slot(std::int64_t{action.ref}));
  result(action.result, handle);
}

void UnitCompiler::disconnect(const Action& action) {
  if (!action.exprs.empty()) {
    emit(Opcode::Disconnect, value(action.exprs[0]));
    return;
  }
  const Register ends = ends_of(model_.connections[model::ConnectionId(action.ref)], false);
  emit(Opcode::DisconnectEnds, 0, ends, 0, Slot(std::int64_t{action.ref}));
}

}  // namespace hyla::code
