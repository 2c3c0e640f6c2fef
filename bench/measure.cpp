#include "measure.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hyla::bench {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

StartTime start_once(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = vfork();  // does not copy this process's memory tables, which would count against the program
  if (child == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execv(arguments.front(), arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {elapsed.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime),
          WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

}  // namespace

double processor_time_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median_time_s(int repetitions, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const double begin = processor_time_s();
    work();
    times.push_back(processor_time_s() - begin);
  }
  return median(times);
}

std::vector<Spread> interleaved_times(int repetitions, const std::vector<std::function<double()>>& contenders) {
  std::vector<std::vector<double>> times(contenders.size());
  for (int i = 0; i < repetitions; ++i) {
    for (std::size_t k = 0; k < contenders.size(); ++k) times[k].push_back(contenders[k]());
  }
  std::vector<Spread> spreads;
  for (const std::vector<double>& of_one : times) {
    spreads.push_back({*std::min_element(of_one.begin(), of_one.end()), median(of_one)});
  }
  return spreads;
}

namespace {

using Choice = double (*)(std::vector<double>);

std::vector<StartTime> chosen_starts(int repetitions, const std::vector<std::vector<std::string>>& commands,
                                     Choice choose) {
  std::vector<std::vector<double>> elapsed(commands.size());
  std::vector<std::vector<double>> processor(commands.size());
  std::vector<StartTime> chosen(commands.size());
  for (int i = 0; i < repetitions; ++i) {
    for (std::size_t k = 0; k < commands.size(); ++k) {
      const StartTime time = start_once(commands[k]);
      elapsed[k].push_back(time.elapsed_s);
      processor[k].push_back(time.processor_s);
      chosen[k].succeeded = chosen[k].succeeded && time.succeeded;
    }
  }
  for (std::size_t k = 0; k < commands.size(); ++k) {
    chosen[k].elapsed_s = choose(std::move(elapsed[k]));
    chosen[k].processor_s = choose(std::move(processor[k]));
  }
  return chosen;
}

double least(std::vector<double> values) { return *std::min_element(values.begin(), values.end()); }

}  // namespace

std::vector<StartTime> median_starts(int repetitions, const std::vector<std::vector<std::string>>& commands) {
  return chosen_starts(repetitions, commands, median);
}

std::vector<StartTime> shortest_starts(int repetitions, const std::vector<std::vector<std::string>>& commands) {
  return chosen_starts(repetitions, commands, least);
}

}  // namespace hyla::bench
