// Times and memory, measured so that a busy machine disturbs them little.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace hyla::bench {

/// Processor time of this process, in seconds: what others do on the machine hardly counts.
double processor_time_s();

/// The median processor time of so many calls.
double median_time_s(int repetitions, const std::function<void()>& work);

/// Of the times of one contender.
struct Spread {
  double minimum_s = 0;
  double median_s = 0;
};
/// Lets all contenders run in turn, so many times, so that a busy minute disturbs all alike. A contender returns the
/// time that counts, in seconds.
std::vector<Spread> interleaved_times(int repetitions, const std::vector<std::function<double()>>& contenders);

/// Time from the start of a program to its end, in seconds.
struct StartTime {
  double elapsed_s = 0;
  double processor_s = 0;
  bool succeeded = true;
};
/// The medians of so many starts of each command, in turn, so that a busy minute disturbs all alike. Output is thrown
/// away.
std::vector<StartTime> median_starts(int repetitions, const std::vector<std::vector<std::string>>& commands);
/// The same with the shortest times.
std::vector<StartTime> shortest_starts(int repetitions, const std::vector<std::vector<std::string>>& commands);

}  // namespace hyla::bench
