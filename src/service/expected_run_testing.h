// What a run with equations must lead to, in the form that tests/reference/README.md describes: read, run, compare.
//
// Events come from the events file and values from the file of trajectories, so what a user gets is what is compared.
#pragma once

#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "service/run_model.h"

namespace hyla::service {

/// NaN: not compared.
using Values = std::vector<double>;

struct ExpectedEvent {
  double time = 0;
  std::string label;
  Values before, after;
};

struct ExpectedSample {
  double time = 0;
  Values values;
};

struct Expectation {
  RunRequest request;
  std::vector<std::string> columns, watched, messages;
  std::vector<ExpectedEvent> events;
  bool lists_events = false;  ///< else any events may happen
  std::vector<ExpectedSample> samples;
  std::optional<ExpectedSample> end;
  double time_limit = 1e-6, value_limit = 1e-5, time_factor = 100, value_factor = 100;
  double labels_until = std::numeric_limits<double>::infinity();
  double converges_until = std::numeric_limits<double>::infinity();
  bool exact = false, rough = false, stiff = false;
  std::string ending = "stop-time";
};

/// Numbers between blanks; `-` is not compared.
Values read_values(std::istringstream& words);
/// A model with comment lines behind `// Expect:`, or a text of such lines.
Expectation read_expectation(const std::string& path);

struct LoggedEvent {
  double time = 0;
  std::string kind, object, chart, reaction, from, to;
};

struct RunResult {
  RunReport report;
  std::vector<LoggedEvent> events;     ///< transitions and reactions
  std::vector<std::string> columns;    ///< of the rows
  std::vector<ExpectedSample> rows;    ///< in their order; an absent value is NaN
  std::string events_text, rows_text;  ///< the files

  std::string messages() const;
};

RunResult run_expected(const Expectation& expected, const std::string& name, const FileSystem& files = Disk());

/// How far a run is from what is expected. Values in units of 1 + |value|.
struct Errors {
  double time = 0, value = 0;
};

class Comparison {
 public:
  Comparison(const Expectation& expected, const RunResult& result);

  const Errors& errors() const { return errors_; }
  /// Where the largest errors are.
  std::string worst() const { return "time: " + worst_time_ + "; value: " + worst_value_; }
  /// The events that are compared.
  std::vector<LoggedEvent> watched_events() const;

 private:
  bool is_watched(const LoggedEvent& event) const;
  static std::string label_of(const LoggedEvent& event, bool with_object);
  void compare_events();
  void compare_event(const ExpectedEvent& expected, const LoggedEvent& event);
  void compare_sample(const ExpectedSample& sample);
  void compare_values(const Values& expected, const ExpectedSample& row, std::string_view what);

  const Expectation& expected_;
  const RunResult& result_;
  std::vector<std::size_t> places_;
  Errors errors_;
  std::string worst_time_, worst_value_;
};

/// How the run ends and what it says.
void expect_ending(const Expectation& expected, const RunResult& result);

}  // namespace hyla::service
