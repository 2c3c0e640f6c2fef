// Marks the slots that the conditions, formulas and the like of a class read, and those that other objects may read.
#include "code/watched.h"

namespace hyla::code {
namespace {

class Watch {
 public:
  Watch(const model::Model& model, Layout& layout, model::ClassId id)
      : model_(model), layout_(layout), watched_(layout.classes[id.index].watched) {
    watched_.assign(layout.classes[id.index].slots.size(), false);
  }

  void body(model::BodyId id) {
    if (!id) return;
    const model::Body& record = model_.bodies[id];
    members(record);
    for (const auto equation : record.equations) {
      reads(model_.equations[equation].left);
      reads(model_.equations[equation].right);
    }
    for (const model::ExprId hold : record.holds) reads(hold);
    for (const auto connection : record.connections) {
      reads(model_.connections[connection].from);
      reads(model_.connections[connection].to);
    }
    for (const auto number : record.requirements) {
      const model::Requirement& requirement = model_.requirements[number];
      for (const model::ExprId expr :
           {requirement.trigger, requirement.condition, requirement.goal, requirement.duration, requirement.within}) {
        reads(expr);
      }
    }
    for (const auto reaction : record.reactions) react(model_.reactions[reaction]);
    for (const model::Deferral& deferral : record.deferrals) awaited(deferral.awaited);
    for (const auto process : record.processes) {
      block(model_.processes[process].block);
      effects(model_.processes[process].block);
    }
    for (const std::vector<model::BlockId>* blocks :
         {&record.initial_blocks, &record.entry_blocks, &record.exit_blocks}) {
      for (const model::BlockId block : *blocks) effects(block);
    }
    for (const auto chart : record.charts) this->chart(chart);
    for (const model::Family& family : record.families) body(family.body);
    for (const model::Conditional& conditional : record.conditionals) {
      body(conditional.then_body);
      body(conditional.else_body);
    }
  }

 private:
  void mark(std::uint32_t slot) {
    if (slot != Layout::kNoSlot) watched_[slot] = true;
  }
  void reads(model::ExprId expr) {
    if (!expr) return;
    for (const std::uint32_t slot : reads_of(model_, layout_, expr).slots) mark(slot);
  }
  void awaited(const model::Awaited& awaited) {
    reads(awaited.source);
    reads(awaited.where);
  }

  /// What others may look at, and what members say about themselves.
  void members(const model::Body& record) {
    for (const auto member : record.variables) {
      const model::Variable& variable = model_.variables[member];
      if (variable.kind == model::VariableKind::Output || variable.kind == model::VariableKind::Input) {
        mark(layout_.variables[member.index]);
      }
      if (!variable.is_fixed()) reads(variable.binding);
    }
    for (const auto member : record.parts) {
      mark(layout_.parts[member.index]);
      for (const model::Argument& argument : model_.parts[member].arguments) reads(argument.value);
      if (model_.parts[member].occupant) arguments(*model_.parts[member].occupant);
    }
    for (const auto member : record.mailboxes) mark(layout_.mailboxes[member.index]);
    for (const auto member : record.charts) mark(layout_.charts[member.index]);
    for (const auto member : record.statistics) {
      mark(layout_.statistics[member.index]);
      reads(model_.statistics[member].observed);
    }
  }

  void react(const model::Reaction& reaction) {
    reads(reaction.condition);
    reads(reaction.every_from);
    reads(reaction.guard);
    for (const model::Awaited& one : reaction.awaited) awaited(one);
    effects(reaction.block);
  }

  void chart(model::ChartId id) {
    const model::Chart& record = model_.charts[id];
    for (const auto state : record.states) body(model_.states[state].body);
    for (const auto reaction : record.reactions) react(model_.reactions[reaction]);
    for (const auto choice : record.choices) {
      for (const model::ChoiceBranch& branch : model_.choices[choice].branches) {
        reads(branch.guard);
        effects(branch.block);
      }
    }
    effects(record.initial.block);
  }

  /// Values that go on being read after an action: connections, and inputs of new objects.
  void effects(model::BlockId id) {
    if (!id) return;
    for (const model::ActionId action_id : model_.blocks[id].actions) {
      const model::Action& action = model_.actions[action_id];
      for (const model::BlockId inner : action.blocks) effects(inner);
      for (std::uint32_t i = 0; i < action.branch_count; ++i) effects(model_.branches[action.ref + i].block);
      if (action.kind == model::ActionKind::Connect) {
        reads(model_.connections[model::ConnectionId(action.ref)].from);
      } else if (action.kind == model::ActionKind::New) {
        arguments(model_.occupants[action.ref]);
      } else if (action.kind == model::ActionKind::Assign) {
        const model::Expr& value = model_.exprs[action.exprs.back()];
        if (value.op == model::Op::Occupant) arguments(model_.occupants[value.ref]);
      }
    }
  }
  void arguments(const model::Occupant& occupant) {
    for (const model::Argument& argument : occupant.arguments) reads(argument.value);
  }

  /// Conditions that a process waits for.
  void block(model::BlockId id) {
    if (!id) return;
    for (const model::ActionId action_id : model_.blocks[id].actions) {
      const model::Action& action = model_.actions[action_id];
      for (const model::BlockId inner : action.blocks) block(inner);
      for (const model::Awaited& one : action.awaited) awaited(one);
      if (action.kind == model::ActionKind::WaitUntil) reads(action.exprs[0]);
      if (action.kind != model::ActionKind::FirstOf) continue;
      for (std::uint32_t i = action.ref; i < action.ref + action.branch_count; ++i) {
        const model::Branch& branch = model_.branches[i];
        reads(branch.condition);
        awaited(branch.awaited);
        block(branch.block);
      }
    }
  }

  const model::Model& model_;
  Layout& layout_;
  std::vector<bool>& watched_;
};

}  // namespace

void mark_watched(const model::Model& model, Layout& layout, model::ClassId id) {
  Watch(model, layout, id).body(model.classes[id].body);
}

}  // namespace hyla::code
