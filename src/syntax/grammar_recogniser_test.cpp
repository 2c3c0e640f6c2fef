// Earley's algorithm: for every place in the text the set of productions that may be under way there. Rules that can be
// empty are stepped over when they are predicted (Aycock and Horspool), and a production is predicted only if the next
// token can begin it.
//
// The rules for words with two readings come in where they belong: an item, a statement or an argument that may begin
// at a place decides whether the word there is a name.

#include <algorithm>
#include <array>
#include <unordered_set>

#include <gtest/gtest.h>

#include "base/check.h"
#include "syntax/grammar.h"
#include "syntax/testing.h"
#include "syntax/words.h"

namespace hyla::syntax {
namespace {

bool is_name(TokenKind kind) { return kind == TokenKind::Identifier || is_place_word(kind); }

bool is_one_of(std::string_view text, std::span<const std::string_view> texts) {
  return std::ranges::find(texts, text) != texts.end();
}

constexpr auto kMakeNames = std::to_array<std::string_view>({"=", ":=", ":", ".", "[", "+", "-", "*", "/", "^"});
constexpr auto kMakeNamesInExperiments = std::to_array<std::string_view>({"=", ".", "["});

}  // namespace

Recogniser::Recogniser(const Grammar& grammar)
    : grammar_(grammar),
      nullable_(grammar.rules.size()),
      first_of_rule_(grammar.rules.size(), std::vector<bool>(grammar.terminals.size())),
      first_(grammar.productions.size(), std::vector<bool>(grammar.terminals.size())) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < grammar.productions.size(); ++i) {
      const Production& production = grammar.productions[i];
      bool is_empty_so_far = true;
      for (const Symbol& symbol : production.symbols) {
        for (std::size_t t = 0; t < grammar.terminals.size(); ++t) {
          const bool begins = symbol.is_terminal ? symbol.index == t : first_of_rule_[symbol.index][t];
          if (begins && !first_[i][t]) first_[i][t] = first_of_rule_[production.rule][t] = changed = true;
        }
        is_empty_so_far = !symbol.is_terminal && nullable_[symbol.index];
        if (!is_empty_so_far) break;
      }
      if (is_empty_so_far && !nullable_[production.rule]) nullable_[production.rule] = changed = true;
    }
  }
}

/// One run of the recogniser.
class Recognition {
 public:
  Recognition(const Recogniser& recogniser, std::span<const Token> tokens, std::string_view source, WordRules rules)
      : recogniser_(recogniser),
        grammar_(recogniser.grammar_),
        tokens_(tokens),
        source_(source),
        apply_rules_(rules == WordRules::Apply),
        sets_(tokens.size()),
        is_no_name_(tokens.size()),
        is_no_word_(tokens.size()) {}

  bool run() {
    const std::size_t file = grammar_.find_rule("file");
    predict(file, 0);
    const std::size_t last = tokens_.size() - 1;
    if (last == 0) return recogniser_.nullable_[file];
    for (std::size_t place = 0; place <= last; ++place) {
      close(place);
      if (place < last) scan(place);
    }
    return std::ranges::any_of(sets_[last].items, [&](const Item& item) {
      return item.origin == 0 && grammar_.productions[item.production].rule == file && is_complete(item);
    });
  }

 private:
  struct Item {
    std::uint32_t production;
    std::uint32_t dot;
    std::uint32_t origin;
  };
  struct Set {
    std::vector<Item> items;
    std::unordered_set<std::uint64_t> known;
    std::unordered_set<std::size_t> predicted;
  };

  const std::vector<Symbol>& symbols(const Item& item) const { return grammar_.productions[item.production].symbols; }
  bool is_complete(const Item& item) const { return item.dot == symbols(item).size(); }

  void add(std::size_t place, const Item& item) {
    const std::uint64_t key =
        (std::uint64_t{item.origin} << 32) | (std::uint64_t{item.production} << 8) | std::uint64_t{item.dot};
    if (sets_[place].known.insert(key).second) sets_[place].items.push_back(item);
  }

  void close(std::size_t place) {
    for (std::size_t i = 0; i < sets_[place].items.size(); ++i) {
      const Item item = sets_[place].items[i];
      if (is_complete(item)) {
        complete(item, place);
        continue;
      }
      const Symbol symbol = symbols(item)[item.dot];
      if (symbol.is_terminal) continue;
      predict(symbol.index, place);
      if (recogniser_.nullable_[symbol.index] && may_be_empty(symbol.index, place)) {
        add(place, {item.production, item.dot + 1, item.origin});
      }
    }
  }

  void complete(const Item& item, std::size_t place) {
    const std::size_t rule = grammar_.productions[item.production].rule;
    if (item.origin == place) return;  // empty: stepped over when predicted
    for (const Item& waiting : sets_[item.origin].items) {
      if (is_complete(waiting)) continue;
      const Symbol symbol = symbols(waiting)[waiting.dot];
      if (!symbol.is_terminal && symbol.index == rule)
        add(place, {waiting.production, waiting.dot + 1, waiting.origin});
    }
  }

  void predict(std::size_t rule, std::size_t place) {
    if (!sets_[place].predicted.insert(rule).second) return;
    if (apply_rules_) decide_reading(rule, place);
    for (const std::size_t production : grammar_.productions_of[rule]) {
      if (!may_begin(production, place)) continue;
      add(place, {static_cast<std::uint32_t>(production), 0, static_cast<std::uint32_t>(place)});
    }
  }

  /// Whether the production can begin with the token at the place. Empty ones are stepped over instead of predicted.
  bool may_begin(std::size_t production, std::size_t place) const {
    if (apply_rules_ && grammar_.rules[grammar_.productions[production].rule] == "primary" && text(place) == "in" &&
        text(place + 1) == "(" && grammar_.productions[production].symbols[0].index == grammar_.find_terminal("name")) {
      return false;
    }
    for (std::size_t terminal = 0; terminal < grammar_.terminals.size(); ++terminal) {
      if (recogniser_.first_[production][terminal] && matches_alone(terminal, place)) return true;
    }
    return false;
  }

  void scan(std::size_t place) {
    for (std::size_t i = 0; i < sets_[place].items.size(); ++i) {
      const Item item = sets_[place].items[i];
      if (is_complete(item)) continue;
      const Symbol symbol = symbols(item)[item.dot];
      if (!symbol.is_terminal || !matches(symbol.index, place)) continue;
      const bool is_double_minus = grammar_.terminals[symbol.index] == "--";
      add(place + (is_double_minus ? 2 : 1), {item.production, item.dot + 1, item.origin});
    }
  }

  std::string_view text(std::size_t place) const {
    if (place >= tokens_.size()) return "";
    return source_.substr(tokens_[place].begin, tokens_[place].end - tokens_[place].begin);
  }
  TokenKind kind(std::size_t place) const {
    return place < tokens_.size() ? tokens_[place].kind : TokenKind::EndOfFile;
  }

  /// Without a look at the readings that have been decided.
  bool matches_alone(std::size_t terminal, std::size_t place) const {
    const std::string& wanted = grammar_.terminals[terminal];
    if (wanted == "name") return is_name(kind(place));
    if (wanted == "number") return kind(place) == TokenKind::Number;
    if (wanted == "string") return kind(place) == TokenKind::String;
    if (wanted == "--") {
      return kind(place) == TokenKind::Minus && kind(place + 1) == TokenKind::Minus &&
             tokens_[place].end == tokens_[place + 1].begin;
    }
    return text(place) == wanted;
  }

  bool matches(std::size_t terminal, std::size_t place) const {
    const std::string& wanted = grammar_.terminals[terminal];
    if (wanted == "name" ? is_no_name_[place] : is_no_word_[place]) return false;
    return matches_alone(terminal, place);
  }

  /// A rule that may begin at a place decides whether the word there is a name.
  void decide_reading(std::size_t rule, std::size_t place) {
    if (!is_place_word(kind(place))) return;
    const std::string& name = grammar_.rules[rule];
    const std::string_view word = text(place);
    const std::string_view following = text(place + 1);
    const bool is_opening = name == "statement" || name == "experiment_item" || name.starts_with("item(");
    const std::size_t terminal = grammar_.find_terminal(word);
    const bool opens = is_opening && recogniser_.first_of_rule_[rule][terminal] &&
                       !recogniser_.first_of_rule_[grammar_.find_rule("expression")][terminal];
    if (opens) {
      const bool makes_name =
          name == "experiment_item" ? is_one_of(following, kMakeNamesInExperiments) : is_one_of(following, kMakeNames);
      decide(place, makes_name && !(word == "select" && following == "["));
    } else if (name == "argument" && word == "where") {
      decide(place, is_one_of(following, kMakeNames) || !begins_expression(place + 1));
    } else if (name == "value" && word == "start") {
      decide(place, !is_name(kind(place + 1)));
    }
  }
  void decide(std::size_t place, bool is_name) { (is_name ? is_no_word_ : is_no_name_)[place] = true; }

  bool begins_expression(std::size_t place) const {
    const std::vector<bool>& first = recogniser_.first_of_rule_[grammar_.find_rule("expression")];
    for (std::size_t terminal = 0; terminal < first.size(); ++terminal) {
      if (first[terminal] && matches_alone(terminal, place)) return true;
    }
    return false;
  }

  /// The arguments of an annotation and the binder of `where` are read where they can be.
  bool may_be_empty(std::size_t rule, std::size_t place) const {
    if (!apply_rules_ || text(place) != "(") return true;
    const std::string& name = grammar_.rules[rule];
    if (name.starts_with("annotation[")) return false;
    const bool is_binder = name.starts_with("argument[") && is_name(kind(place + 1)) && text(place + 2) == ")" &&
                           text(place - 1) == "where" && begins_expression(place + 3);
    return !is_binder;
  }

  const Recogniser& recogniser_;
  const Grammar& grammar_;
  std::span<const Token> tokens_;
  std::string_view source_;
  bool apply_rules_;
  std::vector<Set> sets_;
  std::vector<bool> is_no_name_;
  std::vector<bool> is_no_word_;
};

bool Recogniser::accepts(std::span<const Token> tokens, std::string_view source, WordRules rules) const {
  return Recognition(*this, tokens, source, rules).run();
}

namespace {

bool accepts(const std::string& text, WordRules rules) {
  static const Grammar kGrammar = read_grammar(language_document());
  static const Recogniser kRecogniser(kGrammar);
  const Parsed parsed(text);
  return kRecogniser.accepts(parsed.tree.tokens(), parsed.tree.source(), rules);
}

TEST(Recogniser, KnowsSentences) {
  for (const char* text : {"", "import a;", "model A { }", "model A { x = 1 + 2 * -y^2; };",
                           "constant c = a.b[1](x = 2);", "model A { connect a -- b; when x { y := 1; } }"}) {
    EXPECT_TRUE(accepts(text, WordRules::Ignore)) << text;
    EXPECT_TRUE(accepts(text, WordRules::Apply)) << text;
  }
  for (const char* text : {"import;", "model A {", "model A { } }", "model A { x = ; }", "constant c = 1 < 2 < 3;",
                           "model A { connect a - - b; }", "model A { } import b;", "x"}) {
    EXPECT_FALSE(accepts(text, WordRules::Ignore)) << text;
  }
}

TEST(Recogniser, TellsReadingsApart) {
  for (const char* text :
       {"model A { rate(x); }", "model A { at -3 -> T; }", "model A { x = in(1); }", "model A { @a (x) = 3; }",
        "constant c = f(where -1 is x y);", "constant c = f(where (g)(x = 3));"}) {
    EXPECT_FALSE(accepts(text, WordRules::Apply)) << text;
  }
  EXPECT_TRUE(accepts("model A { rate(x); }", WordRules::Ignore));
  EXPECT_TRUE(accepts("model A { at -3 -> T; }", WordRules::Ignore));
  EXPECT_TRUE(accepts("model A { select [a, b]; rate = 3; initial { rate(x); } }", WordRules::Apply));
}

}  // namespace
}  // namespace hyla::syntax
