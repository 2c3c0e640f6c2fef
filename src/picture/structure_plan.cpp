#include "picture/structure_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "picture/picture.h"
#include "picture/reference.h"
#include "picture/wording.h"

namespace hyla::picture {
namespace {

using model::BodyId;
using model::ClassId;
using model::Entity;
using model::EntityKind;
using model::ExprId;
using model::PartId;

class Planner {
 public:
  Planner(const model::Model& model, const diag::Sources& sources, std::size_t depth)
      : model_(model), wording_(model, sources), depth_(depth) {}

  StructurePlan plan(ClassId top) {
    add_box(wording_.class_name(top), top);
    box(0).name = wording_.class_name(top);
    box(0).class_name.clear();
    fill(0, top, 0);
    settle_sides();
    hide_unused();
    return std::move(plan_);
  }

 private:
  Box& box(std::size_t index) { return plan_.boxes[index]; }

  std::size_t add_box(std::string path, ClassId id) {
    if (plan_.boxes.size() >= kMostBoxes) plan_.is_too_large = true;
    Box made;
    made.path = std::move(path);
    if (id) {
      made.class_name = wording_.class_name(id);
      members(made, model_.classes[id].body);
      behaviour(made, model_.bodies[model_.classes[id].body]);
    }
    plan_.boxes.push_back(std::move(made));
    children_.emplace_back();
    return plan_.boxes.size() - 1;
  }

  // --- members

  void members(Box& made, BodyId id) {
    const model::Body& body = model_.bodies[id];
    for (const model::VariableId variable_id : body.variables) {
      const model::Variable& variable = model_.variables[variable_id];
      const bool is_input = variable.kind == model::VariableKind::Input;
      if (variable.plug || (!is_input && variable.kind != model::VariableKind::Output)) continue;
      made.members.push_back({{EntityKind::Variable, variable_id.index},
                              variable.name,
                              is_input ? MemberKind::Input : MemberKind::Output,
                              wording_.with_shape(variable.name, variable.shape),
                              !is_input,
                              is_input,
                              !is_input});
    }
    for (const model::PortId port_id : body.ports) made.members.push_back(port(port_id));
    for (const model::MailboxId mailbox_id : body.mailboxes) {
      const model::Mailbox& mailbox = model_.mailboxes[mailbox_id];
      made.members.push_back({{EntityKind::Mailbox, mailbox_id.index},
                              mailbox.name,
                              MemberKind::Mailbox,
                              wording_.with_shape(mailbox.name, mailbox.shape),
                              false,
                              true,
                              false});
    }
    for (const model::PlugId plug_id : body.plugs) {
      const model::Plug& plug = model_.plugs[plug_id];
      made.members.push_back(
          {{EntityKind::Plug, plug_id.index}, plug.name, MemberKind::Plug, wording_.with_shape(plug.name, plug.shape)});
    }
    for (const model::Conditional& conditional : body.conditionals) {
      if (conditional.then_body) members(made, conditional.then_body);
      if (conditional.else_body) members(made, conditional.else_body);
    }
  }

  Member port(model::PortId id) const {
    const model::Port& port = model_.ports[id];
    Member made = {
        {EntityKind::Port, id.index}, port.name, MemberKind::Port, wording_.with_shape(port.name, port.shape)};
    // A relayed port speaks as the port behind it.
    const model::Port* speaks = &port;
    for (int steps = 0; speaks->relayed && speaks->receives.empty() && speaks->sends.empty() && steps < 100; ++steps) {
      const std::optional<Reference> behind = resolve(model_, speaks->relayed);
      if (!behind || behind->member.kind != EntityKind::Port) break;
      speaks = &model_.ports[model::PortId(behind->member.index)];
    }
    made.receives = !speaks->receives.empty();
    made.sends = !speaks->sends.empty();
    made.right = made.sends && !made.receives;
    return made;
  }

  void behaviour(Box& made, const model::Body& body) const {
    for (const model::ChartId id : body.charts) {
      const std::string name = wording_.name(model_.charts[id].name);
      made.behaviour.push_back(name.empty() ? "chart" : "chart " + name);
    }
    for (const model::ProcessId id : body.processes) {
      made.behaviour.push_back("process " + wording_.name(model_.processes[id].name));
    }
  }

  // --- content

  void fill(std::size_t index, ClassId id, std::size_t level) {
    if (level >= depth_ || std::find(open_.begin(), open_.end(), id) != open_.end()) return;
    open_.push_back(id);
    Group content = group(index, model_.classes[id].body, "", level);
    if (!content.is_empty()) {
      box(index).behaviour.clear();
      box(index).content = std::move(content);
      wires(index, model_.classes[id].body, "");
      formulas(index, model_.classes[id].body);
    }
    open_.pop_back();
  }

  Group group(std::size_t index, BodyId id, std::string caption, std::size_t level) {
    Group made;
    made.caption = std::move(caption);
    const model::Body& body = model_.bodies[id];
    for (const PartId part : body.parts) {
      if (plan_.is_too_large) return made;
      made.boxes.push_back(part_box(index, part, level));
    }
    const auto add = [&](BodyId inner, std::string inner_caption) {
      if (!inner || plan_.is_too_large) return;
      Group found = group(index, inner, std::move(inner_caption), level);
      if (!found.is_empty()) made.groups.push_back(std::move(found));
    };
    for (const model::Family& family : body.families) add(family.body, caption_of(family));
    for (const model::Conditional& one : body.conditionals) {
      add(one.then_body, "if " + wording_.expression(one.condition));
      add(one.else_body, "if not " + wording_.expression(one.condition));
    }
    for (const model::ChartId chart : body.charts) {
      for (const model::StateId state : model_.charts[chart].states) {
        add(model_.states[state].body, caption_of(state));
      }
    }
    return made;
  }

  std::string caption_of(const model::Family& family) const {
    return "for " + wording_.name(model_.locals[family.index].name) + " in " + wording_.expression(family.range);
  }
  std::string caption_of(model::StateId id) const {
    const model::State& state = model_.states[id];
    const std::string chart = wording_.name(model_.charts[state.chart].name);
    return "in state " + (chart.empty() ? "" : chart + '.') + wording_.name(state.name);
  }

  /// `plant.tank1`; a part of a state is called with its state, as two states may have parts of the same name.
  std::string path_of(std::size_t container, const model::Part& part) {
    std::string path = box(container).path + '.';
    const model::StateId state = part.body ? model_.bodies[part.body].state : model::StateId{};
    if (state) path += wording_.name(model_.states[state].name) + '.';
    return path + wording_.name(part.name);
  }

  std::size_t part_box(std::size_t container, PartId id, std::size_t level) {
    const model::Part& part = model_.parts[id];
    const ClassId shown = shown_class(part);
    const std::size_t index = add_box(path_of(container, part), shown);
    Box& made = box(index);
    made.name = wording_.part_name(part);
    made.is_array = part.shape || part.kind == model::PartKind::Population;
    if (part.external) made.class_name = wording_.name(model_.external_objects[part.external].name);
    if (part.external) made.stereotype = "external";
    if (part.kind == model::PartKind::Population) made.stereotype = "population";
    if (part.kind == model::PartKind::Dynamic) {
      made.stereotype = "dynamic";
      made.class_name = (part.object_class ? wording_.class_name(part.object_class) : "") +
                        (part.occupant ? " := " + wording_.class_name(shown) : ", empty at the start");
    }
    children_[container][id] = index;
    if (shown) fill(index, shown, level + 1);
    return index;
  }

  // --- wires

  void wires(std::size_t index, BodyId id, const std::string& caption) {
    const model::Body& body = model_.bodies[id];
    for (const model::ConnectionId connection : body.connections) {
      connect(index, model_.connections[connection], caption);
    }
    for (const model::PortId port : body.ports)
      relay(index, {EntityKind::Port, port.index}, model_.ports[port].relayed);
    for (const model::MailboxId mailbox : body.mailboxes) {
      relay(index, {EntityKind::Mailbox, mailbox.index}, model_.mailboxes[mailbox].relayed);
    }
    for (const PartId part : body.parts) arguments(index, part, caption);
    for (const model::Family& family : body.families) wires(index, family.body, caption);
    for (const model::Conditional& one : body.conditionals) {
      if (one.then_body) wires(index, one.then_body, "if " + wording_.expression(one.condition));
      if (one.else_body) wires(index, one.else_body, "if not " + wording_.expression(one.condition));
    }
    for (const model::ChartId chart : body.charts) {
      for (const model::StateId state : model_.charts[chart].states) {
        wires(index, model_.states[state].body, caption_of(state));
      }
    }
  }

  void connect(std::size_t index, const model::Connection& connection, const std::string& caption) {
    const std::optional<Reference> from = resolve(model_, connection.from);
    const std::optional<Reference> to = resolve(model_, connection.to);
    if (!to || (!from && connection.kind != model::ConnectionKind::Value)) return;
    std::string label = from && (from->is_indexed || to->is_indexed) ? wording_.connection(connection) : "";
    if (!caption.empty()) label += (label.empty() ? "" : "\n") + caption;
    if (!from) {
      reads(index, connection.from, end_of(index, *to), caption);
      return;
    }
    Wire wire = {kind_of(connection.kind), end_of(index, *from), end_of(index, *to)};
    wire.label = std::move(label);
    wire.is_temporary = caption.starts_with("in state ");
    add(index, std::move(wire));
  }

  static WireKind kind_of(model::ConnectionKind kind) {
    switch (kind) {
      case model::ConnectionKind::Value:
        return WireKind::Value;
      case model::ConnectionKind::Messages:
        return WireKind::Messages;
      case model::ConnectionKind::Plugs:
        return WireKind::Plugs;
      case model::ConnectionKind::Mailboxes:
        return WireKind::Mailboxes;
    }
    return WireKind::Value;
  }

  void relay(std::size_t index, Entity own, ExprId relayed) {
    if (!relayed) return;
    const std::optional<Reference> behind = resolve(model_, relayed);
    if (!behind) return;
    const WireKind kind = own.kind == EntityKind::Port ? WireKind::Messages : WireKind::Mailboxes;
    add(index, {kind, end_of(index, {{}, own, false}), end_of(index, *behind)});
  }

  /// Inputs that are given where a part is declared.
  void arguments(std::size_t index, PartId id, const std::string& caption) {
    const model::Part& part = model_.parts[id];
    const std::vector<model::Argument>& given =
        part.occupant && !part.occupant->arguments.empty() ? part.occupant->arguments : part.arguments;
    for (const model::Argument& argument : given) {
      if (argument.initial || !argument.target || !argument.value) continue;
      std::optional<Reference> target = resolve(model_, argument.target);
      if (!target || target->member.kind != EntityKind::Variable) continue;
      if (model_.variables[model::VariableId(target->member.index)].is_fixed()) continue;
      target->parts.insert(target->parts.begin(), id);
      const End to = end_of(index, *target);
      if (const std::optional<Reference> from = resolve(model_, argument.value)) {
        add(index, {WireKind::Value, end_of(index, *from), to});
      } else {
        reads(index, argument.value, to, caption);
      }
    }
  }

  /// Outputs, and variables that wires have met, follow what their formulas read.
  void formulas(std::size_t index, BodyId id) {
    const model::Body& body = model_.bodies[id];
    for (std::size_t i = 0; i < box(index).members.size(); ++i) {
      const Member member = box(index).members[i];
      if (member.entity.kind != EntityKind::Variable || member.kind == MemberKind::Input) continue;
      const End to = {index, i, true};
      const model::VariableId variable(member.entity.index);
      if (const ExprId binding = model_.variables[variable].binding) follow(index, binding, to);
      for (const model::EquationId equation_id : body.equations) {
        const model::Equation& equation = model_.equations[equation_id];
        if (equation.subject == variable) follow(index, equation.right, to);
      }
    }
  }

  void follow(std::size_t index, ExprId expr, const End& to) {
    const std::optional<Reference> only = resolve(model_, expr);
    if (only && !only->parts.empty()) {
      add(index, {WireKind::Value, end_of(index, *only), to});
    } else {
      reads(index, expr, to, "");
    }
  }

  /// Thin wires from the members of parts, and from shown variables, that an expression reads.
  void reads(std::size_t index, ExprId expr, const End& to, const std::string& caption) {
    std::set<std::pair<std::size_t, std::size_t>> met = {{to.box, to.member}};
    std::vector<ExprId> open = {expr};
    while (!open.empty()) {
      const ExprId next = open.back();
      open.pop_back();
      if (!next) continue;
      const std::optional<Reference> reference =
          resolve_size(model_, next) ? resolve_size(model_, next) : resolve(model_, next);
      if (!reference) {
        for (const ExprId operand : model_.operands_of(model_.exprs[next])) open.push_back(operand);
        continue;
      }
      if (reference->member && reference->parts.empty() && find_member(index, reference->member) == nullptr) continue;
      const End from = end_of(index, *reference);
      if (!met.insert({from.box, from.member}).second) continue;
      Wire wire = {WireKind::Formula, from, to};
      wire.is_temporary = caption.starts_with("in state ");
      add(index, std::move(wire));
    }
  }

  void add(std::size_t index, Wire wire) {
    if (wire.kind == WireKind::Messages) direct(wire);
    if (wire.kind == WireKind::Plugs || wire.kind == WireKind::Mailboxes) wire.forward = false;
    box(index).wires.push_back(std::move(wire));
  }

  /// Messages run from who sends to who receives, whichever is named first.
  void direct(Wire& wire) {
    const bool there = emits(wire.from) && accepts(wire.to);
    const bool back = emits(wire.to) && accepts(wire.from);
    if (back && !there) std::swap(wire.from, wire.to);
    wire.forward = there || back;
    wire.backward = there && back;
  }
  bool emits(const End& end) {
    if (end.member == End::kWhole) return true;
    const Member& member = box(end.box).members[end.member];
    return end.inside && member.kind != MemberKind::Mailbox ? member.receives : member.sends;
  }
  bool accepts(const End& end) {
    if (end.member == End::kWhole) return true;
    const Member& member = box(end.box).members[end.member];
    return end.inside && member.kind != MemberKind::Mailbox ? member.sends : member.receives;
  }

  // --- ends

  End end_of(std::size_t index, const Reference& reference) {
    End end = {index, End::kWhole, reference.parts.empty()};
    for (const PartId part : reference.parts) {
      const std::optional<std::size_t> found = child(end.box, part);
      if (!found) return end;  // inside what is not opened
      end.box = *found;
    }
    if (reference.member) end.member = member_index(end.box, reference.member);
    return end;
  }

  std::optional<std::size_t> child(std::size_t index, PartId part) const {
    const std::map<PartId, std::size_t>& children = children_[index];
    if (const auto found = children.find(part); found != children.end()) return found->second;
    for (const auto& [id, box_index] : children) {
      if (model_.parts[id].name == model_.parts[part].name) return box_index;
    }
    return std::nullopt;
  }

  /// What a place declares, its occupant has under the same name.
  const Member* find_member(std::size_t index, Entity entity) {
    const std::vector<Member>& members = box(index).members;
    const auto same =
        std::find_if(members.begin(), members.end(), [&](const Member& it) { return it.entity == entity; });
    if (same != members.end()) return &*same;
    const model::SymbolId symbol = symbol_of(model_, entity);
    const auto alike = std::find_if(members.begin(), members.end(), [&](const Member& it) {
      return it.entity.kind == entity.kind && it.symbol == symbol;
    });
    return alike != members.end() ? &*alike : nullptr;
  }

  std::size_t member_index(std::size_t index, Entity entity) {
    std::vector<Member>& members = box(index).members;
    if (const Member* found = find_member(index, entity)) return static_cast<std::size_t>(found - members.data());
    Member made = {entity, symbol_of(model_, entity), MemberKind::Variable};
    made.name = wording_.name(made.symbol);
    made.right = made.sends = made.receives = true;
    members.push_back(std::move(made));
    return members.size() - 1;
  }

  // --- sides

  /// Plugs, and ports that both send and receive, stand on the side from which they are first used.
  void settle_sides() {
    std::set<std::pair<std::size_t, std::size_t>> settled;
    for (const Box& container : plan_.boxes) {
      for (const Wire& wire : container.wires) {
        settle(wire.from, true, settled);
        settle(wire.to, false, settled);
      }
    }
  }

  /// Outputs of physical parts are many and mostly for plots.
  void hide_unused() {
    std::set<std::pair<std::size_t, std::size_t>> used;
    for (const Box& container : plan_.boxes) {
      for (const Wire& wire : container.wires) {
        used.insert({wire.from.box, wire.from.member});
        used.insert({wire.to.box, wire.to.member});
      }
    }
    for (std::size_t i = 1; i < plan_.boxes.size(); ++i) {
      std::vector<Member>& members = box(i).members;
      const bool is_physical =
          std::any_of(members.begin(), members.end(), [](const Member& it) { return it.kind == MemberKind::Plug; });
      for (std::size_t k = 0; is_physical && k < members.size(); ++k) {
        members[k].is_hidden = members[k].kind == MemberKind::Output && !used.contains({i, k});
      }
    }
  }

  void settle(const End& end, bool is_from, std::set<std::pair<std::size_t, std::size_t>>& settled) {
    if (end.member == End::kWhole || end.inside) return;
    Member& member = box(end.box).members[end.member];
    const bool is_free =
        member.kind == MemberKind::Plug || member.kind == MemberKind::Mailbox || (member.receives == member.sends);
    if (is_free && settled.insert({end.box, end.member}).second) member.right = is_from;
  }

  const model::Model& model_;
  Wording wording_;
  std::size_t depth_;
  StructurePlan plan_;
  std::vector<std::map<PartId, std::size_t>> children_;  ///< of each box
  std::vector<ClassId> open_;                            ///< classes on the way from the top
};

}  // namespace

StructurePlan plan_structure(const model::Model& model, const diag::Sources& sources, ClassId top, std::size_t depth) {
  return Planner(model, sources, depth).plan(top);
}

}  // namespace hyla::picture
