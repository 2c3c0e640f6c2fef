// Any bytes may come as a result file: they are read or refused, and what was read can be written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "record/csv_writer.h"
#include "record/read_result.h"
#include "record/testing.h"

namespace {

using namespace hyla::record;  // NOLINT(google-build-using-namespace)

std::string written(const RunResult& result) {
  std::vector<std::string> names;
  for (const ResultColumn& column : result.columns) names.push_back(column.name);
  Memory memory;
  {
    CsvWriter writer(memory, names);
    std::vector<double> row(names.size());
    for (std::size_t r = 0; r < result.time.size(); ++r) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = result.value(result.columns[c], r);
      writer.row(result.time[r], row);
    }
  }
  return memory.text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  MemoryInput input(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto result = read_result("file", input);
  if (!result.ok()) {
    HYLA_CHECK(result.message().find("file") != std::string::npos, "a refusal names the file");
    return 0;
  }
  for (const std::vector<double>& series : result.value().series) {
    HYLA_CHECK(series.size() == result.value().time.size(), "each series has a value for each time");
  }
  const std::string text = written(result.value());
  MemoryInput second(text);
  const auto again = read_result("file", second);
  HYLA_CHECK(again.ok() && written(again.value()) == text, "what was written is read again");
  return 0;
}
