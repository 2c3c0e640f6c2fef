#include "diag/json.h"

#include "base/json.h"

namespace hyla::diag {
namespace {

void append_number(std::string& out, std::string_view key, std::size_t number) {
  out += json_string(key) + ": " + std::to_string(number);
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  out += json_string(key) + ": " + json_string(text);
}

/// The members `file` to `end_column` of a place.
void append_place(std::string& out, const Sources& sources, Span span) {
  const Position begin = sources.position(span.file, span.begin);
  const Position end = sources.position(span.file, span.end);
  append_text(out, "file", sources.path(span.file));
  append_number(out += ", ", "line", begin.line);
  append_number(out += ", ", "column", begin.column);
  append_number(out += ", ", "end_line", end.line);
  append_number(out += ", ", "end_column", end.column);
}

/// Appends `[a, b]` with the elements that `append(out, item)` writes.
template <class Items, class Append>
void append_array(std::string& out, std::string_view key, const Items& items, std::string_view separator,
                  Append append) {
  out += json_string(key) + ": [";
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) out += separator;
    is_first = false;
    append(out, item);
  }
  out += ']';
}

void append_string(std::string& out, const std::string& text) { out += json_string(text); }

}  // namespace

std::string json_string(std::string_view text) {
  std::string out;
  base::append_json_string(out, text);
  return out;
}

std::string to_json(const Diagnostic& diagnostic, const Sources& sources) {
  std::string out = "{";
  append_text(out, "kind", info(diagnostic.kind).name);
  append_text(out += ", ", "severity", diagnostic.severity() == Severity::Error ? "error" : "warning");
  append_text(out += ", ", "message", diagnostic.message);
  append_place(out += ", ", sources, diagnostic.span);
  append_text(out += ", ", "text", diagnostic.text);
  append_array(out += ", ", "labels", diagnostic.labels, ", ", [&](std::string& to, const Label& label) {
    append_place(to += '{', sources, label.span);
    append_text(to += ", ", "text", label.text);
    to += '}';
  });
  if (!diagnostic.parts.empty()) {
    append_array(out += ", ", "parts", diagnostic.parts, ", ", [&](std::string& to, const Part& part) {
      append_text(to += '{', "name", part.name);
      append_text(to += ", ", "text", part.text);
      if (part.span.file) append_place(to += ", ", sources, part.span);
      to += '}';
    });
  }
  append_array(out += ", ", "hints", diagnostic.hints, ", ", append_string);
  out += '}';
  return out;
}

std::string to_json(std::span<const Diagnostic> diagnostics, const Counts& counts,
                    std::span<const std::string> failures, const Sources& sources) {
  std::string out = "{";
  append_array(out, "diagnostics", diagnostics, ",\n  ",
               [&](std::string& to, const Diagnostic& diagnostic) { to += to_json(diagnostic, sources); });
  append_array(out += ",\n ", "failures", failures, ", ", append_string);
  append_number(out += ",\n ", "errors", counts.errors);
  append_number(out += ", ", "warnings", counts.warnings);
  append_number(out += ", ", "omitted", counts.omitted);
  out += "}\n";
  return out;
}

}  // namespace hyla::diag
