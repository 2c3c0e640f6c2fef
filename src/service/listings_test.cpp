// Compiles the listings of the documentation: README.md, docs/language.md and the book. A block `hyla` is a complete
// file that gives no message; a block `hyla error KIND` must give messages of exactly that kind.
#include <set>

#include <gtest/gtest.h>

#include "service/page.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

constexpr std::string_view kError = "hyla error ";

std::vector<std::string> pages() {
  std::vector<std::string> paths = {"README.md", "docs/language.md"};
  for (const std::string& name : Disk().names_in("docs/book/")) paths.push_back("docs/book/" + name);
  return paths;
}

class Listings : public testing::TestWithParam<std::string> {};

TEST_P(Listings, AreRight) {
  const std::string page = text_of(GetParam());
  for (const Block& block : split_page(page)) {
    if (block.form != Block::Form::Code || !block.info.starts_with("hyla")) continue;
    std::set<std::string> expected;
    if (block.info.starts_with(kError)) expected.emplace(block.info.substr(kError.size()));
    EXPECT_TRUE(block.info == "hyla" || !expected.empty()) << "an unknown sort of listing: " << block.info;
    const MemoryFiles files({{"listing.hyla", std::string(block.text)}});
    const CheckOutcome outcome = check_files({{"listing.hyla"}, {}, Dump::None}, files);
    std::set<std::string> kinds;
    for (const diag::Diagnostic& diagnostic : outcome.diagnostics) kinds.emplace(diag::info(diagnostic.kind).name);
    EXPECT_EQ(kinds, expected) << block.text << diag::render(outcome.diagnostics, outcome.sources);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Pages, Listings, testing::ValuesIn(pages()), test_name);

}  // namespace
}  // namespace hyla::service
