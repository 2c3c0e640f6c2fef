// Texts that once crashed the checker or took time out of all proportion. There are no stop-watches here: what is slow
// again shows as a test that does not end; `./dev bench --shapes` measures.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "check/check.h"
#include "check/forest.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace hyla::check {
namespace {

class NoModules : public ModuleFinder {
 public:
  Found find(std::string_view /*name*/, diag::FileId /*importer*/) override { return {}; }
};

/// What is reported about a text: how many errors, and the kinds of those that are kept.
struct Reported {
  std::size_t errors = 0;
  std::vector<diag::Diagnostic> diagnostics;
  bool all_are(diag::Kind kind) const {
    return std::all_of(diagnostics.begin(), diagnostics.end(), [&](const auto& d) { return d.kind == kind; });
  }
};

Reported report(std::string text) {
  diag::Sources sources;
  const diag::FileId file = sources.add("test.hyla", std::move(text));
  diag::Sink sink;
  NoModules finder;
  check(load_modules(sources, {}, file, finder, sink), sink);
  return {sink.error_count(), sink.sorted()};
}

/// `line(i)` for i = 0 … count - 1, one after the other.
template <class Line>
std::string repeat(std::size_t count, Line line) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += line(i);
  return text;
}

TEST(Limits, ConstantsMayDependOnEachOtherInALongRow) {
  const std::string globals =
      repeat(100'000, [](auto i) { return fmt::format("constant c{} = c{} + 1;\n", i, i + 1); });
  EXPECT_EQ(report(globals + "constant c100000 = 1;\n").errors, 0U);
  const std::string members =
      repeat(100'000, [](auto i) { return fmt::format("parameter c{} = c{} + 1;\n", i, i + 1); });
  EXPECT_EQ(report("model M {\n" + members + "parameter c100000 = 1;\n}\n").errors, 0U);
}

TEST(Limits, ALongCircleOfConstantsIsToldOnce) {
  const std::string text =
      repeat(10'000, [](auto i) { return fmt::format("constant c{} = c{} + 1;\n", i, (i + 1) % 10'000); });
  EXPECT_EQ(report(text).errors, 1U);
}

TEST(Limits, LongRowsThroughObjectsAreRefused) {
  const std::string text = repeat(5'000, [](auto i) {
    return fmt::format("model M{} {{\n    object o: M{};\n    parameter p = o.p + 1;\n}}\n", i, i + 1);
  });
  const Reported reported = report(text + "model M5000 {\n    parameter p = 1;\n}\n");
  EXPECT_TRUE(reported.all_are(diag::Kind::NestingTooDeep));
}

TEST(Limits, LongRowsOfTypesAreRefused) {
  const std::string types = repeat(50'000, [](auto i) { return fmt::format("type T{} = T{};\n", i, i + 1); });
  const Reported aliases = report(types + "type T50000 = Real;\nmodel M { var x: T0; x = 1; }\n");
  EXPECT_GT(aliases.errors, 0U);
  EXPECT_TRUE(aliases.all_are(diag::Kind::NestingTooDeep));
  const std::string rows = repeat(50'000, [](auto i) { return fmt::format("record R{} {{ r: R{}; }}\n", i, i + 1); });
  const Reported records = report(rows + "record R50000 { x; }\n");
  EXPECT_GT(records.errors, 0U);
  EXPECT_TRUE(records.all_are(diag::Kind::NestingTooDeep));
}

TEST(Limits, LongRowsOfBasesAreRefused) {
  const auto row = [](std::size_t count) {
    return repeat(count, [](auto i) { return fmt::format("model M{} extends M{} {{ }}\n", i, i + 1); }) +
           fmt::format("model M{} {{ }}\n", count);
  };
  EXPECT_EQ(report(row(60)).errors, 0U);
  const Reported reported = report(row(50'000));
  EXPECT_GT(reported.errors, 0U);
  EXPECT_TRUE(reported.all_are(diag::Kind::NestingTooDeep));
}

TEST(Limits, WaysThroughChoicesAreNotCountedOneByOne) {
  // Ten branches each, forty choices deep: more ways than could ever be followed.
  std::string text = "model M {\n    parameter p = 1;\n    chart c {\n        initial -> C0;\n";
  text += repeat(40, [](auto i) {
    const std::string next = i < 39 ? fmt::format("C{};", i + 1) : "S;";
    const std::string branch = fmt::format("if p > 1 -> {} ", next);
    return fmt::format("choice C{} {{ {} else -> {} }}\n", i, repeat(9, [&](auto) { return branch; }), next);
  });
  text += "state S {\n    var x;\n    der(x) = 1;\n}\n}\n}\n";
  const Reported reported = report(text);
  EXPECT_GT(reported.errors, 0U);
  EXPECT_TRUE(reported.all_are(diag::Kind::UnassignedState));
}

TEST(Limits, ManyMistakesStayCheap) {
  const std::string names = repeat(
      20'000, [](auto i) { return fmt::format("var value_of_{0} := 0;\nder(value_of_{0}) = walue_off_{0};\n", i); });
  const Reported unknown = report("model M {\n" + names + "}\n");
  EXPECT_EQ(unknown.errors, 20'000U);
  EXPECT_EQ(unknown.diagnostics.size(), diag::Sink::kMostPerFile);
  EXPECT_FALSE(unknown.diagnostics.front().hints.empty());
  const std::string twice = repeat(20'000, [](auto i) { return fmt::format("der(x) = {};\n", i); });
  EXPECT_EQ(report("model M {\nvar x := 0;\n" + twice + "}\n").errors, 19'999U);
}

TEST(Limits, ADeclarationFirstMetInMutedTextIsReported) {
  const Reported reported = report(
      "model A {\n    chart c {\n        initial -> S {\n            S.x := 1;\n        }\n        state S {\n"
      "            var x: Ream;\n            der(x) = 1;\n        }\n    }\n}\n");
  EXPECT_EQ(reported.errors, 1U);
  EXPECT_TRUE(reported.all_are(diag::Kind::UnknownName));
}

}  // namespace
}  // namespace hyla::check
