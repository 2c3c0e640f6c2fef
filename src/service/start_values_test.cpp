#include "service/start_values.h"

#include <gtest/gtest.h>

namespace hyla::service {
namespace {

using engine::StartWish;

std::string refusal(const std::string& text) {
  const base::Result<StartValues> values = parse_start_values("case.start", text);
  EXPECT_FALSE(values.ok());
  return values.ok() ? "" : values.message();
}

TEST(StartValues, AreReadAsTheyAreWritten) {
  StartValues values;
  values.model = "Plant";
  values.settings.push_back({"pump.name", "\"a b\"", ""});
  values.wishes.push_back({StartWish::Kind::Fix, "tank[2].level", 0.1, engine::StartOrigin::Chosen});
  values.wishes.push_back({StartWish::Kind::Free, "pump.speed", -1e-300, engine::StartOrigin::Chosen});
  values.wishes.push_back({StartWish::Kind::Fix, "der(x)", 0.0, engine::StartOrigin::Chosen});
  values.wishes.push_back({StartWish::Kind::Guess, "q", 1.0 / 3, engine::StartOrigin::Chosen});
  const std::string text = start_values_text(values);
  const base::Result<StartValues> again = parse_start_values("case.start", text);
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(start_values_text(again.value()), text);
  EXPECT_EQ(again.value().wishes[3].number, 1.0 / 3);
  EXPECT_EQ(again.value().wishes[0].origin, engine::StartOrigin::Loaded);
  EXPECT_EQ(again.value().settings[0].value, "\"a b\"");
}

TEST(StartValues, MayHaveCommentsAndBlanks) {
  const base::Result<StartValues> values =
      parse_start_values("case.start", "# mine\n\nhyla start values 1\r\n  fix  x =  +2 # two\n");
  ASSERT_TRUE(values.ok()) << values.message();
  ASSERT_EQ(values.value().wishes.size(), 1U);
  EXPECT_EQ(values.value().wishes[0].name, "x");
  EXPECT_EQ(values.value().wishes[0].number, 2.0);
}

TEST(StartValues, AreRefusedWithTheirPlace) {
  const std::string head = "hyla start values 1\n";
  EXPECT_EQ(refusal(""), "case.start: start values begin with the line `hyla start values 1`");
  EXPECT_EQ(refusal("fix x = 1\n"), "case.start:1: start values begin with the line `hyla start values 1`");
  EXPECT_EQ(refusal(head + "fix x = two\n"), "case.start:2: `two` for `x` is not a number");
  EXPECT_EQ(refusal(head + "fix x = 1e999\n"), "case.start:2: `1e999` for `x` is not a number");
  EXPECT_EQ(refusal(head + "fix x\n"), "case.start:2: `x` has no value");
  EXPECT_EQ(refusal(head + "fix = 3\n"), "case.start:2: `= 3` is not of the form NAME=NUMBER");
  EXPECT_EQ(refusal(head + "fix x = 1\nfree x = 2\n"), "case.start:3: `x` stands here twice, first in line 2");
  EXPECT_EQ(
      refusal(head + "fixx x = 1\n"),
      "case.start:2: a line begins with `model`, `set`, `fix`, `free` or `guess`, not `fixx`; did you mean `fix`?");
  EXPECT_EQ(refusal(head + "model A\nmodel B\n"), "case.start:3: one model has one name");
}

}  // namespace
}  // namespace hyla::service
