// What it costs to change the structure of a model while it runs, with the targets it is held to.
//
//   structure_bench [NAME...]          the whole report, or the parts known, fresh, objects, plugs, shaft
//   structure_bench --smoke [NAME...]  the same in a tiny size: tells whether everything still works, not how fast
//
// Runs in the root of the repository. Times are processor times of the run alone, after loading, without recording.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare.h"
#include "engine_runs.h"
#include "measure.h"
#include "structure_text.h"

namespace hyla::bench {
namespace {

constexpr std::array<std::string_view, 5> kParts = {"known", "fresh", "objects", "plugs", "shaft"};

constexpr double kKnownTarget = 1e-6;       // seconds a change, beyond those of a restart
constexpr double kFreshSmallTarget = 5e-3;  // seconds for 100 equations
constexpr double kFreshLargeTarget = 1;     // seconds for 10 000 equations
constexpr double kGrowthTarget = 1;         // of the time for each equation, in units of log n, per factor of ten
constexpr double kObjectTarget = 2e-6;      // seconds to make and delete an object with an equation

void report_known(Report& report) {
  const auto events = report.size<std::uint64_t>(100'000, 200);
  const double stop_time = static_cast<double>(events) / 1000;
  fmt::print("a change of structure that was met before, {} times, beside a restart of the same island\n", events);
  for (const KnownChange& change : known_changes()) {
    BenchModel changing = BenchModel::from_text(std::string(change.changing));
    BenchModel restarting = BenchModel::from_text(std::string(change.restarting));
    std::uint64_t happened = 0;
    const auto per_event = [&](BenchModel& model) {
      const BenchModel::Run run = model.run(stop_time);
      happened = run.outcome.events;
      return run.time_s / static_cast<double>(run.outcome.events);
    };
    BenchModel other = BenchModel::from_text(std::string(change.other.empty() ? change.restarting : change.other));
    const std::vector<Spread> spreads = interleaved_times(
        report.repetitions(),
        {[&] { return per_event(restarting); }, [&] { return per_event(other); }, [&] { return per_event(changing); }});
    // Half of the restarts are in the one structure, half in the other.
    const double restart = (spreads[0].minimum_s + spreads[1].minimum_s) / 2;
    const double median = (spreads[0].median_s + spreads[1].median_s) / 2;
    const double extra = spreads[2].minimum_s - restart;
    fmt::print(
        "  {:24} {:7.0f} ns an event, a restart {:6.0f} ns, the change {:7.0f} ns ({:.0f} median)   target {:.0f}: "
        "{}\n",
        change.name, spreads[2].minimum_s * 1e9, restart * 1e9, extra * 1e9, (spreads[2].median_s - median) * 1e9,
        kKnownTarget * 1e9, report.verdict(extra <= kKnownTarget));
    report.expect(happened + 2 >= events && happened <= events + 2, fmt::format("{} events", happened));
  }
}

/// The time from the event that brings the structure to the first step in it, found as the difference between two runs.
double fresh_time(const FreshStructure& structure, std::size_t equations, int repetitions) {
  BenchModel model = BenchModel::from_text(structure.text(equations));
  const std::vector<Spread> spreads = interleaved_times(
      repetitions, {[&] { return model.run(0.999).time_s; }, [&] { return model.run(1 + 1e-9).time_s; }});
  return spreads[1].minimum_s - spreads[0].minimum_s;
}

void report_fresh(Report& report) {
  const std::size_t largest = report.size<std::size_t>(100'000, 1'000);
  fmt::print("a new structure, from the event that brings it to the first step in it\n");
  for (const FreshStructure& structure : fresh_structures()) {
    fmt::print("  {:20}", structure.name);
    double small = 0, large = 0, before = 0, growth = 0;
    for (std::size_t equations = 100; equations <= largest; equations *= 10) {
      const int repetitions = equations < 100'000 ? report.repetitions() : 3;
      const double time_s = fresh_time(structure, equations, repetitions);
      fmt::print("   {:6} {:9.3f} ms", equations, time_s * 1e3);
      const auto work = static_cast<double>(equations) * std::log(static_cast<double>(equations));
      if (equations == 100) small = time_s;
      if (equations == 10'000) large = time_s;
      if (equations > 1000) growth = std::max(growth, time_s / work / before);
      before = time_s / work;
    }
    fmt::print(
        "\n  {:20}   100 in 5 ms: {}, 10 000 in 1 s: {}, at most 1.5 times n log n for each factor of ten: {} "
        "({:.2f})\n",
        "", report.verdict(small <= kFreshSmallTarget), report.verdict(large <= kFreshLargeTarget),
        report.verdict(growth <= 1.5 * kGrowthTarget), growth);
  }
}

/// A million objects, made and deleted in portions, each with a differential equation that is integrated for a second.
void report_objects(Report& report) {
  const auto total = report.size<std::uint64_t>(1'000'000, 1'000);
  fmt::print("{} objects with one equation each, made, integrated for a second and deleted\n", total);
  for (const std::uint64_t portion : {std::uint64_t{1}, std::uint64_t{1000}, total / 10}) {
    BenchModel model = BenchModel::from_file("bench/models/equation_objects.hyla", {{"n", std::to_string(portion)}});
    std::uint64_t observations = 0;
    const double time_s = interleaved_times(std::min(report.repetitions(), 5), {[&] {
                                              const BenchModel::Run run =
                                                  model.run(static_cast<double>(total / portion));
                                              observations = run.observations;
                                              return run.time_s;
                                            }})[0]
                              .minimum_s;
    const double each = time_s / static_cast<double>(total);
    fmt::print("  {:7} at a time {:28.1f} ns each   target {:.0f}: {}\n", portion, each * 1e9, kObjectTarget * 1e9,
               report.verdict(each <= kObjectTarget));
    report.expect(observations + 1 >= total / portion, fmt::format("{} portions", observations));
  }
}

/// One pair of plugs is joined and parted in a world of others: what it costs must not depend on these.
void report_plugs(Report& report) {
  const auto changes = report.size<std::uint64_t>(1'000, 10);
  fmt::print("{} changes of one connection of plugs, beside others that it does not concern\n", changes);
  double alone = 0;
  for (const std::size_t pairs :
       {std::size_t{1}, report.size<std::size_t>(100, 5), report.size<std::size_t>(5'000, 10)}) {
    BenchModel still = BenchModel::from_text(pairs_text(pairs, false));
    BenchModel model = BenchModel::from_text(pairs_text(pairs, true));
    const double stop = static_cast<double>(changes) + 0.5;
    const std::vector<Spread> spreads =
        interleaved_times(std::min(report.repetitions(), 3),
                          {[&] { return still.run(stop).time_s; }, [&] { return model.run(stop).time_s; }});
    const double each = (spreads[1].minimum_s - spreads[0].minimum_s) / static_cast<double>(changes);
    if (pairs == 1) alone = each;
    fmt::print("  {:5} other pairs {:10.1f} µs a change", pairs, each * 1e6);
    if (pairs > 1000) fmt::print("   at most twice that of one: {}", report.verdict(each <= 2 * alone));
    fmt::print("\n");
  }
}

/// Inertias on one rigid shaft are one loop and one state.
void report_shaft(Report& report) {
  fmt::print("inertias joined rigidly, one second\n");
  for (const std::size_t count : {report.size<std::size_t>(100, 10), report.size<std::size_t>(1'000, 20)}) {
    const std::string text = fmt::format(R"(import rotational;
model Shaft {{
    object j[{0}]: rotational.Inertia(J = 0.5);
    object t: rotational.ConstantTorque(tau = 3);
    output w = j[1].w;
    connect t.a -- j[1].a;
    for i in 1..{1} {{ connect j[i].b -- j[i + 1].a; }}
}})",
                                         count, count - 1);
    BenchModel model = BenchModel::from_text(text);
    for (const auto& [name, method] :
         {std::pair("rk45", solve::Method::Rk45), std::pair("rosenbrock", solve::Method::Rosenbrock)}) {
      engine::RunOptions options;
      options.stop_time = 1;
      options.continuous.method = method;
      double time_s = 0;
      time_s = interleaved_times(std::min(report.repetitions(), 3), {[&] { return model.run(options).time_s; }})[0]
                   .minimum_s;
      const double w = model.result(options, {"w"}).values.at(0);
      fmt::print("  {:5} by {:10} {:10.1f} ms\n", count, name, time_s * 1e3);
      report.expect(std::abs(w * 0.5 * static_cast<double>(count) - 3) < 1e-9, fmt::format("speed {}", w));
    }
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
  if (wanted("known")) report_known(report);
  if (wanted("fresh")) report_fresh(report);
  if (wanted("objects")) report_objects(report);
  if (wanted("plugs")) report_plugs(report);
  if (wanted("shaft")) report_shaft(report);
  return report.finish();
}

}  // namespace
}  // namespace hyla::bench

int main(int argc, char** argv) { return hyla::bench::run(argc, argv); }
