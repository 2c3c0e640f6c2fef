// Holds the pages in docs/diagnostics/ to their promise: the example reports exactly the kind of the page, in exactly
// the words shown, and the right version is silent.
//
// A page has the name of the kind as heading, a paragraph, a block `hyla` with the mistake (it is called example.hyla;
// blocks `hyla NAME.hyla` are further files, and a folder in such a name is searched as with -I), a block `text` with
// the messages, the word "Right:" and the files of the right version. In a block `hyla escaped`, `\xFF` is the byte FF,
// and `\repeat{TEXT}{9}` is the text nine times. Files that begin
// with a block `hyla run` are run, and what counts is what the run says, not the check before it.
#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "service/embedded.h"
#include "service/page.h"
#include "service/run_model.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

constexpr std::string_view kFolder = "docs/diagnostics/";
constexpr std::string_view kExample = "example.hyla";

using Files = std::map<std::string, std::string>;

std::string expand(std::string text) {
  std::smatch match;
  const std::regex repeat(R"(\\repeat\{([^}]*)\}\{(\d+)\})");
  while (std::regex_search(text, match, repeat)) {
    std::string copies;
    for (int i = std::stoi(match[2]); i > 0; --i) copies += match[1];
    text.replace(static_cast<std::size_t>(match.position()), static_cast<std::size_t>(match.length()), copies);
  }
  const std::regex byte(R"(\\x([0-9A-F]{2}))");
  while (std::regex_search(text, match, byte)) {
    const auto value = static_cast<char>(std::stoi(match[1], nullptr, 16));
    text.replace(static_cast<std::size_t>(match.position()), static_cast<std::size_t>(match.length()), 1, value);
  }
  return text;
}

/// The parts of a page. The views refer to its text.
struct Example {
  Files wrong;
  std::optional<std::string_view> messages;
  Files right;  ///< with the further files of the mistake, unless they are given again
  bool is_run = false;
};

/// Reads the blocks of a page in their order; fails the test where the order is not kept.
Example read_example(std::string_view page, std::string_view kind) {
  const std::vector<Block> blocks = split_page(page);
  Example example;
  EXPECT_GE(blocks.size(), 6U);
  if (blocks.size() < 6) return example;
  EXPECT_EQ(blocks[0].form, Block::Form::Heading);
  EXPECT_EQ(blocks[0].text, kind);
  EXPECT_EQ(blocks[1].form, Block::Form::Paragraph);

  bool is_right = false;
  for (const Block& block : std::vector<Block>(blocks.begin() + 2, blocks.end())) {
    if (block.form != Block::Form::Code) {
      EXPECT_EQ(block.text, "Right:");
      is_right = true;
      example.right = example.wrong;
    } else if (block.info == "text") {
      EXPECT_FALSE(example.messages || is_right) << "one block of messages stands before the right version";
      example.messages = block.text;
    } else {
      EXPECT_TRUE(block.info.starts_with("hyla")) << block.info;
      const bool is_escaped = block.info == "hyla escaped";
      const bool is_run = block.info == "hyla run";
      example.is_run = example.is_run || is_run;
      const std::string name(block.info.size() > 5 && !is_escaped && !is_run ? block.info.substr(5) : kExample);
      (is_right ? example.right : example.wrong)[name] = is_escaped ? expand(std::string(block.text)) : block.text;
    }
  }
  EXPECT_TRUE(example.messages) << "a block of messages is missing";
  EXPECT_TRUE(is_right) << "the right version is missing";
  return example;
}

/// Files in a folder are found as with -I.
std::vector<std::string> folders_of(const Files& files) {
  std::set<std::string> folders;
  for (const auto& [path, text] : files) {
    if (const std::string folder = folder_of(path); !folder.empty()) folders.insert(folder);
  }
  return {folders.begin(), folders.end()};
}

/// What the check or the run says.
struct Said {
  std::vector<diag::Diagnostic> diagnostics;
  std::string text;
};

Said say(const Files& files, bool is_run) {
  const MemoryFiles memory(files);
  if (!is_run) {
    const CheckOutcome outcome = check_files({{std::string(kExample)}, folders_of(files), Dump::None}, memory);
    EXPECT_TRUE(outcome.failures.empty());
    return {outcome.diagnostics, diag::render(outcome.diagnostics, outcome.sources)};
  }
  RunRequest request;
  request.path = kExample;
  const RunReport report = run_model(request, memory, {});
  EXPECT_TRUE(report.failures.empty());
  const std::vector<diag::Diagnostic> own(report.diagnostics.begin() + static_cast<std::ptrdiff_t>(report.checked),
                                          report.diagnostics.end());
  return {own, diag::render(own, report.sources)};
}

class Pages : public testing::TestWithParam<std::string> {};

TEST_P(Pages, KeepTheirPromise) {
  const std::string path = std::string(kFolder) + GetParam() + ".md";
  std::string page = text_of(path);
  const Example example = read_example(page, GetParam());
  if (HasFailure()) return;

  const Said said = say(example.wrong, example.is_run);
  EXPECT_FALSE(said.diagnostics.empty()) << "the example reports nothing";
  for (const diag::Diagnostic& diagnostic : said.diagnostics) EXPECT_EQ(diag::info(diagnostic.kind).name, GetParam());
  if (!is_updating()) {
    EXPECT_EQ(*example.messages, said.text) << path << ": HYLA_UPDATE=1 rewrites the text";
  } else if (*example.messages != said.text) {
    page.replace(static_cast<std::size_t>(example.messages->data() - page.data()), example.messages->size(), said.text);
    EXPECT_FALSE(Disk().write(path, page));
  }
  EXPECT_EQ(say(example.right, example.is_run).text, "") << "the right version must be silent";
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const diag::KindInfo& kind : diag::all_kinds()) names.emplace_back(kind.name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Pages, testing::ValuesIn(all_names()), test_name);

TEST(Page, BelongsToAKindAndIsInsideTheProgram) {
  std::set<std::string> embedded;
  for (const base::EmbeddedFile& page : diagnostic_pages()) embedded.emplace(page.path.substr(kFolder.size()));
  for (const std::string& name : Disk().names_in(std::string(kFolder))) {
    EXPECT_TRUE(diag::find_kind(name.substr(0, name.rfind('.')))) << name;
    EXPECT_TRUE(embedded.contains(name)) << name;
  }
}

}  // namespace
}  // namespace hyla::service
