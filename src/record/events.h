// The events of a run, read back: the entries of an events file (docs/events-file.md), or those in a result file.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "record/event_log.h"

namespace hyla::record {

/// Keeps texts, each once. What it hands out stays where it is.
class TextPool {
 public:
  std::string_view keep(std::string_view text);

 private:
  std::deque<std::string> texts_;
  std::unordered_set<std::string_view> known_;
};

struct Events {
  std::string model;
  std::uint64_t seed = 0;
  std::string run;                 ///< how it was made, as a JSON object; empty: not told
  std::vector<LogEntry> entries;   ///< in their order; the texts belong to `texts`
  bool is_complete = false;        ///< the last entry has the kind `stop`
  std::vector<std::string> notes;  ///< what was amiss but could be read over, a sentence each

  std::unique_ptr<TextPool> texts = std::make_unique<TextPool>();

  /// The entry with this `seq`; null if there is none.
  const LogEntry* find(std::uint64_t sequence) const;
};

/// Whether the bytes begin like an events file.
bool looks_like_events(std::string_view beginning);

/// Reads an events file; failures begin with its name and the line. A last line that was cut off is left out, with a
/// note. Members that later versions may add are skipped.
base::Result<Events> read_events(const std::string& name, std::string_view text);

/// Reads the members of one entry from a JSON object; empty, or what is wrong.
std::string read_entry(std::string_view line, TextPool& texts, LogEntry& entry);

}  // namespace hyla::record
