// Derives random sentences from the grammar. Each one makes its way to the production that was used least; off that way
// it is random.

#include <algorithm>
#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "syntax/grammar.h"
#include "syntax/words.h"

namespace hyla::syntax {
namespace {

// Beyond this many terminals a sentence is brought to its end.
constexpr std::size_t kLongEnough = 60;

constexpr int kEndless = std::numeric_limits<int>::max() / 2;

constexpr auto kNames = std::to_array<std::string_view>({"a", "b", "x", "Tank", "`state`", "ω"});

}  // namespace

Deriver::Deriver(const Grammar& grammar, std::uint32_t seed)
    : grammar_(grammar),
      random_(seed),
      uses_(grammar.productions.size()),
      production_depth_(grammar.productions.size(), kEndless) {
  // The fixed point: a production is one level deeper than its deepest symbol.
  std::vector<int> rule_depth(grammar.rules.size(), kEndless);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < grammar.productions.size(); ++i) {
      int depth = 0;
      for (const Symbol& symbol : grammar.productions[i].symbols) {
        if (!symbol.is_terminal) depth = std::max(depth, rule_depth[symbol.index]);
      }
      depth = std::min(depth + 1, kEndless);
      int& of_rule = rule_depth[grammar.productions[i].rule];
      changed = changed || depth < production_depth_[i];
      production_depth_[i] = std::min(production_depth_[i], depth);
      of_rule = std::min(of_rule, depth);
    }
  }
}

std::vector<std::string> Deriver::sentence(std::string_view rule, int depth) {
  goal_ = static_cast<std::size_t>(std::ranges::min_element(uses_) - uses_.begin());
  // How many productions each rule is away from the goal.
  distance_.assign(grammar_.rules.size(), kEndless);
  distance_[grammar_.productions[goal_].rule] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < grammar_.productions.size(); ++i) {
      int& distance = distance_[grammar_.productions[i].rule];
      const int by_this = distance_from(i) + 1;
      changed = changed || by_this < distance;
      distance = std::min(distance, by_this);
    }
  }
  std::vector<std::string> sentence;
  const Symbol start{false, grammar_.find_rule(rule)};
  derive(start, depth, distance_[start.index] < kEndless, sentence);
  return sentence;
}

int Deriver::distance_from(std::size_t production) const {
  int distance = kEndless;
  for (const Symbol& symbol : grammar_.productions[production].symbols) {
    if (!symbol.is_terminal) distance = std::min(distance, distance_[symbol.index]);
  }
  return distance;
}

void Deriver::derive(const Symbol& symbol, int depth, bool to_goal, std::vector<std::string>& sentence) {
  if (symbol.is_terminal) {
    sentence.push_back(text_of(symbol.index));
    return;
  }
  std::size_t production = 0;
  if (!to_goal) {
    production = choose(symbol.index, sentence.size() < kLongEnough ? depth : 0);
  } else if (symbol.index == grammar_.productions[goal_].rule) {
    production = goal_;
    to_goal = false;
  } else {
    production = *std::ranges::min_element(grammar_.productions_of[symbol.index], {},
                                           [&](std::size_t p) { return distance_from(p); });
  }
  ++uses_[production];
  const int distance = distance_from(production);
  for (const Symbol& part : grammar_.productions[production].symbols) {
    const bool is_on_the_way = to_goal && !part.is_terminal && distance_[part.index] == distance;
    if (is_on_the_way) to_goal = false;
    derive(part, depth - 1, is_on_the_way, sentence);
  }
}

/// A production that fits into the depth; what may be left out mostly is.
std::size_t Deriver::choose(std::size_t rule, int depth) {
  const std::vector<std::size_t>& all = grammar_.productions_of[rule];
  std::vector<std::size_t> fitting;
  std::ranges::copy_if(all, std::back_inserter(fitting),
                       [&](std::size_t production) { return production_depth_[production] <= depth; });
  if (fitting.empty()) return *std::ranges::min_element(all, {}, [&](std::size_t p) { return production_depth_[p]; });
  const bool may_be_empty = grammar_.productions[fitting[0]].symbols.empty();
  if (may_be_empty && random_() % 3 != 0) return fitting[0];
  return fitting[random_() % fitting.size()];
}

std::string Deriver::text_of(std::size_t terminal) {
  const std::string& text = grammar_.terminals[terminal];
  if (text == "name") {
    // Words are names outside their own place.
    const std::string& word = grammar_.terminals[random_() % grammar_.terminals.size()];
    return is_place_word(word_kind(word)) ? word : std::string(kNames[random_() % kNames.size()]);
  }
  if (text == "number") return random_() % 2 == 0 ? "1" : "2.5e-3";
  if (text == "string") return "\"text\"";
  return text;
}

std::string Deriver::random_terminal() { return text_of(random_() % grammar_.terminals.size()); }

namespace {

TEST(Deriver, StaysWithinItsDepth) {
  const Grammar grammar = read_grammar(language_document());
  Deriver deriver(grammar, 1);
  std::size_t longest = 0;
  for (int i = 0; i < 200; ++i) longest = std::max(longest, deriver.sentence("expression", 30).size());
  EXPECT_GT(longest, 5U);
  EXPECT_LT(longest, 10 * kLongEnough);
}

TEST(Deriver, RepeatsItselfForTheSameSeed) {
  const Grammar grammar = read_grammar(language_document());
  EXPECT_EQ(Deriver(grammar, 7).sentence("model", 40), Deriver(grammar, 7).sentence("model", 40));
}

}  // namespace
}  // namespace hyla::syntax
