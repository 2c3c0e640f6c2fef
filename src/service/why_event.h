// `hyla why RUN --event N` and `--transition PATH` in plain data: the chain of causes of an event, back to the start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/files.h"
#include "service/stored_run.h"

namespace hyla::service {

struct WhyRequest {
  std::string path;                    ///< events file, or a result file whose events are known
  std::string events_path;             ///< empty: see load_run
  std::optional<std::uint64_t> event;  ///< its `seq`; or
  std::string transition;              ///< see EventPaths
  std::size_t depth = 20;              ///< most events of the chain
};

/// One event of the chain, and why it happened.
struct WhyLink {
  const record::LogEntry* entry = nullptr;
  std::string because;  ///< a clause: "`position <= 0` came to hold, 2 after event 13 changed what it reads"
};

struct WhyReport {
  std::vector<std::string> failures;  ///< why there is no answer; then the rest says nothing
  std::optional<StoredRun> run;
  std::vector<WhyLink> chain;          ///< the event first, then its causes
  bool is_cut = false;                 ///< there are more causes than `depth`
  std::vector<std::uint64_t> matches;  ///< of a path: all events that it stands for; the last one is explained
};

WhyReport why_event(const WhyRequest& request, const FileSystem& files);

/// Whether a path that somebody has written stands for the name of a transition or reaction. Both have the form
/// `object.state->state` or `object.reaction`; the path may leave out outer names, in front of the name and behind the
/// arrow: `lamp.Off->Lit` and `Off->Lit` stand for `Room.lamp.Off->Lit`.
bool path_fits(std::string_view path, std::string_view name);

/// The failure for a path that stands for none of the names; it suggests the nearest.
std::string no_such_path(std::string_view path, const std::vector<std::string>& names, std::string_view where);

/// What `hyla why` prints.
std::string why_text(const WhyReport& report);
/// What `hyla why --json` prints: docs/schemas/why.schema.json.
std::string why_json(const WhyReport& report);

}  // namespace hyla::service
