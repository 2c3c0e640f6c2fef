#include "experiment/parallel.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hyla::experiment {
namespace {

TEST(RunParallel, DoesEachPieceOnce) {
  for (const unsigned threads : {1U, 2U, 7U, 100U}) {
    std::vector<std::atomic<int>> done(50);
    run_parallel(done.size(), threads, [&](std::size_t piece) { ++done[piece]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(RunParallel, OneThreadIsTheCallers) {
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  run_parallel(3, 1, [&](std::size_t piece) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(piece);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(RunParallel, NothingToDo) {
  run_parallel(0, 4, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace hyla::experiment
