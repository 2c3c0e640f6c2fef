#include "experiment/journal.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace hyla::experiment {
namespace {

MemberResult good() {
  MemberResult result;
  result.status = MemberStatus::Good;
  result.time = 10;
  result.values = {1.0 / 3, std::numeric_limits<double>::infinity(), std::nan(""), -0.0};
  result.violated = {2, 7};
  return result;
}

std::string text() {
  MemberResult failed;
  failed.status = MemberStatus::Failed;
  failed.message = "tab\there\nand \\ a line";
  return journal_header("Sizes", "abc") +
         journal_line(
             "1\x1f"
             "0",
             good()) +
         journal_line(
             "2\x1f"
             "0",
             failed);
}

TEST(Journal, ReadsBackWhatWasWritten) {
  const base::Result<Journal> journal = read_journal(text());
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ(journal.value().name, "Sizes");
  EXPECT_EQ(journal.value().fingerprint, "abc");
  EXPECT_EQ(journal.value().damaged, 0U);
  ASSERT_EQ(journal.value().results.size(), 2U);
  const MemberResult& one = journal.value()
                                .results
                                .find(
                                    "1\x1f"
                                    "0")
                                ->second;
  EXPECT_EQ(one.values[0], 1.0 / 3);
  EXPECT_TRUE(std::isinf(one.values[1]));
  EXPECT_TRUE(std::isnan(one.values[2]));
  EXPECT_TRUE(std::signbit(one.values[3]));
  EXPECT_EQ(one.violated, (std::vector<std::uint32_t>{2, 7}));
  EXPECT_EQ(journal.value()
                .results
                .find("2\x1f"
                      "0")
                ->second.message,
            "tab\there\nand \\ a line");
}

TEST(Journal, KeepsWhatWasReached) {
  MemberResult result;
  result.status = MemberStatus::Good;
  result.coverage = {{0, 1}, {7, 123456789012345}};
  Results results;
  EXPECT_EQ(read_results(journal_line("k", result), results), 0U);
  EXPECT_EQ(results.find("k")->second.coverage, result.coverage);
  for (const char* wrong :
       {"1", "1:", ":1", "1:0", "1:2 1:3", "2:1 1:1", "1:2 ", "-1:2", "1:2x", "1:99999999999999999999"}) {
    EXPECT_FALSE(read_counts(wrong)) << wrong;
  }
  model::Model model;
  engine::Coverage coverage = engine::make_coverage(model);
  EXPECT_FALSE(add_counts(result.coverage, coverage));
}

TEST(Journal, EveryTruncationKeepsWholeLines) {
  const std::string whole = text();
  const std::size_t header = whole.find('\n') + 1, first = whole.find('\n', header) + 1;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const base::Result<Journal> journal = read_journal(whole.substr(0, length));
    if (length + 1 < header) {
      EXPECT_FALSE(journal.ok()) << length;
      continue;
    }
    ASSERT_TRUE(journal.ok()) << length;
    EXPECT_EQ(journal.value().results.size(), length + 1 >= first ? (length + 1 == whole.size() ? 2U : 1U) : 0U)
        << length;
  }
}

TEST(Journal, LeavesOutWhatWasChanged) {
  std::string damaged = text();
  damaged[damaged.find("0.333")] = '9';
  const base::Result<Journal> journal = read_journal(damaged);
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ(journal.value().damaged, 1U);
  EXPECT_EQ(journal.value().results.size(), 1U);
}

}  // namespace
}  // namespace hyla::experiment
