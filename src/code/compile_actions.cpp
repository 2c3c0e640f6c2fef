// Actions of blocks: assignments, locals, branches, effects. Loops are in compile_loops.cpp, what can stand on the left
// of an assignment in compile_targets.cpp, objects and connections in compile_structure.cpp, waiting in
// compile_process.cpp.
#include <algorithm>

#include "code/unit_compiler.h"

namespace hyla::code {

using model::Action;
using model::ActionKind;
using model::Expr;
using model::ExprId;
using model::Op;
using model::Type;
using model::TypeKind;

void UnitCompiler::actions(model::BlockId block) {
  if (!block) return;
  for (const model::ActionId id : model_.blocks[block].actions) {
    const Action& record = model_.actions[id];
    const At place(*this, record.span, {});
    const Temporaries scope(*this);
    action(record);
  }
}

void UnitCompiler::action(const Action& action) {
  switch (action.kind) {
    case ActionKind::Assign:
      return assign(action);
    case ActionKind::Equation:
      return;  // solved with the others
    case ActionKind::Let:
      return let(action);
    case ActionKind::Variable:
      return variable(action);
    case ActionKind::If:
      return when(action);
    case ActionKind::For:
      return for_each(action);
    case ActionKind::While:
    case ActionKind::Loop:
      return repeat(action);
    case ActionKind::Return:
      return give_back(action);
    case ActionKind::Break:
      return jump(Opcode::Jump, 0, 0, breakables_.back().breaks);
    case ActionKind::Continue:
      return jump(Opcode::Jump, 0, 0, breakables_.back().continues);
    case ActionKind::Evaluate:
      return evaluate(action.exprs[0]);
    case ActionKind::Send:
      return send(action);
    case ActionKind::Raise:
      emit(Opcode::Raise, 0, 0, 0, Slot(std::int64_t{layout_.signal_numbers[action.ref]}));
      return;
    case ActionKind::Start:
      return start(action);
    case ActionKind::Stop:
      if (action.exprs.empty()) {
        emit(Opcode::StopAll, 0, 0, 0, Slot(std::int64_t{layout_.process_numbers[action.ref]}));
      } else {
        emit(Opcode::Stop, value(action.exprs[0]));
      }
      return;
    case ActionKind::Cancel:
      emit(Opcode::Cancel, value(action.exprs[0]));
      return;
    case ActionKind::New:
      return create(action);
    case ActionKind::Delete:
      return destroy(action);
    case ActionKind::Connect:
      return connect(action);
    case ActionKind::Disconnect:
      return disconnect(action);
    case ActionKind::Wait:
    case ActionKind::WaitUntil:
    case ActionKind::Receive:
    case ActionKind::FirstOf:
      return wait(action);
    case ActionKind::DevsCall:
      return devs_call(action);
  }
}

/// All right sides come first; with several, boxes are kept alive until the last has been stored.
void UnitCompiler::assign(const Action& action) {
  const std::span<const ExprId> exprs(action.exprs);
  if (exchange(action)) return;
  if (exprs.size() == 2 && at(exprs[1]).type.kind != TypeKind::Tuple) {
    const Expr& target = at(exprs[0]);
    const Op op = at(exprs[1]).op;
    const bool direct = target.op == Op::Entity && target.entity == model::EntityKind::Local &&
                        target.type == at(exprs[1]).type && !is_boxed(target.type) &&
                        (op == Op::Add || op == Op::Subtract || op == Op::Multiply || op == Op::Divide);
    if (direct) return into(exprs[1], target.type, local(model::LocalId(target.ref)));
    return store(exprs[0], value_as(exprs[1], target.type));
  }
  const bool tuple = at(exprs.back()).type.kind == TypeKind::Tuple;
  const std::size_t count = tuple ? exprs.size() - 1 : exprs.size() / 2;
  const std::span<const ExprId> targets = exprs.first(count);
  std::vector<Type> types;
  for (const ExprId target : targets) types.push_back(at(target).type);
  Register first = 0;
  if (tuple && at(exprs.back()).op == Op::Call) {
    first = fresh(count);
    compute(exprs.back(), first);
    const model::Function& function = model_.functions[model::FunctionId(at(exprs.back()).ref)];
    for (std::size_t i = 0; i < count; ++i) {
      convert(function.results[i].type, types[i], static_cast<Register>(first + i));
    }
  } else {
    first = copies(tuple ? model_.operands_of(at(exprs.back())) : exprs.subspan(count), types);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<Register>(first + i);
    if (is_boxed(types[i])) {
      emit(Opcode::Retain, from);
      emit(Opcode::Autorelease, from);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Temporaries scope(*this);
    store(targets[i], static_cast<Register>(first + i));
  }
}

void UnitCompiler::set_local(model::LocalId id, Register from) {
  emit(is_boxed(model_.locals[id].type) ? Opcode::MoveOwned : Opcode::Move, local(id), from);
}

void UnitCompiler::let(const Action& action) {
  const ExprId given = action.exprs[0];
  if (action.locals.size() == 1) {
    const model::LocalId id = action.locals[0];
    const Type type = model_.locals[id].type;
    const Register where = local(id);
    if (is_boxed(type)) return set_local(id, value_as(given, type));
    return into(given, type, where);
  }
  for (const model::LocalId id : action.locals) local(id);
  const Register first = fresh(action.locals.size());
  if (at(given).op == Op::Tuple) {
    for (std::size_t i = 0; i < action.locals.size(); ++i) {
      into(model_.operand(at(given), i), model_.locals[action.locals[i]].type, static_cast<Register>(first + i));
    }
  } else {
    compute(given, first);
  }
  for (std::size_t i = 0; i < action.locals.size(); ++i) set_local(action.locals[i], static_cast<Register>(first + i));
}

void UnitCompiler::variable(const Action& action) {
  if (!action.exprs.empty()) return let(action);
  const model::LocalId id = action.locals[0];
  local(id);
  const Register first = fresh();
  default_value(model_.locals[id].type, model_.locals[id].shape, first);
  set_local(id, first);
}

void UnitCompiler::when(const Action& action) {
  Jumps otherwise, done;
  branch(action.exprs[0], false, otherwise);
  actions(action.blocks[0]);
  if (action.blocks.size() > 1) {
    jump(Opcode::Jump, 0, 0, done);
    land(otherwise);
    actions(action.blocks[1]);
  } else {
    land(otherwise);
  }
  land(done);
}

void UnitCompiler::give_back(const Action& action) {
  if (!inlined_.empty()) return jump(Opcode::Jump, 0, 0, inlined_.back());
  if (action.exprs.empty()) {
    emit(Opcode::End);
    return;
  }
  std::vector<ExprId> given = action.exprs;
  if (given.size() == 1 && at(given[0]).op == Op::Tuple) {
    given.assign(model_.operands_of(at(given[0])).begin(), model_.operands_of(at(given[0])).end());
  }
  std::vector<Type> types = results_;
  if (kind_ != Kind::Function) types.assign(1, at(given[0]).type);
  if (kind_ != Kind::Function && unit_.as_real && types[0].kind == TypeKind::Integer) types[0].kind = TypeKind::Real;
  Register first = 0;
  if (given.size() == 1 && at(given[0]).type.kind == TypeKind::Tuple) {  // return f(x), with several results
    first = fresh(types.size());
    compute(given[0], first);
  } else {
    first = copies(given, types);
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (is_boxed(types[i])) emit(Opcode::Retain, static_cast<Register>(first + i));
  }
  if (kind_ != Kind::Function) program_.boxed_result = is_boxed(types[0]);
  emit(Opcode::Return, first, static_cast<Register>(types.size()));
}

void UnitCompiler::evaluate(ExprId id) {
  const Expr& expr = at(id);
  if (expr.op == Op::Builtin && expr.builtin == model::Builtin::Print) {
    const At place(*this, expr.span, id);
    return print(expr);
  }
  const bool calls = expr.op == Op::Call || (expr.op == Op::Method && expr.builtin == model::Builtin::None);
  const std::size_t results = calls ? model_.functions[model::FunctionId(expr.ref)].results.size() : 1;
  compute(id, fresh(std::max<std::size_t>(results, 1)));
}

void UnitCompiler::send(const Action& action) {
  const ExprId port = action.exprs[0];
  ExprId name = port;
  while (at(name).op == Op::Index) name = model_.operand(at(name), 0);
  Sending how;
  how.delay_kind = action.delay_kind;
  how.direct = at(name).operand_count > 0 && at(model_.operand(at(name), 0)).op != Op::This;
  const Register where = value(port);
  Register message = 0;
  const bool whole = action.exprs.size() == 2 && (at(action.exprs[1]).type.kind == TypeKind::AnyMessage ||
                                                  at(action.exprs[1]).type.kind == TypeKind::Message);
  if (action.ref == model::MessageId::kNone ||
      (whole && at(action.exprs[1]).type == Type{TypeKind::Message, 0, action.ref})) {
    message = value(action.exprs[1]);
  } else {
    std::vector<Type> types;
    for (const model::Field& field : model_.messages[model::MessageId(action.ref)].fields) types.push_back(field.type);
    const Register first = copies(std::span(action.exprs).subspan(1), types);
    message = fresh();
    emit(Opcode::NewMessage, message, first, 0, Slot(std::int64_t{action.ref}));
  }
  if (action.delay_kind != model::DelayKind::None) how.delay = value_as(action.delay, {TypeKind::Real});
  const Register delivery = fresh();
  emit(Opcode::Send, delivery, where, message, Slot(pack_sending(how)));
  result(action.result, delivery);
}

void UnitCompiler::start(const Action& action) {
  const model::Process& process = model_.processes[model::ProcessId(action.ref)];
  std::vector<ExprId> arguments = action.exprs;
  std::vector<Type> types;
  for (std::size_t i = 0; i < process.parameters.size(); ++i) {
    if (i >= arguments.size()) arguments.push_back(process.defaults[i]);
    types.push_back(model_.locals[process.parameters[i]].type);
  }
  const Register first = copies(arguments, types), handle = fresh();
  emit(Opcode::Start, handle, first, static_cast<Register>(types.size()),
       Slot(std::int64_t{layout_.process_numbers[action.ref]}));
  result(action.result, handle);
}

void UnitCompiler::result(const model::ResultPlace& place, Register from) {
  if (place.local) set_local(place.local, from);
  if (place.target) store(place.target, from);
}

/// Puts the block of the class's DEVS function in.
void UnitCompiler::devs_call(const Action& action) {
  const std::vector<model::DevsFunction>& all = model_.classes[unit_.object_class].devs_functions;
  const auto found = std::find_if(all.begin(), all.end(), [&](const model::DevsFunction& function) {
    return static_cast<std::uint32_t>(function.kind) == action.ref;
  });
  if (found == all.end()) return;
  if (std::find(inlining_.begin(), inlining_.end(), action.ref) != inlining_.end()) {
    return unsupported("a DEVS function that calls itself");
  }
  for (std::size_t i = 0; i < std::min(found->parameters.size(), action.exprs.size()); ++i) {
    const model::LocalId id = found->parameters[i];
    const Temporaries scope(*this);
    locals_.erase(id.index);  // the caller may have a parameter of its own with this id
    const Register given = value_as(action.exprs[i], model_.locals[id].type);
    local(id);
    set_local(id, given);
  }
  inlining_.push_back(action.ref);
  inlined_.emplace_back();
  actions(found->block);
  land(inlined_.back());
  inlined_.pop_back();
  inlining_.pop_back();
}

}  // namespace hyla::code
