// The speed of the front end on generated models, with the targets it is held to.
//
//   front_end_bench                       the whole report
//   front_end_bench --shapes [LINES]      extreme texts of a tenth of LINES (100000) and of LINES: time per line
//   front_end_bench --write LINES [SEED]  prints the generated model
//   front_end_bench --write-shape NAME LINES
//
// Times are medians of the processor time of several runs. Memory is counted by the allocations themselves.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "check/check.h"
#include "check/forest.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "generate.h"
#include "heap_use.h"
#include "measure.h"
#include "service/check_files.h"
#include "service/files.h"
#include "syntax/format.h"
#include "syntax/parser.h"

namespace hyla::bench {
namespace {

constexpr std::size_t kLines = 100'000;
constexpr int kRepetitions = 7;
constexpr int kStarts = 50;

constexpr double kParseTarget = 0.5e6;  // lines a second
constexpr double kCheckTarget = 0.2e6;  // lines a second
constexpr double kMemoryTarget = 100;   // bytes per byte of source
constexpr double kStartTarget = 0.010;  // seconds

struct Verdict {
  bool all_met = true;
  std::string operator()(bool met) {
    all_met = all_met && met;
    return met ? "met" : "MISSED";
  }
};

std::size_t line_count(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

service::CheckOutcome check_text(const service::MemoryFiles& files) {
  service::CheckRequest request;
  request.paths = {"bench.hyla"};
  return service::check_files(request, files);
}

/// A benchmark of a text that is refused would measure something else.
bool passes(const service::CheckOutcome& outcome) {
  if (outcome.diagnostics.empty() && outcome.failures.empty()) return true;
  const diag::Diagnostic& first = outcome.diagnostics.front();
  const diag::Position position = outcome.sources.position(first.span.file, first.span.begin);
  fmt::print("the generated model does not pass: line {}: {}\n", position.line, first.message);
  return false;
}

void report_speed(const std::string& text, const service::MemoryFiles& files, Verdict& verdict) {
  const auto lines = static_cast<double>(line_count(text));
  diag::Sources sources;
  const diag::FileId file = sources.add("bench.hyla", text);
  std::optional<syntax::Tree> tree;
  const double parsing = median_time_s(kRepetitions, [&] {
    diag::Sink sink;
    tree = syntax::parse(sources, file, sink);
  });
  const double checking = median_time_s(kRepetitions, [&] { check_text(files); });
  const double formatting = median_time_s(kRepetitions, [&] { syntax::format(*tree); });
  const auto print = [&](std::string_view what, double time_s, double target) {
    fmt::print("  {:22} {:8.2f} million lines/s {:7.1f} ms", what, lines / time_s / 1e6, time_s * 1e3);
    if (target > 0) fmt::print("   target {:.1f}: {}", target / 1e6, verdict(lines / time_s >= target));
    fmt::print("\n");
  };
  print("lexing and parsing", parsing, kParseTarget);
  print("the whole of check", checking, kCheckTarget);
  print("formatting", formatting, 0);
}

void report_memory(const std::string& text, const service::MemoryFiles& files, Verdict& verdict) {
  const auto bytes = static_cast<double>(text.size());
  diag::Sources sources;
  const diag::FileId file = sources.add("bench.hyla", text);
  std::optional<syntax::Tree> tree;
  const HeapUse parsing = heap_use([&] {
    diag::Sink sink;
    tree = syntax::parse(sources, file, sink);
  });
  const HeapUse checking = heap_use([&] { check_text(files); });
  fmt::print("  {:22} {:8.1f} bytes per byte of source, {:.1f} at the peak\n", "the tree",
             static_cast<double>(tree->memory()) / bytes, static_cast<double>(parsing.peak) / bytes);
  const double peak = static_cast<double>(checking.peak) / bytes;
  fmt::print("  {:22} {:8.1f} bytes per byte of source at the peak   target {:.0f}: {}\n", "text, tree and model", peak,
             kMemoryTarget, verdict(peak < kMemoryTarget));
}

void report_start(const std::filesystem::path& hyla, Verdict& verdict) {
  const std::string example = "examples/two_tanks.hyla";
  if (!std::filesystem::exists(hyla) || !std::filesystem::exists(example)) {
    fmt::print("  start-up is measured in the repository's root with build/hyla there\n");
    return;
  }
  const std::vector<StartTime> starts = median_starts(kStarts, {{"/bin/true"}, {hyla.string(), "check", example}});
  const StartTime& trivial = starts[0];
  const StartTime& start = starts[1];
  fmt::print("  {:22} {:8.2f} ms elapsed, {:.2f} ms processor   target {:.0f} ms: {}\n", "hyla check two_tanks",
             start.elapsed_s * 1e3, start.processor_s * 1e3, kStartTarget * 1e3,
             verdict(start.succeeded && start.elapsed_s < kStartTarget));
  fmt::print("  {:22} {:8.2f} ms elapsed; hyla takes {:.1f} times as long\n", "/bin/true", trivial.elapsed_s * 1e3,
             start.elapsed_s / trivial.elapsed_s);
}

int report(const std::filesystem::path& hyla) {
  Verdict verdict;
  const std::string text = realistic_model(kLines);
  const service::MemoryFiles files({{"bench.hyla", text}});
  fmt::print("A generated model of {} lines, {:.1f} MB\n", line_count(text), static_cast<double>(text.size()) / 1e6);
  if (!passes(check_text(files))) return EXIT_FAILURE;
  report_speed(text, files, verdict);
  fmt::print("Memory\n");
  report_memory(text, files, verdict);
  fmt::print("From process start, median of {}\n", kStarts);
  report_start(hyla, verdict);
  fmt::print("{}\n", verdict.all_met ? "all targets are met" : "some targets are missed");
  return EXIT_SUCCESS;
}

/// Time that grows faster than the text shows as a factor well above 1.
void report_shape(const Shape& shape, std::size_t lines) {
  const auto time_per_line = [&](std::size_t count) {
    const std::string text = shape.generate(count);
    const service::MemoryFiles files({{"bench.hyla", text}});
    return median_time_s(3, [&] { check_text(files); }) / static_cast<double>(line_count(text));
  };
  const double small = time_per_line(lines / 10);
  const double large = time_per_line(lines);
  fmt::print("  {:20} {:8.2f} µs/line, {:5.1f} times that of a tenth of the lines   {}\n", shape.name, large * 1e6,
             large / small, shape.what);
  std::fflush(stdout);
}

int run(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  const auto number = [&](std::size_t index, std::size_t otherwise) {
    return arguments.size() > index ? static_cast<std::size_t>(std::strtoull(arguments[index].c_str(), nullptr, 10))
                                    : otherwise;
  };
  if (arguments.empty()) return report(std::filesystem::path(values[0]).parent_path().parent_path() / "hyla");
  if (arguments[0] == "--write") {
    fmt::print("{}", realistic_model(number(1, kLines), static_cast<std::uint32_t>(number(2, 1))));
    return EXIT_SUCCESS;
  }
  const std::string only = arguments[0] == "--write-shape" && arguments.size() > 1 ? arguments[1] : "";
  for (const Shape& shape : all_shapes()) {
    if (arguments[0] == "--shapes") report_shape(shape, number(1, kLines));
    if (shape.name == only) fmt::print("{}", shape.generate(number(2, kLines)));
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace hyla::bench

int main(int argc, char** argv) { return hyla::bench::run(argc, argv); }
