// A sweep of short runs: how much faster two threads are than one, and what a run takes of the processor.
//
// The model is read, checked and compiled into the same programs once; members build their world and run it. On a
// machine that others use too, the time of the processor tells more than that of the clock on the wall: the speed-up by
// threads is then the ratio of what one processor could do.
#include <cstdio>
#include <cstring>
#include <string>

#include "service/experiment_model.h"

namespace {

std::string text_of(int points) {
  return R"(
model Tank {
    parameter area = 1, leak = 0.1;
    output h := 0;
    discrete inflow := 1;
    der(h) = inflow / area - leak * h;
    chart {
        initial -> Filling;
        state Filling { when h > 2 -> Draining { inflow := 0; } }
        state Draining { when h < 1 -> Filling { inflow := 1; } }
    }
}
experiment Sweep of Tank {
    stop_time = 60;
    vary area in 1..2 step )" +
         std::to_string(1.0 / (points - 1)) + R"(;
    observe peak = max(h);
    observe level = mean(h);
}
)";
}

struct Measured {
  double wall = 0, processor = 0;
  std::uint64_t runs = 0;
};

Measured measure(const std::string& text, unsigned threads) {
  hyla::service::MemoryFiles files({{"tank.hyla", text}});
  hyla::service::ExperimentRequest request;
  request.run.path = "tank.hyla";
  request.run.threads = threads;
  request.name = "Sweep";
  const hyla::service::ExperimentReport report = hyla::service::run_experiment(request, files, {});
  return {report.seconds, report.processor_seconds, report.failed == 0 ? report.members : 0};
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  const int points = is_smoke ? 11 : 1001;
  const std::string text = text_of(points);
  const Measured one = measure(text, 1), two = measure(text, 2);
  if (one.runs != two.runs || one.runs < static_cast<std::uint64_t>(points) - 1) {
    std::printf("the sweep has failed\n");
    return 1;
  }
  const double runs = static_cast<double>(one.runs);
  std::printf("%.0f runs   1 thread %.3f s (%.1f us of the processor each)   2 threads %.3f s (%.1f us each)\n", runs,
              one.wall, 1e6 * one.processor / runs, two.wall, 1e6 * two.processor / runs);
  std::printf("faster by   %.2f on the wall, %.2f if each thread had a processor of its own\n", one.wall / two.wall,
              2 * one.processor / two.processor);
  return 0;
}
