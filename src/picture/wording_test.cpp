#include "picture/wording.h"

#include <gtest/gtest.h>

namespace hyla::picture {
namespace {

const std::string kIndent = "\u00a0\u00a0";

TEST(Wording, PutsTextOnOneLine) {
  EXPECT_EQ(on_one_line("x := 1;  // counts\n  y := 2;"), "x := 1; y := 2");
  EXPECT_EQ(on_one_line("a /* never\n mind */ + b"), "a + b");
  EXPECT_EQ(on_one_line("print(\"a // b;  c\");"), "print(\"a // b;  c\")");
  EXPECT_EQ(on_one_line("print(\"a \\\" // b\")"), "print(\"a \\\" // b\")");
  EXPECT_EQ(on_one_line(""), "");
}

TEST(Wording, BreaksLinesWhereTheyReadWell) {
  EXPECT_EQ(wrapped("short", 20), Lines{"short"});
  EXPECT_EQ(wrapped("level > high and flow < limit", 20), (Lines{"level > high", kIndent + "and flow < limit"}));
  EXPECT_EQ(wrapped("y = k * (alpha + beta) + gamma", 24), (Lines{"y = k * (alpha + beta)", kIndent + "+ gamma"}));
  EXPECT_TRUE(wrapped("", 20).empty());
}

TEST(Wording, BreaksEndlessWords) {
  const Lines lines = wrapped(std::string(200, 'a'), 40);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].size(), 60u);
  std::string letters;
  for (int i = 0; i < 100; ++i) letters += "α";
  const Lines greek = wrapped(letters, 40);
  ASSERT_EQ(greek.size(), 2u);
  EXPECT_EQ(greek[0].size(), 120u);  // no letter is cut in two
}

}  // namespace
}  // namespace hyla::picture
