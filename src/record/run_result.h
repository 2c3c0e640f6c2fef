// What a result file holds, whatever its format, as plain data: trajectories, parameters, events, and what is known of
// the run. Whoever draws, compares or explains a run reads this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/absent.h"
#include "record/events.h"

namespace hyla::record {

/// A recorded variable. Variables that are always equal, or equal up to their sign, share a series.
struct ResultColumn {
  std::string name;  ///< path from the model that was run: `tank[2].level`
  std::string unit;  ///< empty: none, or not known
  std::string description;
  std::size_t series = 0;
  bool is_negated = false;
};

/// A parameter or constant. Values that are no numbers are not kept.
struct ResultParameter {
  std::string name;
  std::string unit;
  std::string description;
  double value = 0;
};

struct RunResult {
  // What is known of the run; empty where the format does not tell.
  std::string format;      ///< `CSV`, `MAT` or `HDF5`
  std::string model;       ///< its name
  std::string model_text;  ///< all its files
  std::string version;     ///< of the program that has written the file
  std::string time_unit;
  std::optional<std::uint64_t> seed;
  std::optional<double> start_time, stop_time;  ///< as they were asked for

  std::vector<ResultParameter> parameters;
  std::vector<double> time;  ///< never decreasing; an instant with events stands twice: before and after them
  std::vector<ResultColumn> columns;
  /// By ResultColumn::series, then by row as `time`. record::is_absent where the variable did not exist; a plain NaN is
  /// a value like any other.
  std::vector<std::vector<double>> series;
  std::optional<Events> events;
  std::vector<std::string> notes;  ///< what was amiss but could be read over, a sentence each

  /// The values of a column, one for each time; by value, as the sign may differ from what is stored.
  std::vector<double> values(const ResultColumn& column) const;
  /// One of them.
  double value(const ResultColumn& column, std::size_t row) const;
};

/// How many series the columns have.
std::size_t count_series(std::span<const ResultColumn> columns);

/// The places of the columns that a pattern stands for (record/glob.h: the name, a glob, or the array, record or object
/// that holds them), in their order. A failure if there is none: it names the nearest.
base::Result<std::vector<std::size_t>> find_columns(std::span<const ResultColumn> columns, std::string_view pattern);
/// The one column with this name; else a failure that names the nearest.
base::Result<std::size_t> find_column(std::span<const ResultColumn> columns, std::string_view name);

}  // namespace hyla::record
