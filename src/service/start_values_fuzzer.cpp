// Any bytes may come as a file of start values: they are read or refused with a place, and what was read can be written
// and read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "service/start_values.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyla::service;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto values = parse_start_values("file", text);
  if (!values.ok()) {
    HYLA_CHECK(values.message().starts_with("file:"), "a refusal begins with its place");
    return 0;
  }
  if (values.value().model.empty()) return 0;
  const std::string written = start_values_text(values.value());
  const auto again = parse_start_values("file", written);
  HYLA_CHECK(again.ok() && start_values_text(again.value()) == written, "what was written is read again");
  return 0;
}
