#include "service/expected_run_testing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/summary.h"
#include "service/testing.h"

namespace hyla::service {
Values read_values(std::istringstream& words) {
  Values values;
  for (std::string word; words >> word;) values.push_back(word == "-" ? NAN : std::strtod(word.c_str(), nullptr));
  return values;
}

namespace {

void read_option(const std::string& name, const std::string& value, RunRequest& request) {
  if (name == "solver")
    request.solver.solver = value;
  else if (name == "zeno")
    request.solver.zeno = value;
  else if (name == "events")
    request.solver.events = value;
  else if (name == "tolerance")
    request.solver.tolerance = std::strtod(value.c_str(), nullptr);
  else if (name == "step-size")
    request.solver.step_size = std::strtod(value.c_str(), nullptr);
  else if (name == "threads")
    request.threads = static_cast<unsigned>(std::stoul(value));
  else
    ADD_FAILURE() << "an option that this test does not know: " << name;
}

/// One line of an expectation; false if it is none.
bool read_line(std::string_view line, Expectation& expected) {
  std::istringstream words{std::string(line)};
  std::string word, text;
  words >> word;
  const auto rest = [&] {
    std::getline(words >> std::ws, text);
    return text;
  };
  const auto number = [&] { return std::strtod(rest().c_str(), nullptr); };
  const auto sample = [&] {
    words >> text;
    return ExpectedSample{std::strtod(text.c_str(), nullptr), read_values(words)};
  };
  if (word == "model") {
    expected.request.path = rest();
  } else if (word == "set") {
    expected.request.settings.push_back(parse_setting(rest()).value());
  } else if (word == "stop") {
    expected.request.stop_time = number();
  } else if (word == "option") {
    words >> word;
    read_option(word, rest(), expected.request);
  } else if (word == "columns") {
    while (words >> text) expected.columns.push_back(text);
  } else if (word == "watch") {
    expected.watched.push_back(rest());
  } else if (word == "message") {
    expected.messages.push_back(rest());
  } else if (word == "ending") {
    expected.ending = rest();
  } else if (word == "event") {
    words >> text;
    const double time = std::strtod(text.c_str(), nullptr);
    expected.events.push_back({time, rest(), {}, {}});
  } else if (word == "before") {
    expected.events.back().before = read_values(words);
  } else if (word == "after") {
    expected.events.back().after = read_values(words);
  } else if (word == "sample") {
    expected.samples.push_back(sample());
  } else if (word == "end") {
    expected.end = sample();
  } else if (word == "no_events") {
    expected.lists_events = true;
  } else if (word == "time_limit") {
    expected.time_limit = number();
  } else if (word == "value_limit") {
    expected.value_limit = number();
  } else if (word == "time_factor") {
    expected.time_factor = number();
  } else if (word == "value_factor") {
    expected.value_factor = number();
  } else if (word == "labels_until") {
    expected.labels_until = number();
  } else if (word == "converges_until") {
    expected.converges_until = number();
  } else if (word == "exact" || word == "rough" || word == "stiff") {
    (word == "exact" ? expected.exact : word == "rough" ? expected.rough : expected.stiff) = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Expectation read_expectation(const std::string& path) {
  constexpr std::string_view kHeading = "// Expect:", kComment = "// ";
  Expectation expected;
  const bool is_model = path.ends_with(".hyla");
  if (is_model) expected.request.path = path;
  bool has_begun = !is_model;
  const std::string text = text_of(path);
  for (std::string_view line : base::split_lines(text)) {
    if (line == kHeading) {
      has_begun = true;
      continue;
    }
    if (is_model && has_begun && line.starts_with(kComment)) line.remove_prefix(kComment.size());
    if (!has_begun || base::trim(line).empty() || line.starts_with('#')) continue;
    EXPECT_TRUE(read_line(line, expected)) << path << ": " << line;
  }
  EXPECT_TRUE(has_begun) << path << ": there is no line `" << kHeading << '`';
  expected.lists_events = expected.lists_events || !expected.events.empty();
  return expected;
}

std::string RunResult::messages() const {
  std::string text = diag::render(report.diagnostics, report.sources);
  for (const std::string& failure : report.failures) text += failure + "\n";
  return text;
}

namespace {

/// A text member of a line of the events file.
std::string text_member(std::string_view line, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":\"";
  const std::size_t begin = line.find(key);
  if (begin == line.npos) return "";
  const std::size_t first = begin + key.size();
  return std::string(line.substr(first, line.find('"', first) - first));
}

void read_events(RunResult& result) {
  for (const std::string_view line : base::split_lines(result.events_text)) {
    LoggedEvent event;
    event.kind = text_member(line, "kind");
    if (event.kind != "transition" && event.kind != "reaction" && event.kind != "timeout") continue;
    const std::size_t time = line.find("\"t\":");
    event.time = std::strtod(std::string(line.substr(time + 4, 40)).c_str(), nullptr);
    event.object = text_member(line, "object");
    event.chart = text_member(line, "chart");
    event.reaction = text_member(line, "reaction");
    event.from = text_member(line, "from");
    event.to = text_member(line, "to");
    result.events.push_back(std::move(event));
  }
}

std::vector<std::string> split_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

void read_rows(RunResult& result) {
  for (const std::string_view line : base::split_lines(result.rows_text)) {
    if (line.empty()) continue;
    const std::vector<std::string> cells = split_cells(line);
    if (result.columns.empty()) {
      result.columns.assign(cells.begin() + 1, cells.end());
      continue;
    }
    ExpectedSample row{std::strtod(cells[0].c_str(), nullptr), {}};
    for (std::size_t i = 1; i < cells.size(); ++i) {
      row.values.push_back(cells[i].empty() ? NAN : std::strtod(cells[i].c_str(), nullptr));
    }
    result.rows.push_back(std::move(row));
  }
}

/// The greatest interval on whose grid all samples lie; they are decimal fractions.
double sample_interval(const Expectation& expected) {
  double interval = expected.request.stop_time.value_or(1);
  for (const ExpectedSample& sample : expected.samples) {
    double rest = sample.time;
    while (rest > 1e-6 * expected.request.stop_time.value_or(1)) {
      const double next = std::fabs(std::remainder(interval, rest));
      interval = rest;
      rest = next;
    }
  }
  return interval;
}

}  // namespace

RunResult run_expected(const Expectation& expected, const std::string& name, const FileSystem& files) {
  RunRequest request = expected.request;
  request.events_file = scratch_path("hyla_" + name + ".jsonl");
  request.output_file = scratch_path("hyla_" + name + ".csv");
  request.output_variables = expected.columns;
  if (request.stop_time) request.output_interval = sample_interval(expected);
  RunResult result;
  result.report = run_model(request, files, {});
  if (result.report.has_run) {
    result.events_text = text_of(request.events_file);
    result.rows_text = text_of(request.output_file);
    read_events(result);
    read_rows(result);
  }
  std::remove(request.events_file.c_str());
  std::remove(request.output_file.c_str());
  return result;
}

Comparison::Comparison(const Expectation& expected, const RunResult& result) : expected_(expected), result_(result) {
  for (const std::string& name : expected.columns) {
    const auto place = std::find(result.columns.begin(), result.columns.end(), name);
    if (place == result.columns.end()) {
      ADD_FAILURE() << "there is no column " << name << "\n" << result.messages();
      errors_ = {INFINITY, INFINITY};
      return;
    }
    places_.push_back(static_cast<std::size_t>(place - result.columns.begin()));
  }
  if (expected.lists_events) compare_events();
  for (const ExpectedSample& sample : expected.samples) compare_sample(sample);
  if (expected.end && !result.rows.empty()) {
    errors_.time = std::max(errors_.time, std::fabs(result.rows.back().time - expected.end->time));
    compare_values(expected.end->values, result.rows.back(), "at the end");
  }
}

std::vector<LoggedEvent> Comparison::watched_events() const {
  std::vector<LoggedEvent> events;
  std::copy_if(result_.events.begin(), result_.events.end(), std::back_inserter(events),
               [&](const LoggedEvent& event) { return is_watched(event); });
  return events;
}

bool Comparison::is_watched(const LoggedEvent& event) const {
  if (expected_.watched.empty()) return true;
  const auto is_it = [&](const std::string& name) {
    const std::string chart = event.object + "." + event.chart;
    return name == chart || chart.starts_with(name + ".") || name == event.object + "." + event.reaction;
  };
  return std::any_of(expected_.watched.begin(), expected_.watched.end(), is_it);
}

std::string Comparison::label_of(const LoggedEvent& event, bool with_object) {
  const std::string label = event.kind == "transition" ? event.from + " -> " + event.to : event.reaction;
  return with_object ? event.object + ": " + label : label;
}

void Comparison::compare_events() {
  const std::vector<LoggedEvent> events = watched_events();
  std::string listing;
  for (const LoggedEvent& event : events) {
    listing += base::format_number(event.time) + " " + label_of(event, true) + "\n";
  }
  EXPECT_EQ(events.size(), expected_.events.size()) << "the run has these events:\n" << listing;
  if (events.size() != expected_.events.size()) {
    errors_ = {INFINITY, INFINITY};
    return;
  }
  for (std::size_t i = 0; i < events.size(); ++i) compare_event(expected_.events[i], events[i]);
}

void Comparison::compare_event(const ExpectedEvent& expected, const LoggedEvent& event) {
  const bool with_object = expected.label.find(": ") != expected.label.npos;
  if (expected.time < expected_.labels_until) {
    EXPECT_EQ(label_of(event, with_object), expected.label) << "at t = " << base::format_number(event.time);
  }
  const double error = std::fabs(event.time - expected.time);
  if (!(error <= errors_.time)) {
    errors_.time = error;
    worst_time_ = expected.label + " at " + base::format_number(expected.time);
  }
  if (expected.before.empty() && expected.after.empty()) return;
  const auto is_at = [&](const ExpectedSample& row) { return row.time == event.time; };
  const auto first = std::find_if(result_.rows.begin(), result_.rows.end(), is_at);
  if (first == result_.rows.end()) {
    ADD_FAILURE() << "no row for the event at t = " << base::format_number(event.time);
    return;
  }
  const auto last = std::find_if(result_.rows.rbegin(), result_.rows.rend(), is_at);
  compare_values(expected.before, *first, "before");
  compare_values(expected.after, *last, "after");
}

void Comparison::compare_sample(const ExpectedSample& sample) {
  const double slack = 1e-9 * (1 + sample.time);
  const auto row = std::find_if(result_.rows.begin(), result_.rows.end(),
                                [&](const ExpectedSample& one) { return std::fabs(one.time - sample.time) < slack; });
  if (row == result_.rows.end()) {
    ADD_FAILURE() << "no row at t = " << base::format_number(sample.time);
  } else {
    compare_values(sample.values, *row, "sample");
  }
}

void Comparison::compare_values(const Values& expected, const ExpectedSample& row, std::string_view what) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i])) continue;
    const double error = std::fabs(row.values[places_[i]] - expected[i]) / (1 + std::fabs(expected[i]));
    if (error <= errors_.value) continue;
    errors_.value = std::isnan(error) ? INFINITY : error;
    worst_value_ = expected_.columns[i] + " " + std::string(what) + " at " + base::format_number(row.time) + ": " +
                   base::format_number(row.values[places_[i]]) + " instead of " + base::format_number(expected[i]);
  }
}

void expect_ending(const Expectation& expected, const RunResult& result) {
  const std::string messages = result.messages();
  for (const std::string& message : expected.messages) {
    EXPECT_NE(messages.find(message), messages.npos) << "not said: " << message << "\nbut:\n" << messages;
  }
  if (expected.ending == "refused") {
    EXPECT_FALSE(result.report.has_run) << "the model runs";
    return;
  }
  ASSERT_TRUE(result.report.has_run) << messages;
  EXPECT_EQ(ending_word(result.report.runs[0].ending), expected.ending) << messages;
  EXPECT_EQ(result.report.model_failed(), expected.ending == "failed" || expected.ending == "requirement") << messages;
}

}  // namespace hyla::service
