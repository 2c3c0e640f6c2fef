#include "syntax/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "syntax/literals.h"
#include "syntax/mistakes.h"
#include "syntax/words.h"

namespace hyla::syntax {
namespace {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

#define HYLA_START(first, last) {first, last},
#define HYLA_CONTINUE(first, last)
constexpr auto kStarts = std::to_array<CodePointRange>({
#include "syntax/identifier_ranges.inc"
});
#undef HYLA_START
#undef HYLA_CONTINUE
#define HYLA_START(first, last)
#define HYLA_CONTINUE(first, last) {first, last},
constexpr auto kContinues = std::to_array<CodePointRange>({
#include "syntax/identifier_ranges.inc"
});
#undef HYLA_START
#undef HYLA_CONTINUE

template <std::size_t size>
bool contains(const std::array<CodePointRange, size>& ranges, char32_t code_point) {
  const auto* const above = std::ranges::upper_bound(ranges, code_point, {}, &CodePointRange::first);
  return above != ranges.begin() && code_point <= (above - 1)->last;
}

enum class Class : std::uint8_t { Sign, Space, Letter, Digit, String, QuotedName, HighByte };

constexpr auto kClasses = [] {
  std::array<Class, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\n', '\v', '\f'}) classes[static_cast<unsigned char>(c)] = Class::Space;
  for (std::size_t c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = Class::Letter;
  for (std::size_t c = '0'; c <= '9'; ++c) classes[c] = Class::Digit;
  for (std::size_t c = 0x80; c <= 0xFF; ++c) classes[c] = Class::HighByte;
  classes['_'] = Class::Letter;
  classes['"'] = Class::String;
  classes['`'] = Class::QuotedName;
  return classes;
}();

Class class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

class Lexer {
 public:
  Lexer(std::string_view text, Reporter& reporter) : text_(text), reporter_(reporter) {}
  Lexed run();

 private:
  void check_encoding();
  void next();
  void word();
  void number();
  void string();
  void single_quote();
  void quoted_name();
  void sign();
  void non_ascii();
  void dot();
  void slash();
  void line_comment();
  void block_comment();
  void hash();
  void foreign_or(TokenKind kind);
  bool foreign_sign();
  void unknown(std::size_t length, std::string_view hint = {});
  std::size_t identifier_end(std::size_t from) const;
  std::size_t skip_digits(std::size_t from) const;
  void bad_number(std::size_t end, std::string_view message, std::string hint);

  /// The character `ahead` bytes further on, or NUL behind the end.
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  char char_at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  std::string_view rest() const { return text_.substr(at_); }
  void add(TokenKind kind, std::size_t length) {
    lexed_.tokens.push_back({kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + length)});
    at_ += length;
  }
  void add_bad(TokenKind kind, std::size_t length) {
    lexed_.bad_tokens.push_back(static_cast<std::uint32_t>(lexed_.tokens.size()));
    add(kind, length);
  }
  void add_comment(Comment::Form form, std::size_t end) {
    lexed_.comments.push_back({form, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end),
                               static_cast<std::uint32_t>(lexed_.tokens.size())});
    at_ = end;
  }
  diag::Sink::Entry report(diag::Kind kind, std::size_t begin, std::size_t end, std::string message) {
    return reporter_.report(kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                            std::move(message));
  }

  std::string_view text_;
  Reporter& reporter_;
  Lexed lexed_;
  std::size_t at_ = 0;
};

Lexed Lexer::run() {
  check_encoding();
  lexed_.tokens.reserve(text_.size() / 2 + 16);
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  while (at_ < text_.size()) next();
  add(TokenKind::EndOfFile, 0);
  return std::move(lexed_);
}

// One message is enough: a file in another encoding is wrong in many places.
void Lexer::check_encoding() {
  std::size_t at = 0;
  while (at < text_.size()) {
    if (static_cast<unsigned char>(text_[at]) < 0x80) {
      ++at;
      continue;
    }
    char32_t code_point = 0;
    const std::size_t length = base::decode_utf8(text_.substr(at), code_point);
    if (length == 0) {
      report(diag::Kind::InvalidUtf8, at, at + 1, "the file is not UTF-8 text")
          .hint("save the file with the encoding UTF-8");
      return;
    }
    at += length;
  }
}

void Lexer::next() {
  switch (class_of(text_[at_])) {
    case Class::Space:
      ++at_;
      break;
    case Class::Letter:
      word();
      break;
    case Class::Digit:
      number();
      break;
    case Class::String:
      string();
      break;
    case Class::QuotedName:
      quoted_name();
      break;
    case Class::HighByte:
      non_ascii();
      break;
    case Class::Sign:
      sign();
      break;
  }
}

void Lexer::word() {
  const std::size_t end = identifier_end(at_ + 1);
  add(word_kind(text_.substr(at_, end - at_)), end - at_);
}

std::size_t Lexer::identifier_end(std::size_t from) const {
  while (from < text_.size()) {
    const Class c = class_of(text_[from]);
    if (c == Class::Letter || c == Class::Digit) {
      ++from;
      continue;
    }
    if (c != Class::HighByte) break;
    char32_t code_point = 0;
    const std::size_t length = base::decode_utf8(text_.substr(from), code_point);
    if (length == 0 || !(contains(kStarts, code_point) || contains(kContinues, code_point))) break;
    from += length;
  }
  return from;
}

void Lexer::non_ascii() {
  char32_t code_point = 0;
  const std::size_t length = base::decode_utf8(rest(), code_point);
  if (length > 0 && contains(kStarts, code_point)) {
    const std::size_t end = identifier_end(at_ + length);
    add(TokenKind::Identifier, end - at_);
  } else if (length == 0) {
    std::size_t end = at_ + 1;  // check_encoding() has told it
    while (class_of(char_at(end)) == Class::HighByte && base::decode_utf8(text_.substr(end), code_point) == 0) ++end;
    add_bad(TokenKind::Unknown, end - at_);
  } else if (!foreign_sign()) {
    unknown(length);
  }
}

std::size_t Lexer::skip_digits(std::size_t from) const {
  while (class_of(char_at(from)) == Class::Digit) ++from;
  return from;
}

void Lexer::number() {
  std::size_t end = skip_digits(at_);
  const auto so_far = [&] { return text_.substr(at_, end - at_); };
  if (char_at(end) == '.' && char_at(end + 1) != '.') {
    const std::size_t fraction_end = skip_digits(end + 1);
    if (fraction_end == end + 1) {
      const std::string whole(so_far());
      return bad_number(end + 1, "a number needs digits on both sides of its point",
                        fmt::format("write `{}.0`", whole));
    }
    end = fraction_end;
  }
  bool has_exponent = false;
  if (char_at(end) == 'e' || char_at(end) == 'E') {
    const bool has_sign = char_at(end + 1) == '+' || char_at(end + 1) == '-';
    const std::size_t digits = end + (has_sign ? 2 : 1);
    const std::size_t exponent_end = skip_digits(digits);
    if (exponent_end == digits && has_sign) {
      return bad_number(digits, "the exponent of this number has no digits", fmt::format("write `{}e3`", so_far()));
    }
    has_exponent = exponent_end > digits;
    if (has_exponent) end = exponent_end;
  }
  const std::size_t word_end = identifier_end(end);
  if (word_end > end) {
    const std::string hint =
        text_.substr(at_).starts_with("0x")
            ? "numbers are written in decimal digits"
            : fmt::format("a product is written `{} * {}`", so_far(), text_.substr(end, word_end - end));
    return bad_number(word_end, "letters stand directly behind this number", hint);
  }
  // Only an exponent or hundreds of digits can lead out of the range of a double.
  if (has_exponent || end - at_ > 300) {
    double value = 0;
    if (std::from_chars(text_.data() + at_, text_.data() + end, value).ec != std::errc()) {
      return bad_number(end, "this number is out of range",
                        "the largest number is about 1.8e308, the smallest 4.9e-324");
    }
  }
  add(TokenKind::Number, end - at_);
}

void Lexer::bad_number(std::size_t end, std::string_view message, std::string hint) {
  report(diag::Kind::BadNumber, at_, end, std::string(message)).hint(std::move(hint));
  add_bad(TokenKind::Number, end - at_);
}

void Lexer::dot() {
  if (peek(1) == '.') return add(TokenKind::DotDot, 2);
  if (class_of(peek(1)) != Class::Digit) return add(TokenKind::Dot, 1);
  const std::size_t end = skip_digits(at_ + 1);
  bad_number(end, "a number needs digits on both sides of its point",
             fmt::format("write `0{}`", text_.substr(at_, end - at_)));
}

void Lexer::string() {
  bool bad = false;
  std::size_t end = at_ + 1;
  while (true) {
    end = std::min(text_.find_first_of("\"\\\n", end), text_.size());
    if (char_at(end) != '\\') break;
    char32_t code_point = 0;
    const std::size_t escape = decode_escape(text_.substr(end), code_point);
    if (escape == 0 && !bad) {
      report(diag::Kind::BadEscape, end, std::min(end + 2, text_.size()), "this backslash starts no known escape")
          .hint(R"(escapes are `\n`, `\t`, `\r`, `\0`, `\"`, `\xHH` and `\uHHHH`; a backslash itself is written `\\`)");
      bad = true;
    }
    end += escape > 0 ? escape : 1;
  }
  if (char_at(end) == '"') return add(TokenKind::String, end + 1 - at_);
  if (end > at_ + 1 && text_[end - 1] == '\r') --end;
  report(diag::Kind::UnterminatedString, at_, end, "this string does not end on its line")
      .hint("close it with `\"`; a line break is written `\\n`");
  add_bad(TokenKind::String, end - at_);
}

void Lexer::single_quote() {
  const Class before = at_ > 0 ? class_of(text_[at_ - 1]) : Class::Space;
  const bool is_prime = before == Class::Letter || before == Class::Digit || before == Class::HighByte ||
                        (at_ > 0 && (text_[at_ - 1] == ')' || text_[at_ - 1] == ']'));
  if (is_prime) return unknown(1, "a derivative is written `der(x)`");
  const std::size_t end = text_.find_first_of("'\n", at_ + 1);
  if (char_at(end) != '\'') return unknown(1, "strings stand in double quotes");
  report(diag::Kind::ForeignSign, at_, end + 1, "a string stands in single quotes")
      .hint("strings stand in double quotes");
  add_bad(TokenKind::String, end + 1 - at_);
}

void Lexer::quoted_name() {
  const std::size_t end = std::min(text_.find_first_of("`\n", at_ + 1), text_.size());
  if (char_at(end) == '`' && end > at_ + 1) return add(TokenKind::Identifier, end + 1 - at_);
  if (char_at(end) == '`') {
    report(diag::Kind::BadQuotedName, at_, end + 1, "there is no name between these back-quotes");
    return add_bad(TokenKind::Identifier, 2);
  }
  // The name that was meant is most likely the word that follows.
  const std::size_t word_end = identifier_end(at_ + 1);
  report(diag::Kind::BadQuotedName, at_, word_end, "the back-quote that ends this name is missing");
  add_bad(TokenKind::Identifier, word_end - at_);
}

void Lexer::sign() {
  const char following = peek(1);
  const auto choose = [&](char second, TokenKind two, TokenKind one) {
    return following == second ? add(two, 2) : foreign_or(one);
  };
  switch (text_[at_]) {
    case '{':
      return add(TokenKind::BraceOpen, 1);
    case '}':
      return add(TokenKind::BraceClose, 1);
    case '(':
      return add(TokenKind::ParenOpen, 1);
    case ')':
      return add(TokenKind::ParenClose, 1);
    case '[':
      return add(TokenKind::BracketOpen, 1);
    case ']':
      return add(TokenKind::BracketClose, 1);
    case ';':
      return add(TokenKind::Semicolon, 1);
    case ',':
      return add(TokenKind::Comma, 1);
    case '^':
      return add(TokenKind::Caret, 1);
    case '@':
      return add(TokenKind::At, 1);
    case '.':
      return dot();
    case '/':
      return slash();
    case '+':
      return foreign_or(TokenKind::Plus);
    case '*':
      return foreign_or(TokenKind::Star);
    case '-':
      return choose('>', TokenKind::Arrow, TokenKind::Minus);
    case ':':
      return choose('=', TokenKind::ColonEqual, TokenKind::Colon);
    case '<':
      return choose('=', TokenKind::LessEqual, TokenKind::Less);
    case '>':
      return choose('=', TokenKind::GreaterEqual, TokenKind::Greater);
    case '=':
      return following == '=' && peek(2) != '=' ? add(TokenKind::EqualEqual, 2) : foreign_or(TokenKind::Equal);
    case '!':
      if (following == '=' && peek(2) != '=') return add(TokenKind::NotEqual, 2);
      break;
    case '\'':
      return single_quote();
    case '#':
      return hash();
    default:
      break;
  }
  if (!foreign_sign()) unknown(1);
}

void Lexer::foreign_or(TokenKind kind) {
  const char second = peek(1);
  const bool suspicious = second == '=' || second == '>' || second == '<' || second == '*';
  if (!suspicious || !foreign_sign()) add(kind, 1);
}

bool Lexer::foreign_sign() {
  const ForeignSign* const foreign = find_foreign_sign(rest());
  if (foreign == nullptr) return false;
  if (foreign->meant == TokenKind::Unknown) {
    unknown(foreign->text.size(), foreign->hint);
    return true;
  }
  report(diag::Kind::ForeignSign, at_, at_ + foreign->text.size(),
         fmt::format("`{}` is not a sign of the language", foreign->text))
      .hint(std::string(foreign->hint));
  add_bad(foreign->meant, foreign->text.size());
  return true;
}

void Lexer::unknown(std::size_t length, std::string_view hint) {
  const std::string_view character = text_.substr(at_, length);
  std::size_t end = at_ + length;
  while (text_.substr(end).starts_with(character)) end += length;
  const bool printable = length > 1 || (character[0] > ' ' && character[0] != '\x7F');
  diag::Sink::Entry entry =
      report(diag::Kind::UnknownCharacter, at_, end,
             printable ? fmt::format("the character `{}` has no meaning in the language", character)
                       : fmt::format("the control character U+{:04X} has no meaning in the language", character[0]));
  if (!hint.empty()) entry.hint(std::string(hint));
  add_bad(TokenKind::Unknown, end - at_);
}

void Lexer::slash() {
  if (peek(1) == '/') return line_comment();
  if (peek(1) == '*') return block_comment();
  foreign_or(TokenKind::Slash);
}

void Lexer::line_comment() {
  std::size_t end = std::min(text_.find('\n', at_), text_.size());
  if (end < text_.size() && text_[end - 1] == '\r') --end;
  const bool is_doc = peek(2) == '/' && peek(3) != '/';
  add_comment(is_doc ? Comment::Form::Doc : Comment::Form::Line, end);
}

void Lexer::block_comment() {
  const std::size_t close = text_.find("*/", at_ + 2);
  if (close == std::string_view::npos) {
    report(diag::Kind::UnterminatedComment, at_, at_ + 2, "this comment is not closed").hint("close it with `*/`");
    // What the file lacks at its end stands in the comment.
    lexed_.bad_tokens.push_back(static_cast<std::uint32_t>(lexed_.tokens.size()));
    return add_comment(Comment::Form::Block, text_.size());
  }
  add_comment(Comment::Form::Block, close + 2);
}

// Behind the end of an item a `#` is the comment of other languages, and so is the rest of its line.
void Lexer::hash() {
  constexpr std::string_view kHint = "comments begin with `//`";
  const TokenKind before = lexed_.tokens.empty() ? TokenKind::Semicolon : lexed_.tokens.back().kind;
  if (before != TokenKind::Semicolon && before != TokenKind::BraceOpen && before != TokenKind::BraceClose) {
    return unknown(1, kHint);
  }
  report(diag::Kind::ForeignSign, at_, at_ + 1, "`#` does not begin a comment").hint(std::string(kHint));
  line_comment();
}

}  // namespace

Lexed lex(std::string_view text, Reporter& reporter) { return Lexer(text, reporter).run(); }

}  // namespace hyla::syntax
