#include "picture/wording.h"

#include <array>
#include <cctype>

#include "base/text.h"
#include "model/dump_text.h"

namespace hyla::picture {
namespace {

constexpr auto kTriggerWords =
    std::to_array<std::string_view>({"on", "when", "after", "at", "every", "rate", "done", ""});
constexpr std::string_view kIndent = "\u00a0\u00a0";  // no-break spaces, which labels keep
constexpr std::size_t kLongestWord = 60;              ///< longer ones are broken anywhere

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Where a comment that begins at `i` ends; `i` itself if none begins there.
std::size_t end_of_comment(std::string_view text, std::size_t i) {
  if (text.substr(i, 2) == "//") return std::min(text.find('\n', i), text.size());
  if (text.substr(i, 2) != "/*") return i;
  const std::size_t end = text.find("*/", i + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

/// The bytes of the first `most` characters.
std::size_t bytes_of(std::string_view text, std::size_t most) {
  std::size_t i = 0;
  for (std::size_t count = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && count++ == most) break;
  }
  return i;
}

/// How good a place to break a line the space at `i` is: best behind a comma and before `and`, worst behind a sign.
int merit(std::string_view text, std::size_t i) {
  const char before = i > 0 ? text[i - 1] : ' ';
  const std::string_view behind = text.substr(i + 1);
  if (before == ',' || behind.starts_with("and ") || behind.starts_with("or ") || behind.starts_with("[")) return 3;
  if (behind.starts_with("+ ") || behind.starts_with("- ") || before == ';' || before == '{') return 2;
  return std::string_view("=+-*/<>:").find(before) == std::string_view::npos ? 1 : 0;
}

/// Where the first line of a text ends: at the best space in its second half, outside brackets if it can be, or
/// wherever it must.
std::size_t end_of_line(std::string_view text, std::size_t width) {
  constexpr int kBracket = 4;  // weighs more than any merit
  const std::size_t most = bytes_of(text, width);
  if (most == text.size()) return most;
  std::size_t best = 0;
  int best_merit = 0;
  int depth = 0;
  for (std::size_t i = 1; i <= most; ++i) {
    if (text[i - 1] == '(' || text[i - 1] == '[') depth += kBracket;
    if (text[i - 1] == ')' || text[i - 1] == ']') depth -= kBracket;
    if (text[i] != ' ') continue;
    const int its = merit(text, i) - depth;
    if (best < most / 3 || its >= best_merit) {
      best = i;
      best_merit = its;
    }
  }
  if (best > 0) return best;
  const std::size_t next = std::min(text.find(' '), text.size());
  return std::min(next, bytes_of(text, kLongestWord));
}

void append(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += ' ';
  text += more;
}

}  // namespace

std::size_t letters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

std::string on_one_line(std::string_view text) {
  std::string line;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      line += c;
      if (c == '\\' && i + 1 < text.size()) line += text[++i];
      if (c == quote) quote = '\0';
      continue;
    }
    if (const std::size_t end = end_of_comment(text, i); end != i) {
      i = end - 1;
      continue;
    }
    if (c == '"') quote = c;
    if (!is_space(c))
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == ';')) line.pop_back();
  return line;
}

Lines wrapped(std::string_view text, std::size_t width) {
  Lines lines;
  while (!text.empty()) {
    const std::string_view indent = lines.empty() ? std::string_view() : kIndent;
    const std::size_t end = end_of_line(text, width - letters(indent));
    lines.push_back(std::string(indent) + std::string(text.substr(0, end)));
    text.remove_prefix(end);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return lines;
}

std::string Wording::source(diag::Span span) const { return on_one_line(sources_.text(span)); }

std::string Wording::expression(model::ExprId expr) const {
  if (!expr) return "";
  const diag::Span span = model_.exprs[expr].span;
  return span.file && span.begin < span.end ? source(span) : model::expression_text(model_, expr, {});
}

std::string Wording::equation(const model::Equation& equation) const {
  return expression(equation.left) + " = " + expression(equation.right);
}

std::string Wording::connection(const model::Connection& connection) const {
  return expression(connection.from) + (connection.kind == model::ConnectionKind::Value ? " -> " : " -- ") +
         expression(connection.to);
}

std::string Wording::awaited(const std::vector<model::Awaited>& awaited) const {
  std::string text;
  for (const model::Awaited& one : awaited) {
    text += (text.empty() ? "" : ", ") + model::awaited_text(model_, one, {});
  }
  return text;
}

std::string Wording::trigger(const model::Reaction& reaction) const {
  std::string text(kTriggerWords[static_cast<std::size_t>(reaction.trigger)]);
  append(text, awaited(reaction.awaited));
  append(text, expression(reaction.condition));
  if (reaction.every_from) append(text, "from " + expression(reaction.every_from));
  if (reaction.guard) append(text, '[' + expression(reaction.guard) + ']');
  return text;
}

std::string Wording::target(const model::Target& target) const {
  return target.kind == model::TargetKind::None ? "" : "-> " + source(target.span);
}

Lines Wording::actions(model::BlockId block) const {
  Lines lines;
  if (!block) return lines;
  for (const model::ActionId id : model_.blocks[block].actions) lines.push_back(source(model_.actions[id].span));
  return lines;
}

std::string Wording::with_shape(model::SymbolId symbol, model::ShapeId shape, model::LocalId index) const {
  std::string sizes;
  if (shape) {
    for (const model::Dimension& dimension : model_.shapes[shape].dimensions) {
      std::string size = dimension.expr   ? expression(dimension.expr)
                         : dimension.size ? std::to_string(*dimension.size)
                                          : ":";
      if (index && size.find("..") == std::string::npos) size.insert(0, "1..");
      sizes += (sizes.empty() ? "" : ", ") + (index ? name(model_.locals[index].name) + " in " : "") + size;
    }
  }
  return name(symbol) + (sizes.empty() ? "" : '[' + sizes + ']');
}

std::string Wording::part_name(const model::Part& part) const {
  return with_shape(part.name, part.shape, part.family_index);
}

std::string Wording::class_name(model::ClassId id) const { return name(model_.classes[id].name); }

std::string Wording::own_name(model::ChartId id) const {
  const model::Chart& chart = model_.charts[id];
  if (chart.name || !chart.body) return name(chart.name);
  std::size_t place = 0;
  std::size_t count = 0;
  for (const model::ChartId other : model_.bodies[chart.body].charts) {
    if (model_.charts[other].name) continue;
    ++count;
    if (other == id) place = count;
  }
  return count > 1 ? "chart " + std::to_string(place) : "";
}

std::string Wording::chart_name(model::ChartId id) const {
  const model::Chart& chart = model_.charts[id];
  std::string path = own_name(id);
  for (model::BodyId body = chart.body; body;) {
    const model::Body& record = model_.bodies[body];
    if (record.state) {
      const model::State& state = model_.states[record.state];
      path = name(state.name) + (path.empty() ? "" : '.' + path);
      if (const std::string outer = own_name(state.chart); !outer.empty()) path = outer + '.' + path;
      body = model_.charts[state.chart].body;
    } else if (record.parent) {
      body = record.parent;
    } else {
      return class_name(record.object_class) + (path.empty() ? "" : '.' + path);
    }
  }
  return path;
}

}  // namespace hyla::picture
