#include "record/csv_reader.h"

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "record/csv_writer.h"
#include "record/testing.h"

namespace hyla::record {
namespace {

base::Result<RunResult> read(std::string_view text, const ResultChoice& choice = {}) {
  MemoryInput input(text);
  return read_result("f.csv", input, choice);
}

/// Numbers of all sizes, and what is none.
double any_value(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0:
      return kAbsent;
    case 1:
      return std::numeric_limits<double>::infinity();
    case 2:
      return static_cast<double>(random() % 100);
    default: {
      const auto value = std::bit_cast<double>(random());
      return std::isnan(value) ? 0.0 : value;
    }
  }
}

TEST(CsvReader, ReadsBackWhatWasWrittenBitForBit) {
  std::mt19937_64 random(7);
  const std::vector<std::string> names = {"height", "tank[2].level", "m[1, 2]", "a \"b\""};
  std::vector<std::vector<double>> rows;
  Memory memory;
  {
    CsvWriter writer(memory, names);
    for (int i = 0; i < 50000; ++i) {  // several pieces
      for (double& value : rows.emplace_back(names.size())) value = any_value(random);
      writer.row(i / 7, rows.back());
    }
  }
  const std::string text = memory.text();
  const auto result = read(text);
  ASSERT_TRUE(result.ok()) << result.message();
  ASSERT_EQ(result.value().columns.size(), names.size());
  ASSERT_EQ(result.value().time.size(), rows.size());
  for (std::size_t c = 0; c < names.size(); ++c) {
    EXPECT_EQ(result.value().columns[c].name, names[c]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(result.value().value(result.value().columns[c], r)),
                std::bit_cast<std::uint64_t>(rows[r][c]));
    }
  }
  EXPECT_TRUE(result.value().notes.empty());
}

TEST(CsvReader, TakesWhatOthersWrite) {
  const auto result = read("\xEF\xBB\xBF\"t\", \"x\" ,y\r\n0,+1, 2\r\n1, 1e400 ,nan\r\n");
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.value().columns[0].name, "x");
  EXPECT_EQ(result.value().series[0], (std::vector<double>{1, HUGE_VAL}));
  EXPECT_EQ(result.value().series[1][0], 2);
  EXPECT_TRUE(std::isnan(result.value().series[1][1]) && !is_absent(result.value().series[1][1]));
}

TEST(CsvReader, ReadsChosenColumnsOnly) {
  const std::string text = "time,a,b.x,b.y,c[1],c[2]\n0,1,2,3,4,5\n1,6,7,8,9,10\n";
  const auto names = [&](const std::string& pattern) {
    std::string all;
    const auto result = read(text, {{pattern}});
    if (!result.ok()) return result.message();
    for (const ResultColumn& column : result.value().columns) all += column.name + " ";
    return all;
  };
  EXPECT_EQ(names("b"), "b.x b.y ");
  EXPECT_EQ(names("c"), "c[1] c[2] ");
  EXPECT_EQ(names("*[2]"), "c[2] ");
  EXPECT_EQ(names("b.z"), "f.csv: no variable `b.z` was recorded; did you mean `b.x`?");
  EXPECT_EQ(names("quite.other"),
            "f.csv: no variable `quite.other` was recorded; there are `a`, `b.x`, `b.y`, `c[1]` and `c[2]`");
  const auto result = read(text, {{"c[2]", "a"}});
  EXPECT_EQ(result.value().series, (std::vector<std::vector<double>>{{1, 6}, {5, 10}}));
}

TEST(CsvReader, LeavesOutALastLineThatMayBeCutOff) {
  const auto result = read("time,a\n0,1\n1,2\n2,3.");
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.value().time, (std::vector<double>{0, 1}));
  ASSERT_EQ(result.value().notes.size(), 1U);
  EXPECT_TRUE(result.value().notes[0].starts_with("f.csv:4: the last line has no end")) << result.value().notes[0];
  EXPECT_EQ(read("time,a\n").value().notes[0], "f.csv: the file has no rows");
}

TEST(CsvReader, SaysWhatMakesNoSense) {
  const std::map<std::string, std::string> cases = {
      {"", "cannot read `f.csv`: the file is empty"},
      {std::string("\0\1\2", 3), "cannot read `f.csv`: it is no result file: neither CSV, MAT nor HDF5"},
      {"{\"hyla\":\"events\",\"version\":1}\n",
       "cannot read `f.csv`: it is an events file; a file that `hyla run --output-file` writes is expected"},
      {"time,a", "f.csv:1: the first line, with the names of the columns, is missing or cut off"},
      {"model Tank {\n}\n", "f.csv:1: this is no result file: names with commas between them are expected here"},
      {"0,1\n1,2\n", "f.csv:1: the first line must name the columns, but begins with the number 0"},
      {"time,\"a\n0,1\n", "f.csv:1: a name in quotes has no end"},
      {"time,a,a\n0,1,2\n", "f.csv:1: two columns are named `a`"},
      {"time,a,\n0,1,2\n", "f.csv:1: column 3 has no name"},
      {"time,a\n0,1\n1,x\n", "f.csv:3: `x` in the column `a` is no number"},
      {"time,a\n0,1\n1,0x1\n", "f.csv:3: `0x1` in the column `a` is no number"},
      {"time,a\n0,1\n\n1,2\n", "f.csv:3: the line is empty"},
      {"time,a\n1,1\n0,2\n", "f.csv:3: the time `0` lies before that of the row above"},
      {"time,a\nnan,1\n", "f.csv:2: `nan` is no time"},
      {"time,a\n,1\n", "f.csv:2: `` is no time"},
      {"time,a\n0,1,2\n", "f.csv:2: the row has more cells than the first line has names (2)"},
      {"time,a,b\n0,1\n", "f.csv:2: the row has fewer cells than the first line has names (3)"},
  };
  for (const auto& [text, message] : cases) {
    const auto result = read(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.message(), message);
  }
}

TEST(RunResult, NegatesAliasesButNotWhatIsAbsent) {
  RunResult result;
  result.time = {0, 1};
  result.series = {{2, kAbsent}};
  result.columns = {{"a", "", "", 0, false}, {"b", "", "", 0, true}};
  EXPECT_EQ(result.values(result.columns[1])[0], -2);
  EXPECT_TRUE(is_absent(result.values(result.columns[1])[1]));
  EXPECT_TRUE(is_absent(result.value(result.columns[1], 1)));
  EXPECT_EQ(find_column(result.columns, "b").value(), 1U);
  EXPECT_FALSE(find_column(result.columns, "*").ok());
}

}  // namespace
}  // namespace hyla::record
