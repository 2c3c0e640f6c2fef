// Any text may stand where a unit is expected: it is read or refused, and what was read can be calculated with and read
// again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/type.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyla::model;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  UnitError error{};
  const std::optional<Unit> unit = parse_unit(text, error);
  if (!unit) {
    HYLA_CHECK(error.offset + error.length <= size && !error.message.empty(), "an error has a place and a message");
    return 0;
  }
  HYLA_CHECK(divide(*unit, *unit).is_one(), "a unit divided by itself is 1");
  const Unit square = multiply(*unit, *unit);
  const std::optional<Unit> root = power(square, 0.5);
  HYLA_CHECK(root && root->same_unit(*unit), "the root of the square is the unit");
  if (root->text.find(' ') != std::string::npos) return 0;  // with a factor, which is for people only
  const std::optional<Unit> again = parse_unit(root->text, error);
  HYLA_CHECK(again && again->same_unit(*unit), "a composed text reads as the same unit");
  return 0;
}
