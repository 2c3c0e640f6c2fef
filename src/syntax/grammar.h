// The grammar of docs/language.md as data, for tests: read from the document, used to derive sentences and to recognise
// them.
//
// The EBNF is turned into plain productions. `[ x ]`, `{ x }` and `( x )` get rules of their own, named after the rule
// they stand in: `item[1]`, `item{2}`, `item(3)`.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/tree.h"

namespace hyla::syntax {

/// A terminal or a rule.
struct Symbol {
  bool is_terminal = false;
  std::size_t index = 0;  ///< into Grammar::terminals or Grammar::rules
};

struct Production {
  std::size_t rule = 0;
  std::vector<Symbol> symbols;
};

struct Grammar {
  /// `name`, `number`, `string`, or a word or sign as it is written.
  std::vector<std::string> terminals;
  std::vector<std::string> rules;
  std::vector<Production> productions;
  std::vector<std::vector<std::size_t>> productions_of;  ///< by rule

  std::size_t find_rule(std::string_view name) const;
  std::size_t find_terminal(std::string_view text) const;
};

/// The grammar in the ```ebnf blocks of a document.
Grammar read_grammar(std::string_view markdown);

/// The words in the ```words blocks of a document, block by block.
std::vector<std::vector<std::string>> read_word_lists(std::string_view markdown);

/// The text of docs/language.md.
std::string language_document();

/// Derives random sentences and counts which productions they use.
class Deriver {
 public:
  Deriver(const Grammar& grammar, std::uint32_t seed);

  /// A random sentence of the rule, as the texts of its terminals; about `depth` levels of rules and 60 terminals at
  /// most.
  std::vector<std::string> sentence(std::string_view rule, int depth);
  /// How often each production was used.
  const std::vector<int>& uses() const { return uses_; }
  std::string random_terminal();

 private:
  int distance_from(std::size_t production) const;
  void derive(const Symbol& symbol, int depth, bool to_goal, std::vector<std::string>& sentence);
  std::size_t choose(std::size_t rule, int depth);
  std::string text_of(std::size_t terminal);

  const Grammar& grammar_;
  std::mt19937 random_;
  std::vector<int> uses_;
  std::vector<int> production_depth_;  ///< the least number of levels that each production needs
  std::size_t goal_ = 0;               ///< the production that the sentence must use
  std::vector<int> distance_;          ///< of each rule to the goal
};

/// Whether the two readings of words that have a meaning in their own place only are told apart, as docs/language.md
/// says.
enum class WordRules : std::uint8_t { Ignore, Apply };

/// Earley's recogniser: whether a text is a sentence of the rule `file`.
class Recogniser {
 public:
  explicit Recogniser(const Grammar& grammar);
  bool accepts(std::span<const Token> tokens, std::string_view source, WordRules rules) const;

 private:
  friend class Recognition;
  const Grammar& grammar_;
  std::vector<bool> nullable_;                    ///< by rule
  std::vector<std::vector<bool>> first_of_rule_;  ///< by rule and terminal
  std::vector<std::vector<bool>> first_;          ///< by production and terminal
};

}  // namespace hyla::syntax
