#include <array>

#include "base/text.h"
#include "model/dump_text.h"

namespace hyla::model {
namespace {

constexpr auto kVariableWords =
    std::to_array<std::string_view>({"constant", "parameter", "input", "output", "var", "discrete"});
constexpr auto kPartWords = std::to_array<std::string_view>({"object", "dynamic", "population"});
constexpr auto kFormWords = std::to_array<std::string_view>({"derivative", "formula", "implicit"});
constexpr auto kConnectionWords = std::to_array<std::string_view>({"value", "messages", "plugs", "mailboxes"});
constexpr auto kTriggerWords =
    std::to_array<std::string_view>({"on", "when", "after", "at", "every", "rate", "done", ""});

template <std::size_t N, class Kind>
std::string word(const std::array<std::string_view, N>& words, Kind kind) {
  return std::string(words[static_cast<std::size_t>(kind)]);
}

/// Appends `more`, behind a blank unless the text is still empty.
void append(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += ' ';
  text += more;
}

/// Writes one body; the writer's scope is that body.
class BodyDumper {
 public:
  explicit BodyDumper(DumpWriter& out) : out_(out), model_(out.model) {}

  void dump(const Body& body) {
    for (const VariableId id : body.variables) {
      if (!model_.variables[id].plug) variable(model_.variables[id]);
    }
    for (const PartId id : body.parts) part(model_.parts[id]);
    for (const PlugId id : body.plugs) plug(model_.plugs[id]);
    for (const PortId id : body.ports) port(model_.ports[id]);
    for (const MailboxId id : body.mailboxes) mailbox(model_.mailboxes[id]);
    for (const SignalId id : body.signals) out_.line("signal " + name(model_.signals[id].name));
    for (const StatisticId id : body.statistics) statistic(model_.statistics[id]);
    for (const ProcessId id : body.processes) process(model_.processes[id]);
    for (const EquationId id : body.equations) equation(model_.equations[id]);
    for (const ExprId id : body.holds) out_.line("hold " + expression(id));
    for (const ConnectionId id : body.connections) connection(model_.connections[id]);
    for (const RequirementId id : body.requirements) {
      out_.line(requirement_text(model_, model_.requirements[id], out_.scope));
    }
    for (const BlockId id : body.initial_blocks) dump_block(out_, "initial", id);
    for (const BlockId id : body.entry_blocks) dump_block(out_, "entry", id);
    for (const BlockId id : body.exit_blocks) dump_block(out_, "exit", id);
    for (const ReactionId id : body.reactions) reaction(model_.reactions[id]);
    for (const Deferral& deferral : body.deferrals) {
      out_.line("defer " + awaited_text(model_, deferral.awaited, out_.scope));
    }
    for (const Family& family : body.families) this->family(family);
    for (const Conditional& conditional : body.conditionals) this->conditional(conditional);
    if (body.select) select(*body.select);
    for (const ChartId id : body.charts) chart(id);
  }

 private:
  std::string name(SymbolId symbol) const { return std::string(model_.name(symbol)); }
  std::string expression(ExprId expr) const { return expression_text(model_, expr, out_.scope); }
  std::string shape(ShapeId shape, LocalId index = {}) const { return shape_text(model_, shape, index, out_.scope); }

  void variable(const Variable& variable) {
    std::string text =
        (variable.keep ? "keep " : "") + word(kVariableWords, variable.kind) + " " + name(variable.name) + ": ";
    text +=
        type_text(model_, variable.type, variable.unit, variable.shape, out_.scope) + attributes(variable.attributes);
    if (variable.initial) text += " := " + expression(variable.initial);
    if (variable.binding) text += " = " + expression(variable.binding);
    // A literal tells its own value.
    const bool literal = variable.binding && model_.exprs[variable.binding].operand_count == 0;
    if (variable.value && !(literal && model_.exprs[variable.binding].number == *variable.value)) {
      text += " {" + base::format_number(*variable.value) + "}";
    }
    out_.line(text);
  }

  std::string attributes(const Attributes& attributes) const {
    std::string text;
    const auto add = [&](std::string_view attribute, const std::string& value) {
      text += text.empty() ? " (" : ", ";
      text += std::string(attribute) + " = " + value;
    };
    if (attributes.min) add("min", expression(attributes.min));
    if (attributes.max) add("max", expression(attributes.max));
    if (attributes.nominal) add("nominal", expression(attributes.nominal));
    if (attributes.guess) add("guess", expression(attributes.guess));
    if (attributes.display) add("display", expression(attributes.display));
    if (attributes.fixed) add("fixed", *attributes.fixed ? "true" : "false");
    return text.empty() ? text : text + ")";
  }

  void part(const Part& part) {
    std::string text =
        word(kPartWords, part.kind) + " " + name(part.name) + shape(part.shape, part.family_index) + ": ";
    if (part.external) {
      text += entity_name(model_, {EntityKind::ExternalObject, part.external.index}, out_.scope) + "(";
      for (std::size_t i = 0; i < part.external_arguments.size(); ++i) {
        text += (i > 0 ? ", " : "") + expression(part.external_arguments[i]);
      }
      text += ")";
    } else {
      text += entity_name(model_, {EntityKind::Class, part.object_class.index}, out_.scope) +
              arguments_text(model_, part.arguments, out_.scope);
    }
    if (part.kind == PartKind::Dynamic) {
      text += " := " + (part.occupant ? occupant_text(model_, *part.occupant, out_.scope) : "none");
    }
    out_.line(text);
  }

  void plug(const Plug& plug) {
    out_.line("plug " + name(plug.name) + shape(plug.shape) + ": " +
              entity_name(model_, {EntityKind::Connector, plug.connector.index}, out_.scope));
  }

  void port(const Port& port) {
    std::string text = "port " + name(port.name) + shape(port.shape);
    if (port.protocol) {
      text += std::string(": ") + (port.conjugate ? "conjugate " : "") +
              entity_name(model_, {EntityKind::Protocol, port.protocol.index}, out_.scope);
    }
    if (!port.receives.empty()) text += " receives " + message_list(model_, port.receives);
    if (!port.sends.empty()) text += " sends " + message_list(model_, port.sends);
    if (port.relayed) text += " = " + expression(port.relayed);
    out_.line(text);
  }

  void mailbox(const Mailbox& mailbox) {
    std::string text =
        "mailbox " + name(mailbox.name) + shape(mailbox.shape) + ": " + message_list(model_, mailbox.messages);
    if (mailbox.order) {
      text += " by ";
      if (mailbox.order_message) text += "(" + name(model_.locals[mailbox.order_message].name) + ") ";
      text += expression(mailbox.order);
    }
    if (mailbox.relayed) text += " = " + expression(mailbox.relayed);
    out_.line(text);
  }

  void statistic(const Statistic& statistic) {
    std::string text = (statistic.kind == StatisticKind::Tally ? "tally " : "accumulate ") + name(statistic.name);
    if (statistic.unit && statistic.unit != kBareUnit)
      text += " [" + std::string(model_.unit_name(statistic.unit)) + "]";
    if (statistic.observed) text += " = " + expression(statistic.observed);
    out_.line(text);
  }

  void process(const Process& process) {
    dump_block(out_,
               (process.automatic ? "auto process " : "process ") + name(process.name) +
                   parameters_text(model_, process.parameters, {}),
               process.block);
  }

  void equation(const Equation& equation) {
    std::string text = "equation " + word(kFormWords, equation.form) + " ";
    if (equation.label) text += name(equation.label) + ": ";
    out_.line(text + expression(equation.left) + " = " + expression(equation.right));
  }

  void connection(const Connection& connection) {
    out_.line("connect " + word(kConnectionWords, connection.kind) + " " +
              connection_text(model_, connection, out_.scope));
  }

  std::string state_list(const std::vector<StateId>& states) const {
    std::string text;
    for (const StateId state : states) text += (text.empty() ? "" : ", ") + state_path(model_, state, out_.scope);
    return text;
  }

  std::string target(const Target& target) const {
    switch (target.kind) {
      case TargetKind::None:
        return {};
      case TargetKind::State:
        return "-> " + state_list(target.states);
      case TargetKind::Choice:
        return "-> " + entity_name(model_, {EntityKind::Choice, target.choice.index}, out_.scope);
      case TargetKind::Self:
        return "-> self";
      case TargetKind::Final:
        return "-> final";
      case TargetKind::History:
        return "-> history(" + state_list(target.states) + ")";
      case TargetKind::DeepHistory:
        return "-> deep history(" + state_list(target.states) + ")";
      case TargetKind::Fork:
        return "-> (" + state_list(target.states) + ")";
    }
    return {};
  }

  void reaction(const Reaction& reaction) {
    std::string text = "reaction";
    if (reaction.label) append(text, name(reaction.label) + ":");
    if (reaction.priority != 0) append(text, "@priority(" + std::to_string(reaction.priority) + ")");
    if (reaction.from_any) append(text, "from any");
    if (!reaction.from.empty()) append(text, "from " + state_list(reaction.from));
    append(text, word(kTriggerWords, reaction.trigger));
    std::string awaited;
    for (const Awaited& one : reaction.awaited) {
      awaited += (awaited.empty() ? "" : ", ") + awaited_text(model_, one, out_.scope);
    }
    append(text, awaited);
    if (reaction.condition) append(text, expression(reaction.condition));
    if (reaction.every_from) append(text, "from " + expression(reaction.every_from));
    if (reaction.guard) append(text, "if " + expression(reaction.guard));
    append(text, target(reaction.target));
    dump_block(out_, text, reaction.block);
  }

  void family(const Family& family) {
    out_.line("for " + entity_name(model_, {EntityKind::Local, family.index.index}, out_.scope) + " in " +
              expression(family.range));
    dump_body(out_, family.body);
  }

  /// The conditional of an `else` body that holds nothing else.
  const Conditional* else_if(BodyId id) const {
    if (!id) return nullptr;
    const Body& body = model_.bodies[id];
    const bool only =
        body.conditionals.size() == 1 && body.variables.empty() && body.parts.empty() && body.plugs.empty() &&
        body.ports.empty() && body.mailboxes.empty() && body.signals.empty() && body.statistics.empty() &&
        body.processes.empty() && body.equations.empty() && body.holds.empty() && body.connections.empty() &&
        body.requirements.empty() && body.reactions.empty() && body.deferrals.empty() && body.charts.empty() &&
        body.initial_blocks.empty() && body.entry_blocks.empty() && body.exit_blocks.empty() && body.families.empty();
    return only ? &body.conditionals.front() : nullptr;
  }

  /// A chain of `else if` may be long, so it is walked, not descended into.
  void conditional(const Conditional& first) {
    std::string head = "if ";
    for (const Conditional* one = &first; one != nullptr;) {
      out_.line(head + expression(one->condition));
      if (one->then_body) dump_body(out_, one->then_body);
      const BodyId otherwise = one->else_body;
      one = else_if(otherwise);
      head = "else if ";
      if (one == nullptr && otherwise) {
        out_.line("else");
        dump_body(out_, otherwise);
      }
    }
  }

  void select(const SelectOrder& select) {
    std::string text = "select";
    for (std::size_t i = 0; i < select.order.size(); ++i) text += (i == 0 ? " [" : ", ") + expression(select.order[i]);
    if (!select.order.empty()) text += "]";
    if (select.imminent) text += "(" + name(model_.locals[select.imminent].name) + ")";
    dump_block(out_, text, select.function);
  }

  void chart(ChartId id) {
    const Chart& chart = model_.charts[id];
    out_.line(chart.name ? "chart " + name(chart.name) : "chart");
    const DumpWriter::Indent indent(out_);
    const Scope outside = out_.scope;
    out_.scope.chart = id;
    if (chart.initial.target.kind != TargetKind::None) {
      dump_block(out_, "initial " + target(chart.initial.target), chart.initial.block);
    }
    for (const ReactionId reaction_id : chart.reactions) reaction(model_.reactions[reaction_id]);
    for (const ChoiceId choice_id : chart.choices) choice(model_.choices[choice_id]);
    for (const StateId state_id : chart.states) {
      const State& state = model_.states[state_id];
      out_.line("state " + name(state.name));
      if (state.body) dump_body(out_, state.body);
    }
    out_.scope = outside;
  }

  void choice(const Choice& choice) {
    out_.line("choice " + name(choice.name));
    const DumpWriter::Indent indent(out_);
    for (const ChoiceBranch& branch : choice.branches) {
      std::string text = branch.guard ? "if " + expression(branch.guard) : "else";
      append(text, target(branch.target));
      dump_block(out_, text, branch.block);
    }
  }

  DumpWriter& out_;
  const Model& model_;
};

}  // namespace

std::string requirement_text(const Model& model, const Requirement& requirement, Scope scope) {
  const auto clause = [&](const std::string& word, ExprId expr) {
    return expr ? " " + word + " " + expression_text(model, expr, scope) : std::string();
  };
  std::string text = "require";
  if (requirement.trigger) text += clause("when", requirement.trigger) + ":";
  if (requirement.form == RequirementForm::Eventually) text += " eventually";
  text += " " + expression_text(model, requirement.condition, scope) + clause("for", requirement.duration) +
          clause("until", requirement.goal) + clause("within", requirement.within);
  return requirement.text.empty() ? text : text + " " + quoted(requirement.text);
}

void dump_body(DumpWriter& out, BodyId body) {
  const DumpWriter::Indent indent(out);
  const Scope outside = out.scope;
  out.scope = {body, {}};
  BodyDumper(out).dump(out.model.bodies[body]);
  out.scope = outside;
}

}  // namespace hyla::model
