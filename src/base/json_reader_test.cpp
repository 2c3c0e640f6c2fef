#include "base/json_reader.h"

#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"

namespace hyla::base {
namespace {

TEST(JsonReader, ReadsWhatIsExpectedAndSkipsTheRest) {
  JsonReader reader(R"( {"t" : 1.5e3, "skip": [1, {"a": [true, null]}, "x"], "n":18446744073709551615, "on":false,
                        "data": {"a": 1} } )");
  double t = 0;
  std::uint64_t n = 0;
  bool on = true;
  std::string_view data;
  const bool good = reader.read_object([&](std::string_view key) {
    if (key == "t") return reader.read_number(t);
    if (key == "n") return reader.read_count(n);
    if (key == "on") return reader.read_flag(on);
    if (key == "data") return reader.read_raw(data);
    return reader.skip();
  });
  EXPECT_TRUE(good && reader.at_end()) << reader.problem();
  EXPECT_EQ(t, 1500);
  EXPECT_EQ(n, UINT64_MAX);
  EXPECT_FALSE(on);
  EXPECT_EQ(data, R"({"a": 1})");
}

TEST(JsonReader, ReadsBackWhatWasWritten) {
  for (const std::string& text : {std::string("a\"b\\c\n\t\x01 \xC3\xA4 \xF0\x9F\x98\x80"), std::string()}) {
    std::string written, again;
    append_json_string(written, text);
    JsonReader reader(written);
    EXPECT_TRUE(reader.read_text(again) && reader.at_end());
    EXPECT_EQ(again, text);
  }
  for (const double value : {0.1, -1e308, 5e-324, HUGE_VAL, -HUGE_VAL}) {
    std::string written;
    append_json_number(written, value);
    double again = 0;
    JsonReader reader(written);
    EXPECT_TRUE(reader.read_number(again));
    EXPECT_EQ(again, value);
  }
  double again = 0;
  JsonReader reader(R"("nan")");
  EXPECT_TRUE(reader.read_number(again) && std::isnan(again));
}

TEST(JsonReader, JoinsSurrogates) {
  std::string text;
  JsonReader joined(R"("\ud83d\ude00 \ud83d \u00e4")");
  EXPECT_TRUE(joined.read_text(text));
  EXPECT_EQ(text, "\xF0\x9F\x98\x80 \xEF\xBF\xBD \xC3\xA4");
}

TEST(JsonReader, SaysWhatIsWrongAndWhere) {
  const std::map<std::string, std::pair<std::string, std::size_t>> cases = {
      {"", {"expected a number", 0}},
      {"{\"a\" 1}", {"expected `:`", 5}},
      {"{\"a\":1", {"expected `,` or `}`", 6}},
      {"{\"a\":}", {"expected a number", 5}},
      {"[1,]", {"expected a number", 3}},
      {"\"abc", {"expected `\"`", 4}},
      {"\"\\x\"", {"expected an escape", 2}},
      {"\"\\u12", {"expected four hexadecimal digits", 3}},
      {"tru", {"expected a value", 0}},
      {"1 2", {"expected nothing more", 2}},
      {"1e999", {"expected a number that fits into 64 bits", 0}},
  };
  for (const auto& [text, problem] : cases) {
    JsonReader reader(text);
    EXPECT_FALSE(reader.skip() && reader.at_end()) << text;
    EXPECT_EQ(reader.problem(), problem.first) << text;
    EXPECT_EQ(reader.place(), problem.second) << text;
  }
}

TEST(JsonReader, RefusesEndlessNesting) {
  const std::string text(100000, '[');
  JsonReader reader(text);
  EXPECT_FALSE(reader.skip());
  EXPECT_EQ(reader.problem(), "expected fewer objects and arrays inside each other");
}

}  // namespace
}  // namespace hyla::base
