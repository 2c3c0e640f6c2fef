#include "diag/diagnostic.h"

#include <set>

#include <gtest/gtest.h>

#include "diag/render.h"

namespace hyla::diag {
namespace {

constexpr FileId kFile = FileId(0);

Span at(std::uint32_t begin, std::uint32_t file = 0) { return {FileId(file), begin, begin + 1}; }

TEST(Kinds, HaveUniqueKebabCaseNamesAndAreFoundByThem) {
  std::set<std::string_view> names;
  for (const KindInfo& kind : all_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(kind.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos)
        << kind.name;
    EXPECT_TRUE(kind.summary.ends_with('.')) << kind.name;
    EXPECT_EQ(find_kind(kind.name), kind.kind);
    EXPECT_EQ(&info(kind.kind), &kind);
  }
  EXPECT_EQ(find_kind("no-such-kind"), std::nullopt);
}

TEST(Sink, TellsAMistakeOnce) {
  Sink sink;
  sink.report(Kind::UnknownName, at(3), "first").hint("kept");
  sink.report(Kind::UnknownName, at(3), "second").hint("dropped");
  sink.report(Kind::TypeMismatch, at(3), "another kind");
  sink.report(Kind::UnknownName, at(3, 1), "another file");
  ASSERT_EQ(sink.diagnostics().size(), 3U);
  EXPECT_EQ(sink.diagnostics()[0].message, "first");
  EXPECT_EQ(sink.diagnostics()[0].hints, std::vector<std::string>{"kept"});
  EXPECT_EQ(sink.error_count(), 3U);
}

TEST(Sink, DropsReportsWhileMuted) {
  Sink sink;
  {
    const Sink::Mute mute(sink);
    const Sink::Mute inactive(sink, false);
    sink.report(Kind::UnknownName, at(1), "dropped").label(at(2), "dropped too");
  }
  EXPECT_FALSE(sink.has_errors());
  sink.report(Kind::UnknownName, at(1), "kept");
  EXPECT_TRUE(sink.has_errors());
}

TEST(Sink, SortsByFilePlaceAndSeverity) {
  Sink sink;
  sink.report(Kind::UnknownName, at(0, 1), "d");
  sink.report(Kind::IncompleteChoice, at(5), "c");
  sink.report(Kind::UnknownName, at(5), "b");
  sink.report(Kind::UnknownName, at(2), "a");
  std::string order;
  for (const Diagnostic& diagnostic : sink.sorted()) order += diagnostic.message;
  EXPECT_EQ(order, "abcd");
}

TEST(Sink, KeepsAThousandOfEachSeverityPerFileAndCountsTheRest) {
  Sink sink;
  for (std::uint32_t i = 0; i < 1200; ++i) sink.report(Kind::UnknownCharacter, at(i), "odd");
  sink.report(Kind::UnreachableState, at(7), "a warning is still seen");
  sink.report(Kind::UnknownCharacter, at(7, 1), "and so is another file");
  EXPECT_EQ(sink.diagnostics().size(), 1002U);
  EXPECT_EQ(sink.error_count(), 1201U);
  EXPECT_EQ(summary(sink.counts()), "1001 errors, 1 warning and 200 more");
}

TEST(Summary, CountsWhatIsThere) {
  EXPECT_EQ(summary({0, 0, 0}), "");
  EXPECT_EQ(summary({1, 0, 0}), "1 error");
  EXPECT_EQ(summary({0, 2, 0}), "2 warnings");
  EXPECT_EQ(summary({2, 1, 0}), "2 errors, 1 warning");
}

TEST(Sources, FindsLinesAndColumnsInCharacters) {
  Sources sources;
  const FileId file = sources.add("a.hyla", "var ω;\r\n\tx\n");
  ASSERT_EQ(file, kFile);
  EXPECT_EQ(sources.line_count(file), 3U);
  EXPECT_EQ(sources.line(file, 1), "var ω;");
  EXPECT_EQ(sources.line(file, 3), "");
  // Asked for in any order, the answers are the same.
  const auto shown = [&](std::uint32_t offset) {
    const Position position = sources.position(file, offset);
    return std::to_string(position.line) + ':' + std::to_string(position.column);
  };
  EXPECT_EQ(shown(6), "1:6");
  EXPECT_EQ(shown(4), "1:5");
  EXPECT_EQ(shown(6), "1:6");
  EXPECT_EQ(shown(10), "2:2");
  EXPECT_EQ(shown(11), "2:3");
  EXPECT_EQ(shown(9), "2:1");
  EXPECT_EQ(sources.position(file, 12).line, 3U);
}

}  // namespace
}  // namespace hyla::diag
