// The rules of docs/language.md, each with programs that keep it and programs that break it.
//
// The files in testdata/rules/ hold the programs:
//
//   rule 9.2 entry 6: `when` takes no guard      section of language.md, number of the decision, if it has one
//   accept                                       the program below gives no message
//     model M { … }                              two spaces before each line of the program
//   reject when-with-guard                       the program below gives messages of exactly these kinds
//     model M { … }
//   warn unreachable-state                       the same for warnings
//     model M { … }
//   file flow.hyla                               a further file of the program above
//     model Queue { }
//
// Every rule has a program that is accepted without an error, and one that is refused or warned of.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/check.h"
#include "diag/render.h"

namespace hyla::check {
namespace {

constexpr std::string_view kFolder = "src/check/testdata/rules/";

using Kinds = std::set<std::string>;

struct Program {
  std::string place;  ///< "charts.txt:12"
  std::string rule;
  std::string verdict;  ///< accept, reject or warn
  Kinds kinds;
  std::vector<std::pair<std::string, std::string>> files;  ///< the main one first
};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Program> read_programs() {
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) paths.insert(entry.path());
  std::vector<Program> programs;
  for (const auto& path : paths) {
    std::istringstream in(read_text(path));
    std::string rule;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (line[0] == ' ') {
        programs.back().files.back().second += line.substr(2) + "\n";
      } else if (word == "rule") {
        rule = line.substr(5);
      } else if (word == "file") {
        words >> word;
        programs.back().files.emplace_back(word, "");
      } else {
        programs.push_back({path.filename().string() + ":" + std::to_string(number), rule, word, {}, {}});
        programs.back().files.emplace_back("main.hyla", "");
        while (words >> word) programs.back().kinds.insert(word);
      }
    }
  }
  return programs;
}

/// Finds modules among the files of a program.
class Files : public ModuleFinder {
 public:
  explicit Files(std::map<std::string, diag::FileId> files) : files_(std::move(files)) {}
  Found find(std::string_view name, diag::FileId /*importer*/) override {
    const auto found = files_.find(std::string(name) + ".hyla");
    return found == files_.end() ? Found{} : Found{{found->second}, {}, {}};
  }

 private:
  std::map<std::string, diag::FileId> files_;
};

class Rules : public testing::TestWithParam<Program> {};

TEST_P(Rules, AreKept) {
  const Program& program = GetParam();
  diag::Sources sources;
  const diag::FileId prelude = sources.add("prelude.hyla", read_text("lib/prelude.hyla"));
  std::map<std::string, diag::FileId> files;
  for (const auto& [name, text] : program.files) files[name] = sources.add(name, text);
  diag::Sink sink;
  Files finder(files);
  const Forest forest = load_modules(sources, prelude, files["main.hyla"], finder, sink);
  const model::Model model = check(forest, sink);
  Kinds kinds;
  const std::span<const diag::Diagnostic> diagnostics = sink.diagnostics();
  for (const diag::Diagnostic& diagnostic : diagnostics) {
    const diag::KindInfo& kind = diag::info(diagnostic.kind);
    kinds.emplace(kind.name);
    EXPECT_EQ(program.verdict == "warn", kind.severity == diag::Severity::Warning) << kind.name;
  }
  EXPECT_EQ(kinds, program.kinds) << program.place << ": " << program.rule << "\n"
                                  << program.files.front().second << diag::render(diagnostics, sources);
  if (program.verdict == "accept") {
    EXPECT_EQ(model::verify(model), std::vector<std::string>{});
  }
}

std::string test_name(const testing::TestParamInfo<Program>& info) {
  std::string name;
  for (const char c : info.param.place) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Language, Rules, testing::ValuesIn(read_programs()), test_name);

TEST(RuleTable, NamesSectionsOfTheLanguageAndShowsBothSides) {
  std::set<std::string> sections;
  std::istringstream text(read_text("docs/language.md"));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("##")) continue;
    std::istringstream words(line);
    std::string marks;
    std::string number;
    words >> marks >> number;
    if (number.ends_with('.')) number.pop_back();
    sections.insert(number);
  }
  std::map<std::string, Kinds> verdicts;
  for (const Program& program : read_programs()) {
    EXPECT_TRUE(sections.contains(program.rule.substr(0, program.rule.find_first_of(" :")))) << program.rule;
    EXPECT_TRUE(program.verdict == "accept" || program.verdict == "reject" || program.verdict == "warn")
        << program.place;
    EXPECT_EQ(program.verdict == "accept", program.kinds.empty()) << program.place;
    verdicts[program.rule].insert(program.verdict);
  }
  for (const auto& [rule, seen] : verdicts) {
    EXPECT_TRUE(seen.contains("accept")) << rule;
    EXPECT_GE(seen.size(), 2U) << rule;
  }
}

}  // namespace
}  // namespace hyla::check
