#include "diag/json.h"

#include <gtest/gtest.h>

namespace hyla::diag {
namespace {

TEST(Json, EscapesWhatMustBeEscaped) {
  EXPECT_EQ(json_string("plain ω"), "\"plain ω\"");
  EXPECT_EQ(json_string("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(json_string(std::string_view("\x00\x1b\x7f", 3)), R"("\u0000\u001b\u007f")");
  EXPECT_EQ(json_string("\xFF\xC3"), R"("\ufffd\ufffd")");
}

TEST(Json, WritesADiagnosticAsOneObject) {
  Sources sources;
  const FileId file = sources.add("a.hyla", "ω = x;\ny = 1;\n");
  const Diagnostic diagnostic = {
      Kind::UnknownName, "`x` is not declared", {file, 5, 6}, "here", {{{file, 8, 15}, "there"}}, {"a", "b"}};
  EXPECT_EQ(
      to_json(diagnostic, sources),
      R"({"kind": "unknown-name", "severity": "error", "message": "`x` is not declared", )"
      R"("file": "a.hyla", "line": 1, "column": 5, "end_line": 1, "end_column": 6, "text": "here", )"
      R"("labels": [{"file": "a.hyla", "line": 2, "column": 1, "end_line": 3, "end_column": 1, "text": "there"}], )"
      R"("hints": ["a", "b"]})");
}

TEST(Json, WritesTheCircumstancesOfAFailedRun) {
  Sources sources;
  const FileId file = sources.add("a.hyla", "der(x) = x^2;\n");
  Diagnostic diagnostic = {Kind::StepTooSmall, "too small", {file, 0, 13}, "", {}, {"stop before"}};
  diagnostic.parts = {{"where", "`Case` at t = 1", {}}, {"blame", "`x`", {file, 4, 5}}};
  const std::string text = to_json(diagnostic, sources);
  EXPECT_NE(text.find(R"("labels": [], "parts": [{"name": "where", "text": "`Case` at t = 1"}, )"
                      R"({"name": "blame", "text": "`x`", "file": "a.hyla", "line": 1, "column": 5, )"
                      R"("end_line": 1, "end_column": 6}], "hints": ["stop before"]})"),
            std::string::npos)
      << text;
}

TEST(Json, WritesAWholeDocument) {
  Sources sources;
  const FileId file = sources.add("a.hyla", "x\n");
  const std::vector<Diagnostic> diagnostics = {{Kind::UnknownName, "odd", {file, 0, 1}, "", {}, {}}};
  const std::vector<std::string> failures = {"no file `b.hyla`"};
  EXPECT_EQ(to_json({}, {}, {}, sources),
            "{\"diagnostics\": [],\n \"failures\": [],\n \"errors\": 0, \"warnings\": 0, \"omitted\": 0}\n");
  const std::string document = to_json(diagnostics, {1, 0, 7}, failures, sources);
  EXPECT_EQ(document,
            "{\"diagnostics\": [" + to_json(diagnostics.front(), sources) +
                "],\n \"failures\": [\"no file `b.hyla`\"],\n \"errors\": 1, \"warnings\": 0, \"omitted\": 7}\n");
}

}  // namespace
}  // namespace hyla::diag
