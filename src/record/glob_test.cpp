#include "record/glob.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace hyla::record {
namespace {

/// The definition, word for word.
bool matches_by_definition(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    return matches_by_definition(pattern.substr(1), name) ||
           (!name.empty() && matches_by_definition(pattern, name.substr(1)));
  }
  return !name.empty() && (pattern.front() == '?' || pattern.front() == name.front()) &&
         matches_by_definition(pattern.substr(1), name.substr(1));
}

TEST(Glob, StarsCrossDotsAndBracketsAreLiteral) {
  EXPECT_TRUE(matches("*", "plant.valve[2].flow"));
  EXPECT_TRUE(matches("plant.*", "plant.valve[2].flow"));
  EXPECT_TRUE(matches("*.flow", "plant.valve[2].flow"));
  EXPECT_TRUE(matches("plant.valve[?].flow", "plant.valve[2].flow"));
  EXPECT_TRUE(matches("T[3]", "T[3]"));
  EXPECT_FALSE(matches("T[3]", "T3"));
  EXPECT_FALSE(matches("T[?]", "T[12]"));
  EXPECT_TRUE(matches("a[1,2]", "a[1, 2]"));
  EXPECT_TRUE(matches("a[1, *]", "a[1,2]"));
  EXPECT_FALSE(matches("plant", "plant.x"));
  EXPECT_FALSE(matches("", "x"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("**", ""));
}

TEST(Glob, TakesWhatAnArrayOrObjectHolds) {
  EXPECT_TRUE(takes("tank", "tank.level"));
  EXPECT_TRUE(takes("T", "T[3]"));
  EXPECT_TRUE(takes("tank[?]", "tank[2].level"));
  EXPECT_FALSE(takes("T", "Tank"));
}

TEST(Glob, AgreesWithItsDefinition) {
  std::mt19937 dice(7);
  const auto word = [&](const char* letters, unsigned count) {
    std::string text;
    for (auto length = dice() % 9; length > 0; --length) text += letters[dice() % count];
    return text;
  };
  int matched = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string pattern = word("ab*?", 4);
    const std::string name = word("ab", 2);
    EXPECT_EQ(matches(pattern, name), matches_by_definition(pattern, name)) << pattern << " " << name;
    matched += matches(pattern, name) ? 1 : 0;
  }
  EXPECT_GT(matched, 1000);
}

TEST(Glob, ManyStarsAreQuick) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(2000, 'a')));
}

TEST(Glob, TellsPatternsFromNames) {
  EXPECT_TRUE(is_pattern("a.*"));
  EXPECT_TRUE(is_pattern("a?"));
  EXPECT_FALSE(is_pattern("a[1].b"));
}

}  // namespace
}  // namespace hyla::record
