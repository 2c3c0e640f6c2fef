// Reads the EBNF of docs/language.md.

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "syntax/grammar.h"

namespace hyla::syntax {
namespace {

/// The contents of all fenced blocks of one language.
std::vector<std::string> fenced_blocks(std::string_view markdown, std::string_view language) {
  std::vector<std::string> blocks;
  const std::string opening = fmt::format("\n```{}\n", language);
  for (std::size_t at = markdown.find(opening); at != std::string_view::npos; at = markdown.find(opening, at)) {
    const std::size_t begin = at + opening.size();
    at = markdown.find("\n```\n", begin);
    blocks.emplace_back(markdown.substr(begin, at - begin));
  }
  return blocks;
}

std::size_t index_of(std::vector<std::string>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) names.emplace_back(name);
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

class EbnfReader {
 public:
  explicit EbnfReader(std::string text) : text_(std::move(text)) {}

  Grammar run() {
    for (next(); !word_.empty(); next()) {
      rule_name_ = word_;
      inner_rules_ = 0;
      const std::size_t rule = index_of(grammar_.rules, rule_name_);
      next();
      HYLA_CHECK(word_ == "=", "a rule without `=`");
      next();
      alternatives(rule);
      HYLA_CHECK(word_ == ";", "a rule without `;`");
    }
    grammar_.productions_of.resize(grammar_.rules.size());
    for (std::size_t i = 0; i < grammar_.productions.size(); ++i) {
      grammar_.productions_of[grammar_.productions[i].rule].push_back(i);
    }
    return std::move(grammar_);
  }

 private:
  void next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::size_t begin = at_;
    if (at_ >= text_.size()) {
      word_.clear();
      return;
    }
    if (text_[at_] == '"') {
      at_ = text_.find('"', at_ + 1) + 1;
    } else if (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) {
      while (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_') ++at_;
    } else {
      ++at_;
    }
    word_ = text_.substr(begin, at_ - begin);
  }

  void alternatives(std::size_t rule) {
    // In two steps: reading a sequence adds productions too.
    std::vector<Symbol> symbols = sequence();
    grammar_.productions.push_back({rule, std::move(symbols)});
    while (word_ == "|") {
      next();
      symbols = sequence();
      grammar_.productions.push_back({rule, std::move(symbols)});
    }
  }

  std::vector<Symbol> sequence() {
    std::vector<Symbol> symbols;
    while (word_ != "|" && word_ != ";" && word_ != ")" && word_ != "]" && word_ != "}") {
      if (word_ == "(" || word_ == "[" || word_ == "{") {
        symbols.push_back(bracketed());
      } else if (word_.starts_with('"')) {
        symbols.push_back({true, index_of(grammar_.terminals, word_.substr(1, word_.size() - 2))});
        next();
      } else if (word_ == "name" || word_ == "number" || word_ == "string") {
        symbols.push_back({true, index_of(grammar_.terminals, word_)});
        next();
      } else {
        symbols.push_back({false, index_of(grammar_.rules, word_)});
        next();
      }
    }
    return symbols;
  }

  Symbol bracketed() {
    const char open = word_[0];
    const char close = open == '(' ? ')' : open == '[' ? ']' : '}';
    const std::size_t rule = index_of(grammar_.rules, fmt::format("{}{}{}{}", rule_name_, open, ++inner_rules_, close));
    const Symbol self{false, rule};
    next();
    if (open != '(') grammar_.productions.push_back({rule, {}});
    if (open == '{') {
      const std::size_t element = index_of(grammar_.rules, fmt::format("{}({})", rule_name_, ++inner_rules_));
      grammar_.productions.push_back({rule, {self, {false, element}}});
      alternatives(element);
    } else {
      alternatives(rule);
    }
    HYLA_CHECK(word_[0] == close, "a bracket is not closed");
    next();
    return self;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::string word_;
  std::string rule_name_;
  int inner_rules_ = 0;
  Grammar grammar_;
};

}  // namespace

std::size_t Grammar::find_rule(std::string_view name) const {
  const auto found = std::ranges::find(rules, name);
  HYLA_CHECK(found != rules.end(), "an unknown rule");
  return static_cast<std::size_t>(found - rules.begin());
}

std::size_t Grammar::find_terminal(std::string_view text) const {
  const auto found = std::ranges::find(terminals, text);
  HYLA_CHECK(found != terminals.end(), "an unknown terminal");
  return static_cast<std::size_t>(found - terminals.begin());
}

Grammar read_grammar(std::string_view markdown) {
  std::string text;
  for (const std::string& block : fenced_blocks(markdown, "ebnf")) text += block + "\n";
  return EbnfReader(std::move(text)).run();
}

std::vector<std::vector<std::string>> read_word_lists(std::string_view markdown) {
  std::vector<std::vector<std::string>> lists;
  for (const std::string& block : fenced_blocks(markdown, "words")) {
    std::istringstream words(block);
    lists.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
  }
  return lists;
}

std::string language_document() {
  std::ifstream file("docs/language.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

namespace {

TEST(GrammarReader, TurnsBracketsIntoRules) {
  const Grammar grammar = read_grammar("\n```ebnf\na = \"x\" [ b ] ( name | number ) ;\nb = { \"y\" a } ;\n```\n");
  EXPECT_EQ(grammar.rules, (std::vector<std::string>{"a", "a[1]", "b", "a(2)", "b{1}", "b(2)"}));
  EXPECT_EQ(grammar.terminals, (std::vector<std::string>{"x", "name", "number", "y"}));
  std::vector<std::string> productions;
  for (const Production& production : grammar.productions) {
    std::string line = grammar.rules[production.rule] + " =";
    for (const Symbol& symbol : production.symbols) {
      line += " " + (symbol.is_terminal ? "'" + grammar.terminals[symbol.index] + "'" : grammar.rules[symbol.index]);
    }
    productions.push_back(line);
  }
  EXPECT_EQ(productions,
            (std::vector<std::string>{"a[1] =", "a[1] = b", "a(2) = 'name'", "a(2) = 'number'", "a = 'x' a[1] a(2)",
                                      "b{1} =", "b{1} = b{1} b(2)", "b(2) = 'y' a", "b = b{1}"}));
}

TEST(GrammarReader, ReadsTheWholeDocument) {
  const Grammar grammar = read_grammar(language_document());
  EXPECT_GT(grammar.rules.size(), 200U);
  for (std::size_t rule = 0; rule < grammar.rules.size(); ++rule) {
    EXPECT_FALSE(grammar.productions_of[rule].empty()) << grammar.rules[rule] << " has no definition";
  }
}

}  // namespace
}  // namespace hyla::syntax
