#include "picture/reference.h"

namespace hyla::picture {

using model::Entity;
using model::EntityKind;
using model::ExprId;
using model::PartId;

namespace {

bool is_member(const model::Model& model, Entity entity) {
  if (entity.kind == EntityKind::Variable) return !model.variables[model::VariableId(entity.index)].is_fixed();
  return entity.kind == EntityKind::Port || entity.kind == EntityKind::Plug || entity.kind == EntityKind::Mailbox;
}

/// The quantities of a plug are shown as the plug.
Entity member_of(const model::Model& model, Entity entity) {
  if (entity.kind != EntityKind::Variable) return entity;
  const model::PlugId plug = model.variables[model::VariableId(entity.index)].plug;
  return plug ? Entity{EntityKind::Plug, plug.index} : entity;
}

}  // namespace

std::optional<Reference> resolve(const model::Model& model, ExprId id) {
  Reference reference;
  bool has_member = false;
  while (id) {
    const model::Expr& expr = model.exprs[id];
    if (expr.op == model::Op::Index) {
      reference.is_indexed = true;
      id = model.operand(expr, 0);
      continue;
    }
    if (expr.op == model::Op::This) return has_member ? std::optional(reference) : std::nullopt;
    if (expr.op != model::Op::Entity) return std::nullopt;
    if (has_member && expr.entity == EntityKind::Part) {
      reference.parts.insert(reference.parts.begin(), PartId(expr.ref));
    } else if (!has_member && is_member(model, expr.target())) {
      reference.member = member_of(model, expr.target());
      has_member = true;
    } else if (!has_member || expr.entity != EntityKind::Plug) {
      return std::nullopt;
    }
    id = expr.operand_count > 0 ? model.operand(expr, 0) : ExprId{};
  }
  return has_member ? std::optional(reference) : std::nullopt;
}

std::optional<Reference> resolve_size(const model::Model& model, ExprId id) {
  const model::Expr& expr = model.exprs[id];
  if (expr.op != model::Op::Property) return std::nullopt;
  const model::Expr& whole = model.exprs[model.operand(expr, 0)];
  if (whole.op != model::Op::Entity || whole.entity != EntityKind::Part || whole.operand_count > 0) return std::nullopt;
  return Reference{{PartId(whole.ref)}, {}, false};
}

model::SymbolId symbol_of(const model::Model& model, Entity entity) {
  switch (entity.kind) {
    case EntityKind::Port:
      return model.ports[model::PortId(entity.index)].name;
    case EntityKind::Plug:
      return model.plugs[model::PlugId(entity.index)].name;
    case EntityKind::Mailbox:
      return model.mailboxes[model::MailboxId(entity.index)].name;
    default:
      return model.variables[model::VariableId(entity.index)].name;
  }
}

}  // namespace hyla::picture
