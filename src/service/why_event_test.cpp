#include "service/why_event.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/why_not.h"

namespace hyla::service {
namespace {

TEST(Paths, MayLeaveOuterNamesOut) {
  const std::string name = "Room.lamp.chart.Off->chart.Lit";
  for (const char* path : {"Room.lamp.chart.Off->chart.Lit", "lamp.chart.Off->Lit", "Off -> Lit", "chart.Off->Lit"}) {
    EXPECT_TRUE(path_fits(path, name)) << path;
  }
  for (const char* path : {"ff->Lit", "Off->it", "Off", "lamp.Off->Lit", "Off->Room.Lit", "", "->"}) {
    EXPECT_FALSE(path_fits(path, name)) << path;
  }
  EXPECT_TRUE(path_fits("lamp.press", "Room.lamp.press"));
  EXPECT_FALSE(path_fits("lamp->press", "Room.lamp.press"));
}

TEST(Paths, SuggestTheNearest) {
  const std::vector<std::string> names = {"Room.lamp.Off->Lit", "Room.lamp.Lit->Off", "Room.door.press"};
  EXPECT_EQ(no_such_path("lamp.Of->Lit", names, "is here"),
            "no transition or reaction `lamp.Of->Lit` is here; did you mean `lamp.Off->Lit`?");
  EXPECT_EQ(no_such_path("x", {}, "is here"), "no transition or reaction `x` is here; there are none");
}

std::string file(const std::string& lines) {
  return "{\"hyla\":\"events\",\"version\":1,\"model\":\"M\",\"seed\":1}\n" + lines;
}

WhyReport why(const std::string& lines, std::uint64_t event) {
  WhyRequest request;
  request.path = "run.jsonl";
  request.event = event;
  return why_event(request, MemoryFiles({{"run.jsonl", file(lines)}}));
}

TEST(WhyEvent, FollowsCausesToTheStart) {
  const WhyReport report = why(
      "{\"seq\":2,\"t\":0,\"step\":0,\"kind\":\"start\",\"object\":\"M.a\",\"to\":\"A\"}\n"
      "{\"seq\":4,\"t\":1.5,\"step\":1,\"kind\":\"transition\",\"object\":\"M.a\",\"from\":\"A\",\"to\":\"B\","
      "\"reaction\":\"after@3\",\"cause\":2,\"trigger\":\"after\"}\n"
      "{\"seq\":5,\"t\":1.5,\"step\":2,\"kind\":\"unhandled\",\"object\":\"M.b\",\"message\":\"p.Job\",\"cause\":4}\n",
      5);
  ASSERT_EQ(report.chain.size(), 3u);
  EXPECT_EQ(report.chain[0].because, "`p.Job` arrived, sent in event 4");
  EXPECT_EQ(report.chain[1].because, "1.5 had passed since event 2");
  EXPECT_EQ(report.chain[2].because, "the run starts");
}

/// A file may leave numbers out, and a bad one may have circles.
TEST(WhyEvent, EndsWhereTheFileTellsNoMore) {
  const std::string reaction = ",\"kind\":\"reaction\",\"object\":\"M\",\"trigger\":\"on\",\"message\":\"s\"";
  const WhyReport start = why("{\"seq\":4,\"t\":1,\"step\":1" + reaction + ",\"cause\":3}\n", 4);
  EXPECT_EQ(start.chain[0].because, "`s` arrived, sent in the start of the run");
  const WhyReport unknown = why(
      "{\"seq\":4,\"t\":1,\"step\":1" + reaction + "}\n{\"seq\":9,\"t\":1,\"step\":1" + reaction + ",\"cause\":7}\n",
      9);
  EXPECT_EQ(unknown.chain[0].because, "`s` arrived, sent in event 7, which the file does not tell");
  const WhyReport circle = why("{\"seq\":4,\"t\":1,\"step\":1" + reaction + ",\"cause\":4}\n", 4);
  EXPECT_EQ(circle.chain.size(), 1u);
}

// --- What has not fired
// ------------------------------------------------------------------------------------------------------------------

WhyNotReport not_fired(const std::string& text, const std::string& path) {
  WhyNotRequest request;
  request.run.path = "model.hyla";
  request.path = path;
  return why_not(request, MemoryFiles({{"model.hyla", text}}));
}

/// x = sin t and y = cos t are never both over 0.9: their squares sum up to 1.
TEST(WhyNot, FindsTheMomentWhenTheFewestPartsFail) {
  const WhyNotReport report = not_fired(R"(
model Case {
    var x := 0;
    var y := 1;
    der(x) = y;
    der(y) = -x;
    chart {
        initial -> A;
        state A { when x > 0.9 and y > 0.9 -> B; }
        state B {}
    }
}
)",
                                        "A->B");
  ASSERT_EQ(report.reactions.size(), 1u);
  const ReactionReport& reaction = report.reactions[0];
  ASSERT_EQ(reaction.conjuncts.size(), 2u);
  EXPECT_EQ(reaction.verdict.substr(0, 52), "each part held at times, but never all of them toget");
  // Up to t = 10 the first holds for 4 acos(0.9), the second for 3 acos(0.9).
  EXPECT_NEAR(reaction.conjuncts[0].held, 0.4 * std::acos(0.9), 0.01);
  EXPECT_NEAR(reaction.conjuncts[1].held, 0.3 * std::acos(0.9), 0.01);
  EXPECT_TRUE(reaction.conjuncts[0].in_the_way != reaction.conjuncts[1].in_the_way);
}

TEST(WhyNot, LooksAtReactionsOfBodiesAndAtOtherParts) {
  const WhyNotReport report = not_fired(R"(
model Part {
    parameter limit = 3;
    output hot := false;
    var n: Integer := 0;
    every 1 { n := n + 1; }
    alarm: when not hot and n > 2 * limit and (n == 1 or n == 2) { n := 0; }
}
model Case {
    object part[i in 1..2]: Part(limit = i);
}
)",
                                        "part[2].alarm");
  ASSERT_EQ(report.reactions.size(), 1u) << (report.failures.empty() ? "" : report.failures[0]);
  const ReactionReport& reaction = report.reactions[0];
  EXPECT_EQ(reaction.path, "Case.part[2].alarm");
  ASSERT_EQ(reaction.conjuncts.size(), 3u);
  EXPECT_EQ(reaction.conjuncts[0].held, 1);
  EXPECT_EQ(reaction.conjuncts[1].right, 4);
  EXPECT_NEAR(reaction.conjuncts[1].held, 0.5, 0.11);
  EXPECT_NEAR(reaction.conjuncts[2].held, 0.2, 0.01);
}

/// What cannot be made visible is left out; the rest is told.
TEST(WhyNot, DoesWithoutVariablesWhereTheyCannotBe) {
  const WhyNotReport report = not_fired(R"(
message Job { size: Integer; }
model Worker {
    port p receives Job;
    chart {
        initial -> Idle;
        state Idle { on p.Job as job if job.size > 10 -> Busy; }
        state Busy {}
    }
}
model Case {
    port q sends Job;
    object worker: Worker;
    connect q -- worker.p;
    every 2 { send q.Job(size = 3); }
}
)",
                                        "worker.Idle->Busy");
  ASSERT_EQ(report.reactions.size(), 1u) << (report.failures.empty() ? "" : report.failures[0]);
  EXPECT_EQ(report.reactions[0].verdict,
            "5 `p.Job` have reached Case.worker, but a guard did not hold, or others took them or kept them");
}

TEST(WhyNot, UnknownPathsAreFailures) {
  const WhyNotReport report =
      not_fired("model Case { chart { initial -> A; state A { after 1 -> B; } state B {} } }", "A->C");
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0], "no transition or reaction `A->C` is in `Case`; did you mean `A->B`?");
}

}  // namespace
}  // namespace hyla::service
