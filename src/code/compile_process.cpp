// Waiting: each `wait`, `wait until`, `receive` and `first_of` becomes a WaitPoint.
//
// Before the Wait instruction stands code that computes durations, ports and mailboxes; behind it, jumped over by
// nobody, the conditions that the engine probes and the ways on, which join behind the last of them.
#include "code/unit_compiler.h"

namespace hyla::code {

using model::Action;
using model::ActionKind;
using model::Awaited;
using model::Branch;
using model::ExprId;
using model::Op;
using model::TypeKind;

void UnitCompiler::wait(const Action& action) {
  if (kind_ != Kind::Process) return unsupported("waiting outside a process");
  std::vector<Branch> branches;
  if (action.kind == ActionKind::FirstOf) {
    const auto first = model_.branches.begin() + action.ref;
    branches.assign(first, first + action.branch_count);
  } else if (action.kind == ActionKind::Receive) {
    for (const Awaited& awaited : action.awaited) branches.push_back({Branch::Kind::Receive, span_, {}, awaited, {}});
  } else {
    const Branch::Kind kind = action.kind == ActionKind::Wait ? Branch::Kind::After : Branch::Kind::Until;
    branches.push_back({kind, span_, action.exprs[0], {}, {}});
  }
  WaitPoint point;
  point.span = action.span;
  for (const Branch& branch : branches) {
    point.branches.push_back(wait_branch(branch));
    point.has_until = point.has_until || branch.kind == Branch::Kind::Until;
    point.only_times = point.only_times && (branch.kind == Branch::Kind::After || branch.kind == Branch::Kind::At);
  }
  emit(Opcode::Wait, 0, 0, 0, Slot(static_cast<std::int64_t>(program_.waits.size())));
  const std::size_t number = program_.waits.size();
  program_.waits.push_back(std::move(point));
  floor_ = next_;  // what the branches need must live until they are taken
  Jumps done;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const Branch& branch = branches[i];
    const At place(*this, branch.span, {});
    const Temporaries scope(*this);
    const Register message = program_.waits[number].branches[i].message_register;
    const ExprId condition = branch.kind == Branch::Kind::Until ? branch.condition : branch.awaited.where;
    if (condition && (branch.kind == Branch::Kind::Until || branch.kind == Branch::Kind::Receive)) {
      program_.waits[number].branches[i].probe = static_cast<std::uint32_t>(here());
      traced_ = true;
      if (branch.kind == Branch::Kind::Receive) bind_pattern(branch.awaited, message);
      emit(Opcode::EndProbe, value(condition));
      traced_ = false;
      if (branch.kind == Branch::Kind::Until) time_probes(condition, program_.waits[number].branches[i]);
    }
    program_.waits[number].branches[i].resume = static_cast<std::uint32_t>(here());
    if (branch.kind == Branch::Kind::Receive) bind_pattern(branch.awaited, message);
    actions(branch.block);
    if (i + 1 < branches.size()) jump(Opcode::Jump, 0, 0, done);
  }
  land(done);
}

/// Emits what must be computed before the process waits.
WaitBranch UnitCompiler::wait_branch(const Branch& branch) {
  const At place(*this, branch.span, {});
  WaitBranch result;
  result.kind = branch.kind;
  result.span = branch.span;
  if (branch.kind == Branch::Kind::After || branch.kind == Branch::Kind::At) {
    result.value = fresh();
    into(branch.condition, {TypeKind::Real}, result.value);
  } else if (branch.kind == Branch::Kind::Receive) {
    awaited_source(branch.awaited, result);
    result.message = branch.awaited.message;
    result.message_register = hidden_owned();
  }
  return result;
}

void UnitCompiler::awaited_source(const Awaited& awaited, WaitBranch& result) {
  ExprId name = awaited.source;
  while (at(name).op == Op::Index) name = model_.operand(at(name), 0);
  result.source_kind = at(name).entity;
  const std::uint32_t ref = at(name).ref;
  if (result.source_kind == model::EntityKind::Signal) {
    result.source_number = layout_.signal_numbers[ref];
    return;
  }
  if (result.source_kind == model::EntityKind::Port) result.source_number = layout_.port_numbers[ref];
  result.source = fresh();
  into(awaited.source, at(awaited.source).type, result.source);
}

void UnitCompiler::time_probes(ExprId condition, WaitBranch& branch) {
  std::vector<std::pair<ExprId, ExprId>> relations;
  if (!time_relations(model_, layout_, condition, relations)) {
    return unsupported("a condition over a function of `time` that is not linear");
  }
  difference_probes(relations, branch.time_probes);
  relations.clear();
  real_relations(model_, condition, relations);
  difference_probes(relations, branch.relation_probes);
}

void UnitCompiler::difference_probes(const std::vector<std::pair<ExprId, ExprId>>& relations,
                                     std::vector<std::uint32_t>& probes) {
  constexpr model::Type kReal{TypeKind::Real, 0, UINT32_MAX};
  for (const auto& [left, right] : relations) {
    probes.push_back(static_cast<std::uint32_t>(here()));
    const Temporaries scope(*this);
    const Register difference = fresh();
    emit(Opcode::SubtractReal, difference, value_as(left, kReal), value_as(right, kReal));
    emit(Opcode::EndProbe, difference);
  }
}

}  // namespace hyla::code
