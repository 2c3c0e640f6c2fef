// Golden texts of the rendering. They define the form of messages, so a change here is a change for every user.
#include "diag/render.h"

#include <random>

#include <gtest/gtest.h>

#include "diag/display.h"

namespace hyla::diag {
namespace {

/// A file in which places are found by their text.
class Render : public testing::Test {
 protected:
  FileId add(std::string path, std::string text) { return sources_.add(std::move(path), std::move(text)); }

  Span find(std::string_view text, FileId file = FileId(0), std::size_t from = 0) const {
    const std::size_t begin = sources_.text(file).find(text, from);
    EXPECT_NE(begin, std::string_view::npos) << text;
    return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + text.size())};
  }

  std::string show(const Diagnostic& diagnostic, std::size_t max_columns = 120) const {
    return '\n' + render(diagnostic, sources_, {false, max_columns});
  }

  Sources sources_;
};

TEST_F(Render, HouseForm) {
  add("plant/tank.hyla", std::string(13, '\n') + "    der(level) = level - outflow / area\n");
  EXPECT_EQ(show({Kind::UnitMismatch,
                  "`-` joins `m` and `m/s`",
                  find("-"),
                  "",
                  {{find("level", FileId(0), 25), "`m`"}, {find("outflow / area"), "`m/s`"}},
                  {}}),
            R"(
plant/tank.hyla:14:24: error[unit-mismatch]: `-` joins `m` and `m/s`
  14 |     der(level) = level - outflow / area
     |                  ~~~~~ ^ ~~~~~~~~~~~~~~
     |                  `m`     `m/s`
)");
}

TEST_F(Render, TextsThatFitStandOnOneRow) {
  add("a.hyla", "x = level - outflow;\n");
  EXPECT_EQ(show({Kind::UnitMismatch,
                  "`-` joins `m` and `m/s`",
                  find("-"),
                  "",
                  {{find("level"), "`m`"}, {find("outflow"), "`m/s`"}},
                  {"divide `outflow` by an area", "or not"}}),
            R"(
a.hyla:1:11: error[unit-mismatch]: `-` joins `m` and `m/s`
  1 | x = level - outflow;
    |     ~~~~~ ^ ~~~~~~~
    |     `m`     `m/s`
  hint: divide `outflow` by an area
  hint: or not
)");
}

TEST_F(Render, TextsThatDoNotFitHangDown) {
  add("a.hyla", "x = level - outflow;\n");
  EXPECT_EQ(show({Kind::UnitMismatch,
                  "these do not fit",
                  find("-"),
                  "cannot subtract",
                  {{find("level"), "this is `m`"}, {find("outflow"), "this is `m/s`"}},
                  {}}),
            R"(
a.hyla:1:11: error[unit-mismatch]: these do not fit
  1 | x = level - outflow;
    |     ~~~~~ ^ ~~~~~~~
    |     |     | this is `m/s`
    |     |     cannot subtract
    |     this is `m`
)");
}

TEST_F(Render, OtherLinesFollowInOrder) {
  add("a.hyla", "model A {\n  var x;\n\n  var y;\n  var z;\n  var w;\n  var x;\n}\n");
  EXPECT_EQ(show({Kind::DuplicateName,
                  "`x` is declared twice",
                  find("x", FileId(0), 25),
                  "again here",
                  {{find("x"), "first here"}, {find("y"), "between"}},
                  {}}),
            R"(
a.hyla:7:7: error[duplicate-name]: `x` is declared twice
  2 |   var x;
    |       ~
    |       first here
  3 |
  4 |   var y;
    |       ~
    |       between
  ...
  7 |   var x;
    |       ^
    |       again here
)");
}

TEST_F(Render, OtherFilesComeLast) {
  add("plant.hyla", "import flow;\nobject q: flow.Secret;\n");
  const FileId flow = add("lib/flow.hyla", std::string(99, '\n') + "private model Secret {}\n");
  EXPECT_EQ(show({Kind::PrivateName,
                  "`Secret` is private to `flow`",
                  find("Secret"),
                  "",
                  {{find("private", flow), "declared private here"}},
                  {}}),
            R"(
plant.hyla:2:16: error[private-name]: `Secret` is private to `flow`
    2 | object q: flow.Secret;
      |                ^^^^^^
  in lib/flow.hyla:100:1
  100 | private model Secret {}
      | ~~~~~~~
      | declared private here
)");
}

TEST_F(Render, EmptySpanShowsOneCaret) {
  add("a.hyla", "var x := 1\nvar y;");
  EXPECT_EQ(show({Kind::MissingSemicolon, "`;` is missing", {FileId(0), 10, 10}, "", {}, {}}), R"(
a.hyla:1:11: error[missing-semicolon]: `;` is missing
  1 | var x := 1
    |           ^
)");
  EXPECT_EQ(show({Kind::Expected, "expected `}`", {FileId(0), 17, 17}, "", {}, {}}), R"(
a.hyla:2:7: error[expected]: expected `}`
  2 | var y;
    |       ^
)");
}

TEST_F(Render, EmptyFileAndEndOfFile) {
  add("empty.hyla", "");
  EXPECT_EQ(show({Kind::Expected, "nothing here", {FileId(0), 0, 0}, "", {}, {}}), R"(
empty.hyla:1:1: error[expected]: nothing here
  1 |
    | ^
)");
  add("a.hyla", "model A {\n");
  EXPECT_EQ(show({Kind::UnclosedBracket,
                  "`{` is not closed",
                  {FileId(1), 10, 10},
                  "",
                  {{{FileId(1), 8, 9}, "opened here"}},
                  {}}),
            R"(
a.hyla:2:1: error[unclosed-bracket]: `{` is not closed
  1 | model A {
    |         ~
    |         opened here
  2 |
    | ^
)");
}

TEST_F(Render, SeveralLinesShowTheFirstAndTheLast) {
  add("a.hyla", "a\n  state S {\n    x = 1;\n    y = 2;\n  }\nb\n");
  EXPECT_EQ(show({Kind::UnreachableState,
                  "no transition leads to `S`",
                  find("state S {\n    x = 1;\n    y = 2;\n  }\n"),
                  "this one",
                  {},
                  {}}),
            R"(
a.hyla:2:3: warning[unreachable-state]: no transition leads to `S`
  2 |   state S {
    |   ^^^^^^^^^
    |   this one
  ...
  5 |   }
    |   ^
)");
}

TEST_F(Render, NarrowMarksStayVisibleOnWideOnes) {
  add("a.hyla", "x = (a + b) * c;\n");
  EXPECT_EQ(
      show(
          {Kind::TypeMismatch, "odd", find("a + b"), "all", {{find("(a + b) * c"), "around"}, {find("+"), "sum"}}, {}}),
      R"(
a.hyla:1:6: error[type-mismatch]: odd
  1 | x = (a + b) * c;
    |     ~^^~^^~~~~~
    |     || sum
    |     |all
    |     around
)");
}

TEST_F(Render, TextsOfOnePlaceStack) {
  add("a.hyla", "y = x;\n");
  EXPECT_EQ(show({Kind::TypeMismatch,
                  "odd",
                  find("x"),
                  "a Boolean",
                  {{find("x"), "declared elsewhere"}, {find("y"), "a Real"}},
                  {}}),
            R"(
a.hyla:1:5: error[type-mismatch]: odd
  1 | y = x;
    | ~   ^
    | |   a Boolean
    | |   declared elsewhere
    | a Real
)");
}

TEST_F(Render, TabsAndWideCharactersKeepTheMarksBelow) {
  add("a.hyla", "\tx\t= 温度 + e\u0301y;\n");
  EXPECT_EQ(show({Kind::UnknownName, "`y` is not declared", find("y"), "", {{find("温度"), "wide"}}, {}}),
            "\n"
            "a.hyla:1:13: error[unknown-name]: `y` is not declared\n"
            "  1 |     x   = 温度 + e\u0301y;\n"
            "    |           ~~~~    ^\n"
            "    |           wide\n");
}

TEST_F(Render, ControlCharactersAndBrokenBytesAreHarmless) {
  add("a\x1b.hyla", "x\x1b[31m \xFF \u202Ey\n");
  EXPECT_EQ(show({Kind::InvalidUtf8, "bad\nbyte \x80", find("\xFF"), "tab\there", {}, {"two\nlines"}}),
            "\n"
            "a\uFFFD.hyla:1:8: error[invalid-utf8]: bad byte \uFFFD\n"
            "  1 | x\uFFFD[31m \uFFFD \uFFFDy\n"
            "    |        ^\n"
            "    |        tab here\n"
            "  hint: two\n"
            "        lines\n");
}

TEST_F(Render, LongLinesAreCutAroundThePlace) {
  std::string line;
  for (int i = 100; i < 200; ++i) line += "x" + std::to_string(i) + " + ";
  add("a.hyla", line + "\n");
  EXPECT_EQ(show({Kind::UnknownName,
                  "`x150` is not declared",
                  find("x150"),
                  "here",
                  {{find("x148"), "near"}, {find("x199"), "far"}},
                  {}},
                 60),
            R"(
a.hyla:1:351: error[unknown-name]: `x150` is not declared
  1 | ... x146 + x147 + x148 + x149 + x150 + x151 + x152 ...
    |                   ~~~~          ^^^^                  ~
    |                   near          here               far
)");
}

TEST_F(Render, LongTextsAreWrapped) {
  add("a.hyla", std::string(50, ' ') + "x = y;\n");
  EXPECT_EQ(show({Kind::UnknownName,
                  "odd",
                  find("y"),
                  "a text that has no room at the right of its place and therefore goes to the left",
                  {},
                  {}},
                 60),
            R"(
a.hyla:1:55: error[unknown-name]: odd
  1 | ...                                             x = y;
    |                                                     ^
    |               a text that has no room at the right of
    |               its place and therefore goes to the left
)");
}

TEST_F(Render, EndlessLinesAreCheap) {
  add("a.hyla", std::string(std::size_t{20'000'000}, 'x'));
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::string text = show({Kind::UnknownName, "odd", {FileId(0), 19'000'000 + i, 19'000'010 + i}, "", {}, {}});
    ASSERT_LT(text.size(), 400U);
  }
}

TEST_F(Render, AnyBytesAndPlaces) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  constexpr std::string_view kPieces[] = {"x",    "\n",       "\r\n", "\t",       "温", "e\u0301",
                                          "\xFF", "\xE6\xB8", "\x1b", "        ", "\r"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint32_t i = below(300); i > 0; --i) text += kPieces[below(std::size(kPieces))];
    const FileId file = add("a.hyla", text);
    const auto place = [&] {
      const std::uint32_t begin = below(text.size() + 1);
      return Span{file, begin, begin + below(text.size() - begin + 1)};
    };
    Diagnostic diagnostic = {Kind::UnknownName, text, place(), text, {}, {text}};
    for (std::uint32_t i = below(5); i > 0; --i) diagnostic.labels.push_back({place(), std::string(below(90), 'l')});
    const std::string shown = show(diagnostic, below(150));
    EXPECT_EQ(shown.find('\x1b'), std::string::npos);
    EXPECT_EQ(shown.find("\xFF"), std::string::npos);
  }
}

TEST_F(Render, CircumstancesOfAFailedRunStandInColumns) {
  add("a.hyla", "var x;\nder(x) = x^2;\n");
  Diagnostic diagnostic = {Kind::StepTooSmall, "too small", find("der(x) = x^2;"), "", {}, {"stop before\nor after"}};
  diagnostic.parts = {{"where", "`Case` at t = 1", {}}, {"blame", "`x`", find("x^2")}, {"solver", "rk45", {}}};
  EXPECT_EQ(show(diagnostic),
            "\na.hyla:2:1: error[step-too-small]: too small\n"
            "  2 | der(x) = x^2;\n"
            "    | ^^^^^^^^^^^^^\n"
            "  where   `Case` at t = 1\n"
            "  blame   `x` (a.hyla:2)\n"
            "  solver  rk45\n"
            "  hint    stop before\n"
            "          or after\n");
}

TEST_F(Render, ColoursOnlyOnDemand) {
  add("a.hyla", "y = x;\n");
  const Diagnostic diagnostic = {Kind::UnknownName, "`x` is not declared", find("x"), "here", {{find("y"), ""}},
                                 {"look"}};
  EXPECT_EQ(render(diagnostic, sources_).find('\x1b'), std::string::npos);
  EXPECT_EQ(render(diagnostic, sources_, {true, 120}),
            "\x1b[1ma.hyla:1:5:\x1b[0m \x1b[1;31merror[unknown-name]:\x1b[0m \x1b[1m`x` is not declared\x1b[0m\n"
            "\x1b[2m  1 |\x1b[0m y = x;\n"
            "\x1b[2m    |\x1b[0m \x1b[1;36m~\x1b[0m   \x1b[1;31m^\x1b[0m\n"
            "\x1b[2m    |\x1b[0m     \x1b[1;31mhere\x1b[0m\n"
            "  \x1b[1;32mhint: \x1b[0mlook\n");
}

TEST_F(Render, SeveralAreSeparatedByEmptyLines) {
  add("a.hyla", "y = x;\n");
  const std::vector<Diagnostic> diagnostics(2, {Kind::UnknownName, "`x` is not declared", find("x"), "", {}, {}});
  const std::string one = render(diagnostics.front(), sources_);
  EXPECT_EQ(render(diagnostics, sources_), one + '\n' + one);
}

TEST(Wrap, BreaksAtBlanksAndKeepsLongWords) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("extraordinary a", 5), (std::vector<std::string>{"extraordinary", "a"}));
  EXPECT_EQ(wrap("a\nb", 5), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace hyla::diag
