// A run that is kept and taken up again goes on as the unbroken one does, byte for byte; and bad checkpoints are
// refused.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "service/checkpoint_file.h"
#include "service/compare_testing.h"
#include "service/expected_run_testing.h"
#include "service/run_model.h"
#include "service/run_testing.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

/// Files of a test, removed with it.
class Scratch {
 public:
  explicit Scratch(const std::string& name) : stem_(scratch_path("hyla_checkpoint_" + name)) {}
  ~Scratch() {
    for (const std::string& path : paths_) std::remove(path.c_str());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path(const std::string& what) { return paths_.emplace_back(stem_ + "_" + what); }

 private:
  std::string stem_;
  std::vector<std::string> paths_;
};

/// A run with all that it writes.
struct Recorded {
  Recorded(RunRequest request, const FileSystem& files, Scratch& scratch) {
    request.events_file = scratch.path("events.jsonl");
    request.output_file = scratch.path("output.csv");
    report = run_model(request, files, {});
    if (!report.has_run) return;
    events = text_of(request.events_file);
    values = text_of(request.output_file);
  }

  RunTexts texts() const { return {events, values}; }

  RunReport report;
  std::string events, values;
};

double time_of_event(std::string_view line) {
  const std::size_t at = line.find("\"t\":");
  return at == std::string_view::npos ? -HUGE_VAL : std::strtod(std::string(line.substr(at + 4)).c_str(), nullptr);
}

double time_of_row(std::string_view line) { return std::strtod(std::string(line).c_str(), nullptr); }

/// The first line, and all lines behind a time.
template <class TimeOf>
std::string behind(const std::string& text, double time, TimeOf time_of) {
  std::string result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (begin == 0 || time_of(line) > time) result += line;
    begin = end;
  }
  return result;
}

std::string failures_of(const RunReport& report) {
  std::string all;
  for (const std::string& failure : report.failures) all += failure + "\n";
  return all;
}

/// Keeps the run at a time and takes it up again. Gives what stood in the way; empty if everything was the same.
std::string keep_and_resume(RunRequest request, const FileSystem& files, double part, const std::string& name) {
  Scratch scratch(name);
  const Recorded whole(request, files, scratch);
  EXPECT_TRUE(whole.report.has_run) << name << failures_of(whole.report);
  const double stop = std::min(whole.report.stop_time, whole.report.runs.empty() ? 0 : whole.report.runs.front().time);
  const double at = whole.report.start_time + part * (stop - whole.report.start_time);
  request.checkpoint_time = at;
  request.checkpoint_file = scratch.path("kept");
  const Recorded first(request, files, scratch);
  EXPECT_EQ(parting_of_bits(whole.texts(), first.texts()), "") << name << ": keeping it has changed the run";
  if (!first.report.failures.empty()) return failures_of(first.report);
  request.checkpoint_time.reset();
  request.resume_file = request.checkpoint_file;
  const Recorded second(request, Disk(), scratch);
  EXPECT_EQ(failures_of(second.report), "") << name;
  const RunTexts rest = {behind(whole.events, at, time_of_event), behind(whole.values, at, time_of_row)};
  EXPECT_EQ(parting_of_bits(rest, second.texts()), "") << name << " from " << at;
  return "";
}

TEST(Checkpoints, AllExamplesGoOnAsTheUnbrokenRun) {
  for (const std::string& name : Disk().names_in("examples/")) {
    if (!name.ends_with(".hyla")) continue;
    RunRequest request;
    request.path = "examples/" + name;
    request.event_limit = 1;
    const RunReport beginning = run_model(request, Disk(), {});
    request.event_limit.reset();
    request.stop_time = std::min(beginning.stop_time, 2000.0);
    for (const double part : {0.0, 0.37, 0.81}) {
      EXPECT_EQ(keep_and_resume(request, Disk(), part, name), "") << name << " at " << part;
    }
  }
}

/// Cases of equations: constraints, jumps, sliding, loops, networks that are joined and parted.
TEST(Checkpoints, AllCasesOfEquationsGoOnAsTheUnbrokenRun) {
  for (const std::string& name : Disk().names_in("tests/continuous/")) {
    if (!name.ends_with(".hyla") || name.starts_with("bad_")) continue;
    Expectation expected = read_expectation("tests/continuous/" + name);
    if (expected.rough || expected.ending != "stop-time") continue;
    EXPECT_EQ(keep_and_resume(expected.request, Disk(), 0.57, name), "") << name;
  }
}

/// Objects of several classes come and go, with parts, ports, links, references and equations.
TEST(Checkpoints, StructureGoesOnAsInTheUnbrokenRun) {
  RunRequest request;
  request.path = "tests/checkpoints/changing.hyla";
  request.stop_time = 20;
  for (const double part : {0.05, 0.21, 0.43, 0.5, 0.77, 0.95}) {
    EXPECT_EQ(keep_and_resume(request, Disk(), part, "changing"), "") << part;
  }
}

/// Which elements of arrays are connected is part of what is kept: an action parts them later by other words.
TEST(Checkpoints, ElementsOfArraysStayConnected) {
  for (const std::string name : {"plug_elements_by_action", "plug_arrays_by_action", "plug_sockets", "input_elements",
                                 "input_elements_by_action"}) {
    const Expectation expected = read_expectation("tests/continuous/" + name + ".hyla");
    for (const double part : {0.3, 0.45, 0.55, 0.7, 0.9}) {
      EXPECT_EQ(keep_and_resume(expected.request, Disk(), part, name), "") << name << " at " << part;
    }
  }
}

/// Statistics are looked at when the instant has settled; what reads them, and the equations of their object, are
/// looked at in the next one.
TEST(Checkpoints, WhatStatisticsHaveTouchedIsKept) {
  RunRequest request;
  request.path = "tests/checkpoints/statistics.hyla";
  request.stop_time = 6;
  for (const double part : {0.1, 0.5, 0.55, 0.9}) EXPECT_EQ(keep_and_resume(request, Disk(), part, "statistics"), "");
}

/// A message is under way whose sender has gone: its name goes with it.
TEST(Checkpoints, WhoHasGoneKeepsItsName) {
  RunRequest request;
  request.path = "tests/checkpoints/sender_gone.hyla";
  request.stop_time = 3;
  Scratch scratch("gone");
  const Recorded whole(request, Disk(), scratch);
  const std::size_t last = whole.events.rfind("\"sender\":");
  EXPECT_EQ(whole.events.substr(last, 26), R"("sender":"Case.sources[1]")");
  EXPECT_EQ(keep_and_resume(request, Disk(), 1.07 / 3, "gone"), "");
}

/// Equations of which some are united while a motion slides.
TEST(Checkpoints, SlidingIslandsGoOnAsInTheUnbrokenRun) {
  for (const std::string name : {"slide_islands", "slide_islands_leave"}) {
    const Expectation expected = read_expectation("tests/continuous/" + name + ".hyla");
    for (const double part : {0.1, 0.3, 0.6, 0.9}) {
      EXPECT_EQ(keep_and_resume(expected.request, Disk(), part, name), "") << name << " at " << part;
    }
  }
}

/// A chain of cells in two dimensions has a sparse matrix whose pivots are used again.
TEST(Checkpoints, PivotsOfSparseMatricesAreUsedAgain) {
  RunRequest request;
  request.path = "tests/checkpoints/plate.hyla";
  request.solver.solver = "rosenbrock";
  request.stop_time = 1;
  EXPECT_EQ(keep_and_resume(request, Disk(), 0.4, "plate"), "");
}

/// A hundred equations that are solved together by a sparse matrix.
TEST(Checkpoints, LargeLoopsGoOnAsInTheUnbrokenRun) {
  RunRequest request;
  request.path = "tests/checkpoints/large_loop.hyla";
  request.stop_time = 0.4;
  for (const char* solver : {"rk45", "rosenbrock"}) {
    request.solver.solver = solver;
    for (const double part : {0.0, 0.3, 0.8}) {
      EXPECT_EQ(keep_and_resume(request, Disk(), part, "large_loop"), "") << solver << " at " << part;
    }
  }
}

/// An object has something to begin with as soon as it gets equations.
TEST(Checkpoints, WhatBeginsLaterIsKept) {
  const Expectation expected = read_expectation("tests/continuous/start_of_new.hyla");
  for (const double part : {0.0, 0.3, 0.6}) {
    EXPECT_EQ(keep_and_resume(expected.request, Disk(), part, "start_of_new"), "") << part;
  }
}

double first_event_behind(const std::string& events, double time) {
  for (std::size_t line = 0; line < events.size(); line = events.find('\n', line) + 1) {
    const double at = time_of_event(std::string_view(events).substr(line));
    if (at > time) return at;
  }
  return -1;
}

/// Events at the time of the checkpoint are in it, also those before which a step ends.
TEST(Checkpoints, EventsAtTheTimeAreKept) {
  for (const char* path : {"examples/bouncing_ball.hyla", "tests/continuous/bounce_rearm.hyla"}) {
    for (const bool one_sided : {false, true}) {
      Scratch scratch("exact");
      RunRequest request;
      request.path = path;
      request.stop_time = 3;
      if (one_sided) request.solver.events = "one_sided";
      const Recorded whole(request, Disk(), scratch);
      const double at = first_event_behind(whole.events, 0);
      ASSERT_GT(at, 0) << path;
      request.checkpoint_time = at;
      request.checkpoint_file = scratch.path("kept");
      const Recorded first(request, Disk(), scratch);
      request.checkpoint_time.reset();
      request.resume_file = request.checkpoint_file;
      const Recorded second(request, Disk(), scratch);
      EXPECT_EQ(second.events, behind(whole.events, at, time_of_event)) << path << " at " << at;
      EXPECT_EQ(second.values, behind(whole.values, at, time_of_row)) << path << " at " << at;
    }
  }
}

/// The work of equations that were laid aside counts too.
TEST(Checkpoints, WorkOfFormerStructuresIsKept) {
  RunRequest request;
  request.path = "tests/checkpoints/exchange.hyla";
  request.stop_time = 8;
  const SingleRun whole = run_model(request, Disk(), {}).runs.at(0);
  for (const double time : {0.5, 1.0, 3.5, 7.2}) {
    Scratch scratch("exchange");
    RunRequest kept = request;
    kept.checkpoint_time = time;
    kept.checkpoint_file = scratch.path("kept");
    run_model(kept, Disk(), {});
    kept.checkpoint_time.reset();
    kept.resume_file = kept.checkpoint_file;
    const SingleRun resumed = run_model(kept, Disk(), {}).runs.at(0);
    EXPECT_EQ(resumed.continuous.steps, whole.continuous.steps) << time;
    EXPECT_EQ(resumed.continuous.evaluations, whole.continuous.evaluations) << time;
  }
}

TEST(Checkpoints, TheSummaryIsThatOfTheWholeRun) {
  Scratch scratch("summary");
  RunRequest request;
  request.path = "tests/continuous/network_rectifier.hyla";
  request.stop_time = 0.1;
  const SingleRun whole = run_model(request, Disk(), {}).runs.at(0);
  request.checkpoint_time = 0.043;
  request.checkpoint_file = scratch.path("kept");
  run_model(request, Disk(), {});
  request.checkpoint_time.reset();
  request.resume_file = request.checkpoint_file;
  const SingleRun resumed = run_model(request, Disk(), {}).runs.at(0);
  EXPECT_EQ(resumed.events, whole.events);
  EXPECT_EQ(resumed.continuous.configurations, whole.continuous.configurations);
  EXPECT_EQ(resumed.continuous.steps, whole.continuous.steps);
  EXPECT_EQ(resumed.continuous.loops, whole.continuous.loops);
}

TEST(Checkpoints, OwnMethodsGoOnWithTheSameBits) {
  for (const char* solver : {"rk45", "rk8", "rosenbrock", "euler", "rk4"}) {
    RunRequest request;
    request.path = "examples/van_der_pol.hyla";
    request.solver.solver = solver;
    if (solver == std::string_view("euler")) request.solver.step_size = 1e-4;
    EXPECT_EQ(keep_and_resume(request, Disk(), 0.43, solver), "") << solver;
  }
}

/// Their memory is forgotten at the checkpoint, in the run that goes on too: it is compared with that one.
TEST(Checkpoints, SolversOfSundialsBeginAnew) {
  for (const char* solver : {"cvode-adams", "cvode-bdf", "arkode-erk", "arkode-dirk", "ida"}) {
    for (const char* path : {"tests/continuous/van_der_pol.hyla", "examples/two_tanks.hyla",
                             "tests/checkpoints/plate.hyla", "tests/checkpoints/planetary.hyla"}) {
      const bool is_plate = path == std::string_view("tests/checkpoints/plate.hyla");
      const bool is_explicit = solver == std::string_view("cvode-adams") || solver == std::string_view("arkode-erk");
      if (is_plate && is_explicit) continue;
      for (const double part : {0.0, 0.43}) {
        Scratch scratch("sundials");
        RunRequest request;
        request.path = path;
        request.solver.solver = solver;
        request.stop_time = is_plate ? 0.1 : 20;
        const Recorded unbroken(request, Disk(), scratch);
        const double at = part * *request.stop_time;
        request.checkpoint_time = at;
        request.checkpoint_file = scratch.path("kept");
        const Recorded whole(request, Disk(), scratch);
        ASSERT_EQ(failures_of(whole.report), "") << path << " with " << solver;
        EXPECT_EQ(parting(unbroken.texts(), whole.texts()), "") << path << " with " << solver << " at " << at;
        request.checkpoint_time.reset();
        request.resume_file = request.checkpoint_file;
        const Recorded resumed(request, Disk(), scratch);
        ASSERT_EQ(failures_of(resumed.report), "") << path << " with " << solver;
        const RunTexts rest = {behind(whole.events, at, time_of_event), behind(whole.values, at, time_of_row)};
        EXPECT_EQ(parting_of_bits(rest, resumed.texts()), "") << path << " with " << solver << " at " << at;
        EXPECT_EQ(resumed.report.runs.at(0).continuous.steps, whole.report.runs.at(0).continuous.steps);
      }
    }
  }
}

/// A run of the queue that was kept at 100.
class KeptQueue : public testing::Test {
 protected:
  KeptQueue() : scratch_("queue") {
    request_.path = "examples/mm1.hyla";
    request_.stop_time = 200;
    path_ = scratch_.path("kept");
    RunRequest request = request_;
    request.checkpoint_time = 100;
    request.checkpoint_file = path_;
    EXPECT_EQ(failures_of(run_model(request, Disk(), {})), "");
    bytes_ = text_of(path_);
    request_.resume_file = path_;
  }
  std::string resume_with(const std::string& bytes) {
    EXPECT_FALSE(Disk().write(path_, bytes).has_value());
    const RunReport report = run_model(request_, Disk(), {});
    EXPECT_FALSE(report.has_run);
    return failures_of(report);
  }

  Scratch scratch_;
  RunRequest request_;
  std::string path_, bytes_;
};

TEST_F(KeptQueue, CutOffAndChangedFilesAreRefused) {
  for (std::size_t size = 0; size < bytes_.size(); size += 1 + bytes_.size() / 50) {
    EXPECT_NE(resume_with(bytes_.substr(0, size)), "") << size;
    std::string changed = bytes_;
    changed[size] = static_cast<char>(changed[size] ^ 0x20);
    EXPECT_NE(resume_with(changed), "") << size;
  }
}

/// Reading stays inside the bytes even if the checksum says that they are right.
TEST_F(KeptQueue, ContentThatEndsTooEarlyIsRefused) {
  constexpr std::size_t kIdentity = 8 + 4, kContent = kIdentity + 8 + 8 + 8;
  std::uint64_t identity = 0;
  std::memcpy(&identity, bytes_.data() + kIdentity, sizeof identity);
  const std::string content = bytes_.substr(kContent);
  for (std::size_t size = 0; size < content.size(); size += 1 + content.size() / 100) {
    const std::string answer = resume_with(seal_checkpoint(identity, content.substr(0, size)));
    EXPECT_NE(answer.find("does not fit the model"), std::string::npos) << size << ": " << answer;
  }
}

/// Bytes that somebody has changed, checksum included, are refused or make a run: they never end the program.
TEST(Checkpoints, ChangedContentDoesNoHarm) {
  constexpr std::size_t kIdentity = 8 + 4, kContent = kIdentity + 8 + 8 + 8;
  for (const char* solver : {"auto", "cvode-bdf"}) {
    Scratch scratch("changed");
    RunRequest request;
    request.path = "tests/checkpoints/planetary.hyla";
    request.solver.solver = solver;
    request.stop_time = 10;
    request.event_limit = 100;
    request.checkpoint_time = 6;
    request.checkpoint_file = scratch.path("kept");
    ASSERT_EQ(failures_of(run_model(request, Disk(), {})), "");
    const std::string bytes = text_of(request.checkpoint_file);
    std::uint64_t identity = 0;
    std::memcpy(&identity, bytes.data() + kIdentity, sizeof identity);
    request.checkpoint_time.reset();
    request.resume_file = request.checkpoint_file;
    std::size_t refused = 0;
    for (std::size_t at = kContent; at < bytes.size(); at += 1 + bytes.size() / 150) {
      std::string content = bytes.substr(kContent);
      content[at - kContent] = static_cast<char>(content[at - kContent] ^ 0x15);
      ASSERT_FALSE(Disk().write(request.resume_file, seal_checkpoint(identity, content)).has_value());
      if (!run_model(request, Disk(), {}).has_run) ++refused;
    }
    EXPECT_GT(refused, 10U);
  }
}

TEST_F(KeptQueue, AnotherRunIsRefused) {
  RunRequest other = request_;
  other.seed = 77;
  EXPECT_NE(failures_of(run_model(other, Disk(), {})).find("belongs to another run"), std::string::npos);
  other = request_;
  other.path = "examples/mmc.hyla";
  EXPECT_NE(failures_of(run_model(other, Disk(), {})).find("belongs to another run"), std::string::npos);
  other = request_;
  other.checkpoint_time = 50;
  other.checkpoint_file = scratch_.path("again");
  EXPECT_NE(failures_of(run_model(other, Disk(), {})).find("must be later"), std::string::npos);
}

TEST_F(KeptQueue, ItCanBeKeptAgain) {
  RunRequest again = request_;
  again.checkpoint_time = 150;
  again.checkpoint_file = scratch_.path("again");
  const Recorded second(again, Disk(), scratch_);
  again.resume_file = again.checkpoint_file;
  again.checkpoint_time.reset();
  const Recorded third(again, Disk(), scratch_);
  EXPECT_EQ(third.events, behind(second.events, 150, time_of_event));
}

TEST(Checkpoints, TimesOutsideTheRunAreRefused) {
  RunRequest request;
  request.path = "examples/mm1.hyla";
  request.stop_time = 10;
  request.checkpoint_time = 10;
  request.checkpoint_file = scratch_path("hyla_checkpoint_never");
  EXPECT_NE(failures_of(run_model(request, Disk(), {})).find("must lie in the run"), std::string::npos);
}

}  // namespace
}  // namespace hyla::service
