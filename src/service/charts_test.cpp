// Runs the cases of tests/charts and compares their traces with those written in them. The expected traces are derived
// from the rules of the language, so nothing here rewrites them: a difference is a defect of the engine or of the case.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/run_model.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

const std::string kFolder = "tests/charts/";
constexpr std::string_view kHeading = "// Trace:";
constexpr std::string_view kComment = "// ";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const std::string& topic : Disk().names_in(kFolder)) {
    for (const std::string& name : Disk().names_in(kFolder + topic + '/')) {
      if (name.ends_with(".hyla")) names.push_back(topic + '/' + name);
    }
  }
  return names;
}

/// The comment lines behind the heading.
std::vector<std::string> expected_trace(const std::string& text) {
  std::vector<std::string> lines;
  bool is_trace = false;
  for (const std::string_view line : base::split_lines(text)) {
    if (is_trace && line.starts_with(kComment)) lines.emplace_back(line.substr(kComment.size()));
    is_trace = is_trace || line == kHeading;
  }
  EXPECT_TRUE(is_trace) << "there is no line `" << kHeading << '`';
  return lines;
}

/// Both traces side by side: lines in common, `-` for missing ones, `+` for superfluous ones.
std::string difference(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  const std::size_t rows = expected.size() + 1;
  const std::size_t columns = actual.size() + 1;
  std::vector<std::size_t> common(rows * columns);  // lengths of the longest common subsequences of the rests
  for (std::size_t i = rows - 1; i-- > 0;) {
    for (std::size_t j = columns - 1; j-- > 0;) {
      common[i * columns + j] = expected[i] == actual[j]
                                    ? common[(i + 1) * columns + j + 1] + 1
                                    : std::max(common[(i + 1) * columns + j], common[i * columns + j + 1]);
    }
  }
  std::string text;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < expected.size() || j < actual.size()) {
    if (i < expected.size() && j < actual.size() && expected[i] == actual[j]) {
      text += "   " + expected[i++] + '\n';
      ++j;
    } else if (j == actual.size() ||
               (i < expected.size() && common[(i + 1) * columns + j] >= common[i * columns + j + 1])) {
      text += " - " + expected[i++] + '\n';
    } else {
      text += " + " + actual[j++] + '\n';
    }
  }
  return text;
}

class Charts : public testing::TestWithParam<std::string> {};

TEST_P(Charts, FollowTheRules) {
  const std::string path = kFolder + GetParam();
  RunRequest request;
  request.path = path;
  std::vector<std::string> trace;
  RunWatcher watcher;
  watcher.trace = [&](std::string_view line) { trace.emplace_back(line); };
  const RunReport report = run_model(request, Disk(), watcher);

  EXPECT_EQ(report.counts.errors, 0U);
  EXPECT_EQ(report.checked, 0U) << "a case gives no warning before it runs";
  const std::vector<std::string> expected = expected_trace(text_of(path));
  EXPECT_TRUE(trace == expected) << path << ": expected but missing (-), found but not expected (+)\n"
                                 << difference(expected, trace);
  if (HasFailure()) {
    GTEST_LOG_(INFO) << diag::render(report.diagnostics, report.sources);
    for (const std::string& failure : report.failures) GTEST_LOG_(INFO) << failure;
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.rfind('.'));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Charts, testing::ValuesIn(case_names()), test_name);

TEST(Difference, AlignsTraces) {
  EXPECT_EQ(difference({"a", "b", "c"}, {"a", "x", "c"}), "   a\n - b\n + x\n   c\n");
  EXPECT_EQ(difference({"a"}, {}), " - a\n");
  EXPECT_EQ(difference({}, {"a"}), " + a\n");
}

}  // namespace
}  // namespace hyla::service
