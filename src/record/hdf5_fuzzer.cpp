// Any bytes may come as an HDF5 file: they are read or refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "record/hdf5_reader.h"

/// HDF5 itself loses pieces of damaged metadata.
extern "C" const char* __lsan_default_suppressions() { return "leak:H5FL"; }  // NOLINT: the sanitizer's name

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyla::record;  // NOLINT(google-build-using-namespace)
  MemoryInput input(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto result = read_hdf5("file", input, {});
  if (!result.ok()) {
    HYLA_CHECK(result.message().find("file") != std::string::npos, "a refusal names the file");
    return 0;
  }
  for (const std::vector<double>& series : result.value().series) {
    HYLA_CHECK(series.size() == result.value().time.size(), "each series has a value for each time");
  }
  return 0;
}
