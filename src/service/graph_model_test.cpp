// Pictures as DOT: the texts in tests/pictures/ were drawn and looked at. HYLA_UPDATE=1 rewrites them.
#include "service/graph_model.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "service/testing.h"

namespace hyla::service {
namespace {

struct Picture {
  std::string name, path, model;
  GraphSubject subject;
};

std::vector<Picture> pictures() {
  return {
      {"two_tanks_structure", "examples/two_tanks.hyla", "", GraphSubject::Structure},
      {"two_tanks_charts", "examples/two_tanks.hyla", "", GraphSubject::Charts},
      {"machine_structure", "examples/machine.hyla", "", GraphSubject::Auto},
      {"museum_structure", "examples/museum.hyla", "", GraphSubject::Auto},
      {"dining_philosophers_structure", "examples/dining_philosophers.hyla", "", GraphSubject::Auto},
      {"string_pendulum_charts", "examples/string_pendulum.hyla", "", GraphSubject::Auto},
      {"pedestrian_light_charts", "examples/pedestrian_light.hyla", "", GraphSubject::Charts},
      {"washer_charts", "tests/accepted/charts.hyla", "Washer", GraphSubject::Auto},
      {"state_parts_structure", "tests/accepted/structural_dynamics.hyla", "Pendulum", GraphSubject::Structure},
      {"ports_structure", "tests/accepted/ports.hyla", "Plant", GraphSubject::Structure},
  };
}

GraphReport graph(const std::string& text, GraphSubject subject = GraphSubject::Auto, const std::string& chart = "",
                  std::size_t depth = SIZE_MAX) {
  MemoryFiles files({{"m.hyla", text}});
  GraphRequest request;
  request.path = "m.hyla";
  request.subject = subject;
  request.chart = chart;
  request.depth = depth;
  GraphReport report = graph_model(request, files);
  EXPECT_TRUE(report.diagnostics.empty()) << diag::render(report.diagnostics, report.sources);
  return report;
}

class Pictures : public testing::TestWithParam<Picture> {};

TEST_P(Pictures, AreAsTheyWereLookedAt) {
  Disk disk;
  GraphRequest request;
  request.path = GetParam().path;
  request.model = GetParam().model;
  request.subject = GetParam().subject;
  const GraphReport report = graph_model(request, disk);
  ASSERT_TRUE(report.failures.empty()) << report.failures.front();
  const std::string path = "tests/pictures/" + GetParam().name + ".dot";
  if (is_updating()) {
    EXPECT_FALSE(disk.write(path, report.dot));
  } else {
    EXPECT_EQ(text_of(path), report.dot) << path << ": HYLA_UPDATE=1 rewrites the text";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Pictures, testing::ValuesIn(pictures()),
                         [](const testing::TestParamInfo<Picture>& it) { return it.param.name; });

constexpr std::string_view kTwoCharts = R"(
model Lamp {
    chart light {
        initial -> Off;
        state Off { after 1 -> On; }
        state On;
    }
}
model Room {
    object lamp: Lamp;
    chart door {
        initial -> Open;
        state Open;
    }
    chart light {
        initial -> Dark;
        state Dark;
    }
}
)";

TEST(Graph, FindsAChartByItsName) {
  const std::string text(kTwoCharts);
  for (const char* name : {"door", "Room.door"}) {
    EXPECT_NE(graph(text, GraphSubject::Chart, name).dot.find("\"Room.door.Open\""), std::string::npos) << name;
  }
  for (const char* name : {"lamp.light", "lamp", "Lamp.light", "lamp[1].light"}) {
    EXPECT_NE(graph(text, GraphSubject::Chart, name).dot.find("\"Lamp.light.Off\""), std::string::npos) << name;
  }
  EXPECT_NE(graph(text, GraphSubject::Chart, "light").dot.find("\"Room.light.Dark\""), std::string::npos);
}

TEST(Graph, NamesTheChartsThereAre) {
  const std::string text(kTwoCharts);
  EXPECT_EQ(graph(text, GraphSubject::Chart, "dor").failures.front(), "there is no chart `dor`; did you mean `door`?");
  EXPECT_EQ(graph(text, GraphSubject::Chart, "elsewhere").failures.front(),
            "there is no chart `elsewhere`; there is `Room.door`, `Room.light` and `Lamp.light`");
  EXPECT_EQ(graph("model A {\n    var x = 1;\n}\n", GraphSubject::Charts).failures.front(),
            "neither `A` nor its parts have a chart; --structure draws objects");
}

TEST(Graph, OpensAsManyLevelsAsAsked) {
  const std::string text =
      "model C {\n    output y = 1;\n}\nmodel B {\n    object c: C;\n}\nmodel A {\n    object b: B;\n}\n";
  EXPECT_NE(graph(text).dot.find("\"A.b.c\""), std::string::npos);
  EXPECT_EQ(graph(text, GraphSubject::Structure, "", 1).dot.find("\"A.b.c\""), std::string::npos);
  EXPECT_EQ(graph(text, GraphSubject::Structure, "", 0).dot.find("\"A.b\""), std::string::npos);
}

TEST(Graph, RefusesAPictureWithoutEnd) {
  std::string text = "model M0 {\n    output y = 1;\n}\n";
  for (int i = 1; i < 30; ++i)
    text += fmt::format("model M{0} {{\n    object a: M{1};\n    object b: M{1};\n}}\n", i, i - 1);
  const GraphReport report = graph(text);
  ASSERT_FALSE(report.failures.empty());
  EXPECT_EQ(report.failures.front(), "the structure has more than 2000 objects; --depth opens fewer levels");
  EXPECT_TRUE(graph(text, GraphSubject::Structure, "", 3).failures.empty());
}

TEST(Graph, AModelMayHoldItsOwnKind) {
  const GraphReport report = graph("model Tree {\n    population branches: Tree;\n}\n", GraphSubject::Structure);
  EXPECT_NE(report.dot.find("«population»"), std::string::npos);
}

TEST(Graph, SaysWhichEndsItKnows) {
  MemoryFiles files({{"m.hyla", std::string(kTwoCharts)}});
  GraphRequest request;
  request.path = "m.hyla";
  request.output = "m.gif";
  EXPECT_EQ(graph_model(request, files).failures.front(),
            "-o takes a name that ends with `.svg`, `.png`, `.pdf` or `.dot`, not `m.gif`");
  request.output = "m.dot";
  EXPECT_TRUE(graph_model(request, files).failures.empty());
  EXPECT_TRUE(files.is_file("m.dot"));
  request.output = "/nowhere/m.svg";
  EXPECT_NE(graph_model(request, files).failures.front().find("cannot draw `/nowhere/m.svg`"), std::string::npos);
}

}  // namespace
}  // namespace hyla::service
