// The role of a format: takes what is recorded of a run and brings it into a file, so that the file can be read at any
// time and whatever happens to the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/run_result.h"

namespace hyla::record {

/// What is known of a run when it begins.
struct ResultHeader {
  std::string model;
  std::string model_text;  ///< all its files
  std::string version;     ///< of the program
  std::string time_unit;
  std::uint64_t seed = 0;
  double start_time = 0, stop_time = 0;
  std::uint64_t expected_rows = 0;  ///< about so many; 0: not known
  std::vector<ResultParameter> parameters;
  std::vector<ResultColumn> columns;  ///< with series from 0 on, each of which some column has
};

/// Rows behind each other: the time, then a value for each series.
struct RowBlock {
  std::size_t width = 1;  ///< numbers in a row
  std::vector<double> numbers;

  std::size_t rows() const { return numbers.size() / width; }
  std::span<const double> row(std::size_t number) const { return std::span(numbers).subspan(number * width, width); }
};

/// After a failure (false) nothing more is asked of it.
class ResultWriter {
 public:
  ResultWriter() = default;
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;
  virtual ~ResultWriter() = default;

  virtual bool add_rows(const RowBlock& block) = 0;
  /// Further variables, of objects that have come; rows are wider from now on.
  virtual bool add_columns(std::span<const ResultColumn> columns) = 0;
  /// Lines of the events file, whole ones.
  virtual bool add_events(std::string_view lines) = 0;
  /// What has been added can be read by others from now on.
  virtual bool refresh() = 0;
  /// The run has ended.
  virtual bool finish() = 0;
  /// Why it has failed, if the format is the reason.
  virtual std::string problem() const { return {}; }
  /// Up to which time rows can be read after a failure, if that is known and there are some.
  virtual std::optional<double> kept_until() const { return {}; }
};

}  // namespace hyla::record
