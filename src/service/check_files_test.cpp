#include "service/check_files.h"

#include <gtest/gtest.h>

#include "service/format_files.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

constexpr const char* kGood = "model A {\n    var x := 0;\n    der(x) = 1;\n}\n";
constexpr const char* kBad = "model A {\n    var x := $;\n}\n";

TEST(CheckFiles, IsSilentWhenAllIsWell) {
  const MemoryFiles files({{"a.hyla", kGood}, {"empty.hyla", ""}});
  const CheckOutcome outcome = check_files({{"a.hyla", "empty.hyla"}, {}, Dump::None}, files);
  EXPECT_EQ(diag::render(outcome.diagnostics, outcome.sources), "");
  EXPECT_TRUE(outcome.failures.empty());
  EXPECT_EQ(outcome.dump, "");
}

TEST(CheckFiles, GoesOnBehindAFileThatIsMissing) {
  const MemoryFiles files({{"a.hyla", kBad}, {"b.hyla", kBad}});
  const CheckOutcome outcome = check_files({{"c.hyla", "b.hyla", "a.hyla"}, {}, Dump::None}, files);
  EXPECT_EQ(outcome.failures, std::vector<std::string>{"cannot read `c.hyla`: no such file"});
  EXPECT_GE(outcome.counts.errors, 2U);
}

TEST(CheckFiles, TellsAMistakeOfAFileOnce) {
  const MemoryFiles files({{"a.hyla", kBad}, {"b.hyla", "import a;\n"}});
  const CheckOutcome once = check_files({{"a.hyla"}, {}, Dump::None}, files);
  const CheckOutcome twice = check_files({{"a.hyla", "b.hyla", "a.hyla"}, {}, Dump::None}, files);
  EXPECT_EQ(diag::render(once.diagnostics, once.sources), diag::render(twice.diagnostics, twice.sources));
}

TEST(CheckFiles, DumpsTokensAndTrees) {
  const MemoryFiles files({{"a.hyla", "model A {}\n"}, {"b.hyla", ""}});
  EXPECT_EQ(check_files({{"a.hyla"}, {}, Dump::Tokens}, files).dump,
            "1:1 WordModel model\n1:7 Identifier A\n1:9 BraceOpen {\n1:10 BraceClose }\n2:1 EndOfFile\n");
  EXPECT_EQ(check_files({{"b.hyla"}, {}, Dump::Tokens}, files).dump, "1:1 EndOfFile\n");
  EXPECT_EQ(check_files({{"a.hyla"}, {}, Dump::Tree}, files).dump, "File\n  ModelDecl\n    Name A\n    Body {}\n");
}

TEST(FormatFiles, RewritesWhatIsNotLaidOut) {
  MemoryFiles files({{"good.hyla", kGood}, {"ugly.hyla", "model A{}"}});
  const FormatOutcome dry = format_files({{"good.hyla", "ugly.hyla"}, true}, files);
  EXPECT_EQ(dry.changed, std::vector<std::string>{"ugly.hyla"});
  EXPECT_EQ(files.read("ugly.hyla").value(), "model A{}");
  const FormatOutcome wet = format_files({{"good.hyla", "ugly.hyla"}, false}, files);
  EXPECT_EQ(wet.changed, std::vector<std::string>{"ugly.hyla"});
  EXPECT_EQ(files.read("ugly.hyla").value(), format_text("x", "model A{}").text);
  EXPECT_EQ(files.read("good.hyla").value(), kGood);
}

TEST(FormatFiles, LeavesFilesWithMistakesAlone) {
  MemoryFiles files({{"bad.hyla", kBad}, {"good.hyla", kGood}});
  const FormatOutcome outcome = format_files({{"none.hyla", "bad.hyla"}, false}, files);
  EXPECT_TRUE(outcome.changed.empty());
  EXPECT_GE(outcome.counts.errors, 1U);
  EXPECT_EQ(outcome.failures.size(), 1U);
  EXPECT_EQ(files.read("bad.hyla").value(), kBad);
  EXPECT_EQ(format_text("x", kBad).text, "");
}

}  // namespace
}  // namespace hyla::service
