// The circle of events that keeps an instant from ending, for the report.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/context.h"

namespace hyla::engine {

/// Remembers what fires in the last event steps before the limit.
class CycleRecorder {
 public:
  static constexpr std::uint32_t kRemembered = 64;  ///< steps before the limit

  /// Begins to record.
  explicit CycleRecorder(const Run& run);
  /// Ends the run with the reactions that repeat.
  void report(Run& run);

 private:
  std::vector<std::uint64_t> reactions_, processes_, atomics_;  ///< counters when recording began
};

}  // namespace hyla::engine
