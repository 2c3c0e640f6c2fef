// Free-form cases: what is said about tests/diagnostics/NAME.hyla stands in NAME.txt beside it, empty if the file is
// right. The files in tests/runs are run, and NAME.txt has what the run says.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "service/run_model.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

const std::string kChecked = "tests/diagnostics/";
const std::string kRun = "tests/runs/";
constexpr std::string_view kEnding = ".hyla";

std::vector<std::string> case_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string& name : Disk().names_in(folder)) {
    if (name.ends_with(kEnding)) names.push_back(name);
  }
  return names;
}

/// All cases under their bare names, so that they can import each other and messages stay short.
MemoryFiles all_cases(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& name : case_names(folder)) files[name] = text_of(folder + name);
  return MemoryFiles(std::move(files));
}

/// Compares the messages about a case with the text beside it, or rewrites the text.
void expect_messages(const std::string& folder, const std::string& name, const std::string& messages) {
  const std::string path = folder + name.substr(0, name.size() - kEnding.size()) + ".txt";
  if (!is_updating()) {
    EXPECT_EQ(text_of(path), messages) << path << ": HYLA_UPDATE=1 rewrites the text";
  } else if (!Disk().is_file(path) || text_of(path) != messages) {
    EXPECT_FALSE(Disk().write(path, messages));
  }
}

class Golden : public testing::TestWithParam<std::string> {};
class GoldenRun : public testing::TestWithParam<std::string> {};

TEST_P(Golden, SaysWhatIsExpected) {
  expect_messages(kChecked, GetParam(), messages_of(all_cases(kChecked), GetParam()));
}

TEST_P(GoldenRun, SaysWhatIsExpected) {
  RunRequest request;
  request.path = GetParam();
  const RunReport report = run_model(request, all_cases(kRun), {});
  EXPECT_TRUE(report.failures.empty());
  EXPECT_TRUE(report.has_run);
  expect_messages(kRun, GetParam(), diag::render(report.diagnostics, report.sources));
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param.substr(0, info.param.size() - kEnding.size())) name += std::isalnum(c) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(case_names(kChecked)), test_name);
INSTANTIATE_TEST_SUITE_P(Cases, GoldenRun, testing::ValuesIn(case_names(kRun)), test_name);

TEST(GoldenFolder, HasNoTextWithoutCase) {
  for (const std::string& folder : {kChecked, kRun}) {
    for (const std::string& name : Disk().names_in(folder)) {
      const std::string stem = name.substr(0, name.rfind('.'));
      EXPECT_TRUE(Disk().is_file(folder + stem + std::string(kEnding))) << folder << name;
    }
  }
}

}  // namespace
}  // namespace hyla::service
