// Optimisation, calibration and queues against closed forms.
#include "service/experiment_model.h"
#include "service/experiment_testing.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

double best_value(const ExperimentReport& report, std::size_t factor) {
  EXPECT_EQ(messages(report), "");
  if (!report.conclusion.best) {
    ADD_FAILURE() << experiment_text(report);
    return std::nan("");
  }
  return report.conclusion.groups[*report.conclusion.best].point[factor].number;
}

/// Without air the farthest throw is that at 45 degrees, v^2 / g far.
TEST(ExperimentSearch, ThrowsFarthestAt45Degrees) {
  const std::string text = R"(
model Throw {
    parameter angle: Real(min = 0.1, max = 1.5) = 0.3;
    parameter v = 10, g = 9.81;
    output x := 0, y := 0;
    var w := v * sin(angle);
    der(x) = v * cos(angle);
    der(y) = w;
    der(w) = -g;
    when y < 0 { terminate("landed"); }
}
experiment E of Throw { vary angle; observe far = final_value(x); maximize far; point_tolerance = 1e-7; tolerance = 1e-9; }
)";
  for (const char* optimizer : {"auto", "cobyla", "sbplx", "direct", "slsqp"}) {
    ExperimentRequest request;
    request.optimizer = optimizer;
    const ExperimentReport report = do_experiment(text, request);
    EXPECT_NEAR(best_value(report, 0), std::acos(-1.0) / 4, 2e-3) << optimizer;
    EXPECT_NEAR(observed(report, "far", *report.conclusion.best), 100 / 9.81, 1e-4) << optimizer;
  }
}

TEST(ExperimentSearch, KeepsRequirements) {
  const ExperimentReport report = do_experiment(R"(
model M { parameter a = 0.5, b = 0.5; output y = (a - 2)^2 + (b - 1)^2; }
experiment E of M { vary a in 0..3; vary b in 0..3; observe z = y; require a + b <= 2; minimize z; }
)");
  EXPECT_NEAR(best_value(report, 0), 1.5, 1e-3);
  EXPECT_NEAR(best_value(report, 1), 0.5, 1e-3);
}

/// h = q / k (1 - exp(-k t)) with q = 2 and k = 0.3.
TEST(ExperimentSearch, CalibrationRecoversParameters) {
  std::string data = "time,level\n";
  for (int t = 0; t <= 20; ++t) {
    data += std::to_string(t) + ',' + std::to_string(2 / 0.3 * (1 - std::exp(-0.3 * t))) + '\n';
  }
  const std::string text = R"(
model Tank { parameter q = 1, k = 0.1; output h := 0; der(h) = q - k * h; }
experiment E of Tank {
    stop_time = 20;
    vary q in 0.5..5;
    vary k in 0.05..1;
    observe error = misfit(h, "level.csv", "level");
    minimize error;
}
)";
  for (const char* optimizer : {"auto", "lbfgs"}) {
    ExperimentRequest request;
    request.optimizer = optimizer;
    const ExperimentReport report = do_experiment(text, request, {{"level.csv", data}});
    EXPECT_NEAR(best_value(report, 0), 2, 2e-3) << optimizer << experiment_text(report);
    EXPECT_NEAR(best_value(report, 1), 0.3, 5e-4) << optimizer;
  }
}

TEST(ExperimentSearch, DataBeyondTheRunsAreRefused) {
  const std::string text = R"(
model Tank { output h := 0; parameter k = 1; der(h) = k; when h > 6 { terminate("full"); } }
experiment E of Tank { stop_time = 5; vary k in [1, 2]; observe error = misfit(h, "level.csv", "level"); }
)";
  EXPECT_EQ(
      messages(do_experiment(text, {}, {{"level.csv", "time,level\n1,1\n7.5,7\n"}})),
      "the values of `level` in level.csv reach from 1 to 7.5 s, and the runs from 0 to 5: try `--stop-time 7.5`, "
      "or leave out the later values\n");
  EXPECT_EQ(messages(do_experiment(text, {}, {{"level.csv", "time,level\n-1,1\n2,2\n"}})),
            "the values of `level` in level.csv reach from -1 to 2 s, and the runs from 0 to 5: leave out the earlier "
            "values, or set an earlier `start_time`\n");
  const ExperimentReport report = do_experiment(text, {}, {{"level.csv", "time,level\n1,1\n4,4\n"}});
  EXPECT_EQ(report.failed, 1U);  // with k = 2 it ends at t = 3
  EXPECT_NE(experiment_text(report).find("before the last value of `level` in level.csv at 4"), std::string::npos)
      << experiment_text(report);
}

/// Customers of M/M/1 wait rho / (mu - lambda).
TEST(ExperimentSearch, QueuesWaitAsTheoryTells) {
  Disk disk;
  ExperimentRequest request;
  request.run.path = "examples/mm1.hyla";
  request.run.stop_time = 20000;
  request.name = "Loads";
  const ExperimentReport report = run_experiment(request, disk, {});
  ASSERT_EQ(report.conclusion.groups.size(), 4U) << messages(report);
  for (const experiment::Group& group : report.conclusion.groups) {
    const double rate = group.point[0].number;
    const experiment::Figures& wait = group.figures[0];
    EXPECT_NEAR(wait.mean, rate / (1 - rate), 1.5 * wait.half_width) << rate;
    EXPECT_LT(wait.half_width, 0.25 * wait.mean);
  }
}

}  // namespace
}  // namespace hyla::service
