#include "service/explain.h"

#include <gtest/gtest.h>

#include "diag/diagnostic.h"
#include "service/page.h"

namespace hyla::service {
namespace {

constexpr std::string_view kPage =
    "# a-kind\n\nOne line\nand another.\n\n```hyla\nmodel A {\n\n}\n```\nRight:\n\n```text\n```\n";

TEST(Page, SplitsIntoBlocks) {
  const std::vector<Block> blocks = split_page(kPage);
  ASSERT_EQ(blocks.size(), 5U);
  EXPECT_EQ(blocks[0].form, Block::Form::Heading);
  EXPECT_EQ(blocks[0].text, "a-kind");
  EXPECT_EQ(blocks[1].text, "One line\nand another.");
  EXPECT_EQ(blocks[2].form, Block::Form::Code);
  EXPECT_EQ(blocks[2].info, "hyla");
  EXPECT_EQ(blocks[2].text, "model A {\n\n}\n");
  EXPECT_EQ(blocks[3].text, "Right:");
  EXPECT_EQ(blocks[4].info, "text");
  EXPECT_EQ(blocks[4].text, "");
}

TEST(Page, SurvivesAnOpenFence) {
  const std::vector<Block> blocks = split_page("```hyla\nmodel");
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].text, "model");
}

TEST(Page, IsShownForATerminal) {
  EXPECT_EQ(show_page(kPage, 12, false), "a-kind\n\nOne line and\nanother.\n\n    model A {\n\n    }\n\nRight:\n\n");
  EXPECT_TRUE(show_page(kPage, 80, true).starts_with("\x1b[1ma-kind\x1b[0m\n"));
}

TEST(Explain, SuggestsTheNearestKind) {
  EXPECT_EQ(explain("unit-mismach", {}).message(),
            "there is no kind of message `unit-mismach`; did you mean `unit-mismatch`?");
  EXPECT_EQ(explain("", {}).message(), "there is no kind of message ``; `hyla explain` lists all kinds");
}

TEST(Explain, ListsEveryKind) {
  const std::string list = list_kinds({});
  for (const diag::KindInfo& kind : diag::all_kinds()) {
    EXPECT_NE(list.find(kind.name), std::string::npos);
    EXPECT_NE(list.find(kind.summary), std::string::npos);
  }
}

}  // namespace
}  // namespace hyla::service
