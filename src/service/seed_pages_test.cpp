// The numbers on the pages of docs/seeds. A paragraph `<!-- reference: NAME -->` says that the block `text` behind it
// sets a run beside tests/reference/NAME.txt: event by event, value by value. The tables are made anew and compared,
// words exactly and numbers to within the digits that the last improvement of a method may change. HYLA_UPDATE=1 writes
// the tables into the pages.
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/text.h"
#include "service/expected_run_testing.h"

namespace hyla::service {
namespace {

constexpr std::string_view kMark = "<!-- reference: ";
constexpr std::string_view kMarkEnd = " -->";
constexpr std::string_view kFence = "```text\n";
constexpr double kTight = 1e-10;

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return std::isnan(value) ? "-" : text;
}

/// What a page shows of a run: one line for each thing that the reference tells.
class Table {
 public:
  explicit Table(const std::string& name) : expected_(read_expectation("tests/reference/" + name + ".txt")) {
    const RunResult usual = run_expected(expected_, "page_" + name);
    Expectation tight = expected_;
    tight.request.solver.tolerance = kTight;
    const RunResult exact = run_expected(tight, "page_" + name);
    add("", "reference", "default", "1e-10");
    add_events(usual, exact);
    for (const ExpectedSample& sample : expected_.samples) {
      if (&sample == &expected_.samples.front() || &sample == &expected_.samples.back())
        add_values(sample, usual, exact);
    }
    const bool is_told =
        !expected_.samples.empty() && expected_.end && expected_.samples.back().time == expected_.end->time;
    if (expected_.end && !is_told) add_values(*expected_.end, usual, exact);
    const Errors loose = Comparison(expected_, usual).errors(), close = Comparison(expected_, exact).errors();
    add("largest difference of times", "", size(loose.time), size(close.time));
    add("largest difference of values", "", size(loose.value), size(close.value));
  }

  std::string text() const {
    std::size_t widest = 0;
    for (const std::vector<std::string>& line : lines_) widest = std::max(widest, line[0].size());
    std::string text;
    for (const std::vector<std::string>& line : lines_) {
      std::string row = line[0] + std::string(widest - line[0].size(), ' ');
      for (std::size_t i = 1; i < line.size(); ++i)
        row += std::string(16 - std::min<std::size_t>(14, line[i].size()), ' ') + line[i];
      text += row.substr(0, row.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
  }

 private:
  static constexpr std::size_t kMostEvents = 12;

  void add(std::string what, std::string a, std::string b, std::string c) {
    lines_.push_back({std::move(what), std::move(a), std::move(b), std::move(c)});
  }
  /// An error, of which only the size says something.
  static std::string size(double error) {
    if (error == 0) return "0";
    char text[40];
    std::snprintf(text, sizeof text, "1e%d", static_cast<int>(std::ceil(std::log10(error))));
    return "< " + std::string(text);
  }
  void add_events(const RunResult& usual, const RunResult& exact) {
    const std::vector<double> a = times(usual), b = times(exact);
    for (std::size_t i = 0; i < expected_.events.size(); ++i) {
      if (i >= kMostEvents - 1 && i + 1 < expected_.events.size()) continue;
      if (i + 1 == expected_.events.size() && i >= kMostEvents) add("…", "", "", "");
      const auto at = [&](const std::vector<double>& all) { return i < all.size() ? number(all[i]) : "-"; };
      add(expected_.events[i].label, number(expected_.events[i].time), at(a), at(b));
    }
  }
  /// Of the events that are compared.
  std::vector<double> times(const RunResult& result) const {
    std::vector<double> times;
    for (const LoggedEvent& event : Comparison(expected_, result).watched_events()) times.push_back(event.time);
    return times;
  }
  void add_values(const ExpectedSample& sample, const RunResult& usual, const RunResult& exact) {
    for (std::size_t i = 0; i < sample.values.size() && i < kMostEvents; ++i) {
      if (std::isnan(sample.values[i])) continue;
      const std::string what = expected_.columns[i] + " at " + base::format_number(sample.time);
      add(what, number(sample.values[i]), number(value(usual, i, sample.time)), number(value(exact, i, sample.time)));
    }
  }
  double value(const RunResult& result, std::size_t column, double time) const {
    const auto place = std::find(result.columns.begin(), result.columns.end(), expected_.columns[column]);
    for (auto row = result.rows.rbegin(); row != result.rows.rend() && place != result.columns.end(); ++row) {
      if (std::fabs(row->time - time) <= 1e-9 * (1 + std::fabs(time))) {
        return row->values[static_cast<std::size_t>(place - result.columns.begin())];
      }
    }
    return NAN;
  }

  Expectation expected_;
  std::vector<std::vector<std::string>> lines_;
};

bool is_close(const std::string& word, const std::string& other) {
  char *end = nullptr, *other_end = nullptr;
  const double a = std::strtod(word.c_str(), &end), b = std::strtod(other.c_str(), &other_end);
  if (*end != 0 || *other_end != 0) return word == other;
  const bool are_sizes = word.starts_with("1e") && other.starts_with("1e");  // of errors
  if (are_sizes) return std::fabs(std::log10(a / b)) < 1.5;
  return std::fabs(a - b) <= 1e-5 * (1 + std::fabs(b));
}

bool is_same_table(const std::string& said, const std::string& made) {
  std::istringstream a(said), b(made);
  std::string word, other;
  while (a >> word) {
    if (!(b >> other) || !is_close(word, other)) return false;
  }
  return !(b >> other);
}

std::vector<std::string> pages() {
  std::vector<std::string> paths;
  for (const std::string& name : Disk().names_in("docs/seeds/")) {
    if (name.ends_with(".md") && name != "README.md") paths.push_back("docs/seeds/" + name);
  }
  return paths;
}

class SeedPages : public testing::TestWithParam<std::string> {};

TEST_P(SeedPages, ShowTheNumbersOfRuns) {
  std::string page = text_of(GetParam());
  std::size_t found = 0;
  for (std::size_t mark = page.find(kMark); mark != page.npos; mark = page.find(kMark, mark + 1)) {
    ++found;
    const std::size_t begin = mark + kMark.size();
    const std::string name = page.substr(begin, page.find(kMarkEnd, begin) - begin);
    std::size_t table = page.find(kFence, mark);
    ASSERT_NE(table, page.npos) << "no block behind " << name;
    table += kFence.size();
    const std::size_t size = page.find("```", table) - table;
    const std::string made = Table(name).text();
    if (std::getenv("HYLA_UPDATE") != nullptr) {
      page.replace(table, size, made);
    } else {
      EXPECT_TRUE(is_same_table(page.substr(table, size), made)) << name << " gives\n" << made;
    }
  }
  EXPECT_GT(found, 0U) << "no numbers";
  if (std::getenv("HYLA_UPDATE") != nullptr) std::ofstream(GetParam()) << page;
}

INSTANTIATE_TEST_SUITE_P(All, SeedPages, testing::ValuesIn(pages()), [](const auto& one) {
  const std::string& path = one.param;
  const std::size_t begin = path.rfind('/') + 1;
  return path.substr(begin, path.rfind('.') - begin);
});

}  // namespace
}  // namespace hyla::service
