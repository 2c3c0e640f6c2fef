#include "service/parameters.h"

#include <gtest/gtest.h>

namespace hyla::service {
namespace {

TEST(ParseSetting, SplitsAtTheFirstSign) {
  const auto setting = parse_setting(" servers[2].mean = 0.5 ");
  ASSERT_TRUE(setting.ok());
  EXPECT_EQ(setting.value().path, "servers[2].mean");
  EXPECT_EQ(setting.value().value, "0.5");
  EXPECT_EQ(parse_setting("name=\"a=b\"").value().value, "\"a=b\"");
}

TEST(ParseSetting, RefusesHalves) {
  EXPECT_EQ(parse_setting("mean").message(), "`mean` is not of the form PATH=VALUE");
  EXPECT_EQ(parse_setting("=3").message(), "`=3` is not of the form PATH=VALUE");
  EXPECT_EQ(parse_setting("mean= ").message(), "`mean` has no value");
}

TEST(ParseParameters, ReadsLinesAndSkipsComments) {
  const auto settings = parse_parameters("p.txt", "# rates\n\nmean = 0.5 # of all\r\n  name = \"a # b\"\n");
  ASSERT_TRUE(settings.ok());
  ASSERT_EQ(settings.value().size(), 2U);
  EXPECT_EQ(settings.value()[0].value, "0.5");
  EXPECT_EQ(settings.value()[0].origin, "p.txt:3: ");
  EXPECT_EQ(settings.value()[1].path, "name");
  EXPECT_EQ(settings.value()[1].value, "\"a # b\"");
}

TEST(ParseParameters, NamesTheLine) {
  EXPECT_EQ(parse_parameters("p.txt", "a = 1\nb\n").message(), "p.txt:2: `b` is not of the form PATH=VALUE");
  EXPECT_EQ(parse_parameters("p.txt", "a = 1\nb = 2\na = 3\n").message(), "p.txt:3: `a` is set twice, first in line 1");
}

}  // namespace
}  // namespace hyla::service
