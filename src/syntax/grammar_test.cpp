// The parser accepts exactly the sentences of the grammar in docs/language.md.

#include "syntax/grammar.h"

#include <bitset>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "syntax/testing.h"

namespace hyla::syntax {
namespace {

constexpr int kSentences = 2000;
constexpr int kMutationsPerSentence = 3;
constexpr int kMutationsPerExample = 4;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + (text.size() % 7 == 0 ? "\n" : " ");
  return text;
}

std::set<std::string_view> words_of_token_kinds(bool reserved) {
  std::set<std::string_view> words;
#define HYLA_TOKEN(kind, text)
#define HYLA_SIGN(kind, text)
#define HYLA_WORD(kind, text) \
  if (reserved) words.insert(text);
#define HYLA_PLACE_WORD(kind, text) \
  if (!reserved) words.insert(text);
#include "syntax/token_kinds.def"
#undef HYLA_TOKEN
#undef HYLA_SIGN
#undef HYLA_WORD
#undef HYLA_PLACE_WORD
  return words;
}

class GrammarTest : public testing::Test {
 protected:
  /// Compares the parser's verdict with the grammar's.
  bool agree_on(const std::string& text) {
    const Parsed parsed(text);
    const bool parser_accepts = parsed.messages().empty();
    const bool grammar_accepts = recogniser_.accepts(parsed.tree.tokens(), parsed.tree.source(), WordRules::Apply);
    EXPECT_EQ(parser_accepts, grammar_accepts) << text << "\n" << (parser_accepts ? "" : parsed.messages()[0]);
    accepted_ += parser_accepts ? 1 : 0;
    return parser_accepts == grammar_accepts;
  }

  std::vector<std::string> sentence(int number) { return deriver_.sentence("file", 20 + number % 40); }

  /// Deletes, inserts, replaces or swaps words at a random place.
  std::vector<std::string> mutated(std::vector<std::string> words) {
    const std::size_t place = words.empty() ? 0 : random_() % words.size();
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(place);
    switch (words.empty() ? 0 : random_() % 4) {
      case 0:
        words.insert(at, deriver_.random_terminal());
        break;
      case 1:
        words.erase(at);
        break;
      case 2:
        *at = deriver_.random_terminal();
        break;
      default:
        std::swap(*at, words[place > 0 ? place - 1 : 0]);
        break;
    }
    return words;
  }

  Grammar grammar_ = read_grammar(language_document());
  Recogniser recogniser_{grammar_};
  Deriver deriver_{grammar_, 20};
  std::mt19937 random_{3};
  int accepted_ = 0;
};

TEST_F(GrammarTest, ParserAcceptsWhatTheGrammarDerives) {
  std::bitset<256> kinds;
  int decided_otherwise = 0;
  for (int i = 0; i < kSentences; ++i) {
    const std::string text = joined(sentence(i));
    const Parsed parsed(text);
    ASSERT_TRUE(recogniser_.accepts(parsed.tree.tokens(), parsed.tree.source(), WordRules::Ignore)) << text;
    ASSERT_TRUE(agree_on(text));
    if (!parsed.messages().empty()) {
      ++decided_otherwise;
      continue;
    }
    for (std::uint32_t node = 0; node < parsed.tree.node_count(); ++node) {
      kinds.set(static_cast<std::size_t>(parsed.tree.kind(NodeId{node})));
    }
  }
  EXPECT_LT(decided_otherwise, kSentences / 10);
  for (std::size_t i = 0; i < grammar_.productions.size(); ++i) {
    EXPECT_GT(deriver_.uses()[i], 0) << "never derived: " << grammar_.rules[grammar_.productions[i].rule];
  }
  for (std::size_t kind = 0; kind <= static_cast<std::size_t>(NodeKind::PowerExpr); ++kind) {
    const bool is_invalid = static_cast<NodeKind>(kind) == NodeKind::Invalid;
    EXPECT_EQ(kinds.test(kind), !is_invalid) << name_of(static_cast<NodeKind>(kind));
  }
}

TEST_F(GrammarTest, ParserAndGrammarAgreeOnMutations) {
  for (int i = 0; i < kSentences; ++i) {
    std::vector<std::string> words = sentence(i);
    for (int j = 0; j < kMutationsPerSentence; ++j) {
      words = mutated(std::move(words));
      ASSERT_TRUE(agree_on(joined(words)));
    }
  }
  EXPECT_GT(accepted_, kSentences / 10);
}

TEST_F(GrammarTest, ParserAndGrammarAgreeOnExamples) {
  for (const auto& entry : std::filesystem::directory_iterator("examples")) {
    if (entry.path().extension() != ".hyla") continue;
    std::ifstream file(entry.path());
    const Parsed parsed(std::string(std::istreambuf_iterator<char>(file), {}));
    ASSERT_EQ(parsed.messages(), std::vector<std::string>{}) << entry.path();
    std::vector<std::string> words;
    for (const Token& token : parsed.tree.tokens()) words.emplace_back(parsed.tree.text(token));
    words.pop_back();
    ASSERT_TRUE(agree_on(std::string(parsed.tree.source())));
    for (int i = 0; i < kMutationsPerExample; ++i) ASSERT_TRUE(agree_on(joined(mutated(words)))) << entry.path();
  }
}

TEST(Grammar, WordListsAreThoseOfTheLexer) {
  const auto lists = read_word_lists(language_document());
  ASSERT_EQ(lists.size(), 2U);
  const auto as_set = [](const std::vector<std::string>& words) {
    return std::set<std::string_view>(words.begin(), words.end());
  };
  EXPECT_EQ(as_set(lists[0]), words_of_token_kinds(true));
  EXPECT_EQ(as_set(lists[1]), words_of_token_kinds(false));
}

TEST(Grammar, UsesEveryWordAndNoOther) {
  const Grammar grammar = read_grammar(language_document());
  std::set<std::string_view> words = words_of_token_kinds(true);
  words.merge(words_of_token_kinds(false));
  std::set<std::string_view> used;
  for (const std::string& terminal : grammar.terminals) {
    const bool is_class = terminal == "name" || terminal == "number" || terminal == "string";
    if (std::isalpha(static_cast<unsigned char>(terminal[0])) != 0 && !is_class) used.insert(terminal);
  }
  EXPECT_EQ(used, words);
}

}  // namespace
}  // namespace hyla::syntax
