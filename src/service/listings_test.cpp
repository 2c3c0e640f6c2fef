// Compiles the listings of the documentation: README.md, docs/language.md and the book. A block `hyla` is a complete
// file that gives no message; a block `hyla error KIND` must give messages of exactly that kind.
//
// A paragraph `<!-- output: hyla run FILE … -->`, or with `hyla init` or `hyla plot`, says where the block `text`
// behind it comes from. FILE is a path of the repository, a name for the last listing before its first use, or, of
// `hyla plot`, a result that was shown before. The run is made and compared with the block: a line `…` in it stands for
// any number of lines, `…` in a line for any text, such as times of the clock or digits that say nothing. Counts of
// steps and evaluations need to be right within a third.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/analyse_model.h"
#include "service/compare_files.h"
#include "service/experiment_model.h"
#include "service/init_model.h"
#include "service/page.h"
#include "service/plot_results.h"
#include "service/run_model.h"
#include "service/summary.h"
#include "service/testing.h"
#include "service/why_event.h"
#include "service/why_not.h"

namespace hyla::service {
namespace {

constexpr std::string_view kError = "hyla error ";

std::vector<std::string> pages() {
  std::vector<std::string> paths = {"README.md", "docs/language.md"};
  for (const std::string& name : Disk().names_in("docs/book/")) {
    if (name.ends_with(".md")) paths.push_back("docs/book/" + name);
  }
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

// --- outputs

constexpr std::string_view kOutput = "<!-- output: hyla ";
constexpr std::string_view kRun = "<!-- run: hyla run ";
constexpr std::string_view kOutputEnd = " -->";
constexpr std::string_view kEllipsis = "…";

using Lines = std::vector<std::string_view>;

bool line_fits(std::string_view expected, std::string_view actual) {
  std::size_t gap = expected.find(kEllipsis);
  if (gap == std::string_view::npos) return expected == actual;
  if (!actual.starts_with(expected.substr(0, gap))) return false;
  for (actual.remove_prefix(gap);;) {
    expected.remove_prefix(gap + kEllipsis.size());
    gap = expected.find(kEllipsis);
    if (gap == std::string_view::npos) return actual.ends_with(expected);
    const std::size_t place = actual.find(expected.substr(0, gap));
    if (place == std::string_view::npos) return false;
    actual.remove_prefix(place + gap);
  }
}

/// Lines of the summary that count the work of solvers: it changes with every improvement of a method.
bool counts_work(std::string_view line) {
  const std::string_view words = base::trim(line);
  constexpr std::string_view kCounts[] = {"steps ", "evaluations ", "Jacobians ", "loops solved "};
  return std::any_of(std::begin(kCounts), std::end(kCounts),
                     [&](std::string_view it) { return words.starts_with(it); });
}

/// The line without its numbers, and the numbers.
std::string split_numbers(std::string_view line, std::vector<double>& numbers) {
  std::string rest;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(line[i])) == 0) {
      if (line[i] != ' ') rest += line[i];
      continue;
    }
    double number = 0;
    for (; i < line.size() && std::isdigit(static_cast<unsigned char>(line[i])) != 0; ++i) {
      number = 10 * number + (line[i] - '0');
    }
    numbers.push_back(number);
    --i;
  }
  return rest;
}

/// The same line with about the same work.
bool work_fits(std::string_view expected, std::string_view actual) {
  std::vector<double> said, made;
  if (split_numbers(expected, said) != split_numbers(actual, made) || said.size() != made.size()) return false;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (std::abs(said[i] - made[i]) > 20 + 0.3 * std::max(said[i], made[i])) return false;
  }
  return true;
}

/// Whether lines with gaps describe an output. Gaps are as short as they can be, so the last lines are tried at the
/// end.
bool output_fits(const Lines& expected, std::size_t i, const Lines& actual, std::size_t j) {
  for (; i < expected.size(); ++i, ++j) {
    if (base::trim(expected[i]) == kEllipsis) {
      if (i + 1 == expected.size()) return true;
      for (; j <= actual.size(); ++j) {
        if (output_fits(expected, i + 1, actual, j)) return true;
      }
      return false;
    }
    if (j == actual.size()) return false;
    const bool is_work = counts_work(expected[i]) && work_fits(expected[i], actual[j]);
    if (!is_work && !line_fits(expected[i], actual[j])) return false;
  }
  return j == actual.size();
}

/// Of an option that says how equations are solved. False: it is none.
bool set_solver_word(SolverWords& solver, const std::string& option, const std::string& value) {
  if (option == "--solver")
    solver.solver = value;
  else if (option == "--tolerance")
    solver.tolerance = std::stod(value);
  else if (option == "--step-size")
    solver.step_size = std::stod(value);
  else if (option == "--events")
    solver.events = value;
  else if (option == "--zeno")
    solver.zeno = value;
  else
    return false;
  return true;
}

/// What the command prints, or the file if it writes one.
std::string output_of(std::istringstream words, MemoryFiles& files) {
  RunRequest request;
  std::vector<std::pair<std::string, std::string>> written;  // where files are, and how the page calls them
  bool traces = false;
  for (std::string word; words >> word;) {
    if (word == "--trace") {
      traces = true;
    } else if (word == "--keep-going") {
      request.keep_going = true;
    } else if (word == "--coverage") {
      request.coverage = true;
    } else if (word == "--require-decided") {
      request.require_decided = true;
    } else if (!word.starts_with("--")) {
      request.path = word;
    } else {
      std::string value;
      words >> value;
      if (word == "--seed")
        request.seed = std::stoull(value);
      else if (word == "--stop-time")
        request.stop_time = std::stod(value);
      else if (word == "--order")
        request.random_order = value == "random";
      else if (word == "--replications")
        request.replications = static_cast<std::uint32_t>(std::stoul(value));
      else if (word == "--events-file")
        written.emplace_back(request.events_file = scratch_path("hyla_listing.jsonl"), value);
      else if (word == "--output-file")
        written.emplace_back(request.output_file = scratch_path("hyla_listing" + value.substr(value.rfind('.'))),
                             value);
      else if (word == "--output-interval")
        request.output_interval = std::stod(value);
      else if (word == "--output-variable")
        request.output_variables.push_back(value);
      else if (word == "--set")
        request.settings.push_back(parse_setting(value).value());
      else if (word == "--start-values")
        request.start_values_file = value;
      else if (!set_solver_word(request.solver, word, value))
        ADD_FAILURE() << "an option that this test does not know: " << word;
    }
  }
  std::string text;
  RunWatcher watcher;
  const auto add_line = [&](std::string_view line) { (text += line) += '\n'; };
  if (traces) watcher.trace = add_line;
  watcher.print = add_line;
  const RunReport report = run_model(request, files, watcher);
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  for (const auto& [path, name] : written) {
    text = text_of(path);
    files.write(name, text);
    std::remove(path.c_str());
  }
  if (!written.empty()) return text;
  return text + diag::render(report.diagnostics, report.sources) + summary_text(report, {});
}

/// Files that a page has written are there for its later commands.
std::string init_output_of(std::istringstream words, MemoryFiles& files) {
  InitRequest request;
  for (std::string word; words >> word;) {
    if (!word.starts_with("--")) {
      request.path = word;
      continue;
    }
    std::string value;
    words >> value;
    if (word == "--fix")
      request.fixes.push_back(value);
    else if (word == "--free")
      request.frees.push_back(value);
    else if (word == "--guess")
      request.guesses.push_back(value);
    else if (word == "--set")
      request.settings.push_back(parse_setting(value).value());
    else if (word == "--load")
      request.load_file = value;
    else if (word == "--save")
      request.save_file = value;
    else if (word == "--select")
      request.selected.push_back(value);
    else if (word == "--show")
      request.show = value == "reduced" ? InitShow::Reduced : value == "changed" ? InitShow::Changed : InitShow::All;
    else
      ADD_FAILURE() << "an option that this test does not know: " << word;
  }
  if (!request.selected.empty()) request.show = InitShow::Selected;
  const InitReport report = init_model(request, files);
  std::string text = diag::render(report.diagnostics, report.sources);
  for (const std::string& failure : report.failures) text += "hyla: " + failure + '\n';
  return text + init_text(report);
}

std::string compare_output_of(std::istringstream words, const FileSystem& files) {
  CompareRequest request;
  for (std::string word; words >> word;) {
    std::string value;
    if (!word.starts_with("--"))
      (request.a.empty() ? request.a : request.b) = word;
    else if (word == "--no-events")
      request.without_events = true;
    else if (words >> value; word == "--tolerance")
      request.options.tube.relative = std::stod(value);
    else if (word == "--time-tolerance")
      request.options.time = std::stod(value);
    else if (word == "--tube")
      request.options.choices.push_back(parse_tube(value).value());
    else if (word == "--until")
      request.options.until = std::stod(value);
    else
      ADD_FAILURE() << "an option that this test does not know: " << word;
  }
  const CompareReport report = compare_files(request, files);
  std::string text = compare_text(report);
  for (const std::string& failure : report.failures) text += "hyla: " + failure + '\n';
  return text;
}

std::string why_output_of(std::istringstream words, const FileSystem& files) {
  WhyRequest event;
  WhyNotRequest absence;
  for (std::string word; words >> word;) {
    std::string value;
    if (!word.starts_with("--"))
      event.path = absence.run.path = word;
    else if (words >> value; word == "--event")
      event.event = std::stoull(value);
    else if (word == "--transition")
      event.transition = value;
    else if (word == "--not")
      absence.path = value;
    else
      ADD_FAILURE() << "an option that this test does not know: " << word;
  }
  if (absence.path.empty()) return why_text(why_event(event, files));
  return why_not_text(why_not(absence, files));
}

/// A drawing for the terminal, of results that an earlier command of the page has written.
std::string plot_output_of(std::istringstream words, const FileSystem& files) {
  PlotRequest request;
  request.terminal_width = 80;
  for (std::string word; words >> word;) {
    if (word == "--histogram")
      request.histograms = true;
    else if (word == "--x")
      words >> request.x;
    else if (word == "--model")
      words >> request.model_file;
    else if (word != "--terminal" && word.starts_with("--"))
      ADD_FAILURE() << "an option that this test does not know: " << word;
    else if (word != "--terminal")
      (is_result_name(word) ? request.results : request.words).push_back(word);
  }
  const PlotOutcome outcome = plot_results(request, files);
  for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
  return outcome.text;
}

/// The next word, or all words between quotes.
std::string quoted_word(std::istringstream& words) {
  std::string all;
  words >> all;
  if (!all.starts_with('\'')) return all;
  for (std::string more; !all.ends_with('\'') && words >> more;) all += ' ' + more;
  return all.substr(1, all.size() - 2);
}

std::string experiment_output_of(std::istringstream words, MemoryFiles& files) {
  ExperimentRequest request;
  words >> request.run.path;
  for (std::string word; words >> word;) {
    if (!word.starts_with("--")) {
      request.name = word;
      continue;
    }
    if (word == "--coverage") {
      request.run.coverage = true;
      continue;
    }
    const std::string value = quoted_word(words);
    if (word == "--vary")
      request.ad_hoc.vary.push_back(value);
    else if (word == "--observe")
      request.ad_hoc.observe.push_back(value);
    else if (word == "--replications")
      request.replications = std::stoull(value);
    else if (word == "--samples")
      request.samples = std::stoull(value);
    else if (word == "--sampling")
      request.sampling = value;
    else if (word == "--optimizer")
      request.optimizer = value;
    else if (word == "--stop-time")
      request.run.stop_time = std::stod(value);
    else
      ADD_FAILURE() << "an option that this test does not know: " << word;
  }
  if (request.run.path.find('/') != std::string::npos) {
    for (const std::string& name : Disk().names_in(folder_of(request.run.path))) {
      if (name.ends_with(".csv"))
        files.write(folder_of(request.run.path) + name, text_of(folder_of(request.run.path) + name));
    }
  }
  const ExperimentReport report = run_experiment(request, files, {});
  std::string text = diag::render(report.diagnostics, report.sources);
  for (const std::string& failure : report.failures) text += "hyla: " + failure + '\n';
  return text + experiment_text(report);
}

/// Messages, then the text.
template <class Report>
std::string with_messages(const Report& report, const std::string& complaint, const std::string& text) {
  std::string all = diag::render(report.diagnostics, report.sources);
  for (const std::string& failure : report.failures) all += "hyla: " + failure + '\n';
  if (!complaint.empty()) all += "hyla: " + complaint + '\n';
  return all + text;
}

std::string analysis_output_of(bool is_steady, std::istringstream words, MemoryFiles& files) {
  LinearRequest linear;
  SteadyRequest steady;
  for (std::string word; words >> word;) {
    if (!word.starts_with("--")) {
      linear.path = word;
      continue;
    }
    std::string value;
    words >> value;
    if (word == "--at")
      linear.at = std::stod(value);
    else if (word == "--set")
      linear.settings.push_back(parse_setting(value).value());
    else if (word == "--start-values")
      linear.start_values_file = value;
    else if (word == "--input")
      linear.inputs.push_back(value);
    else if (word == "--output")
      linear.outputs.push_back(value);
    else if (word == "--save")
      steady.save_file = value;
    else
      ADD_FAILURE() << "an option that this test does not know: " << word;
  }
  if (!is_steady) {
    const AnalysisReport report = linearise_model(linear, files);
    return with_messages(report, "", linear_text(report));
  }
  static_cast<AnalysisRequest&>(steady) = linear;
  const SteadyReport report = find_steady_state(steady, files);
  return with_messages(report, report.complaint, steady_text(report));
}

std::string verb_output_of(std::string_view verb, std::istringstream words, MemoryFiles& files) {
  if (verb == "run") return output_of(std::move(words), files);
  if (verb == "init") return init_output_of(std::move(words), files);
  if (verb == "plot") return plot_output_of(std::move(words), files);
  if (verb == "compare") return compare_output_of(std::move(words), files);
  if (verb == "why") return why_output_of(std::move(words), files);
  if (verb == "experiment") return experiment_output_of(std::move(words), files);
  return analysis_output_of(verb == "steady", std::move(words), files);
}

TEST_P(Listings, OutputsAreThoseOfRuns) {
  const std::string page = text_of(GetParam());
  MemoryFiles files;
  std::string_view listing, command, verb;
  const auto provide = [&](const std::string& name) {
    if (files.is_file(name)) return;
    files.write(name, name.find('/') == std::string::npos ? std::string(listing) : text_of(name));
  };
  for (const Block& block : split_page(page)) {
    if (block.form == Block::Form::Code && block.info.starts_with("hyla")) listing = block.text;
    if (block.form == Block::Form::Paragraph && block.text.starts_with(kRun)) {
      for (const std::string_view line : base::split_lines(block.text)) {
        ASSERT_TRUE(line.starts_with(kRun) && line.ends_with(kOutputEnd)) << line;
        const std::string words(line.substr(kRun.size(), line.size() - kRun.size() - kOutputEnd.size()));
        provide(words.substr(0, words.find(' ')));
        output_of(std::istringstream(words), files);
      }
      continue;
    }
    if (block.form == Block::Form::Paragraph && block.text.starts_with(kOutput)) {
      ASSERT_TRUE(block.text.ends_with(kOutputEnd)) << block.text;
      command = block.text.substr(kOutput.size(), block.text.size() - kOutput.size() - kOutputEnd.size());
      verb = command.substr(0, command.find(' '));
      constexpr std::string_view kShown[] = {"run", "init",       "plot",      "compare",
                                             "why", "experiment", "linearize", "steady"};
      ASSERT_TRUE(std::find(std::begin(kShown), std::end(kShown), verb) != std::end(kShown)) << block.text;
      command.remove_prefix(verb.size() + 1);
      continue;
    }
    if (command.empty()) continue;
    ASSERT_TRUE(block.form == Block::Form::Code && block.info == "text") << "no output behind: " << command;
    if (verb != "plot") provide(std::string(command.substr(0, command.find(' '))));
    std::istringstream words{std::string(command)};
    const std::string actual = verb_output_of(verb, std::move(words), files);
    EXPECT_TRUE(output_fits(base::split_lines(block.text), 0, base::split_lines(actual), 0))
        << GetParam() << ": hyla " << verb << ' ' << command << "\n--- the page says\n"
        << block.text << "--- the run says\n"
        << actual;
    command = {};
  }
  EXPECT_TRUE(command.empty()) << "no output behind: " << command;
}

TEST(Outputs, AreComparedWithGaps) {
  const Lines actual = {"a", "b 1 s", "c", "d"};
  EXPECT_TRUE(output_fits({"a", "b 1 s", "c", "d"}, 0, actual, 0));
  EXPECT_TRUE(output_fits({"a", "b … s", "…", "d"}, 0, actual, 0));
  EXPECT_TRUE(line_fits("1,0.5…,2.7…,3", "1,0.51,2.718,3"));
  EXPECT_TRUE(line_fits("1,0.5…", "1,0.5"));
  EXPECT_FALSE(line_fits("1,0.5…,2.7…,3", "1,0.51,2.618,3"));
  EXPECT_FALSE(line_fits("1,0.5…,2.7…,3", "1,0.51,2.718,4"));
  EXPECT_FALSE(line_fits("b…b", "b"));
  EXPECT_TRUE(output_fits({"  steps  178, 25 rejected"}, 0, {"  steps   191, 9 rejected"}, 0));
  EXPECT_FALSE(output_fits({"  steps  178, 25 rejected"}, 0, {"  steps  391, 25 rejected"}, 0));
  EXPECT_FALSE(output_fits({"  steps  178, 25 rejected"}, 0, {"  steps  178"}, 0));
  EXPECT_TRUE(output_fits({"…", "c", "…"}, 0, actual, 0));
  EXPECT_TRUE(output_fits({"a", "…"}, 0, actual, 0));
  EXPECT_FALSE(output_fits({"a", "c", "…"}, 0, actual, 0));
  EXPECT_FALSE(output_fits({"b 1 s", "…"}, 0, actual, 0));
  EXPECT_FALSE(output_fits({"a", "b … m", "…"}, 0, actual, 0));
  EXPECT_FALSE(output_fits({"…", "d", "c"}, 0, actual, 0));
  EXPECT_FALSE(output_fits({"a", "b 1 s", "c"}, 0, actual, 0));
  EXPECT_FALSE(output_fits({"a", "b 1 s", "c", "d", "e"}, 0, actual, 0));
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Pages, Listings, testing::ValuesIn(pages()), test_name);

}  // namespace
}  // namespace hyla::service
