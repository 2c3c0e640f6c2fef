// One line at the bottom of a terminal that tells how far a run has come.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "console.h"
#include "service/experiment_model.h"
#include "service/run_model.h"

namespace hyla::app {

/// When to show progress. Auto: on a terminal.
enum class When { Auto, Always, Never };

/// Whether people look on, unless they have said what they want.
bool shows_progress(When choice);

class ProgressLine {
 public:
  explicit ProgressLine(bool is_shown) : is_shown_(is_shown) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { erase(); }

  /// Draws the line again, at most ten times a second.
  void show(const service::RunProgress& progress);
  void show(const service::ExperimentProgress& progress);
  /// Takes the line away, so that other text can be written.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(std::string text);
  bool is_due();

  bool is_shown_;
  bool is_drawn_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace hyla::app
