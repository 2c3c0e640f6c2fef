// Broken texts: exactly the expected messages, and everything else is still understood.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "syntax/testing.h"
#include "syntax/verify_tree.h"

namespace hyla::syntax {
namespace {

constexpr const char* kCases = "src/syntax/testdata/recovery.txt";

struct Case {
  std::string title;
  std::string text;
  std::string outcome;
};

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream file(kCases);
  bool in_text = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), "", ""});
      in_text = true;
    } else if (line == "---") {
      in_text = false;
    } else if (!cases.empty()) {
      (in_text ? cases.back().text : cases.back().outcome) += line + "\n";
    }
  }
  return cases;
}

void add_declared_names(const Tree& tree, NodeId node, std::string& names) {
  const std::string_view kind = name_of(tree.kind(node));
  const NodeId name = tree.find(node, NodeKind::Name);
  if (name && (kind.ends_with("Decl") || kind == "Declarator" || kind == "Import")) {
    names += ' ';
    names += tree.name(name);
  }
  for (const NodeId child : tree.children(node)) add_declared_names(tree, child, names);
}

/// The messages with their labels and hints, then the names that the tree declares.
std::string outcome(const Parsed& parsed) {
  std::ostringstream out;
  const auto place = [&](const diag::Span& span) {
    const diag::Position at = parsed.sources->position(parsed.file, span.begin);
    return fmt::format("{}:{}", at.line, at.column);
  };
  for (const diag::Diagnostic& d : parsed.sink.sorted()) {
    out << place(d.span) << ' ' << diag::info(d.kind).name << ": " << d.message << '\n';
    for (const diag::Label& label : d.labels) out << "    " << place(label.span) << ": " << label.text << '\n';
    for (const std::string& hint : d.hints) out << "    hint: " << hint << '\n';
  }
  std::string names;
  add_declared_names(parsed.tree, parsed.tree.root(), names);
  out << "names:" << names << "\n\n";
  return out.str();
}

TEST(Recovery, TellsEachMistakeOnce) {
  const std::vector<Case> cases = read_cases();
  ASSERT_GT(cases.size(), 50U);
  for (const Case& c : cases) {
    const Parsed parsed(c.text);
    EXPECT_EQ(outcome(parsed), c.outcome) << "=== " << c.title;
    EXPECT_EQ(verify_tree(parsed.tree), std::vector<std::string>{}) << c.title;
  }
}

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Recovery, SurvivesDeepNesting) {
  constexpr int kDeep = 10'000;
  const std::vector<std::string> texts = {
      "model A { x = " + repeated("(", kDeep) + "1" + repeated(")", kDeep) + "; var y; }",
      "model A { x = " + repeated("[", kDeep) + "1" + repeated("]", kDeep) + "; var y; }",
      "model A { x = " + repeated("f(", kDeep) + "1" + repeated(")", kDeep) + "; var y; }",
      "model A { x = " + repeated("a[", kDeep) + "1" + repeated("]", kDeep) + "; var y; }",
      "model A { x = " + repeated("der(", kDeep) + "1" + repeated(")", kDeep) + "; var y; }",
      "model A { x = " + repeated("- ", kDeep) + "1; var y; }",
      "model A { x = " + repeated("not ", kDeep) + "a; var y; }",
      "model A { x = " + repeated("a ^ ", kDeep) + "1; var y; }",
      "model A { x = " + repeated("if a then b else ", kDeep) + "1; var y; }",
      "model A { x = " + repeated("if ", kDeep) + "a" + repeated(" then b else c", kDeep) + "; var y; }",
      "model A { x = a" + repeated(".b", kDeep) + "; var y; }",
      "model A { x = a" + repeated("(b)", kDeep) + "; var y; }",
      "model A { x = a" + repeated("[b]", kDeep) + "; var y; }",
      "model A { hold a" + repeated("[b]", kDeep) + "; var y; }",
      "model A { section S { a" + repeated(".b", kDeep) + "(); } var y; }",
      "model A { x = 1 [" + repeated("(", kDeep) + "m" + repeated(")", kDeep) + "]; var y; }",
      "model A { " + repeated("if a { } else ", kDeep) + "{ } var y; }",
      "model A { when x { " + repeated("if a { } else ", kDeep) + "{ } } var y; }",
      "model A { when x " + repeated("{ loop ", kDeep) + repeated("}", kDeep) + " var y; }",
      "model A { " + repeated("state S { ", kDeep) + repeated("}", kDeep) + " var y; }",
  };
  for (const std::string& text : texts) {
    const Parsed parsed(text);
    EXPECT_EQ(parsed.messages().size(), 1U) << text.substr(0, 40) << parsed.messages()[0];
    EXPECT_EQ(verify_tree(parsed.tree), std::vector<std::string>{}) << text.substr(0, 40);
    EXPECT_TRUE(outcome(parsed).ends_with("y\n\n")) << text.substr(0, 40);
  }
}

TEST(Recovery, AllowsWhatIsNotTooDeep) {
  for (const char* open : {"(", "-", "not ", "if a then b else ", "f("}) {
    const bool closes = std::string_view(open).ends_with('(');
    const std::string close = closes ? ")" : "";
    const auto text = [&](int depth) {
      return "constant c = " + repeated(open, depth) + "1" + repeated(close, depth) + ";";
    };
    EXPECT_EQ(Parsed(text(kMaxNesting)).messages().size(), 0U) << open;
    EXPECT_EQ(Parsed(text(kMaxNesting + 1)).messages().size(), 1U) << open;
  }
  EXPECT_EQ(Parsed("constant c = a" + repeated(".b", kMaxNesting) + ";").messages().size(), 0U);
  EXPECT_EQ(Parsed("constant c = " + repeated("a + ", 100'000) + "b;").messages().size(), 0U);
  EXPECT_EQ(Parsed("constant c = " + repeated("a and ", 100'000) + "b;").messages().size(), 0U);
}

TEST(Recovery, TakesLinearTimeForHugeUnclosedTexts) {
  for (const char* text : {"(", "{", "[", "}", ")", "model A {", "model A {\n", "  }\n", "f(", "a.", "if ",
                           "x = ", "\"", "`", "/* ", "; "}) {
    const Parsed parsed("model A { x = " + repeated(text, 200'000));
    EXPECT_FALSE(parsed.messages().empty());
  }
}

}  // namespace
}  // namespace hyla::syntax
