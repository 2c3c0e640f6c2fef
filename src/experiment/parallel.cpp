#include "experiment/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace hyla::experiment {

void run_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take_all = [&] {
    for (std::size_t piece = next++; piece < count; piece = next++) work(piece);
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) helpers.emplace_back(take_all);
  take_all();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace hyla::experiment
