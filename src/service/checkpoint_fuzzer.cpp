// Any bytes may come as a checkpoint: those of a sealed one give the content back, all others a reason; and reading
// values from any content stays inside it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.h"
#include "base/check.h"
#include "service/checkpoint_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyla;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(service::open_checkpoint(bytes, 1));

  const std::string sealed = service::seal_checkpoint(1, bytes);
  const base::Result<std::string> content = service::open_checkpoint(sealed, 1);
  HYLA_CHECK(content.ok() && content.value() == bytes, "a sealed checkpoint must open");
  HYLA_CHECK(!service::open_checkpoint(sealed, 2).ok(), "that of another run must not");
  const std::size_t cut = bytes.empty() ? 1 : 1 + data[0] % sealed.size();
  HYLA_CHECK(!service::open_checkpoint(std::string_view(sealed).substr(0, sealed.size() - cut), 1).ok(),
             "a shorter one must not");

  base::Archive archive(bytes);
  std::vector<std::vector<double>> numbers;
  std::vector<std::string> texts;
  statistics::Tally tally;
  engine::Calendar calendar;
  archive(numbers, texts, tally, calendar);
  while (!calendar.empty()) calendar.release(calendar.pop());
  return 0;
}
