// The speed of the continuous engine against programs written by hand, with the targets it is held to.
//
//   continuous_bench [NAME...]          the whole report, or the parts of kParts
//   continuous_bench --smoke [NAME...]  the same in a tiny size: tells whether everything still works, not how fast
//
// Runs in the root of the repository. Times are processor times of the run alone, after loading, without recording. The
// contenders of a table run in turn. Behind each stands what it has reached: a quick run that misses events or is less
// exact is no better.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare.h"
#include "engine_runs.h"
#include "hand_continuous.h"
#include "measure.h"
#include "service/load_native.h"

namespace hyla::bench {
namespace {

constexpr std::array<std::string_view, 8> kParts = {"c5",    "servo",       "pendulum",    "thermostats",
                                                    "balls", "oscillators", "brusselator", "start"};

constexpr double kSmallTarget = 3;  // C5, servo, pendulum: times the program by hand
constexpr double kManyTarget = 2;
constexpr double kGrowthTarget = 2;  // time per event of 10 000 thermostats over that of 100
constexpr double kOscillatorTarget = 1.5;
// 1.2 times CVODE with KLU at -O3, which takes 1.19 times as long as the program by hand.
constexpr double kBrusselatorTarget = 1.2 * 1.19;
constexpr double kStartTarget = 0.05;  // seconds

/// The relative tolerance; the absolute one is the same, as in the programs by hand.
engine::RunOptions options_at(double stop, double tolerance) {
  engine::RunOptions options;
  options.stop_time = stop;
  options.continuous.relative_tolerance = tolerance;
  options.continuous.absolute_tolerance = tolerance;
  return options;
}

/// Short runs are repeated, and the shortest time counts.
double shortest(int repetitions, const std::function<double()>& run) {
  double least = run();
  for (int i = 1; i < repetitions; ++i) least = std::min(least, run());
  return least;
}

Contender by_hand(const std::string& name, int repetitions, double units, const std::function<HandRun()>& work,
                  std::string note) {
  return {name,
          [=] {
            HandRun run;
            return shortest(repetitions, [&] { return timed([&] { run = work(); }); }) / units;
          },
          0, std::move(note)};
}

Contender by_hyla(BenchModel& model, const std::string& name, int repetitions, double units,
                  const engine::RunOptions& options, double target, std::string note) {
  return {name, [=, &model] { return shortest(repetitions, [&] { return model.run(options).time_s; }) / units; },
          target, std::move(note)};
}

/// With the code of earlier runs, as the program by hand is compiled once.
Contender by_hyla_again(BenchModel& model, int repetitions, const engine::RunOptions& options, double target,
                        std::string note) {
  return {"Hyla, compiled",
          [=, &model] { return shortest(repetitions, [&] { return model.run_again(options).time_s; }); }, target,
          std::move(note)};
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

/// Of the last event; infinite if their number is wrong.
double last_event_error(const std::vector<double>& times, std::size_t count, double last) {
  return times.size() == count ? std::fabs(times.back() - last) : INFINITY;
}

std::string work_of(const engine::RunOutcome& outcome) {
  const engine::ContinuousWork& work = outcome.continuous;
  return fmt::format("{} steps, {} rejected, {} rates", work.steps, work.rejected, work.evaluations);
}

// --- one small object

struct SmallCase {
  std::string title, path;
  double stop;
  std::size_t events, hand_events;  ///< the program by hand may count otherwise
  double last_event;
  std::vector<double> tolerances;
  HandRun (*hand)(double tolerance);
  bool at_equal_error;    ///< the program by hand gets the tolerance that makes it as exact as the engine
  bool is_exact = false;  ///< the tolerance does not matter
};

double error_of(const HandRun& run, const SmallCase& what) {
  return last_event_error(run.event_times, what.hand_events, what.last_event);
}

/// The largest tolerance with which the program by hand is as exact as that.
double equal_tolerance(const SmallCase& what, double tolerance, double error) {
  while (tolerance > 1e-13 && error_of(what.hand(tolerance), what) > error) tolerance /= 2;
  return tolerance;
}

std::string small_note(std::size_t events, double last_error, const std::string& work) {
  return fmt::format("{} events, the last wrong by {:.1e} s; {}", events, last_error, work);
}

Contender small_by_hand(const SmallCase& what, double tolerance, int repetitions) {
  const HandRun run = what.hand(tolerance);
  return by_hand(
      fmt::format("hand at {:.2g}", tolerance), repetitions, 1, [&what, tolerance] { return what.hand(tolerance); },
      small_note(run.events, error_of(run, what), fmt::format("{} steps", run.steps)));
}

void report_small(Report& report, const SmallCase& what) {
  BenchModel model = BenchModel::from_file(what.path);
  const int repetitions = report.size(20, 1);
  for (const double tolerance : what.tolerances) {
    const engine::RunOptions options = options_at(what.stop, tolerance);
    const BenchModel::Result result = model.result(options, {});
    const double error = last_event_error(result.event_times, what.events, what.last_event);
    report.expect(std::isfinite(error),
                  fmt::format("{} events of {} at {:g}", result.event_times.size(), what.title, tolerance));
    const double equal = equal_tolerance(what, tolerance, error);
    const double first = what.at_equal_error ? equal : tolerance;
    std::vector<Contender> contenders = {
        small_by_hand(what, first, repetitions),
        by_hyla_again(model, repetitions, options, kSmallTarget,
                      small_note(result.event_times.size(), error, work_of(result.outcome))),
        by_hyla(model, "Hyla, first run", repetitions, 1, options, 0, "compiles its conditions, too")};
    // What the program by hand takes for results as good as those of the engine.
    if (equal != first && !what.is_exact) contenders.push_back(small_by_hand(what, equal, repetitions));
    compare(report, fmt::format("{}, tolerance {:g}", what.title, tolerance), "run", contenders);
  }
}

void report_c5(Report& report) {
  report_small(report, {"C5, two-state model",
                        "examples/c5_two_state.hyla",
                        5,
                        5,
                        5,
                        4.99999964622031,
                        {1e-8, 1e-10},
                        hand_two_state,
                        true});
}

void report_pendulum(Report& report) {
  report_small(report, {"C7, pendulum",
                        "examples/c7_constrained_pendulum.hyla",
                        10,
                        8,
                        8,
                        6.72038416828922198,
                        {1e-6, 1e-10},
                        hand_pendulum,
                        false});
}

void report_servo(Report& report) {
  // Besides the 199 changes of mode there are 99 resets of the sawtooth before 9.95 s.
  report_small(report, {"PWM servo, guards with abs as written",
                        "examples/pwm_servo.hyla",
                        9.95,
                        298,
                        199,
                        9.9,
                        {1e-6},
                        hand_servo,
                        false,
                        true});
}

// --- many small objects

struct ManyCase {
  std::string title, path;
  HandRun (*hand)(std::size_t count, double stop, double tolerance);
  HandRun (*truth)(std::size_t count, double stop);
};

/// Mean error of the last event over the objects.
double mean_error(const std::vector<double>& last, const std::vector<double>& truth) {
  if (last.size() < truth.size()) return INFINITY;
  const std::size_t above = last.size() - truth.size();  // the top object comes first
  double sum = 0;
  std::size_t alike = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error = std::fabs(last[above + i] - truth[i]);
    if (error > 0.1) continue;  // one event more or less before the stop time
    sum += error;
    ++alike;
  }
  return alike == 0 ? INFINITY : sum / static_cast<double>(alike);
}

/// Nanoseconds of one event of the engine.
double report_many(Report& report, const ManyCase& what, std::size_t count) {
  constexpr double kTolerance = 1e-6;
  const double stop = report.size(100.0, 5.0);
  const HandRun truth = what.truth(count, stop);
  const HandRun hand = what.hand(count, stop, kTolerance);
  BenchModel model = BenchModel::from_file(what.path, {{"n", std::to_string(count)}});
  const engine::RunOptions options = options_at(stop, kTolerance);
  const BenchModel::Result result = model.result(options, {});
  const auto events = static_cast<double>(truth.events);
  report.expect(std::fabs(static_cast<double>(result.event_times.size()) - events) <= 1e-3 * events + 1,
                fmt::format("{} events instead of {}", result.event_times.size(), truth.events));
  const double hand_error = mean_error(hand.state, truth.state);
  const double error = mean_error(result.last_events, truth.state);
  report.expect(error < 1e-3, fmt::format("mean error {:g}", error));
  double least = INFINITY;
  std::vector<Contender> contenders = {
      by_hand(
          "hand, heap of objects", 1, events, [&] { return what.hand(count, stop, kTolerance); },
          fmt::format("mean error {:.1e} s", hand_error)),
      by_hyla(model, "Hyla", 1, events, options, kManyTarget,
              fmt::format("mean error {:.1e} s; {}", error, work_of(result.outcome)))};
  const std::function<double()> run = contenders[1].run;
  contenders[1].run = [&least, run] {
    const double time = run();
    least = std::min(least, time);
    return time;
  };
  compare(report, fmt::format("{} {}, {} events", count, what.title, truth.events), "event", contenders);
  return least;
}

void report_many(Report& report, const ManyCase& what) {
  std::vector<double> times;
  for (const std::size_t count : std::array<std::size_t, 3>{100, 1000, 10'000}) {
    times.push_back(report_many(report, what, report.size<std::size_t>(count, 3)));
  }
  const double growth = times.back() / times.front();
  fmt::print("  an event of 10 000 {} takes {:.2f} times as long as one of 100   target {:g}: {}\n", what.title, growth,
             kGrowthTarget, report.verdict(growth <= kGrowthTarget));
}

void report_thermostats(Report& report) {
  report_many(report, {"thermostats", "bench/models/thermostats.hyla", hand_thermostats, exact_thermostats});
}

void report_balls(Report& report) {
  const auto truth = [](std::size_t count, double stop) { return hand_balls(count, stop, 1e-11); };
  report_many(report, {"balls", "bench/models/balls.hyla", hand_balls, truth});
}

// --- large systems

struct LargeCase {
  std::string title, path;
  std::size_t size;
  double stop;
  HandRun (*hand)(std::size_t size, double stop, double tolerance);
  std::vector<std::string> variables;
  bool interleaved;  ///< the state of the program by hand has the variables in turn, not one behind the other
  double target;
  HandRun (*peer)(std::size_t size, double stop, double tolerance) = nullptr;
  std::string peer_name = {};
};

std::vector<double> in_turn(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  std::vector<double> result;
  for (std::size_t i = 0; i < half; ++i) {
    result.push_back(values[i]);
    result.push_back(values[half + i]);
  }
  return result;
}

void report_large(Report& report, const LargeCase& what) {
  constexpr double kTolerance = 1e-6;
  const std::vector<double> truth = what.hand(what.size, what.stop, 1e-11).state;
  const HandRun hand = what.hand(what.size, what.stop, kTolerance);
  std::string why_not;
  const std::unique_ptr<code::NativeCompiler> compiler = service::load_native_compiler(why_not);
  BenchModel model = BenchModel::from_file(what.path, {{"n", std::to_string(what.size)}});
  const engine::RunOptions options = options_at(what.stop, kTolerance);
  engine::RunOptions native = options;
  native.continuous.native = compiler.get();
  native.continuous.jit = engine::Jit::On;
  BenchModel::Result result = model.result(options, what.variables);
  const double error = largest_difference(what.interleaved ? in_turn(result.values) : result.values, truth);
  report.expect(error < 1e-3, fmt::format("{} wrong by {:g}", what.title, error));
  std::vector<Contender> contenders = {
      by_hand(
          "hand", 1, 1, [&] { return what.hand(what.size, what.stop, kTolerance); },
          fmt::format("wrong by {:.1e}; {} steps", largest_difference(hand.state, truth), hand.steps)),
      by_hyla(model, "Hyla", 1, 1, options, what.target,
              fmt::format("wrong by {:.1e}; {}", error, work_of(result.outcome)))};
  if (compiler) {
    model.run(native);  // compiles, and keeps what is compiled
    contenders.push_back(by_hyla(model, "Hyla, native code", 1, 1, native, what.target, ""));
  }
  if (what.peer != nullptr) {
    const HandRun peer = what.peer(what.size, what.stop, kTolerance);
    contenders.push_back(by_hand(
        what.peer_name, 1, 1, [&] { return what.peer(what.size, what.stop, kTolerance); },
        fmt::format("wrong by {:.1e}; {} steps", largest_difference(peer.state, truth), peer.steps)));
  }
  compare(report, fmt::format("{}, {} states", what.title, 2 * what.size), "run", contenders);
}

void report_oscillators(Report& report) {
  report_large(report, {"coupled oscillators",
                        "bench/models/oscillators.hyla",
                        report.size<std::size_t>(1000, 10),
                        report.size(50.0, 2.0),
                        hand_oscillators,
                        {"q", "p"},
                        false,
                        kOscillatorTarget});
}

void report_brusselator(Report& report) {
  report_large(report, {"Brusselator",
                        "bench/models/brusselator.hyla",
                        report.size<std::size_t>(500, 10),
                        report.size(10.0, 1.0),
                        hand_brusselator,
                        {"u", "v"},
                        true,
                        kBrusselatorTarget,
                        cvode_brusselator,
                        "CVODE-KLU, not optimised"});
}

// --- from nothing to the first result

void report_start(Report& report) {
  const std::filesystem::path hyla = "build/hyla";
  const std::string example = "examples/c7_constrained_pendulum.hyla";
  if (!std::filesystem::exists(hyla) || !std::filesystem::exists(example)) {
    fmt::print("start-up is measured in the repository's root with build/hyla there\n");
    return;
  }
  const std::vector<StartTime> starts =
      shortest_starts(report.size(15, 1), {{"/bin/true"}, {hyla.string(), "run", example}});
  report.expect(starts[1].succeeded, "hyla run fails");
  fmt::print(
      "from nothing to the first result\n  {:34} {:8.2f} ms elapsed, {:.2f} ms processor   target {:.0f} ms: {}\n",
      "hyla run " + example, starts[1].elapsed_s * 1e3, starts[1].processor_s * 1e3, kStartTarget * 1e3,
      report.verdict(starts[1].elapsed_s <= kStartTarget));
  fmt::print("  {:34} {:8.2f} ms elapsed\n", "/bin/true", starts[0].elapsed_s * 1e3);
}

int run(int count, char** values) {
  std::vector<std::string> names(values + 1, values + count);
  const bool smoke = std::erase(names, "--smoke") > 0;
  for (const std::string& name : names) {
    if (std::find(kParts.begin(), kParts.end(), name) != kParts.end()) continue;
    fmt::print(stderr, "there is no part `{}`; there are {}\n", name, fmt::join(kParts, ", "));
    return 2;
  }
  using Part = void (*)(Report&);
  constexpr std::array<Part, kParts.size()> kReports = {report_c5,          report_servo, report_pendulum,
                                                        report_thermostats, report_balls, report_oscillators,
                                                        report_brusselator, report_start};
  Report report(smoke);
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (names.empty() || std::find(names.begin(), names.end(), kParts[i]) != names.end()) kReports[i](report);
  }
  return report.finish();
}

}  // namespace
}  // namespace hyla::bench

int main(int argc, char** argv) { return hyla::bench::run(argc, argv); }
