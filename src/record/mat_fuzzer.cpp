// Any bytes may come as a MAT file: they are read or refused, and what was read can be written and read again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "record/mat_reader.h"
#include "record/mat_writer.h"

namespace {

using namespace hyla::record;  // NOLINT(google-build-using-namespace)

std::string written(const RunResult& result) {
  ResultHeader header;
  header.columns = result.columns;
  header.parameters = result.parameters;
  MemoryStore store;
  MatWriter writer(store, header);
  RowBlock block;
  block.width = count_series(header.columns) + 1;
  for (std::size_t row = 0; row < result.time.size(); ++row) {
    block.numbers.push_back(result.time[row]);
    for (std::size_t i = 0; i + 1 < block.width; ++i) block.numbers.push_back(result.series[i][row]);
  }
  writer.add_rows(block);
  writer.finish();
  return store.bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  MemoryInput input(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto result = read_mat("file", input, {});
  if (!result.ok()) {
    HYLA_CHECK(result.message().find("file") != std::string::npos, "a refusal names the file");
    return 0;
  }
  for (const std::vector<double>& series : result.value().series) {
    HYLA_CHECK(series.size() == result.value().time.size(), "each series has a value for each time");
  }
  const auto is_time = [](const auto& variable) { return variable.name == "time"; };
  if (std::ranges::any_of(result.value().columns, is_time) || std::ranges::any_of(result.value().parameters, is_time)) {
    return 0;  // of a file whose time has another name
  }
  const std::string bytes = written(result.value());
  MemoryInput second(bytes);
  const auto again = read_mat("file", second, {});
  HYLA_CHECK(again.ok() && again.value().time == result.value().time, "what was written is read again");
  return 0;
}
