// What recording costs: a run of about a second without it, then with 1000 variables at 10 000 points in each format.
//
//   record_bench            the report; the aim is a ratio of at most 1.2 for MAT and HDF5
//   record_bench --smoke    once each and small, to see that it still works
//
// Times are those of the clock on the wall, the least of several, all contenders in turn: a second thread writes, so on
// a machine with one free core the rest of its work shows. Behind them stands the processor time of both threads.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "measure.h"
#include "service/load_result.h"
#include "service/run_model.h"

namespace hyla::bench {
namespace {

constexpr int kPoints = 10000;

/// Oscillators in a row, each bound to its neighbours: a position and a speed for each.
std::string chain(int oscillators) {
  return fmt::format(R"(model Chain {{
    parameter n: Integer = {};
    var x: Real[n];
    var v: Real[n];
    initial {{ for i in 1..n {{ x[i] := sin(0.3 * i); v[i] := 0; }} }}
    der(x[1]) = v[1];
    der(v[1]) = x[2] - 2 * x[1] - 0.1 * x[1] ^ 3;
    for i in 2..n - 1 {{
        der(x[i]) = v[i];
        der(v[i]) = x[i - 1] - 2 * x[i] + x[i + 1] - 0.1 * x[i] ^ 3;
    }}
    der(x[n]) = v[n];
    der(v[n]) = x[n - 1] - 2 * x[n] - 0.1 * x[n] ^ 3;
}}
)",
                     oscillators);
}

struct Timed {
  double elapsed_s = 0;
  double processor_s = 0;
  bool succeeded = false;
};

Timed run(const service::FileSystem& files, double stop_time, int points, const std::string& output) {
  service::RunRequest request;
  request.path = "chain.hyla";
  request.stop_time = stop_time;
  request.output_file = output;
  request.output_interval = stop_time / points;
  const double processor = processor_time_s();
  const auto begin = std::chrono::steady_clock::now();
  const service::RunReport report = service::run_model(request, files, {});
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const std::string& failure : report.failures) fmt::print(stderr, "{}\n", failure);
  return {elapsed, processor_time_s() - processor,
          report.failures.empty() && report.counts.errors == 0 && report.has_run};
}

bool report(bool smoke) {
  const service::MemoryFiles files({{"chain.hyla", chain(smoke ? 10 : 500)}});
  const int points = smoke ? 100 : kPoints;
  double stop_time = 10;
  if (!smoke) {  // so that it takes about a second
    for (int i = 0; i < 6; ++i) {
      const Timed timed = run(files, stop_time, points, "");
      if (!timed.succeeded) return false;
      if (timed.processor_s > 0.95 && timed.processor_s < 1.05) break;
      stop_time *= std::min(10.0, 1 / timed.processor_s);
    }
  }
  const std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("hyla_record_bench_{}", getpid())).string();
  const std::vector<std::string> outputs = {"", file + ".mat", file + ".h5", file + ".csv"};
  bool is_good = true;
  std::vector<std::function<double()>> contenders;
  std::vector<double> processor(outputs.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    contenders.emplace_back([&, i] {
      const Timed timed = run(files, stop_time, points, outputs[i]);
      is_good = is_good && timed.succeeded;
      processor[i] = std::min(processor[i], timed.processor_s);
      return timed.elapsed_s;
    });
  }
  const std::vector<Spread> times = interleaved_times(smoke ? 1 : 7, contenders);
  const std::vector<std::string_view> names = {"nothing", "MAT", "HDF5", "CSV"};
  fmt::print("recording {} variables at {} points\n", smoke ? 20 : 1000, points);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    fmt::print("  {:8} {:7.3f} s   {:5.2f} times   {:7.3f} s of processors   {:5.2f} times", names[i],
               times[i].minimum_s, times[i].minimum_s / times[0].minimum_s, processor[i], processor[i] / processor[0]);
    if (!outputs[i].empty()) {
      fmt::print("   {:7.1f} MB", static_cast<double>(std::filesystem::file_size(outputs[i])) / 1e6);
      const auto result = service::load_result(outputs[i], service::Disk());
      is_good = is_good && result.ok() && result.value().time.size() > static_cast<std::size_t>(points);
      std::filesystem::remove(outputs[i]);
    }
    fmt::print("\n");
  }
  return is_good;
}

}  // namespace
}  // namespace hyla::bench

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::string_view(argv[1]) == "--smoke";
  return hyla::bench::report(smoke) ? EXIT_SUCCESS : EXIT_FAILURE;
}
