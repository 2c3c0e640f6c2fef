#include "record/compare_runs.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hyla::record {
namespace {

// --- Events
// ------------------------------------------------------------------------------------------------------------------

/// `1 lamp Off->On`, or `1 lamp press {"n":3}` for a message.
Events events_of(const std::vector<std::string>& lines, double end = 10, const std::string& model = "Room") {
  Events events;
  events.model = model;
  for (const std::string& line : lines) {
    std::vector<std::string> words(1);
    for (const char c : line) c == ' ' ? (void)words.emplace_back() : (void)(words.back() += c);
    LogEntry entry;
    entry.sequence = events.entries.size() + 1;
    entry.time = std::stod(words[0]);
    entry.object = events.texts->keep(model + "." + words[1]);
    if (const std::size_t arrow = words[2].find("->"); arrow != std::string::npos) {
      entry.kind = "transition";
      entry.from = events.texts->keep(words[2].substr(0, arrow));
      entry.to = events.texts->keep(words[2].substr(arrow + 2));
    } else {
      entry.kind = "message";
      entry.message = events.texts->keep(words[2]);
      if (words.size() > 3) entry.data = events.texts->keep(words[3]);
    }
    events.entries.push_back(entry);
  }
  LogEntry stop;
  stop.sequence = events.entries.size() + 1;
  stop.time = end;
  stop.kind = "stop";
  stop.object = events.texts->keep(model);
  stop.text = "stop-time";
  events.entries.push_back(stop);
  events.is_complete = true;
  return events;
}

Comparison compare(const Events& a, const Events& b, const CompareOptions& options = {}) {
  base::Result<Comparison> result = compare_runs({nullptr, &a}, {nullptr, &b}, options);
  EXPECT_TRUE(result.ok());
  return std::move(result).value();
}

TEST(CompareEvents, TheSameAreAlike) {
  const Events a = events_of({"1 lamp Off->On", "2 lamp On->Off", "2 door press", "3 lamp Off->On"});
  const Comparison result = compare(a, a);
  EXPECT_TRUE(result.alike());
  EXPECT_EQ(result.events.paired, 4u);
  EXPECT_EQ(result.events.reordered, 0u);
  EXPECT_EQ(result.events.anchors.size(), 3u);
  EXPECT_DOUBLE_EQ(result.time_tolerance, 9e-4);
}

TEST(CompareEvents, SimultaneousOnesMayChangePlaces) {
  const Events a = events_of({"1 a X->Y", "1 b X->Y", "1 c X->Y", "2 a Y->X"});
  const Events b = events_of({"1 c X->Y", "1.00001 a X->Y", "1.00002 b X->Y", "2 a Y->X"});
  const Comparison result = compare(a, b);
  EXPECT_TRUE(result.alike());
  EXPECT_EQ(result.events.reordered, 1u);
  ASSERT_EQ(result.events.anchors.size(), 2u);
  EXPECT_EQ(result.events.anchors[0].a_end, 1);
  EXPECT_EQ(result.events.anchors[0].b_begin, 1);
  EXPECT_EQ(result.events.anchors[0].b_end, 1.00002);
}

TEST(CompareEvents, OthersMayNot) {
  const Events a = events_of({"1 a X->Y", "1.5 b X->Y"});
  const Events b = events_of({"1 b X->Y", "1.5 a X->Y"});
  const Comparison result = compare(a, b);
  ASSERT_EQ(result.events.differences.size(), 2u);
  EXPECT_EQ(result.first_event()->kind, EventDifferenceKind::Time);
  EXPECT_EQ(result.first_event()->time, 1);
  EXPECT_EQ(result.events.largest_shift, 0.5);
}

/// One that is missing does not tear those behind it from their partners.
TEST(CompareEvents, AMissingOneIsFound) {
  std::vector<std::string> all;
  for (int i = 1; i <= 9; ++i) all.push_back(fmt::format("{} clock tick", i));
  std::vector<std::string> fewer = all;
  fewer.erase(fewer.begin() + 4);
  const Events a = events_of(all), b = events_of(fewer);
  const Comparison missing = compare(a, b);
  ASSERT_EQ(missing.events.differences.size(), 1u);
  EXPECT_EQ(missing.first_event()->kind, EventDifferenceKind::OnlyInA);
  EXPECT_EQ(missing.first_event()->a->sequence, 5u);
  ASSERT_NE(missing.events.instead, nullptr);
  EXPECT_EQ(missing.events.instead->time, 6);
  const Comparison more = compare(b, a);
  ASSERT_EQ(more.events.differences.size(), 1u);
  EXPECT_EQ(more.first_event()->kind, EventDifferenceKind::OnlyInB);
  EXPECT_EQ(more.first_event()->b->time, 5);
}

TEST(CompareEvents, ALateOneIsLateNotMissing) {
  const Events a = events_of({"1 lamp Off->On", "2 lamp On->Off"});
  const Events b = events_of({"1 lamp Off->On", "2.1 lamp On->Off"});
  const Comparison result = compare(a, b);
  ASSERT_EQ(result.events.differences.size(), 1u);
  EXPECT_EQ(result.first_event()->kind, EventDifferenceKind::Time);
  EXPECT_EQ(result.events.most_shifted->sequence, 2u);
  CompareOptions options;
  options.time = 0.11;
  EXPECT_TRUE(compare(a, b, options).alike());
  options.time.reset();
  options.until = 1.5;
  EXPECT_TRUE(compare(a, b, options).alike());
}

TEST(CompareEvents, OtherStatesAreOtherEvents) {
  const Events a = events_of({"1 lamp Off->On", "2 lamp On->Off"});
  const Events b = events_of({"1 lamp Off->Broken", "2 lamp Broken->Off"});
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.events.paired, 0u);
  EXPECT_EQ(result.first_event()->time, 1);
  ASSERT_NE(result.events.instead, nullptr);
  EXPECT_EQ(result.events.instead->time, 1);
}

TEST(CompareEvents, MessagesCarryNumbersWithTolerances) {
  const Events a = events_of({R"(1 port Job {"id":3,"to":"x\"1","size":[1.5,-2e-3]})"});
  const Events near = events_of({R"(1 port Job {"id":3,"to":"x\"1","size":[1.5001,-2.0000001e-3]})"});
  const Events far = events_of({R"(1 port Job {"id":4,"to":"x\"1","size":[1.5,-2e-3]})"});
  const Events text = events_of({R"(1 port Job {"id":3,"to":"x\"2","size":[1.5,-2e-3]})"});
  EXPECT_TRUE(compare(a, near).alike());
  EXPECT_EQ(compare(a, far).first_event()->kind, EventDifferenceKind::Data);
  EXPECT_EQ(compare(a, text).first_event()->kind, EventDifferenceKind::Data);
}

TEST(CompareEvents, NeitherNamesOfModelsNorLinesCount) {
  Events a = events_of({"1 lamp Off->On"}, 10, "Room"), b = events_of({"1 lamp Off->On"}, 10, "BetterRoom");
  a.entries[0].reaction = "on@12";
  b.entries[0].reaction = "on@14";
  EXPECT_TRUE(compare(a, b).alike());
  b.entries[0].reaction = "press";
  EXPECT_FALSE(compare(a, b).alike());
}

TEST(CompareEvents, EndingsCount) {
  const Events a = events_of({"1 lamp Off->On", "7 lamp On->Off"}, 10), b = events_of({"1 lamp Off->On"}, 5);
  const Comparison result = compare(a, b);
  ASSERT_EQ(result.events.differences.size(), 1u) << "what comes after the end of B is not missing there";
  EXPECT_EQ(result.first_event()->kind, EventDifferenceKind::Ending);
  EXPECT_EQ(result.first_event()->time, 5);
  CompareOptions options;
  options.until = 4;
  EXPECT_TRUE(compare(a, b, options).alike());
}

/// What happens at the end of one run may just miss the end of the other.
TEST(CompareEvents, TheEndIsNotSharp) {
  const Events a = events_of({"1 lamp Off->On", "9.9999 lamp On->Off"}), b = events_of({"1 lamp Off->On"});
  EXPECT_TRUE(compare(a, b).alike());
  EXPECT_EQ(compare(a, b).events.at_end, 1u);
  CompareOptions options;
  options.time = 0;
  EXPECT_FALSE(compare(a, b, options).alike());
}

// --- Values
// ------------------------------------------------------------------------------------------------------------------

struct Row {
  double time, value;
};

RunResult result_of(const std::vector<Row>& rows, const std::string& name = "x") {
  RunResult result;
  result.columns.push_back({name, "m", "", 0, false});
  result.series.emplace_back();
  for (const Row& row : rows) {
    result.time.push_back(row.time);
    result.series[0].push_back(row.value);
  }
  return result;
}

template <class Function>
RunResult sampled(Function function, int intervals, double end = 10) {
  std::vector<Row> rows;
  for (int i = 0; i <= intervals; ++i) rows.push_back({end * i / intervals, function(end * i / intervals)});
  return result_of(rows);
}

Comparison compare(const RunResult& a, const RunResult& b, const CompareOptions& options = {}) {
  base::Result<Comparison> result = compare_runs({&a, nullptr}, {&b, nullptr}, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.message());
  return std::move(result).value();
}

TEST(CompareValues, TubesHaveAWidth) {
  const auto wave = [](double t) { return 3 * std::sin(t); };
  const RunResult a = sampled(wave, 200);
  EXPECT_TRUE(compare(a, a).alike());
  const RunResult near = sampled([&](double t) { return wave(t) + 2.9e-3; }, 200);
  EXPECT_TRUE(compare(a, near).alike());
  EXPECT_EQ(compare(a, near).values.points, 201u);
  const RunResult far = sampled([&](double t) { return wave(t) + (t > 6 ? 4e-2 : 0); }, 200);
  const Comparison result = compare(a, far);
  ASSERT_FALSE(result.alike());
  const ComparedVariable& variable = *result.first_variable();
  EXPECT_NEAR(variable.first->time, 6.05, 1e-12);
  EXPECT_NEAR(variable.first->b - variable.first->a, 4e-2, 1e-12);
  EXPECT_NEAR(variable.width, 3e-3, 1e-6);
  EXPECT_NEAR(variable.excess(), 4e-2 / 3e-3, 0.5);
}

/// Rows at other times are met by interpolation that is good enough for a smooth curve.
TEST(CompareValues, GridsMayDiffer) {
  const auto wave = [](double t) { return std::sin(2 * std::numbers::pi * t); };
  const RunResult fine = sampled(wave, 730), coarse = sampled(wave, 500), rough = sampled(wave, 40);
  EXPECT_TRUE(compare(fine, coarse).alike());
  EXPECT_TRUE(compare(coarse, fine).alike());
  EXPECT_TRUE(compare(fine, rough).alike());
  EXPECT_TRUE(compare(rough, fine).alike());
  const RunResult other = sampled([&](double t) { return wave(t) + 1e-2 * t; }, 333);
  EXPECT_FALSE(compare(fine, other).alike());
}

/// Around a jump all that lies between the two times of the jump is allowed, but no more.
TEST(CompareValues, JumpsMayMoveALittle) {
  const RunResult a = result_of({{0, 0.5}, {1, 0.5}, {1, 2.5}, {2, 2.5}});
  const RunResult b = result_of({{0, 0.5}, {1.0001, 0.5}, {1.0001, 2.5}, {2, 2.5}});
  const RunResult c = result_of({{0, 0.5}, {1.01, 0.5}, {1.01, 2.5}, {2, 2.5}});
  EXPECT_TRUE(compare(a, b).alike());
  EXPECT_FALSE(compare(a, c).alike());
}

/// With the events known, what is behind an event is compared with what is behind it, wherever it lies.
TEST(CompareValues, EventsAlignThem) {
  const RunResult a = result_of({{0, 0.5}, {4, 0.5}, {4, 2.5}, {10, 8.5}});
  const RunResult b = result_of({{0, 0.5}, {4.2, 0.5}, {4.2, 2.5}, {10, 8.5}});
  const Events a_events = events_of({"4 lamp Off->On"}), b_events = events_of({"4.2 lamp Off->On"});
  CompareOptions options;
  options.time = 0.25;
  const auto both = [&](const RunResult& second) {
    return compare_runs({&a, &a_events}, {&second, &b_events}, options).value();
  };
  EXPECT_TRUE(both(b).alike());
  const RunResult early = result_of({{0, 0.5}, {3.5, 0.5}, {3.5, 2.5}, {10, 8.5}});
  EXPECT_FALSE(both(early).alike()) << "the jump comes long before its event";
  options.time = 0.1;
  const Comparison late = both(b);
  EXPECT_EQ(late.first_event()->time, 4);
  EXPECT_EQ(late.first_variable()->first->time, 4) << "an event that is too late aligns nothing";
}

TEST(CompareValues, WholeNumbersAreExact) {
  const RunResult a = result_of({{0, 100000}, {1, 100000}, {1, 100001}, {2, 100001}});
  const RunResult b = result_of({{0, 100000}, {1, 100000}, {1, 100002}, {2, 100002}});
  const Comparison result = compare(a, b);
  ASSERT_FALSE(result.alike());
  EXPECT_TRUE(result.first_variable()->is_whole);
  EXPECT_EQ(result.first_variable()->first->time, 1);
  CompareOptions options;
  options.choices = {{"x", {1, 0}}};
  EXPECT_TRUE(compare(a, b, options).alike());
}

TEST(CompareValues, WhatDoesNotExistMustNotInBoth) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const RunResult a = result_of({{0, kAbsent}, {1, kAbsent}, {1, 2.5}, {2, nan}, {3, infinity}});
  EXPECT_TRUE(compare(a, a).alike());
  const RunResult b = result_of({{0, 2.5}, {1, 2.5}, {1, 2.5}, {2, nan}, {3, infinity}});
  EXPECT_FALSE(compare(a, b).alike());
  const RunResult c = result_of({{0, kAbsent}, {1, kAbsent}, {1, 2.5}, {2, nan}, {3, -infinity}});
  EXPECT_EQ(compare(a, c).first_variable()->first->distance, infinity);
}

TEST(CompareValues, TubesAreChosenByName) {
  const RunResult a = sampled([](double) { return 0.1; }, 10), b = sampled([](double) { return 0.2; }, 10);
  CompareOptions options;
  options.choices = {{"*", {0.5, 0}}, {"x", {0.01, 0}}};
  EXPECT_FALSE(compare(a, b, options).alike()) << "the last one counts";
  options.choices = {{"x", {0.01, 0}}, {"*", {0.5, 0}}};
  EXPECT_TRUE(compare(a, b, options).alike());
  options.choices = {{"speed", {0.5, 0}}};
  EXPECT_FALSE(compare_runs({&a, nullptr}, {&b, nullptr}, options).ok());
}

TEST(CompareValues, WhatIsOnlyInOneRunIsListed) {
  RunResult a = result_of({{0, 1}, {1, 2}}), b = result_of({{0, 1}, {1, 2}});
  a.columns.push_back({"y", "", "", 0, false});
  b.columns.push_back({"z", "", "", 0, true});
  const Comparison result = compare(a, b);
  EXPECT_TRUE(result.alike());
  EXPECT_EQ(result.values.only_in_a, std::vector<std::string>{"y"});
  EXPECT_EQ(result.values.only_in_b, std::vector<std::string>{"z"});
}

TEST(CompareRuns, NothingInCommonIsAFailure) {
  const RunResult x = result_of({{0, 1}, {1, 2}}), y = result_of({{0, 1}, {1, 2}}, "y");
  const Events events = events_of({"1 lamp Off->On"});
  EXPECT_FALSE(compare_runs({&x, nullptr}, {&y, nullptr}, {}).ok());
  EXPECT_FALSE(compare_runs({&x, nullptr}, {nullptr, &events}, {}).ok());
  EXPECT_FALSE(compare_runs({&x, nullptr}, {&y, &events}, {}).ok());
  EXPECT_TRUE(compare_runs({&x, &events}, {&y, &events}, {}).ok());
}

TEST(CompareRuns, AShorterRunIsAnotherRun) {
  const auto ramp = [](double t) { return t + 0.5; };
  const RunResult a = sampled(ramp, 100, 10), b = sampled(ramp, 50, 5);
  const Comparison result = compare(a, b);
  EXPECT_TRUE(result.ends_apart);
  EXPECT_EQ(result.first_variable(), nullptr) << "up to there they are the same";
  CompareOptions options;
  options.until = 4;
  EXPECT_TRUE(compare(a, b, options).alike());
}

}  // namespace
}  // namespace hyla::record
