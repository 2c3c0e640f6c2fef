#include "syntax/lexer.h"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "syntax/literals.h"
#include "syntax/testing.h"
#include "syntax/words.h"

namespace hyla::syntax {
namespace {

/// The tokens' texts, separated by blanks; what the lexer complains about follows behind `!`.
std::string lexed(const std::string& text) {
  diag::Sources sources;
  const diag::FileId file = sources.add("test.hyla", text);
  diag::Sink sink;
  Reporter reporter(file, sink);
  const Lexed result = lex(sources.text(file), reporter);
  std::string line;
  for (const Token& token : result.tokens) {
    if (token.kind == TokenKind::EndOfFile) break;
    if (!line.empty()) line += ' ';
    line += text.substr(token.begin, token.end - token.begin);
  }
  for (const diag::Diagnostic& d : sink.diagnostics()) line += fmt::format(" ! {}", diag::info(d.kind).name);
  return line;
}

std::vector<TokenKind> kinds(const std::string& text) {
  const Parsed parsed(text);
  std::vector<TokenKind> kinds;
  for (const Token& token : parsed.tree.tokens()) kinds.push_back(token.kind);
  kinds.pop_back();
  return kinds;
}

TEST(Lexer, SplitsSigns) {
  EXPECT_EQ(lexed("{}()[];,.:=..:==!=<=< >=>->+-*/^@"), "{ } ( ) [ ] ; , . := .. := = != <= < >= > -> + - * / ^ @");
  EXPECT_EQ(lexed("a--b"), "a - - b");
  EXPECT_EQ(lexed("a->b a<-b a==b"), "a -> b a < - b a == b");
  EXPECT_EQ(lexed(""), "");
}

TEST(Lexer, ReadsNumbers) {
  EXPECT_EQ(lexed("1..n"), "1 .. n");
  EXPECT_EQ(lexed("1.5..2.5"), "1.5 .. 2.5");
  EXPECT_EQ(lexed("0 12 3.25 1e9 1E-9 2.5e+3"), "0 12 3.25 1e9 1E-9 2.5e+3");
  EXPECT_EQ(lexed("2. "), "2. ! bad-number");
  EXPECT_EQ(lexed(".5"), ".5 ! bad-number");
  EXPECT_EQ(lexed("x.1"), "x .1 ! bad-number");
  EXPECT_EQ(lexed("1...5"), "1 .. .5 ! bad-number");
  EXPECT_EQ(lexed("2x"), "2x ! bad-number");
  EXPECT_EQ(lexed("1e"), "1e ! bad-number");
  EXPECT_EQ(lexed("1e+"), "1e+ ! bad-number");
  EXPECT_EQ(lexed("0x1F"), "0x1F ! bad-number");
  EXPECT_EQ(lexed("1_000"), "1_000 ! bad-number");
  EXPECT_EQ(lexed("1e308"), "1e308");
  EXPECT_EQ(lexed("1e309"), "1e309 ! bad-number");
  EXPECT_EQ(lexed("1e-400"), "1e-400 ! bad-number");
  EXPECT_EQ(lexed(std::string(400, '9')), std::string(400, '9') + " ! bad-number");
}

TEST(Lexer, TellsWhatToWriteInsteadOfABadNumber) {
  const auto hint = [](const std::string& number) {
    const std::vector<std::string> hints = Parsed("constant c = " + number + ";").hints();
    return hints.size() == 1 ? hints[0] : "";
  };
  EXPECT_EQ(hint("2."), "write `2.0`");
  EXPECT_EQ(hint(".5"), "write `0.5`");
  EXPECT_EQ(hint("2x"), "a product is written `2 * x`");
  EXPECT_EQ(hint("0x1F"), "numbers are written in decimal digits");
  EXPECT_EQ(hint("1e+"), "write `1e3`");
}

TEST(Lexer, ReadsLettersOfAnyScript) {
  EXPECT_EQ(lexed("ω αβγ_1 größe 速度 x̄"), "ω αβγ_1 größe 速度 x̄");
  EXPECT_EQ(lexed("_ _a a_1"), "_ _a a_1");
  EXPECT_EQ(lexed("€"), "€ ! unknown-character");
}

TEST(Lexer, ReadsQuotedNames) {
  EXPECT_EQ(lexed("`in` `my name`"), "`in` `my name`");
  EXPECT_EQ(lexed("``"), "`` ! bad-quoted-name");
  EXPECT_EQ(lexed("`abc def\nx"), "`abc def x ! bad-quoted-name");
  EXPECT_EQ(kinds("`model`"), std::vector{TokenKind::Identifier});
}

TEST(Lexer, ReadsStrings) {
  EXPECT_EQ(lexed(R"("a b" "")"), R"("a b" "")");
  EXPECT_EQ(lexed(R"("\n\t\\\"\r\0\x41\u00e9")"), R"("\n\t\\\"\r\0\x41\u00e9")");
  EXPECT_EQ(lexed("\"abc\nx"), "\"abc x ! unterminated-string");
  EXPECT_EQ(lexed("\"abc\r\nx"), "\"abc x ! unterminated-string");
  EXPECT_EQ(lexed("\"abc\\"), "\"abc\\ ! bad-escape ! unterminated-string");
  EXPECT_EQ(lexed(R"("\q\w" x)"), R"("\q\w" x ! bad-escape)");
  EXPECT_EQ(lexed(R"("\x4")"), R"("\x4" ! bad-escape)");
  EXPECT_EQ(lexed(R"("\ud800")"), R"("\ud800" ! bad-escape)");
  EXPECT_EQ(lexed("'abc' x"), "'abc' x ! foreign-sign");
}

TEST(Lexer, ReadsComments) {
  const Parsed parsed("// line\r\n/* block\n */ import a; /// doc\n//// line\n/** block */");
  ASSERT_TRUE(parsed.messages().empty());
  std::vector<std::string> comments;
  for (const Comment& c : parsed.tree.comments()) {
    constexpr std::array<const char*, 3> kForms = {"line", "block", "doc"};
    comments.push_back(fmt::format("{} {} before {}", kForms[static_cast<std::size_t>(c.form)],
                                   parsed.tree.source().substr(c.begin, c.end - c.begin), c.next_token));
  }
  EXPECT_EQ(comments,
            (std::vector<std::string>{"line // line before 0", "block /* block\n */ before 0", "doc /// doc before 3",
                                      "line //// line before 3", "block /** block */ before 3"}));
  EXPECT_EQ(lexed("/* a /* b */ c */"), "c * /");
  EXPECT_EQ(lexed("a /* b"), "a ! unterminated-comment");
  EXPECT_EQ(lexed("/*/"), " ! unterminated-comment");
}

TEST(Lexer, TakesSignsOfOtherLanguagesForWhatTheyMean) {
  const std::vector<std::pair<std::string, TokenKind>> meanings = {
      {"&&", TokenKind::WordAnd},    {"||", TokenKind::WordOr},    {"!", TokenKind::WordNot},
      {"**", TokenKind::Caret},      {"<>", TokenKind::NotEqual},  {"===", TokenKind::EqualEqual},
      {"!==", TokenKind::NotEqual},  {"=<", TokenKind::LessEqual}, {"=>", TokenKind::Arrow},
      {"+=", TokenKind::ColonEqual}, {"%", TokenKind::Slash},      {"≤", TokenKind::LessEqual},
      {"→", TokenKind::Arrow},       {"−", TokenKind::Minus},      {"~=", TokenKind::NotEqual},
      {"/=", TokenKind::ColonEqual},
  };
  for (const auto& [sign, kind] : meanings) {
    EXPECT_EQ(lexed("a " + sign + " b"), "a " + sign + " b ! foreign-sign");
    EXPECT_EQ(kinds(sign), std::vector{kind}) << sign;
  }
  EXPECT_EQ(lexed("# a comment\nx; # another\ny"), "x ; y ! foreign-sign ! foreign-sign");
  EXPECT_EQ(lexed("x' = 3"), "x ' = 3 ! unknown-character");
  EXPECT_EQ(lexed("a ? b"), "a ? b ! unknown-character");
}

TEST(Lexer, ReadsAnyBytes) {
  EXPECT_EQ(lexed("$$$ x"), "$$$ x ! unknown-character");
  EXPECT_EQ(lexed(std::string("a\0b", 3)), std::string("a \0 b ! unknown-character", 25));
  EXPECT_EQ(lexed("a \xFF\xFE b \xFF"), "a \xFF\xFE b \xFF ! invalid-utf8");
  EXPECT_EQ(lexed("// \xFF"), " ! invalid-utf8");
  EXPECT_EQ(lexed("\xEF\xBB\xBFimport x;\r\n"), "import x ;");
  EXPECT_EQ(Parsed(std::string(5000, '\x01') + std::string("$ ~ ") + "x").messages().size(), 3U);
}

TEST(Literals, DecodesStrings) {
  EXPECT_EQ(string_value(R"("")"), "");
  EXPECT_EQ(string_value(R"("a\n\t\\\"\r")"), "a\n\t\\\"\r");
  EXPECT_EQ(string_value(R"("\0")"), std::string(1, '\0'));
  EXPECT_EQ(string_value(R"("\x41\xe9\u00e9\u20ac")"), "Aéé€");
  EXPECT_EQ(string_value(R"("\q")"), R"(\q)");
  EXPECT_EQ(string_value("\"abc"), "abc");
  EXPECT_EQ(string_value("\""), "");
  EXPECT_EQ(string_value("'a'"), "a");
}

TEST(Literals, DecodesNumbers) {
  EXPECT_EQ(number_value("0.1"), 0.1);
  EXPECT_EQ(number_value("1e-9"), 1e-9);
  EXPECT_EQ(number_value("12"), 12.0);
  EXPECT_EQ(number_value("2."), 2.0);
  EXPECT_EQ(number_value("1e999"), 0.0);
}

TEST(Words, AreFoundByTheirSpelling) {
  EXPECT_EQ(word_kind("model"), TokenKind::WordModel);
  EXPECT_EQ(word_kind("first_of"), TokenKind::WordFirstOf);
  EXPECT_EQ(word_kind("models"), TokenKind::Identifier);
  EXPECT_EQ(word_kind("x"), TokenKind::Identifier);
  EXPECT_TRUE(is_reserved(TokenKind::WordAbstract));
  EXPECT_TRUE(is_reserved(TokenKind::WordWhile));
  EXPECT_FALSE(is_reserved(TokenKind::WordAccumulate));
  EXPECT_FALSE(is_reserved(TokenKind::At));
  EXPECT_TRUE(may_be_name(TokenKind::WordWith));
  EXPECT_FALSE(may_be_name(TokenKind::WordWhile));
}

}  // namespace
}  // namespace hyla::syntax
