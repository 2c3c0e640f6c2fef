#include "base/json.h"

#include <limits>

#include <gtest/gtest.h>

namespace hyla::base {
namespace {

std::string number(double value) {
  std::string out;
  append_json_number(out, value);
  return out;
}

std::string text(std::string_view value) {
  std::string out;
  append_json_string(out, value);
  return out;
}

TEST(Json, NumbersReadBackAsTheSame) {
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(-2), "-2");
  EXPECT_EQ(number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(number(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

TEST(Json, WhatIsNotFiniteIsAWord) {
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "\"infinity\"");
  EXPECT_EQ(number(-std::numeric_limits<double>::infinity()), "\"-infinity\"");
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "\"nan\"");
}

TEST(Json, TextsAreEscaped) {
  EXPECT_EQ(text(""), "\"\"");
  EXPECT_EQ(text("a \"b\" \\ \n\t\x01\x7F"), "\"a \\\"b\\\" \\\\ \\n\\t\\u0001\\u007f\"");
  EXPECT_EQ(text("\xC3\xA4|\xFF|"), "\"\xC3\xA4|\\ufffd|\"");
}

}  // namespace
}  // namespace hyla::base
