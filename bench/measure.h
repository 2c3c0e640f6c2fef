// Times and memory, measured so that a busy machine disturbs them little.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hyla::bench {

/// Processor time of this process, in seconds: what others do on the machine hardly counts.
double processor_time_s();

/// The median processor time of so many calls.
double median_time_s(int repetitions, const std::function<void()>& work);

/// What `work` takes from the heap: at its peak, and what it still holds when it returns.
struct HeapUse {
  std::size_t peak = 0;
  std::size_t kept = 0;
};
HeapUse heap_use(const std::function<void()>& work);

/// Time from the start of a program to its end, in seconds.
struct StartTime {
  double elapsed_s = 0;
  double processor_s = 0;
  bool succeeded = true;
};
/// The medians of so many starts of each command, in turn, so that a busy minute disturbs all alike. Output is thrown
/// away.
std::vector<StartTime> median_starts(int repetitions, const std::vector<std::vector<std::string>>& commands);

}  // namespace hyla::bench
