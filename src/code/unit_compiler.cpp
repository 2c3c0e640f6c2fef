#include "code/unit_compiler.h"

#include <utility>

namespace hyla::code {
namespace {

/// Registers are 16 bits wide; some are kept back so that a step may ask for several.
constexpr std::uint32_t kMostRegisters = UINT16_MAX - 256;

}  // namespace

UnitCompiler::UnitCompiler(const model::Model& model, const Layout& layout, Functions& functions,
                           std::vector<Unsupported>& unsupported, Unit unit)
    : model_(model),
      layout_(layout),
      functions_(functions),
      unsupported_(unsupported),
      unit_(std::move(unit)),
      traced_(unit_.traced) {}

Program UnitCompiler::block(model::BlockId block) {
  start_inputs(unit_.inputs, false);
  if (unit_.pattern != nullptr) bind_pattern(*unit_.pattern, fresh());
  floor_ = next_;
  program_.inputs = static_cast<std::uint16_t>(unit_.inputs.size() + (unit_.pattern != nullptr ? 1 : 0));
  actions(block);
  emit(Opcode::End);
  return finish();
}

Program UnitCompiler::expression(model::ExprId expr) {
  start_inputs(unit_.inputs, false);
  if (unit_.pattern != nullptr) bind_pattern(*unit_.pattern, fresh());
  floor_ = next_;
  program_.inputs = static_cast<std::uint16_t>(unit_.inputs.size() + (unit_.pattern != nullptr ? 1 : 0));
  const At place(*this, at(expr).span, expr);
  model::Type type = at(expr).type;
  if (unit_.as_real && type.kind == model::TypeKind::Integer) type.kind = model::TypeKind::Real;
  const Register result = value_as(expr, type);
  program_.boxed_result = is_boxed(type);
  if (program_.boxed_result) emit(Opcode::Retain, result);
  emit(Opcode::Return, result, 1);
  return finish();
}

Program UnitCompiler::assignment(model::ExprId target) {
  start_inputs(unit_.inputs, false);
  const Register given = fresh();
  floor_ = next_;
  program_.inputs = static_cast<std::uint16_t>(unit_.inputs.size() + 1);
  const At place(*this, at(target).span, target);
  store(target, given);
  emit(Opcode::End);
  return finish();
}

Program UnitCompiler::function(model::FunctionId id) {
  kind_ = Kind::Function;
  const model::Function& record = model_.functions[id];
  start_inputs(record.parameters, false);
  for (const model::Field& field : record.results) results_.push_back(field.type);
  program_.boxed_result = results_.size() == 1 && is_boxed(results_[0]);
  actions(record.block);
  emit(Opcode::End);
  return finish();
}

Program UnitCompiler::process(model::ProcessId id) {
  kind_ = Kind::Process;
  start_inputs(model_.processes[id].parameters, true);
  actions(model_.processes[id].block);
  emit(Opcode::End);
  return finish();
}

void UnitCompiler::start_inputs(const std::vector<model::LocalId>& inputs, bool owned) {
  for (const model::LocalId id : inputs) {
    const Register where = fresh();
    bind(id, where);
    if (owned && is_boxed(model_.locals[id].type)) program_.boxed_locals.push_back(where);
  }
  floor_ = next_;
  program_.inputs = static_cast<std::uint16_t>(inputs.size());
}

/// Names what the pattern binds: the message itself, or its fields in locals of their own.
void UnitCompiler::bind_pattern(const model::Awaited& pattern, Register message) {
  if (pattern.whole) bind(pattern.whole, message);
  for (std::size_t i = 0; i < pattern.fields.size(); ++i) {
    const model::LocalId id = pattern.fields[i];
    if (!id) continue;
    local(id);
    const Temporaries scope(*this);
    const Register field = fresh();
    emit(Opcode::LoadField, field, message, 0, Slot(static_cast<std::int64_t>(i)));
    set_local(id, field);
  }
}

std::size_t UnitCompiler::emit(Opcode opcode, Register a, Register b, Register c, Slot immediate) {
  program_.instructions.push_back({opcode, a, b, c, immediate});
  program_.spans.push_back(span_);
  program_.origins.push_back(origin_);
  return program_.instructions.size() - 1;
}

void UnitCompiler::jump(Opcode opcode, Register a, Register b, Jumps& jumps) { jumps.push_back(emit(opcode, a, b)); }

void UnitCompiler::land(const Jumps& jumps) {
  for (const std::size_t at : jumps) {
    program_.instructions[at].immediate = Slot(static_cast<std::int64_t>(here()));
  }
}

void UnitCompiler::jump_back(Opcode opcode, Register a, std::size_t goal) {
  emit(opcode, a, 0, 0, Slot(static_cast<std::int64_t>(goal)));
}

Register UnitCompiler::fresh(std::size_t count) {
  if (next_ + count > kMostRegisters) {
    unsupported("a piece of text of this size");
    return 0;
  }
  const auto first = static_cast<Register>(next_);
  next_ += static_cast<std::uint32_t>(count);
  program_.registers = std::max(program_.registers, static_cast<std::uint16_t>(next_));
  return first;
}

/// The register of a local, which it keeps to the end of the unit.
Register UnitCompiler::local(model::LocalId id) {
  const auto found = locals_.find(id.index);
  if (found != locals_.end()) return found->second;
  const Register where = is_boxed(model_.locals[id].type) ? hidden_owned() : fresh();
  floor_ = next_;
  return bind(id, where);
}

Register UnitCompiler::bind(model::LocalId id, Register where) {
  locals_[id.index] = where;
  return where;
}

/// A register that keeps a box alive to the end of the unit, or until it gets another. One that no temporary has used,
/// because what it holds is released when it gets a box.
Register UnitCompiler::hidden_owned() {
  next_ = program_.registers;
  const Register where = fresh();
  floor_ = next_;
  program_.boxed_locals.push_back(where);
  return where;
}

void UnitCompiler::unsupported(std::string what, std::string external) {
  unsupported_.push_back({span_, std::move(what), std::move(external)});
}

Program UnitCompiler::finish() {
  program_.short_form = short_form_of(program_);
  return std::move(program_);
}

}  // namespace hyla::code
