#include "record/chart_strips.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"

namespace hyla::record {
namespace {

/// Lines of an events file without their first members.
Events events_of(const std::vector<std::string>& lines) {
  std::string text = R"({"hyla":"events","version":1,"model":"Top","seed":1})"
                     "\n";
  std::size_t number = 1;
  for (const std::string& line : lines) text += R"({"seq":)" + std::to_string(number++) + "," + line + "}\n";
  base::Result<Events> events = read_events("test", text);
  EXPECT_TRUE(events.ok()) << events.message();
  return std::move(events).value();
}

std::string text_of(const std::vector<PlotStrip>& strips) {
  std::string text;
  for (const PlotStrip& strip : strips) {
    text += strip.name + ":";
    for (const PlotSpell& spell : strip.spells) {
      text += " " + spell.state + " " + base::format_number(spell.begin) + "-" + base::format_number(spell.end);
    }
    text += "\n";
  }
  return text;
}

TEST(ChartStrips, FollowNestedAndParallelCharts) {
  const Events events = events_of({
      R"("t":0,"step":0,"kind":"start","object":"Top.lights","chart":"operation","to":"operation.Day.traffic.Green.Fixed, operation.Day.walkers.Stop")",
      R"("t":0,"step":0,"kind":"start","object":"Top","to":"Off")",
      R"("t":20,"step":1,"kind":"transition","object":"Top.lights","chart":"operation.Day.traffic.Green","from":"operation.Day.traffic.Green.Fixed","to":"operation.Day.traffic.Green.Ready")",
      R"("t":22,"step":1,"kind":"transition","object":"Top.lights","chart":"operation.Day.traffic","from":"operation.Day.traffic.Green.Ready","to":"operation.Day.traffic.Amber")",
      R"("t":23,"step":1,"kind":"reaction","object":"Top.lights","chart":"operation","from":"operation.Day")",
      R"("t":30,"step":1,"kind":"transition","object":"Top.lights","chart":"operation","from":"operation.Day","to":"operation.Night")",
      R"("t":35,"step":1,"kind":"transition","object":"Top","from":"Off","to":"final")",
      R"("t":40,"step":0,"kind":"stop","object":"Top","text":"stop-time")",
  });
  std::vector<PlotStrip> strips = strips_of(events, 40);
  EXPECT_EQ(text_of(strips),
            "lights.operation: Day 0-30 Night 30-40\n"
            "lights.operation.Day.traffic: Green 0-22 Amber 22-30\n"
            "lights.operation.Day.traffic.Green: Fixed 0-20 Ready 20-22\n"
            "lights.operation.Day.walkers: Stop 0-30\n"
            "Top: Off 0-35\n");
  shorten_names(strips);
  EXPECT_EQ(strips[1].name, "Day.traffic");
  EXPECT_EQ(strips[2].name, "Green");
}

TEST(ChartStrips, JoinSelfTransitionsAndEndWithTheirObjects) {
  const Events events = events_of({
      R"("t":0,"step":0,"kind":"start","object":"Top.a","chart":"work","to":"work.Busy")",
      R"("t":1,"step":1,"kind":"transition","object":"Top.a","chart":"work","from":"work.Busy","to":"work.Busy")",
      R"("t":2,"step":1,"kind":"delete","object":"Top.a")",
  });
  EXPECT_EQ(text_of(strips_of(events, 9)), "a.work: Busy 0-2\n");
  EXPECT_TRUE(strips_of(events_of({}), 9).empty());
}

}  // namespace
}  // namespace hyla::record
