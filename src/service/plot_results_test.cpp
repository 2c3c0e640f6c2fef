#include "service/plot_results.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/plot_model.h"
#include "service/run_model.h"
#include "service/summary.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

constexpr const char* kTank = R"(
model Tank {
    output level: Real(unit = "m") := 0;
    output flow: Real(unit = "m/s") := 0;
    output wet: Real(unit = "m2") = level * level;
    der(level) = flow;
    chart valve {
        initial -> Shut;
        state Shut { after 1 -> Moving; }
        state Moving {
            chart way {
                initial -> Slow;
                state Slow { after 0.5 -> Fast; }
                state Fast { after 0.5 -> final; }
            }
            done -> Open { flow := 2; }
        }
        state Open { full: after 1 -> Shut { flow := 0; } }
    }
    section Simulation { stop_time = 3.5; }
VIEW
}
)";

std::string tank(const std::string& view = "") {
  std::string text = kTank;
  return text.replace(text.find("VIEW"), 4, view);
}

/// Three columns over four times, two of them the same: level = t, flow = 1000 t, and a point that is missing once.
constexpr const char* kTable = "time,a.level,a.flow,n\n0,0,0,1\n1,1,1000,\n1,1,2000,2\n3,3,3000,2\n";

template <class Set>
PlotRequest with(Set set) {
  PlotRequest request;
  set(request);
  return request;
}

PlotOutcome plot_of(PlotRequest request, std::map<std::string, std::string> files = {{"r.csv", kTable}}) {
  if (request.results.empty()) request.results = {"r.csv"};
  return plot_results(request, MemoryFiles(std::move(files)));
}

std::string failure_of(const PlotRequest& request, std::map<std::string, std::string> files = {{"r.csv", kTable}}) {
  const PlotOutcome outcome = plot_of(request, std::move(files));
  return outcome.failures.empty() ? "" : outcome.failures.front();
}

/// The names of the curves: panels with `|` between them.
std::string curves_of(const record::Plot& plot) {
  std::string text;
  for (const record::PlotPanel& panel : plot.panels) {
    text += text.empty() ? "" : " | ";
    for (std::size_t i = 0; i < panel.curves.size(); ++i) text += (i == 0 ? "" : " ") + panel.curves[i].name;
  }
  return text;
}

std::string strips_of(const record::Plot& plot) {
  std::string text;
  for (const record::PlotStrips& group : plot.strips) {
    for (const record::PlotStrip& strip : group.strips) {
      text += strip.name + ":";
      for (const record::PlotSpell& spell : strip.spells) {
        text += " " + spell.state + " " + base::format_number(spell.begin) + "-" + base::format_number(spell.end);
      }
      text += "\n";
    }
  }
  return text;
}

/// A run of the tank on disk, with its events beside it.
struct TankRun {
  std::string result = testing::TempDir() + "plot_results_test.csv";
  std::string events = testing::TempDir() + "plot_results_test.jsonl";
  std::string model = testing::TempDir() + "plot_results_test.hyla";

  explicit TankRun(const std::string& text, const std::string& events_path = "") {
    if (!events_path.empty()) events = events_path;
    EXPECT_FALSE(Disk().write(model, text));
    RunRequest request;
    request.path = model;
    request.output_file = result;
    request.events_file = events;
    const RunReport report = run_model(request, Disk(), {});
    EXPECT_TRUE(report.has_run);
    EXPECT_TRUE(report.failures.empty());
  }
  ~TankRun() {
    for (const std::string& path : {result, events, model}) std::remove(path.c_str());
  }
  TankRun(const TankRun&) = delete;
  TankRun& operator=(const TankRun&) = delete;
};

TEST(PlotResults, DrawsWhatTheWordsName) {
  EXPECT_EQ(curves_of(plot_of(with([&](PlotRequest& r) { r.words = {"a.level"}; })).plot), "a.level");
  EXPECT_EQ(curves_of(plot_of(with([&](PlotRequest& r) { r.words = {"n", "/", "a.*"}; })).plot), "n | a.level a.flow");
  EXPECT_EQ(curves_of(plot_of(with([&](PlotRequest& r) { r.words = {"a", "a.level"}; })).plot), "a.level | a.flow");
  const record::Plot plot = plot_of(with([&](PlotRequest& r) { r.words = {"n"}; })).plot;
  EXPECT_EQ(plot.times[0], (std::vector<double>{0, 1, 1, 3}));
  EXPECT_EQ(plot.panels[0].curves[0].values[3], 2);
  EXPECT_EQ(plot.end, 3);
  EXPECT_EQ(plot.title, "r");
}

TEST(PlotResults, DrawsEverythingWithoutWords) {
  // No units are known: curves of about the same size share a panel.
  EXPECT_EQ(curves_of(plot_of(PlotRequest()).plot), "a.level n | a.flow");
}

TEST(PlotResults, TakesTimesTitleAndSize) {
  const record::Plot plot = plot_of(with([&](PlotRequest& r) {
                              r.words = {"n"};
                              r.title = "Mine";
                              r.from = 0.5;
                              r.to = 2.0;
                              r.width = 300;
                              r.height = 200;
                            })).plot;
  EXPECT_EQ(plot.begin, 0.5);
  EXPECT_EQ(plot.end, 2);
  EXPECT_EQ(plot.title, "Mine");
  EXPECT_EQ(plot.width, 300);
  EXPECT_EQ(failure_of(with([&](PlotRequest& r) { r.from = 3.5; })),
            "--from `3.5` lies behind the last recorded time `3`");
  EXPECT_EQ(failure_of(with([&](PlotRequest& r) { r.to = -1.0; })),
            "--to `-1` lies before the first recorded time `0`");
}

TEST(PlotResults, ComparesRuns) {
  const std::map<std::string, std::string> files = {{"r.csv", kTable}, {"x/s.csv", "time,n,m\n0,5,1\n9,6,1\n"}};
  const record::Plot plot = plot_of(with([&](PlotRequest& r) {
                                      r.results = {"r.csv", "x/s.csv"};
                                      r.words = {"n"};
                                    }),
                                    files)
                                .plot;
  EXPECT_EQ(curves_of(plot), "n (r) n (s)");
  EXPECT_EQ(plot.panels[0].curves[1].run, 1U);
  EXPECT_EQ(plot.times[1], (std::vector<double>{0, 9}));
  EXPECT_EQ(plot.end, 9);
  EXPECT_EQ(curves_of(plot_of(with([&](PlotRequest& r) {
                                r.results = {"r.csv", "x/s.csv"};
                              }),
                              files)
                          .plot),
            "n (r) n (s)");
  const record::Plot path = plot_of(with([&](PlotRequest& r) {
                              r.results = {"r.csv", "r.csv"};
                              r.words = {"a.flow"};
                              r.x = "a.level";
                            })).plot;
  ASSERT_EQ(path.paths.size(), 1U);
  EXPECT_EQ(path.paths[0].x[1].name, "a.level");
  EXPECT_EQ(failure_of(with([&](PlotRequest& r) {
                         r.results = {"r.csv", "x/s.csv"};
                         r.words = {"a.flow"};
                       }),
                       files),
            "`x/s.csv`: no variable `a.flow` was recorded; there are `n` and `m`");
}

TEST(PlotResults, DrawsVariablesOverAnother) {
  const record::Plot plot = plot_of(with([&](PlotRequest& r) {
                              r.words = {"a.flow"};
                              r.x = "a.level";
                            })).plot;
  ASSERT_EQ(plot.paths.size(), 1U);
  EXPECT_TRUE(plot.panels.empty());
  EXPECT_EQ(plot.paths[0].x[0].values, (std::vector<double>{0, 1, 1, 3}));
  EXPECT_EQ(plot.paths[0].y[0].values, (std::vector<double>{0, 1000, 2000, 3000}));
  EXPECT_FALSE(plot.paths[0].is_place);
  EXPECT_EQ(failure_of(with([&](PlotRequest& r) {
              r.words = {"n"};
              r.x = "a.levl";
            })),
            "--x: `r.csv`: no variable `a.levl` was recorded; did you mean `a.level`?");
  EXPECT_EQ(failure_of(with([&](PlotRequest& r) {
              r.words = {"n"};
              r.x = "a.*";
            })),
            "--x takes one variable, but `a.*` stands for 2");
}

TEST(PlotResults, DrawsHistogramsOfVariables) {
  const record::Plot plot = plot_of(with([&](PlotRequest& r) {
                              r.words = {"a.level"};
                              r.histograms = true;
                            })).plot;
  ASSERT_EQ(plot.histograms.size(), 1U);
  EXPECT_EQ(plot.histograms[0].name, "a.level");
  EXPECT_DOUBLE_EQ(plot.histograms[0].mean, 1.5);
  EXPECT_TRUE(plot.panels.empty());
}

TEST(PlotResults, SaysWhatIsWrong) {
  EXPECT_EQ(failure_of(with([&](PlotRequest& r) { r.words = {"a.levle"}; })),
            "`r.csv`: no variable `a.levle` was recorded; did you mean `a.level`?");
  EXPECT_EQ(failure_of(with([&](PlotRequest& r) { r.results = {"tnak.csv"}; }), {{"tank.csv", kTable}}),
            "cannot read `tnak.csv`: no such file; did you mean `tank.csv`?");
  EXPECT_EQ(failure_of(with([&](PlotRequest& r) { r.picture = "p.gif"; })),
            "-o takes a name that ends with `.svg`, `.png` or `.pdf`, not `p.gif`");
  EXPECT_NE(failure_of(PlotRequest(), {{"r.csv", "time,x\n"}}).find("`r.csv`"), std::string::npos);
  EXPECT_NE(failure_of(PlotRequest(), {{"r.csv", "time\n0\n1\n"}}).find("has no variables"), std::string::npos);
  EXPECT_NE(failure_of(PlotRequest(), {{"r.csv", "\x89\x01 nothing of sense"}}), "");
  EXPECT_NE(failure_of(with([&](PlotRequest& r) { r.marks = {"x"}; })).find("--mark needs the events of the run"),
            std::string::npos);
}

TEST(PlotResults, FindsChartsInTheEventsBesideTheResult) {
  const TankRun run(tank());
  const PlotOutcome outcome = plot_results(with([&](PlotRequest& r) { r.results = {run.result}; }), Disk());
  EXPECT_TRUE(outcome.failures.empty());
  EXPECT_EQ(strips_of(outcome.plot),
            "valve: Shut 0-1 Moving 1-2 Open 2-3 Shut 3-3.5\n"
            "Moving.way: Slow 1-1.5 Fast 1.5-2\n");
  ASSERT_EQ(outcome.plot.marks.size(), 4U);
  EXPECT_EQ(outcome.plot.marks[1].time, 1.5);
  EXPECT_EQ(outcome.plot.title, "Tank");

  const record::Plot named = plot_results(with([&](PlotRequest& r) {
                                            r.results = {run.result};
                                            r.words = {"level", "valve.Moving"};
                                          }),
                                          Disk())
                                 .plot;
  EXPECT_EQ(curves_of(named), "level");
  EXPECT_EQ(strips_of(named), "valve.Moving.way: Slow 1-1.5 Fast 1.5-2\n");
  EXPECT_TRUE(plot_results(with([&](PlotRequest& r) {
                             r.results = {run.result};
                             r.words = {"level"};
                           }),
                           Disk())
                  .plot.strips.empty());
}

TEST(PlotResults, TakesTheNameOfAChartForTheChartAlone) {
  std::string text = tank();
  const std::string shut = "state Shut {";
  text.replace(text.find(shut), shut.size(), shut + " var waited := 0; der(waited) = 1;");
  const TankRun run(text);
  const auto plot = [&](const std::string& word) {
    return plot_results(with([&](PlotRequest& r) {
                          r.results = {run.result};
                          r.words = {"level", word};
                        }),
                        Disk())
        .plot;
  };
  EXPECT_EQ(curves_of(plot("valve")), "level");
  EXPECT_FALSE(plot("valve").strips.empty());
  EXPECT_EQ(curves_of(plot("valve.*")), "level valve.Shut.waited");
}

TEST(PlotResults, MarksEvents) {
  const TankRun run(tank());
  PlotRequest request = with([&](PlotRequest& r) {
    r.results = {run.result};
    r.words = {"level"};
    r.marks = {"full", "valve.Moving.*"};
  });
  const record::Plot plot = plot_results(request, Disk()).plot;
  ASSERT_EQ(plot.marks.size(), 4U);
  EXPECT_NEAR(plot.marks[0].time, 3, 1e-6);
  EXPECT_EQ(plot.marks[0].label, "full");
  EXPECT_EQ(plot.marks[1].time, 1);
  EXPECT_EQ(plot.marks[1].label, "Slow");
  request.marks = {"ful"};
  EXPECT_EQ(plot_results(request, Disk()).failures.front(), "--mark: no event matches `ful`; did you mean `full`?");
}

TEST(PlotResults, TakesViewAndUnitsOfTheModel) {
  const TankRun run(tank("section View { Plot(level, title = \"Height\"); Plot(flow, wet); Gantt(valve); }"));
  PlotRequest request = with([&](PlotRequest& r) {
    r.results = {run.result};
    r.model_file = run.model;
  });
  const record::Plot plot = plot_results(request, Disk()).plot;
  EXPECT_EQ(curves_of(plot), "level | flow wet");
  EXPECT_EQ(plot.panels[0].title, "Height");
  EXPECT_EQ(plot.panels[1].curves[0].unit, "m/s");
  EXPECT_EQ(plot.time_unit, "s");
  EXPECT_EQ(plot.strips.size(), 1U);
  request.words = {"*"};
  EXPECT_EQ(curves_of(plot_results(request, Disk()).plot), "level | flow | wet");
  request.model_file = "missing.hyla";
  EXPECT_NE(plot_results(request, Disk()).failures.front().find("missing.hyla"), std::string::npos);
}

TEST(PlotResults, DrawsStatisticsOfASummary) {
  RunReport report;
  report.has_run = true;
  report.model = "Shop";
  SingleRun& run = report.runs.emplace_back();
  StatisticReport& waiting = run.statistics.emplace_back();
  waiting.object = "Shop.desk";
  waiting.name = "waiting";
  waiting.unit = "s";
  waiting.figures.mean = 1.25;
  waiting.histogram = {0, 0.5, {0, 10, 30, 0, 10, 0}};
  const std::map<std::string, std::string> files = {{"s.json", summary_json(report)}};
  const record::Plot plot = plot_of(with([&](PlotRequest& r) { r.results = {"s.json"}; }), files).plot;
  ASSERT_EQ(plot.histograms.size(), 1U);
  EXPECT_EQ(plot.histograms[0].name, "desk.waiting");
  EXPECT_EQ(plot.histograms[0].weighed, "observations");
  EXPECT_EQ(plot.histograms[0].low, 0.5);
  EXPECT_EQ(plot.histograms[0].weights, (std::vector<double>{10, 30, 0, 10}));
  EXPECT_EQ(plot.histograms[0].mean, 1.25);
  EXPECT_EQ(plot.title, "Shop");

  const auto failure = [&](const std::string& text, std::vector<std::string> words) {
    const auto set = [&](PlotRequest& r) {
      r.results = {"s.json"};
      r.words = std::move(words);
    };
    return failure_of(with(set), {{"s.json", text}});
  };
  EXPECT_EQ(failure(files.at("s.json"), {"desk.wating"}),
            "`s.json` has no statistic `desk.wating`; did you mean `desk.waiting`?");
  EXPECT_EQ(failure("{}", {}), "s.json:1: expected the results of a run, as `hyla run --json` prints them");
  EXPECT_EQ(failure("{\"run\": {\"runs\": [", {}).substr(0, 8), "s.json:1");
  EXPECT_EQ(failure(R"({"run": {"runs": [{"statistics": []}]}})", {}),
            "`s.json` has no statistics that have counted anything");
}

TEST(PlotResults, KnowsTheModelThatAResultKeeps) {
  PlotModel model;
  EXPECT_TRUE(load_stored_model(tank("section View { Plot(level); }"), "Tank", model));
  EXPECT_EQ(model.view.panels.size(), 1U);
  EXPECT_EQ(model.units["flow"], "m/s");
  const std::string two =
      "// --- lib/prelude.hyla\n\n// --- m/plant.hyla\nimport parts;\nmodel Plant {\n    object a: "
      "parts.Tank;\n    section View { Gantt(a); }\n}\n// --- m/parts.hyla\n";
  EXPECT_TRUE(load_stored_model(two + tank(), "Plant", model));
  EXPECT_EQ(model.view.strips.size(), 1U);
  EXPECT_EQ(model.units["a.flow"], "m/s");
  EXPECT_FALSE(load_stored_model("model Tank {", "Tank", model));
}

TEST(PlotResults, LeavesOutEventsOfAnotherRun) {
  const TankRun run(tank());
  EXPECT_FALSE(Disk().write(run.result, "time,level\n0,0\n1,1\n"));
  PlotOutcome outcome = plot_results(with([&](PlotRequest& r) { r.results = {run.result}; }), Disk());
  EXPECT_TRUE(outcome.plot.strips.empty());
  ASSERT_EQ(outcome.notes.size(), 1U);
  EXPECT_NE(outcome.notes[0].find("belong to another run"), std::string::npos);
  EXPECT_FALSE(Disk().write(run.events, "no events"));
  outcome = plot_results(with([&](PlotRequest& r) {
                           r.results = {run.result};
                           r.events_file = run.events;
                         }),
                         Disk());
  EXPECT_EQ(outcome.failures.size(), 1U);
}

TEST(PlotResults, DrawsPicturesAndTexts) {
  PlotRequest request = with([&](PlotRequest& r) {
    r.words = {"n"};
    r.picture = testing::TempDir() + "plot_results_test.svg";
    r.terminal_width = 50;
  });
  const PlotOutcome outcome = plot_of(request);
  EXPECT_TRUE(outcome.failures.empty());
  EXPECT_NE(text_of(request.picture).find("</svg>"), std::string::npos);
  EXPECT_NE(outcome.text.find("time"), std::string::npos);
  std::remove(request.picture.c_str());
}

}  // namespace
}  // namespace hyla::service
