// The speed of the discrete engine against programs written by hand, with the targets it is held to.
//
//   discrete_bench [NAME...]          the whole report, or the parts mm1, phold, devstone, charts, objects
//   discrete_bench --smoke [NAME...]  the same in a tiny size: tells whether everything still works, not how fast
//
// Runs in the root of the repository. Times are processor times of the run alone, after loading, without recording.
// The contenders of a table run in turn; ratios are given by the minima and by the medians.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>

#include "compare.h"
#include "devstone_text.h"
#include "engine_runs.h"
#include "hand_events.h"
#include "measure.h"

namespace hyla::bench {
namespace {

constexpr std::array<std::string_view, 5> kParts = {"mm1", "phold", "devstone", "charts", "objects"};

constexpr double kMm1Target = 2;         // times the program by hand
constexpr double kPholdTarget = 2;       // times the program by hand
constexpr double kDevstoneTarget = 100;  // nanoseconds a transition
constexpr double kObjectTarget = 2000;   // nanoseconds to make and delete an object
constexpr double kLoadTarget = 1;        // seconds for 100 000 objects
constexpr double kMemoryTarget = 1000;   // bytes an object

void report_mm1(Report& report) {
  const auto customers = report.size<std::uint64_t>(1'000'000, 2'000);
  const auto count = static_cast<double>(customers);
  double hand_mean = 0;
  std::vector<Contender> contenders = {
      {"hand, calendar of functions", [&] { return timed([&] { hand_mean = mm1_calendar(customers); }) / count; }},
      {"hand, two clocks", [&] { return timed([&] { hand_mean = mm1_two_clocks(customers); }) / count; }},
  };
  struct Form {
    std::string path;
    std::string rate;
    double target;
  };
  const std::vector<Form> forms = {
      {"examples/mm1.hyla", "source.arrival_rate", 0},
      {"bench/models/mm1_chart.hyla", "source.arrival_rate", kMm1Target},
      {"bench/models/mm1_process.hyla", "arrival_rate", kMm1Target},
      {"bench/models/mm1_reactions.hyla", "arrival_rate", kMm1Target},
      {"bench/models/mm1_messages.hyla", "arrival_rate", kMm1Target},
      {"bench/models/mm1_customers.hyla", "arrival_rate", 0},
  };
  std::vector<BenchModel> models;
  for (const Form& form : forms) models.push_back(BenchModel::from_file(form.path, {{form.rate, "0.9"}}));
  std::vector<double> means(forms.size());
  for (std::size_t i = 0; i < forms.size(); ++i) {
    contenders.push_back({forms[i].path,
                          [&, i] {
                            const BenchModel::Run run = models[i].run(count / 0.9);
                            means[i] = run.mean;
                            const double tallies = forms[i].path == "examples/mm1.hyla" ? 2 : 1;
                            return run.time_s * tallies / static_cast<double>(run.observations);
                          },
                          forms[i].target});
  }
  compare(report, fmt::format("M/M/1, {} customers", customers), "customer", contenders);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    // The mean of a million customers lies within 0.5 of 10 with 95 %.
    report.expect(std::abs(means[i] - 10) < report.size(1.5, 9.0),
                  fmt::format("mean {} of {}", means[i], forms[i].path));
  }
}

void report_phold(Report& report, std::uint32_t processes) {
  const auto events = report.size<std::uint64_t>(1'000'000, 5'000);
  const auto count = static_cast<double>(events);
  double end = 0;
  BenchModel model = BenchModel::from_file("bench/models/phold.hyla", {{"n", std::to_string(processes)}});
  std::uint64_t happened = 0;
  compare(report, fmt::format("PHOLD, {} processes, {} events", processes, events), "event",
          {
              {"hand, four-ary heap", [&] { return timed([&] { end = phold_four_ary(processes, events); }) / count; }},
              {"hand, binary heap", [&] { return timed([&] { end = phold_binary(processes, events); }) / count; }},
              {"bench/models/phold.hyla",
               [&] {
                 const BenchModel::Run run = model.run(count / processes);
                 happened = run.outcome.events;
                 return run.time_s / static_cast<double>(happened);
               },
               kPholdTarget},
          });
  const double expected = count;
  report.expect(std::abs(static_cast<double>(happened) - expected) < 10 * std::sqrt(expected),
                fmt::format("{} events", happened));
}

void report_devstone(Report& report, StoneKind kind, std::string_view name, std::size_t size, double target) {
  const StoneGraph graph = flat_devstone(kind, size, size);
  const std::uint64_t transitions = devstone_transitions(kind, size, size);
  std::uint64_t by_hand = 0;
  BenchModel model = BenchModel::from_text(devstone_text(kind, size, size, false));
  const auto per_transition = [&](double time_s) { return time_s / static_cast<double>(transitions); };
  const std::vector<Spread> spreads = interleaved_times(
      std::min(report.repetitions(), 5), {[&] { return per_transition(timed([&] { by_hand = run_devstone(graph); })); },
                                          [&] { return per_transition(model.run(10).time_s); }});
  const double time_ns = spreads[1].minimum_s * 1e9;
  fmt::print("  {:6} {:3} x {:<3} {:9} transitions  Hyla {:6.1f} ns each ({:.1f} median), by hand {:5.1f} ns", name,
             size, size, transitions, time_ns, spreads[1].median_s * 1e9, spreads[0].minimum_s * 1e9);
  if (target > 0) fmt::print("   target {:.0f} ns: {}", target, report.verdict(time_ns <= target));
  fmt::print("\n");
  report.expect(by_hand == transitions, fmt::format("{} transitions by hand", by_hand));
}

/// Counting slows down, so it is done in a run of its own, of a small size.
void count_devstone(Report& report, StoneKind kind, std::string_view name) {
  constexpr std::size_t kSize = 8;
  const std::uint64_t counted = BenchModel::from_text(devstone_text(kind, kSize, kSize, true)).run(10).observations;
  const std::uint64_t expected = devstone_transitions(kind, kSize, kSize);
  report.expect(counted == expected, fmt::format("{} transitions of {} instead of {}", counted, name, expected));
}

void report_devstone(Report& report) {
  fmt::print("DEVStone, one message from outside\n");
  const auto size = report.size<std::size_t>(200, 10);
  report_devstone(report, StoneKind::HI, "HI", size, kDevstoneTarget);
  report_devstone(report, StoneKind::LI, "LI", size, 0);
  report_devstone(report, StoneKind::HO, "HO", size, 0);
  report_devstone(report, StoneKind::HOmod, "HOmod", size / 10 + 2, 0);
  count_devstone(report, StoneKind::LI, "LI");
  count_devstone(report, StoneKind::HI, "HI");
  count_devstone(report, StoneKind::HO, "HO");
  count_devstone(report, StoneKind::HOmod, "HOmod");
}

std::size_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void report_charts(Report& report) {
  const auto objects = report.size<std::uint64_t>(100'000, 100);
  const std::vector<engine::Assignment> assignments = {{"n", std::to_string(objects)}};
  const auto count = static_cast<double>(objects);
  const double loading =
      interleaved_times(report.repetitions(), {[&] {
                          return timed([&] { BenchModel::from_file("bench/models/charts.hyla", assignments).build(); });
                        }})[0]
          .minimum_s;
  BenchModel model = BenchModel::from_file("bench/models/charts.hyla", assignments);
  const std::size_t before = heap_in_use();
  std::unique_ptr<engine::World> world = model.build();
  const double memory = static_cast<double>(heap_in_use() - before) / count;
  engine::RunOptions options;
  options.stop_time = 200;
  diag::Sink sink;
  const engine::RunOutcome outcome = engine::run(*world, options, nullptr, sink);
  const double memory_after = static_cast<double>(heap_in_use() - before) / count;
  std::uint64_t events = 0;
  const double running = interleaved_times(report.repetitions(), {[&] {
                                             const BenchModel::Run run = model.run(200);
                                             events = run.outcome.events;
                                             return run.time_s;
                                           }})[0]
                             .minimum_s;
  fmt::print("{} objects with a chart of three states\n", objects);
  fmt::print("  {:34} {:8.1f} ms   target {:.0f}: {}\n", "check and build", loading * 1e3, kLoadTarget * 1e3,
             report.verdict(loading <= kLoadTarget));
  fmt::print("  {:34} {:8.0f} bytes an object, {:.0f} after a run   target {:.0f}: {}\n", "memory", memory,
             memory_after, kMemoryTarget, report.verdict(std::max(memory, memory_after) <= kMemoryTarget));
  fmt::print("  {:34} {:8.1f} ns an event\n", "a run of three events an object",
             running * 1e9 / static_cast<double>(events));
  report.expect(outcome.events == 3 * objects, fmt::format("{} events", outcome.events));
}

/// A million objects, made and deleted in portions.
void report_objects(Report& report) {
  const auto total = report.size<std::uint64_t>(1'000'000, 1'000);
  fmt::print("{} objects, made and deleted\n", total);
  for (const std::uint64_t portion : {std::uint64_t{1}, std::uint64_t{1000}, total}) {
    BenchModel model = BenchModel::from_file("bench/models/objects.hyla", {{"n", std::to_string(portion)}});
    double mean = 0;
    const double time_s = interleaved_times(std::min(report.repetitions(), 5), {[&] {
                                              const BenchModel::Run run =
                                                  model.run(static_cast<double>(total / portion));
                                              mean = run.mean;
                                              return run.time_s;
                                            }})[0]
                              .minimum_s;
    const double each_ns = time_s * 1e9 / static_cast<double>(total);
    fmt::print("  {:7} at a time {:28.1f} ns each   target {:.0f}: {}\n", portion, each_ns, kObjectTarget,
               report.verdict(each_ns <= kObjectTarget));
    report.expect(mean == static_cast<double>(portion), fmt::format("{} objects at a time", mean));
  }
}

int run(int count, char** values) {
  std::vector<std::string> names(values + 1, values + count);
  const bool smoke = std::erase(names, "--smoke") > 0;
  for (const std::string& name : names) {
    if (std::find(kParts.begin(), kParts.end(), name) != kParts.end()) continue;
    fmt::print(stderr, "there is no part `{}`; there are {}\n", name, fmt::join(kParts, ", "));
    return 2;
  }
  const auto wanted = [&](std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  Report report(smoke);
  if (wanted("mm1")) report_mm1(report);
  if (wanted("phold")) {
    report_phold(report, 1000);
    report_phold(report, report.size<std::uint32_t>(100'000, 100));
  }
  if (wanted("devstone")) report_devstone(report);
  if (wanted("charts")) report_charts(report);
  if (wanted("objects")) report_objects(report);
  return report.finish();
}

}  // namespace
}  // namespace hyla::bench

int main(int argc, char** argv) { return hyla::bench::run(argc, argv); }
