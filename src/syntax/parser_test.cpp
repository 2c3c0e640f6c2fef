#include "syntax/parser.h"

#include <bitset>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "syntax/dump_tree.h"
#include "syntax/testing.h"
#include "syntax/verify_tree.h"

namespace hyla::syntax {
namespace {

constexpr const char* kShapes = "src/syntax/testdata/shapes.txt";

/// A text, the place where it stands, and the tree it gives.
struct Case {
  std::string place;
  std::string text;
  std::string tree;
};

std::string with_single_blanks(const std::string& text) {
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream file(kShapes);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("    ")) {
      cases.back().tree += line + " ";
    } else {
      const std::size_t colon = line.find(": ");
      cases.push_back({line.substr(0, colon), line.substr(colon + 2), ""});
    }
  }
  for (Case& c : cases) c.tree = with_single_blanks(c.tree);
  return cases;
}

std::string in_its_place(const Case& c) {
  if (c.place == "body") return "model M { " + c.text + " }";
  if (c.place == "block") return "function f() { " + c.text + " }";
  if (c.place == "expression") return "constant c = " + c.text + ";";
  return c.text;
}

/// The node whose children stand for the text of a case.
NodeId place_node(const Tree& tree, const std::string& place) {
  NodeId node = tree.root();
  if (place == "body") node = tree.find(tree.child(node, 0), NodeKind::Body);
  if (place == "block") node = tree.find(tree.child(node, 0), NodeKind::Block);
  if (place == "expression") {
    node = tree.find(tree.find(tree.child(node, 0), NodeKind::Declarator), NodeKind::Binding);
  }
  return node;
}

TEST(Parser, GivesTheDocumentedTrees) {
  const std::vector<Case> cases = read_cases();
  ASSERT_GT(cases.size(), 40U);
  for (const Case& c : cases) {
    const Parsed parsed(in_its_place(c));
    EXPECT_EQ(parsed.messages(), std::vector<std::string>{}) << c.text;
    EXPECT_EQ(verify_tree(parsed.tree), std::vector<std::string>{}) << c.text;
    std::string dump;
    for (const NodeId child : parsed.tree.children(place_node(parsed.tree, c.place))) {
      dump += dump_tree(parsed.tree, child) + " ";
    }
    EXPECT_EQ(with_single_blanks(dump), c.tree) << c.text;
  }
}

TEST(Parser, MakesEveryKindOfNode) {
  std::bitset<256> seen;
  for (const Case& c : read_cases()) {
    const Parsed parsed(in_its_place(c));
    for (std::uint32_t i = 0; i < parsed.tree.node_count(); ++i) {
      seen.set(static_cast<std::size_t>(parsed.tree.kind(NodeId{i})));
    }
  }
  for (std::size_t kind = 0; kind <= static_cast<std::size_t>(NodeKind::PowerExpr); ++kind) {
    const bool is_invalid = static_cast<NodeKind>(kind) == NodeKind::Invalid;
    EXPECT_EQ(seen.test(kind), !is_invalid) << name_of(static_cast<NodeKind>(kind));
  }
}

TEST(Parser, LosesNothing) {
  const std::string text = "\xEF\xBB\xBF// a\r\nmodel M { /* b */ x = 1; }\t/// c\n $ \n";
  const Parsed parsed(text);
  EXPECT_EQ(verify_tree(parsed.tree), std::vector<std::string>{});
}

TEST(Parser, ReadsEmptyFiles) {
  for (const char* text : {"", " ", "\n", "// only a comment", "\xEF\xBB\xBF"}) {
    const Parsed parsed(text);
    EXPECT_EQ(parsed.messages(), std::vector<std::string>{});
    EXPECT_EQ(dump_tree(parsed.tree), "(File)");
    EXPECT_EQ(verify_tree(parsed.tree), std::vector<std::string>{});
  }
}

TEST(Parser, TakesWordsAsNamesOutsideTheirPlace) {
  const auto kind_of = [](const std::string& item) {
    const Parsed parsed("model M { " + item + " }");
    EXPECT_EQ(parsed.messages(), std::vector<std::string>{}) << item;
    return name_of(parsed.tree.kind(parsed.tree.child(place_node(parsed.tree, "body"), 0)));
  };
  EXPECT_EQ(kind_of("rate = 3;"), "Equation");
  EXPECT_EQ(kind_of("rate 3 -> A;"), "Reaction");
  EXPECT_EQ(kind_of("object.x = 3;"), "Equation");
  EXPECT_EQ(kind_of("signal[1] = 3;"), "Equation");
  EXPECT_EQ(kind_of("select [a, b];"), "Select");
  EXPECT_EQ(kind_of("done: when x { }"), "Reaction");
  EXPECT_EQ(kind_of("exit: after = 1;"), "Equation");
  EXPECT_EQ(kind_of("type + process - 1 = at * every;"), "Equation");
  EXPECT_EQ(kind_of("var step, by, of, where, in, is: any;"), "VariableDecl");
  EXPECT_EQ(kind_of("x = in + in(in) + start;"), "Equation");
  EXPECT_EQ(kind_of("x = f(where, where + 1, where.x, where = 2, where x);"), "Equation");
  EXPECT_EQ(kind_of("-> history;"), "Reaction");
  EXPECT_EQ(kind_of("-> deep.history;"), "Reaction");
  EXPECT_EQ(kind_of("port p: conjugate;"), "PortDecl");
  EXPECT_EQ(kind_of("initial { start.x := start; stop := start + stop; }"), "InitialBlock");
}

TEST(Tree, FindsDocComments) {
  const Parsed parsed(
      "/// Not this,\n\n/// but this\n///  and this.\nmodel M {\n  var x; /// not this\n  // nor this\n  var y;\n  /// "
      "This.\r\n"
      "  var z;\n}\n");
  const Tree& tree = parsed.tree;
  const NodeId model = tree.child(tree.root(), 0);
  const std::span<const NodeId> items = tree.children(tree.find(model, NodeKind::Body));
  EXPECT_EQ(tree.doc_comment(model), "but this\n and this.");
  EXPECT_EQ(tree.doc_comment(items[1]), "");
  EXPECT_EQ(tree.doc_comment(items[2]), "This.");
}

TEST(Tree, AnswersQuestionsAboutNodes) {
  const Parsed parsed("private abstract model `my model` { x = 1 + 2; }\natomic A { }");
  const Tree& tree = parsed.tree;
  const NodeId model = tree.child(tree.root(), 0);
  const NodeId name = tree.find(model, NodeKind::Name);
  EXPECT_EQ(tree.name(name), "my model");
  EXPECT_EQ(tree.text(name), "`my model`");
  EXPECT_TRUE(tree.has_modifier(model, TokenKind::WordAbstract));
  EXPECT_FALSE(tree.has_modifier(model, TokenKind::WordRedefine));
  EXPECT_FALSE(tree.find(model, NodeKind::Extends));
  EXPECT_FALSE(is_atomic(tree, model));
  EXPECT_TRUE(is_atomic(tree, tree.child(tree.root(), 1)));
  EXPECT_EQ(tree.text(tree.child(tree.find(model, NodeKind::Body), 0)), "x = 1 + 2;");
  EXPECT_EQ(tree.first_token_kind(model), TokenKind::WordPrivate);
  EXPECT_GT(tree.memory(), 0U);
  EXPECT_EQ(spelling(TokenKind::Semicolon), "`;`");
  EXPECT_EQ(spelling(TokenKind::String), "a string");
}

}  // namespace
}  // namespace hyla::syntax
