// Writes in a second thread, so that a slow disk does not hold up the run.
//
// Pieces wait in a queue. If it is full the producer waits, so memory stays bounded: kMostWaiting pieces. The bytes and
// their order are those of the producer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "record/output.h"

namespace hyla::record {

class BackgroundOutput : public Output {
 public:
  static constexpr std::size_t kMostWaiting = 16;

  /// `target` outlives this.
  explicit BackgroundOutput(Output& target);
  ~BackgroundOutput() override;

  /// Puts the piece into the queue. False if an earlier piece could not be written.
  bool write(std::string_view bytes) override;
  /// Waits until everything is written; false if something could not be. Nothing can be written afterwards.
  bool finish();

 private:
  void run();

  Output& target_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  bool ending_ = false;
  std::atomic<bool> failed_ = false;
  std::thread thread_;  ///< last: it uses the rest
};

}  // namespace hyla::record
