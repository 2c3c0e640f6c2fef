// Queues whose long-run means have closed forms: the means of long runs lie where they must, and the 95 % intervals
// cover the truth in 95 % of cases. Seeds are fixed, so a figure changes only with the engine or the method.
//
// Formulae: M/M/1 and M/M/c (Erlang C) as in Kleinrock, "Queueing Systems", volume 1; M/G/1 by Pollaczek and Khinchine.
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <boost/math/distributions/students_t.hpp>
#include <gtest/gtest.h>

#include "experiment/replications.h"
#include "service/run_model.h"
#include "service/run_testing.h"
#include "service/testing.h"
#include "statistics/replications.h"

namespace hyla::service {
namespace {

using statistics::Summary;
using Settings = std::vector<ParameterSetting>;

ParameterSetting set(const std::string& path, const std::string& value) {
  ParameterSetting setting;
  setting.path = path;
  setting.value = value;
  return setting;
}

/// Half of the 99 % interval, from that of 95 %.
double wide_half_width(const Summary& summary) {
  const boost::math::students_t student(static_cast<double>(summary.batches) - 1);
  return summary.half_width * boost::math::quantile(student, 0.995) / boost::math::quantile(student, 0.975);
}

/// The statistics of one run by their path without the top model.
class Figures {
 public:
  Figures(const std::string& path, Settings settings, double stop_time, std::uint64_t seed) {
    RunRequest request;
    request.path = path;
    request.settings = std::move(settings);
    request.stop_time = stop_time;
    request.seed = seed;
    const RunReport report = run_model(request, Disk(), {});
    EXPECT_TRUE(report.has_run) << diag::render(report.diagnostics, report.sources);
    if (!report.has_run) return;
    for (const StatisticReport& one : report.runs[0].statistics) {
      const std::size_t dot = one.object.find('.');
      all_[(dot == one.object.npos ? "" : one.object.substr(dot + 1) + ".") + one.name] = one.figures;
    }
  }
  const Summary& operator[](const std::string& name) const {
    EXPECT_TRUE(all_.contains(name)) << name;
    return all_.at(name);
  }

 private:
  std::map<std::string, Summary> all_;
};

void expect_covers(const Summary& summary, double truth, const std::string& what) {
  EXPECT_TRUE(summary.reliable) << what;
  EXPECT_NEAR(summary.steady_mean, truth, wide_half_width(summary)) << what;
  EXPECT_LT(summary.half_width, 0.15 * truth) << what << ": the interval says something";
}

class SingleServer : public testing::TestWithParam<double> {};

TEST_P(SingleServer, HasTheMeansOfTheFormula) {
  const double load = GetParam();
  const Figures figures("examples/mm1.hyla", {set("source.arrival_rate", std::to_string(load))}, 200'000, 1);
  expect_covers(figures["server.waiting"], load / (1 - load), "Wq");
  expect_covers(figures["server.in_system"], 1 / (1 - load), "W");
  expect_covers(figures["server.queue_length"], load * load / (1 - load), "Lq");
  expect_covers(figures["server.busy"], load, "utilisation");
}

INSTANTIATE_TEST_SUITE_P(Loads, SingleServer, testing::Values(0.2, 0.5, 0.8));

/// Probability that all c servers are busy, for an offered load of a.
double erlang_c(int c, double a) {
  double blocked = 1;  // Erlang B by its recursion
  for (int k = 1; k <= c; ++k) blocked = a * blocked / (k + a * blocked);
  return blocked / (1 - a / c * (1 - blocked));
}

/// Visitors are objects that come and go: with servers for all, their number is Poisson distributed.
TEST(ClosedForms, VisitorsOfTheMuseum) {
  const Figures figures("examples/museum.hyla", {}, 60000, 3);
  expect_covers(figures["crowd"], 30, "crowd");
  expect_covers(figures["planned"], 15, "planned");
  EXPECT_NEAR(figures["crowd"].stddev, std::sqrt(30.0), 0.3);
}

TEST(ClosedForms, ErlangCIsThatOfTheTables) {
  EXPECT_NEAR(erlang_c(1, 0.8), 0.8, 1e-15);
  EXPECT_NEAR(erlang_c(3, 2.4), 288.0 / 445, 1e-15);
  EXPECT_NEAR(erlang_c(2, 1), 1.0 / 3, 1e-15);
}

class SeveralServers : public testing::TestWithParam<int> {};

TEST_P(SeveralServers, HaveTheMeansOfTheFormula) {
  const int c = GetParam();
  const double load = 0.75;
  const double arrivals = load * c;
  const Figures figures("examples/mmc.hyla",
                        {set("c", std::to_string(c)), set("source.arrival_rate", std::to_string(arrivals))},
                        200'000.0 / c, 1);
  const double waits = erlang_c(c, arrivals);
  expect_covers(figures["queue_length"], waits * load / (1 - load), "Lq");
  expect_covers(figures["in_service"], arrivals, "busy servers");
  for (int i = 1; i <= c; ++i) {
    const std::string server = "servers[" + std::to_string(i) + "].";
    expect_covers(figures[server + "waiting"], waits / (c - arrivals), server + "Wq");
    expect_covers(figures[server + "had_to_wait"], waits, server + "Erlang C");
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, SeveralServers, testing::Values(1, 2, 3, 5));

struct ServiceCase {
  std::string name;
  double squared_variation;  ///< of the service time
};

class GeneralService : public testing::TestWithParam<ServiceCase> {};

TEST_P(GeneralService, HasTheMeansOfTheFormula) {
  const double load = 0.7;
  const Figures figures("examples/mg1.hyla",
                        {set("source.arrival_rate", "0.7"), set("server.service", "Service." + GetParam().name)},
                        200'000, 2);
  const double wait = load * (1 + GetParam().squared_variation) / (2 * (1 - load));
  expect_covers(figures["server.waiting"], wait, "Wq");
  expect_covers(figures["server.queue_length"], load * wait, "Lq");
  expect_covers(figures["server.busy"], load, "utilisation");
}

INSTANTIATE_TEST_SUITE_P(Distributions, GeneralService,
                         testing::Values(ServiceCase{"constant_time", 0}, ServiceCase{"erlang", 0.25},
                                         ServiceCase{"uniform", 1.0 / 3}, ServiceCase{"exponential", 1},
                                         ServiceCase{"lognormal", 2}),
                         [](const auto& one) { return one.param.name; });

// --- Coverage
// -------------------------------------------------------------------------------------------------------------

constexpr int kIntervals = 1000;

class Untiring : public experiment::ReplicationWatch {
 public:
  bool progress(std::size_t, double, std::uint64_t) override { return true; }
};

/// How many intervals hold the truth, by the name of the statistic.
class Coverage {
 public:
  explicit Coverage(double load)
      : truths_({{"waiting", load / (1 - load)},
                 {"in_system", 1 / (1 - load)},
                 {"queue_length", load * load / (1 - load)},
                 {"busy", load}}) {}

  void count(const std::string& name, const Summary& summary) {
    const double error = summary.steady_mean - truths_.at(name);
    covered_[name] += std::fabs(error) <= summary.half_width ? 1 : 0;
    errors_[name].add(error);
  }
  /// Between 93 and 97 %.
  void expect_honest() const {
    EXPECT_EQ(covered_.size(), truths_.size());
    for (const auto& [name, covered] : covered_) {
      ::testing::Test::RecordProperty(name, covered);
      EXPECT_GE(covered, 930) << name;
      EXPECT_LE(covered, 970) << name;
    }
  }
  /// No bias that the mean of all runs shows.
  void expect_unbiased() const {
    for (const auto& [name, errors] : errors_) EXPECT_NEAR(errors.mean(), 0, errors.half_width(0.999)) << name;
  }

 private:
  std::map<std::string, double> truths_;
  std::map<std::string, int> covered_;
  std::map<std::string, statistics::Replications> errors_;
};

experiment::ReplicationRequest queue_request(const CheckedText& text, std::uint64_t seed, const std::string& load,
                                             double stop_time, std::uint32_t count, unsigned threads) {
  experiment::ReplicationRequest request;
  request.build = text.request(seed, {{"source.arrival_rate", load}});
  request.options.stop_time = stop_time;
  request.count = count;
  request.threads = threads;
  return request;
}

std::string name_of(const CheckedText& text, model::StatisticId statistic) {
  return std::string(text.model().name(text.model().statistics[statistic].name));
}

TEST(Coverage, OfBatchMeansFromOneRun) {
  const CheckedText text(Disk(), "examples/mm1.hyla");
  ASSERT_TRUE(text.good()) << text.errors();
  Untiring watch;
  Coverage coverage(0.5);
  for (std::uint64_t part = 0; part < 10; ++part) {
    const auto request = queue_request(text, 1 + part, "0.5", 12'000, kIntervals / 10, 2);
    for (const experiment::Replication& run : experiment::replicate(text.model(), request, watch)) {
      for (const experiment::Figure& figure : run.figures) {
        coverage.count(name_of(text, figure.statistic), figure.summary);
      }
    }
  }
  coverage.expect_honest();
  coverage.expect_unbiased();
}

// Short runs that begin empty have a bias of some 0.5 % here, which is small against the width of the intervals.
TEST(Coverage, OfReplications) {
  const CheckedText text(Disk(), "examples/mm1.hyla");
  ASSERT_TRUE(text.good()) << text.errors();
  Untiring watch;
  Coverage coverage(0.3);
  for (std::uint64_t seed = 1; seed <= kIntervals; ++seed) {
    const auto request = queue_request(text, seed, "0.3", 800, 10, 2);
    const auto joint = experiment::join(experiment::replicate(text.model(), request, watch));
    for (const experiment::JointFigure& figure : joint) {
      coverage.count(name_of(text, figure.statistic), figure.summary);
    }
  }
  coverage.expect_honest();
}

}  // namespace
}  // namespace hyla::service
