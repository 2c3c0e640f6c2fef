#include "syntax/mistakes.h"

#include <algorithm>
#include <array>

namespace hyla::syntax {
namespace {

// Longer texts stand before their own beginnings.
constexpr auto kForeignSigns = std::to_array<ForeignSign>({
    {"&&", TokenKind::WordAnd, "write `and`"},
    {"&", TokenKind::WordAnd, "write `and`"},
    {"||", TokenKind::WordOr, "write `or`"},
    {"|", TokenKind::WordOr, "write `or`"},
    {"!==", TokenKind::NotEqual, "write `!=`"},
    {"!", TokenKind::WordNot, "write `not`"},
    {"~=", TokenKind::NotEqual, "write `!=`"},
    {"~", TokenKind::WordNot, "write `not`"},
    {"<>", TokenKind::NotEqual, "write `!=`"},
    {"===", TokenKind::EqualEqual, "write `==`"},
    {"=<", TokenKind::LessEqual, "write `<=`"},
    {"=>", TokenKind::Arrow, "`->` leads to a state, `>=` compares"},
    {"**", TokenKind::Caret, "a power is written `x^2`"},
    {"+=", TokenKind::ColonEqual, "write `x := x + …`"},
    {"-=", TokenKind::ColonEqual, "write `x := x - …`"},
    {"*=", TokenKind::ColonEqual, "write `x := x * …`"},
    {"/=", TokenKind::ColonEqual, "write `x := x / …`, or `!=` for \"not equal\""},
    {"%", TokenKind::Slash, "write `mod(a, b)`"},
    {"?", TokenKind::Unknown, "a choice is written `if c then a else b`"},
    {"\xC2\xA0", TokenKind::Unknown, "this is a no-break space: use an ordinary space"},
    {"≤", TokenKind::LessEqual, "write `<=`"},
    {"≥", TokenKind::GreaterEqual, "write `>=`"},
    {"≠", TokenKind::NotEqual, "write `!=`"},
    {"×", TokenKind::Star, "write `*`"},
    {"·", TokenKind::Star, "write `*`"},
    {"÷", TokenKind::Slash, "write `/`"},
    {"−", TokenKind::Minus, "write `-`, the hyphen of the keyboard"},
    {"–", TokenKind::Minus, "write `-`, the hyphen of the keyboard"},
    {"→", TokenKind::Arrow, "write `->`"},
    {"∧", TokenKind::WordAnd, "write `and`"},
    {"∨", TokenKind::WordOr, "write `or`"},
    {"¬", TokenKind::WordNot, "write `not`"},
    {"“", TokenKind::Unknown, "strings stand in plain double quotes: \"text\""},
    {"”", TokenKind::Unknown, "strings stand in plain double quotes: \"text\""},
});

constexpr std::string_view kRealVariable = "a variable is declared as `var x: Real`";
constexpr std::string_view kIntegerVariable = "an integer variable is declared as `var n: Integer`";
constexpr std::string_view kBooleanVariable = "a Boolean variable is declared as `var b: Boolean`";
constexpr std::string_view kStringVariable = "a text variable is declared as `var s: String`";
constexpr std::string_view kModel = "the building block is called `model`";

constexpr auto kForeignWords = std::to_array<ForeignWord>({
    {"float", kRealVariable, true},
    {"double", kRealVariable, true},
    {"real", kRealVariable, true},
    {"Real", kRealVariable, true},
    {"int", kIntegerVariable, true},
    {"long", kIntegerVariable, true},
    {"Integer", kIntegerVariable, true},
    {"bool", kBooleanVariable, true},
    {"boolean", kBooleanVariable, true},
    {"Boolean", kBooleanVariable, true},
    {"char", kStringVariable, true},
    {"string", kStringVariable, true},
    {"String", kStringVariable, true},
    {"const", "a constant is declared as `constant c = 3`", true},
    {"variable", kRealVariable, true},
    {"equation", "equations stand directly in the body of a model, without a heading"},
    {"algorithm", "assignments stand in reactions: `when x > 1 { y := 0; }`"},
    {"end", "a body ends with `}`"},
    {"endif", "a block ends with `}`"},
    {"begin", "a block begins with `{`"},
    {"elseif", "write `else if`"},
    {"elsif", "write `else if`"},
    {"elsewhen", "write a second `when`"},
    {"elif", "write `else if`"},
    {"reinit", "a variable is set anew by an assignment: `x := 0`"},
    {"class", kModel},
    {"block", kModel},
    {"component", kModel},
    {"struct", "write `record`"},
    {"package", "a file is a module: there is no `package`"},
    {"include", "write `import`"},
    {"using", "write `import`"},
    {"def", "write `function f(x: Real) -> Real { … }`"},
    {"fn", "write `function f(x: Real) -> Real { … }`"},
    {"func", "write `function f(x: Real) -> Real { … }`"},
    {"returns", "the result of a function is written `-> Real`"},
    {"assert", "write `require`"},
    {"throw", "write `terminate(\"why\")`"},
    {"switch", "write `if … { } else if … { }`, or a `choice` in a chart"},
    {"do", "write `loop { … }` or `while c { … }`"},
});

}  // namespace

const ForeignSign* find_foreign_sign(std::string_view text) {
  const auto* const found =
      std::ranges::find_if(kForeignSigns, [&](const ForeignSign& sign) { return text.starts_with(sign.text); });
  return found == kForeignSigns.end() ? nullptr : found;
}

const ForeignWord* find_foreign_word(std::string_view word) {
  const auto* const found = std::ranges::find(kForeignWords, word, &ForeignWord::word);
  return found == kForeignWords.end() ? nullptr : found;
}

}  // namespace hyla::syntax
