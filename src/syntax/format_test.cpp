#include "syntax/format.h"

#include <algorithm>
#include <bitset>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "syntax/format_checks.h"
#include "syntax/grammar.h"
#include "syntax/testing.h"

namespace hyla::syntax {
namespace {

constexpr const char* kCases = "src/syntax/testdata/format.txt";

struct Case {
  std::string title;
  std::string before;
  std::string after;
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream file(kCases);
  bool in_after = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) {
      cases.push_back({line.substr(3), "", ""});
      in_after = false;
    } else if (line == "=>") {
      in_after = true;
    } else if (!cases.empty()) {
      (in_after ? cases.back().after : cases.back().before) += line + "\n";
    }
  }
  for (Case& c : cases) {
    if (c.after.empty()) c.after = c.before;
    while (c.after.ends_with("\n\n")) c.after.pop_back();
  }
  return cases;
}

/// Every text at hand: the cases and the examples.
std::vector<std::string> all_texts() {
  std::vector<std::string> texts;
  for (const Case& c : read_cases()) texts.push_back(c.before);
  for (const char* folder : {"examples", "lib"}) {
    if (!std::filesystem::is_directory(folder)) continue;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".hyla") paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    for (const auto& path : paths) texts.push_back(read_file(path));
  }
  return texts;
}

std::string formatted(const std::string& text) { return format(Parsed(text).tree); }

TEST(Format, LaysOutTheCases) {
  const std::vector<Case> cases = read_cases();
  ASSERT_GT(cases.size(), 15U);
  for (const Case& c : cases) {
    EXPECT_EQ(Parsed(c.before).messages(), std::vector<std::string>{}) << c.title;
    EXPECT_EQ(formatted(c.before), c.after) << c.title;
  }
}

TEST(Format, HasACaseForEveryKindOfNode) {
  std::bitset<256> seen;
  for (const Case& c : read_cases()) {
    const Parsed parsed(c.before);
    for (std::uint32_t i = 0; i < parsed.tree.node_count(); ++i) {
      seen.set(static_cast<std::size_t>(parsed.tree.kind(NodeId{i})));
    }
  }
  for (std::size_t kind = 1; kind <= static_cast<std::size_t>(NodeKind::PowerExpr); ++kind) {
    EXPECT_TRUE(seen.test(kind)) << name_of(static_cast<NodeKind>(kind));
  }
}

TEST(Format, FollowsItsDescription) {
  std::istringstream page(read_file("docs/formatting.md"));
  int count = 0;
  std::string block;
  for (std::string line; std::getline(page, line);) {
    if (line == "```hyla") {
      block.clear();
    } else if (line == "```") {
      EXPECT_EQ(formatted(block), block);
      ++count;
    } else {
      block += line + "\n";
    }
  }
  EXPECT_EQ(count, 2);
}

TEST(Format, KeepsWordsAndIsStable) {
  for (const std::string& text : all_texts()) EXPECT_EQ(format_fault(text).value_or(""), "") << text;
}

TEST(Format, TreatsOddFiles) {
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted(" \n\n"), "");
  EXPECT_EQ(formatted("\xEF\xBB\xBF"), "");
  EXPECT_EQ(formatted("model M { };"), "model M { }\n");
  EXPECT_EQ(formatted("\n\n// only\t \n\n\n/* this */"), "// only\n\n/* this */\n");
  EXPECT_EQ(formatted("\xEF\xBB\xBF/* a\n   b */model M{}"), "/* a\n   b */ model M { }\n");
  EXPECT_EQ(formatted("model M {\r\n    var x;  // x\r\n\r\n    /* a\r\n       b */\r\n}\r\n"),
            "model M {\n    var x;  // x\n\n    /* a\n       b */\n}\n");
}

TEST(Format, CountsCharactersNotBytes) {
  std::string name;
  while (name.size() < 80) name += "ω";
  const std::string fits = "model M {\n    " + name + " = " + name + " + 123456789;\n}\n";
  EXPECT_EQ(formatted(fits), fits);
  const std::string too_wide = "model M {\n    " + name + " = " + name + " + 1234567890;\n}\n";
  EXPECT_EQ(formatted(too_wide), "model M {\n    " + name + " = " + name + "\n        + 1234567890;\n}\n");
}

TEST(Format, SurvivesTextsWithErrors) {
  for (const std::string& text : all_texts()) {
    for (std::size_t length = 0; length < text.size(); length += 29) (void)formatted(text.substr(0, length));
    for (std::size_t start = 0; start < text.size(); start += 29) (void)formatted(text.substr(start));
  }
}

/// The tokens of a text with other spaces, line breaks and comments between them, and with some longer names.
std::string with_noise(const Tree& tree, std::mt19937& random) {
  const std::vector<std::string> noise = {"\n",          "\n\n\n",         "\t",         "\r\n",  "// line\n",
                                          "/* block */", "\n// own\n",     "/// doc\n",  "/*x*/", "\n/* own */\n",
                                          "\n/* a */ ",  "/* behind */\n", "/* a\n b */"};
  const std::size_t rarity = 2 + random() % 40;
  const bool lengthens = random() % 2 == 0;
  std::string text;
  TokenKind before = TokenKind::EndOfFile;
  for (const Token& token : tree.tokens()) {
    const bool must_touch = token.kind == TokenKind::Minus && before == TokenKind::Minus;  // `--`
    if (!must_touch) text += ' ';
    while (!must_touch && random() % rarity == 0) text += noise[random() % noise.size()];
    text += tree.text(token);
    if (lengthens && token.kind == TokenKind::Identifier && !text.ends_with('`') && random() % 4 == 0) {
      text.append(random() % 50, 'w');
    }
    before = token.kind;
  }
  return text;
}

TEST(Format, IsStableUnderNoise) {
  std::mt19937 random(1);
  for (const std::string& text : all_texts()) {
    const Parsed parsed(text);
    for (int round = 0; round < 20; ++round) {
      const std::string noisy = with_noise(parsed.tree, random);
      ASSERT_TRUE(format_text(noisy)) << noisy;
      ASSERT_EQ(format_fault(noisy).value_or(""), "") << noisy;
    }
  }
}

TEST(Format, IsStableForRandomSentences) {
  const Grammar grammar = read_grammar(language_document());
  Deriver deriver(grammar, 1);
  std::mt19937 random(1);
  int accepted = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (const std::string& word : deriver.sentence("file", 20 + round % 40)) text += word + " ";
    ASSERT_EQ(format_fault(text).value_or(""), "") << text;
    const Parsed parsed(text);
    if (parsed.sink.has_errors()) continue;  // a word was taken for a name, or the other way round
    ++accepted;
    const std::string noisy = with_noise(parsed.tree, random);
    ASSERT_EQ(format_fault(noisy).value_or(""), "") << noisy;
  }
  EXPECT_GT(accepted, 900);
}

TEST(Format, StaysLinearOnLongAndDeepTexts) {
  std::string sum = "model M { x = a";
  for (int i = 0; i < 30'000; ++i) sum += " + b * c /* d */";
  EXPECT_EQ(format_fault(sum + "; }").value_or("").substr(0, 200), "");

  std::string comments = "model M { var x; ";
  for (int i = 0; i < 30'000; ++i) comments += "/* c */ ";
  EXPECT_EQ(format_fault(comments + "}").value_or("").substr(0, 200), "");

  std::string deep = "model M { x = ";
  for (int i = 0; i < 200; ++i) deep += "f(a, ";
  deep += "b" + std::string(200, ')') + "; }";
  EXPECT_TRUE(format_text(deep));
  EXPECT_EQ(format_fault(deep).value_or("").substr(0, 200), "");
}

}  // namespace
}  // namespace hyla::syntax
