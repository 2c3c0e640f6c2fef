// Results to write and to compare with what is read back.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "record/result_writer.h"

namespace hyla::record {

inline ResultHeader some_header() {
  ResultHeader header;
  header.model = "Plant";
  header.model_text = "model Plant {}\n";
  header.version = "1.2.3";
  header.time_unit = "s";
  header.seed = 42;
  header.stop_time = 10;
  header.parameters = {{"area", "m2", "", 0.5}, {"tank[2].count", "", "how many", 3}};
  header.columns = {{"level", "m", "", 0, false},
                    {"m[1, 2]", "", "a matrix", 1, false},
                    {"copy", "m", "", 0, false},
                    {"outflow", "m3/s", "", 1, true}};
  return header;
}

/// Two values that swing, the second of which is absent now and then.
inline double some_value(std::size_t series, std::size_t row) {
  const auto x = static_cast<double>(row);
  if (series == 1 && row / 100 % 3 == 2) return kAbsent;
  return series == 0 ? std::sin(0.01 * x) : x * x / 7;
}

inline RowBlock some_rows(std::size_t first, std::size_t count, std::size_t series = 2) {
  RowBlock block;
  block.width = series + 1;
  for (std::size_t row = first; row < first + count; ++row) {
    block.numbers.push_back(static_cast<double>(row / 2));
    for (std::size_t k = 0; k < series; ++k) block.numbers.push_back(some_value(k, row));
  }
  return block;
}

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Whether the column has the values that some_rows() wrote, the others having been absent.
inline bool has_values(const RunResult& result, const ResultColumn& column, std::size_t series, double sign) {
  for (std::size_t row = 0; row < result.time.size(); ++row) {
    const double expected = some_value(series, row);
    if (!same_bits(result.value(column, row), is_absent(expected) ? expected : sign * expected)) return false;
  }
  return true;
}

}  // namespace hyla::record
