// The events of a run as JSON lines: one object a line, docs/events-file.md is the contract.
//
// The log knows nothing of models: it takes entries in plain data and writes their members in one fixed order, leaving
// out those that are empty. Lines are collected and handed on in pieces of whole lines, so that a run that is killed
// leaves a file that can be read. Cost: about 0.3 microseconds for a line of 170 bytes, without
// allocations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "record/output.h"

namespace hyla::record {

/// What the first line says.
struct LogHeader {
  std::string_view model;
  std::uint64_t seed = 0;
  std::string_view run = {};  ///< how it was made, as a JSON object; empty: not told
};

/// One line. The views need to live during the call only. Empty texts and a cause of 0 are left out.
struct LogEntry {
  std::uint64_t sequence = 0;
  double time = 0;
  std::uint32_t step = 0;
  std::string_view kind;
  std::string_view object;
  std::string_view chart, from, to;
  std::string_view reaction;
  std::string_view message;
  std::string_view data;  ///< the fields of the message, as a JSON object
  std::string_view process;
  std::uint64_t cause = 0;
  std::string_view trigger;
  std::string_view text;
  std::string_view condition;  ///< of the reaction, or its guard
  std::string_view sender;     ///< of the message
  std::string_view place;      ///< in the source: `room.hyla:8`
};

class EventLog {
 public:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  /// `output` outlives the log. The header is the first line.
  EventLog(Output& output, const LogHeader& header);
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;
  ~EventLog() { flush(); }

  void add(const LogEntry& entry);
  /// Hands on what has been collected. False if the output has failed; then nothing more is written.
  bool flush();
  bool failed() const { return failed_; }

 private:
  Output& output_;
  std::string lines_;
  bool failed_ = false;
};

}  // namespace hyla::record
