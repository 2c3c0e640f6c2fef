// Models of tests/run_failures, each wrong in one way that only a run can see: what is said, where, when and in which
// state, and that everything before the failure is kept.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/run_model.h"
#include "service/summary.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

struct FailureCase {
  std::string name;     ///< of the file
  std::string kind;     ///< of the diagnostic
  std::uint32_t line;   ///< of its place
  std::string message;  ///< of it, as a whole
  std::string where;    ///< what is written under its place, or the beginning of it
  std::string ending;   ///< word and time of the end of the run
  std::size_t events;   ///< in the events file, before the time of the end
};

// Places, times, states and counts are derived by hand from the models; the wording is that of the engine. A line of
// the events file is one occurrence: an entered chart at the start, a reaction, a message put into a box, a deferred or
// unhandled message.
const std::vector<FailureCase>& cases() {
  static const std::vector<FailureCase> list = {
      {"unhandled_message", "unhandled-message", 12, "nobody takes the message `p.Go`",
       "in `Case.receiver` at t = 4, in state work.Busy", "stop-time 7", 7},
      {"port_not_connected", "port-not-connected", 5,
       "a message is sent at the port `out`, but nothing is joined to it",
       "in `Case.sender` at t = 1.5, in state Waiting", "stop-time 4", 3},
      {"deferred_for_ever", "deferred-forever", 12, "3 deferred messages were never taken",
       "in `Case.receiver` at t = 7, in state work.Busy", "stop-time 7", 7},
      {"queue_too_long", "queue-too-long", 12, "the mailbox `queue` holds 6 messages",
       "in `Case.server` at t = 6, in state work.Closed", "failed 6", 11},
      {"deferred_too_many", "queue-too-long", 13, "6 messages are deferred here and none comes back",
       "in `Case.receiver` at t = 6, in state work.Busy", "failed 6", 11},
      {"division_by_zero", "run-failed", 10, "division by zero", "in `Case.worker[1]` at t = 3, in state work.Busy",
       "failed 3", 6},
      {"real_division_by_zero", "run-failed", 10, "division by zero", "in `Case.worker` at t = 3, in state work.Busy",
       "failed 3", 3},
      {"bad_index", "run-failed", 10, "index 4 is outside `a`, which has 3 elements",
       "in `Case.worker` at t = 2, in state work.Busy", "failed 2", 4},
      {"read_through_none", "run-failed", 14, "`j` is none", "in `Case.worker` at t = 2.5, leaving work_chart.Idle",
       "failed 2.5", 1},
      {"none_reference", "run-failed", 10, "`partner` is none", "in `Case.worker` at t = 1", "failed 1", 0},
      {"endless_transitions", "endless-instant", 9,
       "more than 10000 automatic transitions follow each other without an end", "in `Case` at t = 2, in state light.B",
       "failed 2", 1},
      {"endless_instant", "endless-instant", 14, "time stands still: more than 10000 event steps at t = 1", "in `Case.",
       "failed 1", 1},
      {"endless_after_zero", "endless-instant", 6, "time stands still: more than 10000 event steps at t = 0",
       "in `Case`", "failed 0", 0},
      {"endless_wait_zero", "endless-instant", 3, "time stands still: more than 10000 event steps at t = 1",
       "in `Case.worker`", "failed 1", 1},
      {"endless_advance", "endless-instant", 2, "time stands still: more than 10000 event steps at t = 1",
       "in `Case.counter`", "failed 1", 0},
      {"endless_while", "run-failed", 7, "this loop does not come to an end",
       "in `Case.worker` at t = 1, leaving work.Busy", "failed 1", 1},
      {"negative_delay", "run-failed", 7, "the duration is -1, but must not be negative",
       "in `Case.worker` at t = 2.5, in state work.Busy", "failed 2.5", 2},
      {"negative_send", "run-failed", 10, "the delay is -0.5, but must not be negative",
       "in `Case.worker` at t = 1, leaving work.Busy", "failed 1", 1},
      {"negative_wait", "run-failed", 5, "a process cannot wait for -1 s", "in `Case.worker` at t = 1", "failed 1", 1},
      {"negative_advance", "run-failed", 2, "`advance` gives -0.5, but time does not run backwards",
       "in `Case.counter` at t = 1.25", "failed 1.25", 2},
      {"period_zero", "run-failed", 12, "the period is 0", "in `Case.worker` at t = 1.5, in state work.Idle",
       "failed 1.5", 1},
      {"formula_circle", "formula-circle", 4, "formulas define each other in a circle and do not come to rest",
       "part of the circle", "failed 3", 0},
      {"no_way_out_of_choice", "no-way-out-of-choice", 9, "no branch of the choice `Judge` can be taken",
       "in `Case.worker` at t = 1.5, leaving work.Busy", "failed 1.5", 1},
      {"requirement_violated", "requirement-violated", 12, "the tank overflows",
       "in `Case.worker` at t = 3, in state work.Filling", "requirement 3", 3},
      {"requirement_unanswered", "requirement-violated", 9,
       "nobody answers: `level > 1.4` did not come within 1.5 of t = 2.5; nearest at t = 4: 0.4 short",
       "in `Case.worker` at t = 4, in state work.Filling", "requirement 4", 5},
      {"requirement_left", "requirement-violated", 7,
       "taken away too early: `parts >= 3` did not come before its state was left; nearest at t = 2: 1 short",
       "in `Case.worker` at t = 2.5, in state work.Away", "requirement 2.5", 3},
      {"requirement_for_too_long", "requirement-violated", 4,
       "the pressure stays too high: it has not held since t = 4, and may be broken for 1.5", "in `Case` at t = 5.5",
       "requirement 5.5", 4},
      {"recursion_too_deep", "run-failed", 3, "functions call each other too deeply",
       "in `Case.worker` at t = 1, leaving work.Busy", "failed 1", 1},
      {"tally_of_nan", "run-failed", 10, "a statistic takes finite numbers only",
       "in `Case.worker` at t = 2, in state work.Busy", "failed 2", 2},
      {"accumulate_of_infinity", "run-failed", 4, "a statistic takes finite numbers only, not infinity",
       "in `Case.worker` at t = 2, in state work.Idle", "failed 2", 1},
      {"bad_distribution", "run-failed", 12, "`mean` must be a finite number of at least 0",
       "in `Case.worker` at t = 1, in state work.Idle", "failed 1", 1},
      {"delete_twice", "run-failed", 9, "`Case.cars[1]` is deleted already in this event step", "in `Case` at t = 1",
       "failed 1", 2},
      {"delete_gone", "run-failed", 9, "there is no object to delete: it is none, or has gone already",
       "in `Case` at t = 2", "failed 2", 4},
      {"delete_part", "run-failed", 10, "`Case.car` is declared as a part and lives as long as its container",
       "in `Case` at t = 1.5, in state Driving", "failed 1.5", 1},
      {"equation_reads_deleted", "cannot-build", 10,
       "`Case.readers[1]` reads through `source`, but `Case.sources[1]` has gone", "in `Case` at t = 1", "failed 1", 3},
      {"use_deleted", "run-failed", 11, "`c` is none", "in `Case` at t = 2", "failed 2", 4},
      {"second_source", "run-failed", 11, "`u` of `Case.meter` has a source already: `x`", "in `Case` at t = 2",
       "failed 2", 2},
      {"unknown_disconnect", "run-failed", 12, "there is no connection `out -- b.p` to take back", "in `Case` at t = 2",
       "failed 2", 2},
      {"disconnect_twice", "run-failed", 14,
       "this connection does not exist: it was taken back, or an object in which it ends has gone",
       "in `Case` at t = 1", "failed 1", 0},
      {"connect_none", "run-failed", 12, "`x -> m.u` cannot be connected: one end is none", "in `Case` at t = 2",
       "failed 2", 4},
      {"second_source_of_element", "run-failed", 13, "`u[2]` of `Case.meter` has a source already: `y`",
       "in `Case` at t = 3", "failed 3", 4},
      {"input_index_outside", "run-failed", 10, "index 4 is outside `meter.u`, which has 3 elements",
       "in `Case` at t = 2", "failed 2", 0},
      {"input_too_short", "run-failed", 10, "index 3 is outside `meter.u`, which has 2 elements", "in `Case` at t = 2",
       "failed 2", 3},
      {"plug_index_outside", "run-failed", 13, "index 4 is outside `right.a`, which has 3 elements",
       "in `Case` at t = 3", "failed 3", 4},
      {"plug_arrays_differ", "run-failed", 12, "`left.a` has 3 x 2 elements and `right.a` has 4 x 2",
       "in `Case` at t = 2", "failed 2", 0},
      {"plug_not_connected", "run-failed", 12, "there is no connection `left.a[2] -- right.a[1]` to take back",
       "in `Case` at t = 2", "failed 2", 2},
      {"too_many_objects", "too-many-objects", 6, "more than 5 objects made by actions exist at one time",
       "in `Case` at t = 6", "failed 6", 10},
      {"bad_place", "run-failed", 9, "index 3 is outside `lamp`, which has 2 elements", "in `Case` at t = 2",
       "failed 2", 3},
      {"input_keeps_value", "input-keeps-value", 20, "an input keeps its last value: what fed it, `s.y`, has gone",
       "in `Case.meter` at t = 3, in state Watching", "exhausted 10", 9},
      {"integer_overflow", "run-failed", 8, "the result is outside the range of Integers",
       "in `Case.worker` at t = 19, in state work.Busy", "failed 19", 19},
  };
  return list;
}

struct LoggedRun {
  RunReport report;
  std::string events;
};

/// Runs the file, at the first call for it.
const LoggedRun& run_of(const std::string& name) {
  static std::map<std::string, LoggedRun> runs;
  const auto [place, is_new] = runs.try_emplace(name);
  if (!is_new) return place->second;
  RunRequest request;
  request.path = "tests/run_failures/" + name + ".hyla";
  request.events_file = scratch_path("hyla_failures_" + name + ".jsonl");
  request.queue_limit = 5;
  request.object_limit = 5;
  place->second.report = run_model(request, Disk(), {});
  place->second.events = text_of(request.events_file);
  std::remove(request.events_file.c_str());
  return place->second;
}

class RunFailures : public testing::TestWithParam<FailureCase> {};

TEST_P(RunFailures, IsToldWithItsCircumstances) {
  const FailureCase& expected = GetParam();
  const RunReport& report = run_of(expected.name).report;
  const diag::Kind kind = diag::find_kind(expected.kind).value();
  const auto is_it = [&](const diag::Diagnostic& one) { return one.kind == kind; };
  ASSERT_EQ(std::count_if(report.diagnostics.begin(), report.diagnostics.end(), is_it), 1);
  const diag::Diagnostic& found = *std::find_if(report.diagnostics.begin(), report.diagnostics.end(), is_it);
  EXPECT_EQ(found.message, expected.message);
  EXPECT_EQ(found.text.substr(0, expected.where.size()), expected.where);
  EXPECT_EQ(report.sources.position(found.span.file, found.span.begin).line, expected.line);
  const bool fails = found.severity() == diag::Severity::Error;
  EXPECT_EQ(report.model_failed(), fails);
  EXPECT_EQ(report.counts.errors, fails ? 1u : 0u) << "one mistake, one message";
}

TEST_P(RunFailures, KeepsWhatWasBefore) {
  const FailureCase& expected = GetParam();
  const RunReport& report = run_of(expected.name).report;
  ASSERT_TRUE(report.has_run);
  ASSERT_EQ(report.runs.size(), 1u);
  EXPECT_EQ(std::string(ending_word(report.runs[0].ending)) + " " + base::format_number(report.runs[0].time),
            expected.ending);
  const std::string& events = run_of(expected.name).events;
  ASSERT_TRUE(events.ends_with("}\n")) << "the last line is complete";
  const std::string end_time = base::format_number(report.runs[0].time);
  std::size_t before = 0;
  std::string_view last;
  for (const std::string_view line : base::split_lines(events)) {
    if (line.empty() || line.starts_with("{\"hyla\"")) continue;
    ASSERT_TRUE(line.starts_with("{\"seq\":") && line.ends_with('}')) << line;
    before += line.find("\"t\":" + end_time + ",") == line.npos ? 1 : 0;
    last = line;
  }
  EXPECT_EQ(before, expected.events);
  EXPECT_NE(last.find("\"kind\":\"stop\""), last.npos) << last;
}

std::string test_name(const testing::TestParamInfo<FailureCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Files, RunFailures, testing::ValuesIn(cases()), test_name);

TEST(RunFailures, EveryFileHasItsCase) {
  std::vector<std::string> named = {"README.md"};
  for (const FailureCase& one : cases()) named.push_back(one.name + ".hyla");
  std::sort(named.begin(), named.end());
  EXPECT_EQ(Disk().names_in("tests/run_failures/"), named);
}

/// Names of the reactions in the circle of an endless instant: its own place and its labels.
TEST(RunFailures, AnEndlessInstantNamesItsCircle) {
  RunRequest request;
  request.path = "tests/run_failures/endless_instant.hyla";
  const RunReport report = run_model(request, Disk(), {});
  ASSERT_EQ(report.diagnostics.size(), 1u);
  const diag::Diagnostic& found = report.diagnostics[0];
  std::vector<std::uint32_t> lines = {report.sources.position(found.span.file, found.span.begin).line};
  for (const diag::Label& label : found.labels) {
    lines.push_back(report.sources.position(label.span.file, label.span.begin).line);
  }
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{14, 23}));
}

}  // namespace
}  // namespace hyla::service
