// Any bytes may come as an events file: they are read or refused with a place, and what was read can be written and
// read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "record/chart_strips.h"
#include "record/events.h"
#include "record/testing.h"

namespace {

using namespace hyla::record;  // NOLINT(google-build-using-namespace)

std::string written(const Events& events) {
  Memory memory;
  {
    EventLog log(memory, {events.model, events.seed});
    for (const LogEntry& entry : events.entries) log.add(entry);
  }
  return memory.text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto events = read_events("file", std::string_view(reinterpret_cast<const char*>(data), size));
  if (!events.ok()) {
    HYLA_CHECK(events.message().starts_with("file:"), "a refusal begins with its place");
    return 0;
  }
  for (const PlotStrip& strip : strips_of(events.value(), 1)) HYLA_CHECK(!strip.name.empty(), "strips have names");
  const std::string text = written(events.value());
  const auto again = read_events("file", text);
  HYLA_CHECK(again.ok() && again.value().entries.size() == events.value().entries.size(), "read again");
  return 0;
}
