// The same run twice is the same run, bit for bit, whatever the number of threads; and what is drawn for one object
// does not depend on the others.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "service/compare_testing.h"
#include "service/run_model.h"
#include "service/summary.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

/// A run that writes its events; the file lives as long as the object.
class Logged {
 public:
  Logged(RunRequest request, const FileSystem& files) {
    const std::string path = scratch_path(fmt::format("hyla_determinism_{}.jsonl", number_++));
    request.events_file = path;
    report = run_model(request, files, {});
    if (report.has_run) events = text_of(path);
    std::remove(path.c_str());
  }

  RunReport report;
  std::string events;

 private:
  inline static int number_ = 0;
};

bool needs_a_later_version(const RunReport& report) {
  return std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                     [](const diag::Diagnostic& one) { return one.kind == diag::Kind::NotInThisVersion; });
}

RunRequest example(const std::string& name) {
  RunRequest request;
  request.path = "examples/" + name;
  request.stop_time = 2000;
  return request;
}

/// All examples that this version can run.
const std::vector<std::string>& runnable_examples() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const std::string& name : Disk().names_in("examples/")) {
      if (!name.ends_with(".hyla")) continue;
      RunRequest request = example(name);
      request.stop_time = 0;
      const RunReport report = run_model(request, Disk(), {});
      if (needs_a_later_version(report)) continue;
      EXPECT_TRUE(report.has_run) << name << "\n" << diag::render(report.diagnostics, report.sources);
      if (report.has_run) result.push_back(name);
    }
    return result;
  }();
  return names;
}

TEST(Determinism, MostExamplesWithoutDifferentialEquationsRun) { EXPECT_GE(runnable_examples().size(), 8u); }

TEST(Determinism, ThreadsDoNotChangeTheEvents) {
  for (const std::string& name : runnable_examples()) {
    RunRequest request = example(name);
    const Logged one(request, Disk());
    request.threads = 2;
    const Logged two(request, Disk());
    EXPECT_EQ(parting_of_bits({one.events, ""}, {two.events, ""}), "") << name;
    EXPECT_GE(base::split_lines(one.events).size(), 2u) << name;  // a header and the end
  }
}

TEST(Determinism, ThreadsThatStepIslandsDoNotChangeTheEvents) {
  const std::string text = R"(
model Room {
    parameter start = 20;
    output T := start;
    chart heater {
        initial -> On;
        state On {
            der(T) = -0.1 * (T - 5) + 3;
            when T >= 21 -> Off;
        }
        state Off {
            der(T) = -0.1 * (T - 5);
            when T <= 19 -> On;
        }
    }
}
model House {
    object room[i in 1..150]: Room(start = 19 + i / 100);
}
)";
  const MemoryFiles files({{"model.hyla", text}});
  for (const char* solver : {"auto", "rosenbrock", "rk4"}) {
    RunRequest request;
    request.path = "model.hyla";
    request.solver.solver = solver;
    const Logged one(request, files);
    request.threads = 3;
    const Logged three(request, files);
    EXPECT_EQ(parting_of_bits({one.events, ""}, {three.events, ""}), "") << solver;
    EXPECT_GT(base::split_lines(one.events).size(), 1000u) << solver;
  }
}

/// Loops are iterated from their last values; rows that are recorded between do not count as such.
TEST(Determinism, RecordingDoesNotChangeTheRun) {
  const std::string text = R"(
model Case {
    var y, z;
    output x := 1.0, w := 0.0;
    der(x) = w + 0.1 * y;
    der(w) = -x - 0.1 * z;
    y + 0.3 * sin(y + z) = x;
    z + y^3 + exp(0.1 * z * y) = w;
    every 0.7 {
        print(x, w, y, z);
    }
}
)";
  const MemoryFiles files({{"model.hyla", text}});
  const auto run = [&](std::optional<double> interval) {
    RunRequest request;
    request.path = "model.hyla";
    request.stop_time = 10;
    const std::string path = scratch_path("hyla_determinism_rows.csv");
    if (interval) {
      request.output_file = path;
      request.output_interval = interval;
    }
    std::string printed;
    RunWatcher watcher;
    watcher.print = [&](std::string_view line) { printed += std::string(line) + "\n"; };
    const RunReport report = run_model(request, files, watcher);
    EXPECT_TRUE(report.has_run);
    std::remove(path.c_str());
    return fmt::format("{}{} steps", printed, report.runs.at(0).continuous.steps);
  };
  const std::string alone = run({});
  EXPECT_GT(alone.size(), 200U);
  EXPECT_EQ(run(0.1), alone);
  EXPECT_EQ(run(0.0373), alone);
}

TEST(Determinism, ThreadsDoNotChangeReplications) {
  for (const std::string& name : runnable_examples()) {
    RunRequest request = example(name);
    request.replications = 7;
    request.stop_time = 200;
    const auto results = [&] {
      RunReport report = run_model(request, Disk(), {});
      report.seconds = 0;
      for (SingleRun& run : report.runs) run.continuous.blame.seconds = 0;
      return summary_json(report);
    };
    const std::string one = results();
    request.threads = 2;
    EXPECT_EQ(one, results()) << name;
  }
}

/// Lines of one object without the numbers that count all events of the run.
std::vector<std::string> events_of(const std::string& events, const std::string& object) {
  static const std::regex numbers("\"(seq|cause)\":[0-9]+,?");
  std::vector<std::string> result;
  for (const std::string_view line : base::split_lines(events)) {
    if (line.find("\"object\":\"" + object + "\"") == line.npos) continue;
    result.push_back(std::regex_replace(std::string(line), numbers, ""));
  }
  return result;
}

constexpr std::string_view kDrawing = R"(
message Value { x: Real; n: Integer; }
model Source {
    port out sends Value;
    every exponential(2) {
        send out.Value(x = normal(0, 1), n = poisson(3));
    }
    chart walk {
        initial -> A;
        state A { after uniform(1, 2) -> B; }
        state B { rate 0.5 -> A; }
    }
    auto process run {
        loop {
            wait erlang(2, 3);
            if bernoulli(0.5) { wait triangular(0, 1, 2); }
        }
    }
}
model Sink {
    port p receives Value;
    tally x;
    on p.Value as m { x.add(m.x); }
}
)";

Logged draw(const std::string& parts, std::uint64_t seed = 1) {
  RunRequest request;
  request.path = "model.hyla";
  request.model = "Case";
  request.stop_time = 300;
  request.seed = seed;
  return Logged(request, MemoryFiles({{"model.hyla", std::string(kDrawing) + "model Case {" + parts + "}"}}));
}

TEST(Determinism, SeedsDiffer) {
  const std::string parts = "object a: Source; object sink: Sink; connect a.out -- sink.p;";
  std::set<std::string> different;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::string events;
    for (const std::string& line : events_of(draw(parts, seed).events, "Case.a")) events += line + "\n";
    different.insert(events);
  }
  EXPECT_EQ(different.size(), 20u);
}

TEST(Determinism, FurtherObjectsDrawForThemselves) {
  const Logged alone = draw("object a: Source; object sink: Sink; connect a.out -- sink.p;");
  const Logged more = draw(
      "object before: Source; object rest: Sink; object a: Source; object sink: Sink; object after[3]: Source;"
      "connect a.out -- sink.p; connect before.out -- rest.p; for i in 1..3 { connect after[i].out -- rest.p; }");
  ASSERT_GT(events_of(alone.events, "Case.a").size(), 300u) << alone.events;
  EXPECT_EQ(events_of(alone.events, "Case.a"), events_of(more.events, "Case.a"));
  EXPECT_EQ(events_of(alone.events, "Case.sink"), events_of(more.events, "Case.sink"));
  EXPECT_NE(events_of(more.events, "Case.after[1]"), events_of(more.events, "Case.after[2]"));
}

// --- Drawn order
// -------------------------------------------------------------------------------------------------------------

/// Three senders reach one collector at the same times.
std::string crowd(const std::string& reaction) {
  return R"(
message Value { v: Integer; }
model Sender {
    parameter v: Integer = 1;
    port out sends Value;
    every 1 { send out.Value(v = v); }
}
model Collector {
    port p receives Value;
    var n: Integer := 0;
    tally t;
    on p.Value as m { )" +
         reaction + R"( }
    every 1 { t.add(n); }
}
model Case {
    object senders[i in 1..3]: Sender(v = i);
    object collector: Collector;
    for i in 1..3 { connect senders[i].out -- collector.p; }
    section Simulation { stop_time = 50; }
}
)";
}

/// The mean of the only statistic for different orders of simultaneous events.
std::set<double> means(const std::string& text) {
  const MemoryFiles files({{"model.hyla", text}});
  RunRequest request;
  request.path = "model.hyla";
  request.model = "Case";
  std::set<double> result;
  const RunReport fixed = run_model(request, files, {});
  EXPECT_TRUE(fixed.has_run);
  if (!fixed.has_run) return {};
  EXPECT_GT(fixed.runs[0].statistics[0].figures.mean, 0);
  result.insert(fixed.runs[0].statistics[0].figures.mean);
  request.random_order = true;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    request.seed = seed;
    result.insert(run_model(request, files, {}).runs[0].statistics[0].figures.mean);
  }
  return result;
}

/// At time k the collector has seen k - 1 times 1 + 2 + 3: on average 6 * 24.5.
TEST(DrawnOrder, RaceFreeModelsDoNotFeelIt) { EXPECT_EQ(means(crowd("n := n + m.v;")), (std::set<double>{147})); }

TEST(DrawnOrder, ARaceShows) { EXPECT_GT(means(crowd("n := mod(2 * n + m.v, 101);")).size(), 10u); }

/// Counts of atomic models that only count: which of them comes first in a round does not matter.
TEST(DrawnOrder, RoundsOfAtomicModelsDoNotFeelIt) {
  EXPECT_EQ(means(R"(
message Tick;
atomic Node {
    port p receives Tick;
    port q sends Tick;
    parameter period = 1;
    output n: Integer := 0;
    discrete sigma := period;
    advance { return sigma; }
    lambda { send q.Tick; }
    internal { sigma := 1 + mod(n, 3); }
    external(elapsed, bag) {
        sigma := sigma - elapsed;
        for m in bag { n := n + 1; }
        if mod(n, 4) == 0 { sigma := 0; }
    }
}
model Case {
    object a: Node;
    object b: Node(period = 2);
    object c: Node(period = 3);
    connect a.q -- b.p;
    connect a.q -- c.p;
    connect b.q -- a.p;
    connect b.q -- c.p;
    connect c.q -- a.p;
    accumulate total = a.n + 10 * b.n + 100 * c.n;
    section Simulation { stop_time = 200; }
}
)")
                .size(),
            1u);
}

TEST(DrawnOrder, TheSameSeedDrawsTheSameOrder) {
  const MemoryFiles files({{"model.hyla", crowd("n := mod(2 * n + m.v, 101);")}});
  RunRequest request;
  request.path = "model.hyla";
  request.random_order = true;
  std::set<std::string> different;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    request.seed = seed;
    const std::string events = Logged(request, files).events;
    EXPECT_EQ(events, Logged(request, files).events);
    different.insert(events);
  }
  EXPECT_EQ(different.size(), 5u);
}

}  // namespace
}  // namespace hyla::service
