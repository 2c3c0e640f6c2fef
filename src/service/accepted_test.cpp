// Files that are right: `hyla check` says nothing about tests/accepted/NAME.hyla, and `hyla fmt` changes nothing.
#include <gtest/gtest.h>

#include "service/format_files.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

constexpr std::string_view kFolder = "tests/accepted/";
constexpr std::string_view kEnding = ".hyla";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const std::string& name : Disk().names_in(std::string(kFolder))) {
    if (name.ends_with(kEnding)) names.push_back(name);
  }
  return names;
}

class Accepted : public testing::TestWithParam<std::string> {};

TEST_P(Accepted, IsCheckedInSilence) {
  std::map<std::string, std::string> files;
  for (const std::string& name : case_names()) files[name] = text_of(std::string(kFolder) + name);
  EXPECT_EQ(messages_of(MemoryFiles(std::move(files)), GetParam()), "");
}

TEST_P(Accepted, IsLaidOut) {
  const std::string path = std::string(kFolder) + GetParam();
  const std::string text = text_of(path);
  const std::string laid_out = format_text(path, text).text;
  if (is_updating() && !laid_out.empty() && laid_out != text) {
    EXPECT_FALSE(Disk().write(path, laid_out));
    return;
  }
  EXPECT_EQ(text, laid_out) << path << ": HYLA_UPDATE=1 rewrites it";
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.size() - kEnding.size());
}

INSTANTIATE_TEST_SUITE_P(Files, Accepted, testing::ValuesIn(case_names()), test_name);

}  // namespace
}  // namespace hyla::service
