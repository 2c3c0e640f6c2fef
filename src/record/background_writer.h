// Collects rows and has them written by a second thread, so that neither the format nor a slow disk holds up the run.
//
// Blocks wait in a queue. If it is full the producer waits, so memory stays bounded. What is written does not depend on
// who was faster, except for how often a file is refreshed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "record/output.h"
#include "record/result_writer.h"

namespace hyla::record {

/// As an Output it takes the lines of the events file.
class BackgroundWriter : public Output {
 public:
  static constexpr std::size_t kMostWaiting = 16;
  static constexpr std::size_t kBlock = std::size_t{1} << 17;  ///< numbers in a block; a megabyte

  /// `target` outlives this. Rows have so many values at first.
  BackgroundWriter(ResultWriter& target, std::size_t series);
  ~BackgroundWriter() override;

  void row(double time, std::span<const double> values);
  void add_columns(std::vector<ResultColumn> columns);
  bool write(std::string_view lines) override;
  /// Hands on what has been collected; readers of the file will see it soon. Does nothing while that of an earlier call
  /// is not yet done.
  void refresh();
  /// Waits until everything is written; false if something could not be. Nothing can be added afterwards.
  bool finish();
  bool failed() const { return failed_; }

 private:
  struct Refresh {};
  using Task = std::variant<RowBlock, std::vector<ResultColumn>, std::string, Refresh>;

  std::vector<double> fresh_numbers();
  void hand_on();
  void push(Task task);
  void run();
  bool do_task(const Task& task);

  ResultWriter& target_;
  RowBlock block_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  std::vector<std::vector<double>> left_;  ///< memory of blocks that were written
  bool ending_ = false;
  std::atomic<bool> refreshing_ = false;
  std::atomic<bool> failed_ = false;
  std::thread thread_;  ///< last: it uses the rest
};

}  // namespace hyla::record
