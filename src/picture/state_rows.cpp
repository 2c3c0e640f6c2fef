#include "picture/state_rows.h"

#include <algorithm>
#include <cmath>

#include "picture/dot.h"
#include "picture/picture.h"

namespace hyla::picture {
namespace {

constexpr std::size_t kStateWidth = 44;  ///< characters
constexpr std::size_t kArcWidth = 34;
constexpr std::size_t kMostLines = 12;  ///< of one block of actions
constexpr double kCodeLetter = 4.85;    ///< points
constexpr double kWordLetter = 4.3;     ///< points, on average
constexpr double kRowPadding = 8;
constexpr std::string_view kBreak = "<BR ALIGN=\"LEFT\"/>";
constexpr std::string_view kWordColour = "#8A4B08";  ///< of words that stand before a row: entry, exit, var

std::string joined(const Lines& lines) {
  std::string markup;
  std::size_t count = 0;
  for (const std::string& line : lines) {
    if (count > 0) markup += kBreak;
    if (++count > kMostLines) return markup + "…";
    markup += escaped(line);
  }
  return markup;
}

Lines wrapped_all(const Lines& texts, std::size_t width) {
  Lines all;
  for (const std::string& text : texts) {
    const Lines lines = wrapped(text, width);
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}

/// A left-aligned row of a label's table, at least `width` points wide.
std::string row(std::string_view markup, double width = 0) {
  const std::string least = width > 0 ? " WIDTH=\"" + std::to_string(std::lround(std::ceil(width))) + '"' : "";
  return "<TR><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\"" + least + ">" + std::string(markup) + "</TD></TR>";
}

/// How wide a row with this code is in points. Graphviz measures with rounded letters and comes out too narrow.
double code_width(const Lines& lines, std::string_view before = "") {
  std::size_t longest = 0;
  for (const std::string& line : lines) longest = std::max(longest, letters(line));
  return kCodeLetter * static_cast<double>(longest) + kWordLetter * static_cast<double>(letters(before)) + kRowPadding;
}

std::string code_row(std::string_view word, const Lines& texts) {
  const Lines lines = wrapped_all(texts, kStateWidth);
  if (lines.empty()) return "";
  if (word.empty()) return row(code(joined(lines)), code_width(lines));
  if (lines.size() > 1)
    return row(small(word, kWordColour) + std::string(kBreak) + code(joined(lines)), code_width(lines));
  return row(small(word, kWordColour) + ' ' + code(joined(lines)), code_width(lines, std::string(word) + ' '));
}

class BodyRows {
 public:
  BodyRows(const model::Model& model, const Wording& wording) : model_(model), wording_(wording) {}

  std::string rows(const model::Body& body) {
    variables(body);
    parts(body);
    equations(body);
    for (const model::RequirementId id : body.requirements) {
      add("require", {wording_.expression(model_.requirements[id].condition)});
    }
    for (const model::BlockId id : body.initial_blocks) add("initial /", wording_.actions(id));
    for (const model::BlockId id : body.entry_blocks) add("entry /", wording_.actions(id));
    for (const model::BlockId id : body.exit_blocks) add("exit /", wording_.actions(id));
    for (const model::Deferral& deferral : body.deferrals) {
      model::Reaction awaiting;
      awaiting.trigger = model::TriggerKind::Automatic;
      awaiting.awaited = {deferral.awaited};
      add("defer", {wording_.trigger(awaiting)});
    }
    for (const model::ReactionId id : body.reactions) {
      if (is_told(model_.reactions[id], !body.charts.empty())) reaction(model_.reactions[id]);
    }
    for (const model::ProcessId id : body.processes) {
      add(model_.processes[id].automatic ? "auto process" : "process", {wording_.name(model_.processes[id].name)});
    }
    return std::move(text_);
  }

  std::string chart_rows(const model::Chart& chart) {
    for (const model::ReactionId id : chart.reactions) {
      const model::Reaction& one = model_.reactions[id];
      if (one.target.kind == model::TargetKind::None) reaction(one);
    }
    return std::move(text_);
  }

 private:
  void add(std::string_view word, const Lines& texts) { text_ += code_row(word, texts); }

  void variables(const model::Body& body) {
    std::string names;
    for (const model::VariableId id : body.variables) {
      const model::Variable& variable = model_.variables[id];
      if (variable.plug || variable.is_fixed()) continue;
      if (variable.binding) continue;
      names += (names.empty() ? "" : ", ") + wording_.with_shape(variable.name, variable.shape);
    }
    if (!names.empty()) add("var", {names});
  }

  void parts(const model::Body& body) {
    for (const model::PartId id : body.parts) {
      const model::Part& part = model_.parts[id];
      const model::ClassId shown = shown_class(part);
      add("object", {wording_.part_name(part) + (shown ? ": " + wording_.class_name(shown) : "")});
    }
    for (const model::ConnectionId id : body.connections) {
      add("connect", {wording_.connection(model_.connections[id])});
    }
  }

  void equations(const model::Body& body) {
    Lines texts;
    for (const model::VariableId id : body.variables) {
      const model::Variable& variable = model_.variables[id];
      if (variable.plug || variable.is_fixed() || !variable.binding) continue;
      texts.push_back(wording_.with_shape(variable.name, variable.shape) + " = " +
                      wording_.expression(variable.binding));
    }
    for (const model::EquationId id : body.equations) texts.push_back(wording_.equation(model_.equations[id]));
    add("", texts);
    for (const model::ExprId id : body.holds) add("hold", {wording_.expression(id)});
    for (const model::Family& family : body.families) {
      const std::string head =
          "for " + wording_.name(model_.locals[family.index].name) + " in " + wording_.expression(family.range);
      inner(head, family.body);
    }
    for (const model::Conditional& conditional : body.conditionals) {
      inner("if " + wording_.expression(conditional.condition), conditional.then_body);
      inner("else", conditional.else_body);
    }
  }

  void inner(const std::string& head, model::BodyId id) {
    if (!id) return;
    const std::string rows = BodyRows(model_, wording_).rows(model_.bodies[id]);
    if (!rows.empty()) text_ += row(small(escaped(head), kWordColour)) + rows;
  }

  void reaction(const model::Reaction& reaction) {
    std::string head = trigger_text(wording_, reaction);
    if (const std::string target = wording_.target(reaction.target); !target.empty()) head += ' ' + target;
    const Lines actions = wrapped_all(wording_.actions(reaction.block), kStateWidth);
    std::string markup = small(joined(wrapped(head + (actions.empty() ? "" : " /"), kStateWidth)), kWordColour);
    if (!actions.empty()) markup += std::string(kBreak) + code(joined(actions));
    text_ += row(markup, code_width(actions));
  }

  const model::Model& model_;
  const Wording& wording_;
  std::string text_;
};

}  // namespace

bool is_told(const model::Reaction& reaction, bool has_charts) {
  return reaction.target.kind == model::TargetKind::None ||
         (has_charts && reaction.target.kind == model::TargetKind::Self);
}

std::string trigger_text(const Wording& wording, const model::Reaction& reaction) {
  std::string text;
  if (reaction.label) text += wording.name(reaction.label) + ": ";
  if (reaction.priority != 0) text += "@priority(" + std::to_string(reaction.priority) + ") ";
  if (reaction.from_any && reaction.target.kind == model::TargetKind::None) text += "from any ";
  return text + wording.trigger(reaction);
}

std::string transition_label(const Wording& wording, std::string_view trigger, model::BlockId block) {
  const Lines actions = wrapped_all(wording.actions(block), kArcWidth);
  if (trigger.empty() && actions.empty()) return "";
  std::string markup = "/ ";
  if (!trigger.empty()) {
    markup = joined(wrapped(std::string(trigger) + (actions.empty() ? "" : " /"), kArcWidth));
    if (!actions.empty()) markup += kBreak;
  }
  markup += code(joined(actions));
  return "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"4\">" +
         row(markup, actions.empty() ? 0 : code_width(actions)) + "</TABLE>";
}

std::string branch_label(const Wording& wording, const model::ChoiceBranch& branch) {
  const std::string guard = branch.guard ? '[' + wording.expression(branch.guard) + ']' : "else";
  return transition_label(wording, guard, branch.block);
}

std::string body_rows(const model::Model& model, const Wording& wording, const model::Body& body) {
  return BodyRows(model, wording).rows(body);
}

std::string chart_rows(const model::Model& model, const Wording& wording, const model::Chart& chart) {
  return BodyRows(model, wording).chart_rows(chart);
}

}  // namespace hyla::picture
