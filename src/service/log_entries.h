// What happens in a run, as entries of an event log: names in place of numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/observer.h"
#include "record/event_log.h"
#include "service/run_names.h"

namespace hyla::service {

class LogEntries {
 public:
  /// The names outlive the entries.
  explicit LogEntries(RunNames& names) : names_(names) {}

  /// Its views hold until the next call.
  record::LogEntry entry(const engine::World& world, const engine::Occurrence& occurrence);

 private:
  /// The innermost states of one kind of step, and where charts have ended: `A.x.P, A.y.Q`.
  void innermost(std::span<const engine::TraceStep> steps, engine::TraceStep::Kind kind, std::string& text);

  RunNames& names_;
  // Kept for their memory.
  std::string data_, from_, to_;
  std::vector<std::string_view> paths_;
};

}  // namespace hyla::service
