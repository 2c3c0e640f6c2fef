#include <algorithm>

#include "model/dump_text.h"

namespace hyla::model {
namespace {

/// The first line of actions, without their blocks.
class ActionText {
 public:
  ActionText(const Model& model, Scope scope) : model_(model), scope_(scope) {}

  std::string text(const Action& action) const {
    const std::string result = result_text(action.result);
    switch (action.kind) {
      case ActionKind::Assign:
        return assign(action);
      case ActionKind::Equation:
        return at(action, 0) + " = " + at(action, 1);
      case ActionKind::Let:
        return let(action);
      case ActionKind::Variable:
        return "var " + locals(action) + (action.exprs.empty() ? "" : " := " + at(action, 0));
      case ActionKind::If:
        return "if " + at(action, 0);
      case ActionKind::For:
        return "for " + local_name(action.locals.empty() ? LocalId() : action.locals[0]) + " in " + at(action, 0);
      case ActionKind::While:
        return "while " + at(action, 0);
      case ActionKind::Loop:
        return "loop";
      case ActionKind::Return:
        return action.exprs.empty() ? "return" : "return " + list(action, 0);
      case ActionKind::Break:
        return "break";
      case ActionKind::Continue:
        return "continue";
      case ActionKind::Evaluate:
        return at(action, 0);
      case ActionKind::Send:
        return result + send(action);
      case ActionKind::Raise:
        return "raise " + entity(EntityKind::Signal, action.ref);
      case ActionKind::Start:
        return result + "start " + entity(EntityKind::Process, action.ref) + "(" + list(action, 0) + ")";
      case ActionKind::Stop:
        return "stop " + (action.exprs.empty() ? entity(EntityKind::Process, action.ref) : at(action, 0));
      case ActionKind::Cancel:
        return "cancel " + at(action, 0);
      case ActionKind::New:
        return result + create(action);
      case ActionKind::Delete:
        return "delete " + at(action, 0) + (action.flag ? " with exit" : "");
      case ActionKind::Connect:
        return result + "connect " + connection(action.ref);
      case ActionKind::Disconnect:
        return "disconnect " + (action.exprs.empty() ? connection(action.ref) : at(action, 0));
      case ActionKind::Wait:
        return "wait " + at(action, 0);
      case ActionKind::WaitUntil:
        return "wait until " + at(action, 0);
      case ActionKind::Receive:
        return "receive " + (action.awaited.empty() ? "?" : awaited_list(action.awaited));
      case ActionKind::FirstOf:
        return "first_of";
      case ActionKind::DevsCall:
        return std::string(devs_function_name(static_cast<DevsFunctionKind>(action.ref))) + "(" + list(action, 0) + ")";
    }
    return "?";
  }

  std::string text(const Branch& branch) const {
    switch (branch.kind) {
      case Branch::Kind::Receive:
        return "receive " + awaited_text(model_, branch.awaited, scope_);
      case Branch::Kind::Until:
        return "until " + expression(branch.condition);
      case Branch::Kind::After:
        return "after " + expression(branch.condition);
      case Branch::Kind::At:
        return "at " + expression(branch.condition);
    }
    return "?";
  }

 private:
  std::string expression(ExprId expr) const { return expression_text(model_, expr, scope_); }
  std::string at(const Action& action, std::size_t index) const {
    return index < action.exprs.size() ? expression(action.exprs[index]) : "?";
  }
  std::string entity(EntityKind kind, std::uint32_t ref) const { return entity_name(model_, {kind, ref}, scope_); }
  std::string local_name(LocalId local) const { return entity(EntityKind::Local, local.index); }

  std::string list(const Action& action, std::size_t first, std::size_t last = SIZE_MAX) const {
    std::string text;
    for (std::size_t i = first; i < std::min(last, action.exprs.size()); ++i) {
      if (i > first) text += ", ";
      text += expression(action.exprs[i]);
    }
    return text;
  }

  std::string locals(const Action& action) const {
    std::string text;
    for (const LocalId id : action.locals) {
      const Local& local = model_.locals[id];
      if (!text.empty()) text += ", ";
      text +=
          std::string(model_.name(local.name)) + ": " + type_text(model_, local.type, local.unit, local.shape, scope_);
    }
    return text;
  }

  std::string awaited_list(const std::vector<Awaited>& awaited) const {
    std::string text;
    for (const Awaited& one : awaited) {
      if (!text.empty()) text += ", ";
      text += awaited_text(model_, one, scope_);
    }
    return text;
  }

  std::string assign(const Action& action) const {
    const std::size_t count = action.exprs.size();
    const bool one_call =
        count > 0 && action.exprs.back() && model_.exprs[action.exprs.back()].type.kind == TypeKind::Tuple;
    const std::size_t targets = one_call ? count - 1 : count / 2;
    if (targets == 1) return at(action, 0) + " := " + list(action, 1);
    const std::string values = list(action, targets);
    return "(" + list(action, 0, targets) + ") := " + (one_call ? values : "(" + values + ")");
  }

  std::string let(const Action& action) const {
    const std::string names = locals(action);
    return "let " + (action.locals.size() == 1 ? names : "(" + names + ")") + " = " + list(action, 0);
  }

  std::string send(const Action& action) const {
    std::string text = "send " + at(action, 0) + ".";
    const MessageId message(action.ref);
    if (!model_.messages.contains(message)) {
      text += "(" + list(action, 1) + ")";
    } else {
      text += entity(EntityKind::Message, action.ref) + "(" + field_values(action, message) + ")";
    }
    if (action.delay_kind == DelayKind::After) text += " after " + expression(action.delay);
    if (action.delay_kind == DelayKind::At) text += " at " + expression(action.delay);
    return text;
  }

  /// `id = 3, size = 0.5`, or the one message that is passed on.
  std::string field_values(const Action& action, MessageId message) const {
    const std::vector<Field>& fields = model_.messages[message].fields;
    const Type whole{TypeKind::Message, 0, message.index};
    const bool passed_on = action.exprs.size() == 2 && action.exprs[1] && model_.exprs[action.exprs[1]].type == whole;
    if (passed_on || action.exprs.size() != fields.size() + 1) return list(action, 1);
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) text += ", ";
      text += std::string(model_.name(fields[i].name)) + " = " + expression(action.exprs[i + 1]);
    }
    return text;
  }

  std::string create(const Action& action) const {
    const bool known = action.ref < model_.occupants.size();
    std::string text = "new " + (known ? occupant_text(model_, model_.occupants[action.ref], scope_) : "?");
    return action.exprs.empty() ? text : text + " in " + at(action, 0);
  }

  std::string connection(std::uint32_t ref) const {
    const ConnectionId id(ref);
    return model_.connections.contains(id) ? connection_text(model_, model_.connections[id], scope_) : "?";
  }

  std::string result_text(const ResultPlace& result) const {
    if (result.local) return "let " + local_name(result.local) + " = ";
    return result.target ? expression(result.target) + " := " : "";
  }

  const Model& model_;
  Scope scope_;
};

bool is_simple(const Action& action) { return action.blocks.empty() && action.kind != ActionKind::FirstOf; }

void dump_actions(DumpWriter& out, BlockId block);

/// The action of an `else` block that is nothing but another `if`.
const Action* else_if(const Model& model, BlockId block) {
  if (!block || model.blocks[block].actions.size() != 1) return nullptr;
  const Action& action = model.actions[model.blocks[block].actions[0]];
  return action.kind == ActionKind::If ? &action : nullptr;
}

/// A chain of `else if` may be long, so it is walked, not descended into.
void dump_if(DumpWriter& out, const Action& first) {
  const ActionText texts(out.model, out.scope);
  std::string head;
  for (const Action* action = &first; action != nullptr;) {
    out.line(head + texts.text(*action));
    dump_actions(out, action->blocks.empty() ? BlockId() : action->blocks[0]);
    const BlockId otherwise = action->blocks.size() > 1 ? action->blocks[1] : BlockId();
    action = else_if(out.model, otherwise);
    head = "else ";
    if (action == nullptr && otherwise) {
      out.line("else");
      dump_actions(out, otherwise);
    }
  }
}

void dump_action(DumpWriter& out, const Action& action) {
  if (action.kind == ActionKind::If) return dump_if(out, action);
  const ActionText texts(out.model, out.scope);
  out.line(texts.text(action));
  for (const BlockId block : action.blocks) dump_actions(out, block);
  if (action.kind != ActionKind::FirstOf) return;
  const DumpWriter::Indent indent(out);
  for (std::size_t i = 0; i < action.branch_count && action.ref + i < out.model.branches.size(); ++i) {
    const Branch& branch = out.model.branches[action.ref + i];
    dump_block(out, texts.text(branch), branch.block);
  }
}

void dump_actions(DumpWriter& out, BlockId block) {
  if (!block) return;
  const DumpWriter::Indent indent(out);
  for (const ActionId id : out.model.blocks[block].actions) dump_action(out, out.model.actions[id]);
}

}  // namespace

std::string awaited_text(const Model& model, const Awaited& awaited, Scope scope) {
  std::string text = expression_text(model, awaited.source, scope);
  if (awaited.message) text += "." + entity_name(model, {EntityKind::Message, awaited.message.index}, scope);
  std::string bound;
  for (const LocalId field : awaited.fields) {
    if (!field) continue;
    bound += bound.empty() ? "(" : ", ";
    bound += model.name(model.locals[field].name);
  }
  if (!bound.empty()) text += bound + ")";
  if (awaited.whole) text += " as " + std::string(model.name(model.locals[awaited.whole].name));
  if (awaited.where) text += " where " + expression_text(model, awaited.where, scope);
  return text;
}

std::string connection_text(const Model& model, const Connection& connection, Scope scope) {
  const std::string_view arrow = connection.kind == ConnectionKind::Value ? " -> " : " -- ";
  return expression_text(model, connection.from, scope) + std::string(arrow) +
         expression_text(model, connection.to, scope);
}

void dump_block(DumpWriter& out, const std::string& head, BlockId block) {
  const std::vector<ActionId> none;
  const std::vector<ActionId>& actions = block ? out.model.blocks[block].actions : none;
  const Action* only = actions.size() == 1 ? &out.model.actions[actions[0]] : nullptr;
  if (only != nullptr && is_simple(*only)) {
    out.line(head + " { " + ActionText(out.model, out.scope).text(*only) + " }");
    return;
  }
  out.line(head);
  dump_actions(out, block);
}

}  // namespace hyla::model
