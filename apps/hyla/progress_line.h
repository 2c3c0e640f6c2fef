// One line at the bottom of a terminal that tells how far a run has come.
#pragma once

#include <chrono>
#include <cstdint>

#include "service/run_model.h"

namespace hyla::app {

class ProgressLine {
 public:
  explicit ProgressLine(bool is_shown) : is_shown_(is_shown) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { erase(); }

  /// Draws the line again, at most ten times a second.
  void show(const service::RunProgress& progress);
  /// Takes the line away, so that other text can be written.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_shown_;
  bool is_drawn_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace hyla::app
