// Free-form cases: what is said about tests/diagnostics/NAME.hyla stands in NAME.txt beside it, empty if the file is
// right.
#include <filesystem>

#include <gtest/gtest.h>

#include "service/testing.h"

namespace hyla::service {
namespace {

constexpr std::string_view kFolder = "tests/diagnostics/";
constexpr std::string_view kEnding = ".hyla";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const std::string& name : Disk().names_in(std::string(kFolder))) {
    if (name.ends_with(kEnding)) names.push_back(name);
  }
  return names;
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  /// All cases under their bare names, so that they can import each other and messages stay short.
  static MemoryFiles all_cases() {
    std::map<std::string, std::string> files;
    for (const std::string& name : case_names()) files[name] = text_of(std::string(kFolder) + name);
    return MemoryFiles(std::move(files));
  }
};

TEST_P(Golden, SaysWhatIsExpected) {
  const std::string stem = GetParam().substr(0, GetParam().size() - kEnding.size());
  const std::string path = std::string(kFolder) + stem + ".txt";
  const std::string messages = messages_of(all_cases(), GetParam());
  if (!is_updating()) {
    EXPECT_EQ(text_of(path), messages) << path << ": HYLA_UPDATE=1 rewrites the text";
  } else if (!Disk().is_file(path) || text_of(path) != messages) {
    EXPECT_FALSE(Disk().write(path, messages));
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param.substr(0, info.param.size() - kEnding.size())) name += std::isalnum(c) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(case_names()), test_name);

TEST(GoldenFolder, HasNoTextWithoutCase) {
  for (const std::string& name : Disk().names_in(std::string(kFolder))) {
    const std::string stem = name.substr(0, name.rfind('.'));
    EXPECT_TRUE(Disk().is_file(std::string(kFolder) + stem + std::string(kEnding))) << name;
  }
}

}  // namespace
}  // namespace hyla::service
