// Any two files may be compared: the bytes before the first zero are one, those behind it the other. A run is like
// itself, and what the first sees as different the second does too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "record/compare_runs.h"
#include "record/read_result.h"

namespace {

using namespace hyla::record;  // NOLINT(google-build-using-namespace)

/// Either an events file or a result.
struct File {
  std::optional<Events> events;
  std::optional<RunResult> result;

  explicit File(std::string_view bytes) {
    if (looks_like_events(bytes)) {
      if (auto read = read_events("file", bytes); read.ok()) events = std::move(read).value();
      return;
    }
    MemoryInput input(bytes);
    if (auto read = read_result("file", input); read.ok()) result = std::move(read).value();
  }
  ComparedRun run() const { return {result ? &*result : nullptr, events ? &*events : nullptr}; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(bytes.find('\0'), size);
  const File a(bytes.substr(0, cut)), b(bytes.substr(std::min(size, cut + 1)));
  CompareOptions options;
  options.time = 1e-3;
  const auto same = compare_runs(a.run(), a.run(), options);
  HYLA_CHECK(!same.ok() || same.value().alike(), "a run is like itself");
  const auto there = compare_runs(a.run(), b.run(), options), back = compare_runs(b.run(), a.run(), options);
  HYLA_CHECK(there.ok() == back.ok(), "what can be compared can be compared the other way round");
  if (!there.ok()) return 0;
  HYLA_CHECK(there.value().events.paired <= std::min(there.value().events.a_count, there.value().events.b_count),
             "pairs have two ends");
  return 0;
}
