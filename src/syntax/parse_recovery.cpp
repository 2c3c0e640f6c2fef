// What happens at a mistake: the message, and where reading goes on.
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "syntax/mistakes.h"
#include "syntax/parser_impl.h"

namespace hyla::syntax {
namespace {

constexpr std::size_t kShownText = 40;

std::string shortened(std::string_view text) {
  if (text.size() <= kShownText) return std::string(text);
  std::size_t end = kShownText;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // not inside a character
  return std::string(text.substr(0, end)) + "…";
}

/// Words that people mistype at the beginning of an item.
constexpr auto kOpeningWords = std::to_array<std::string_view>(
    {"model",      "atomic",      "connector", "message",    "protocol",   "record",    "enum",    "type",   "constant",
     "function",   "import",      "private",   "abstract",   "experiment", "parameter", "input",   "output", "var",
     "discrete",   "object",      "dynamic",   "population", "plug",       "port",      "mailbox", "signal", "tally",
     "accumulate", "process",     "chart",     "state",      "choice",     "initial",   "entry",   "exit",   "defer",
     "hold",       "connect",     "require",   "section",    "when",       "after",     "every",   "let",    "while",
     "loop",       "return",      "send",      "start",      "raise",      "stop",      "cancel",  "delete", "wait",
     "receive",    "environment", "external",  "redefine"});

bool declares_variables(std::string_view word) {
  const TokenKind kind = word_kind(word);
  return kind == TokenKind::WordConstant || kind == TokenKind::WordParameter || kind == TokenKind::WordInput ||
         kind == TokenKind::WordOutput || kind == TokenKind::WordVar || kind == TokenKind::WordDiscrete;
}

}  // namespace

void Parser::begin_item() {
  item_begin_ = at_;
  end_silence();
}

void Parser::end_silence() {
  const bool current_is_bad = next_bad_ > 0 && bad_tokens_[next_bad_ - 1] == at_;
  poisoned_ = current_is_bad || (at_ > 0 && tokens_[at_ - 1].kind == TokenKind::Unknown);
}

diag::Sink::Entry Parser::error(diag::Kind kind, std::uint32_t begin, std::uint32_t end, std::string message) {
  const bool is_consequence = poisoned_ || last_error_ == at_;
  poisoned_ = true;
  last_error_ = at_;
  return is_consequence ? reporter_.swallow(kind) : reporter_.report(kind, begin, end, std::move(message));
}

diag::Sink::Entry Parser::error_here(diag::Kind kind, std::string message) {
  return error(kind, tokens_[at_].begin, tokens_[at_].end, std::move(message));
}

diag::Sink::Entry Parser::error_expected(std::string_view what) {
  diag::Sink::Entry entry = error_here(diag::Kind::Expected, fmt::format("expected {}, found {}", what, found()));
  if (at(TokenKind::Identifier)) {
    const ForeignWord* const foreign = find_foreign_word(text(at_));
    if (foreign != nullptr && !foreign->declares_variable) entry.hint(std::string(foreign->hint));
  }
  return entry;
}

std::string Parser::found() const {
  switch (kind()) {
    case TokenKind::EndOfFile:
    case TokenKind::String:
      return std::string(spelling(kind()));
    default:
      return fmt::format("`{}`", shortened(text(at_)));
  }
}

bool Parser::enter() {
  if (depth_ >= kMaxNesting) {
    error_here(diag::Kind::NestingTooDeep, fmt::format("this is nested more than {} levels deep", kMaxNesting));
    return false;
  }
  ++depth_;
  deepest_ = std::max(deepest_, depth_);
  return true;
}

bool Parser::expect(TokenKind wanted, std::string_view after) {
  if (accept(wanted)) return true;
  std::string what(spelling(wanted));
  if (!after.empty()) what += fmt::format(" after {}", after);
  diag::Sink::Entry entry = error_expected(what);
  if (at(TokenKind::Equal)) entry.hint("two values are compared with `==`");
  if (wanted == TokenKind::WordElse) entry.hint("`if … then … else …` is a value; a statement is written `if c { … }`");
  return false;
}

void Parser::expect_semicolon(std::string_view after) {
  if (accept(TokenKind::Semicolon)) return;
  const bool item_ends =
      at(TokenKind::EndOfFile) || at(TokenKind::BraceClose) || at_line_start() || opens_item(opener());
  if (item_ends) {
    const std::uint32_t place = tokens_[at_ - 1].end;
    error(diag::Kind::MissingSemicolon, place, place, fmt::format("expected `;` after this {}", after));
    return;
  }
  diag::Sink::Entry entry =
      error_here(diag::Kind::Expected, fmt::format("expected `;` after this {}, found {}", after, found()));
  if (const ForeignWord* foreign = find_foreign_word(text(item_begin_))) {
    entry.hint(std::string(foreign->hint));
  } else if (at_name() && builder_.last().kind == NodeKind::Declarator && builder_.last().child_count == 1) {
    entry.hint("a type is written behind a colon: `x: Real`");
  } else if (at_name() || at(TokenKind::Number) || at(TokenKind::ParenOpen)) {
    entry.hint("a product is written with `*`");
  }
  skip_to_item_end();
}

void Parser::close_bracket(TokenKind close, std::uint32_t open) {
  if (accept(close)) return;
  const bool item_ends = at(TokenKind::Semicolon) || at(TokenKind::BraceOpen) || at(TokenKind::BraceClose) ||
                         at(TokenKind::EndOfFile) || (at_line_start() && is_reserved(kind()) && opens_item(kind()));
  if (item_ends) {
    error(diag::Kind::UnclosedBracket, tokens_[open].begin, tokens_[open].end,
          fmt::format("this {} is not closed", spelling(tokens_[open].kind)))
        .label(builder_.tree().span(tokens_[at_]), fmt::format("expected {} before this", spelling(close)));
    return;
  }
  diag::Sink::Entry entry =
      error_here(diag::Kind::Expected, fmt::format("expected `,` or {}, found {}", spelling(close), found()));
  entry.label(builder_.tree().span(tokens_[open]), "opened here");
  if (at(TokenKind::Equal)) entry.hint("two values are compared with `==`");
  const Start start = this->start();
  skip_deep_expression();
  while (accept(TokenKind::Comma)) skip_deep_expression();
  builder_.drop(start.mark);
  accept(close);
}

/// To behind the end of the item, or to the beginning of the next one.
void Parser::skip_to_item_end() {
  while (!at(TokenKind::EndOfFile) && !at(TokenKind::BraceClose)) {
    if (at_ != item_begin_ && at_line_start() && opens_item(opener())) return;
    if (at(TokenKind::BraceOpen)) {
      skip_braces();
      return optional_semicolon();
    }
    if (accept(TokenKind::Semicolon)) return;
    advance();
  }
}

void Parser::skip_to_declaration() {
  do {
    if (at(TokenKind::BraceOpen)) {
      skip_braces();
    } else {
      advance();
    }
  } while (!at(TokenKind::EndOfFile) && !(at_line_start() && opens_declaration(opener())));
}

/// Over `{ … }`, without looking inside.
void Parser::skip_braces() {
  int open = 0;
  do {
    if (at(TokenKind::BraceOpen)) ++open;
    if (at(TokenKind::BraceClose)) --open;
    advance();
  } while (open > 0 && !at(TokenKind::EndOfFile) && !at_outer_declaration());
}

/// Reads what is left of an expression as one Invalid node.
void Parser::skip_deep_expression() {
  const std::uint32_t first = at_;
  int open = 0;
  while (true) {
    const bool opens = at(TokenKind::ParenOpen) || at(TokenKind::BracketOpen);
    const bool closes = at(TokenKind::ParenClose) || at(TokenKind::BracketClose);
    const bool item_ends = at(TokenKind::Semicolon) || at(TokenKind::BraceOpen) || at(TokenKind::BraceClose) ||
                           at(TokenKind::EndOfFile) || (at_line_start() && is_reserved(kind()) && opens_item(kind()));
    if (item_ends || (open == 0 && (closes || at(TokenKind::Comma)))) break;
    open += opens ? 1 : closes ? -1 : 0;
    advance();
  }
  builder_.leaf(NodeKind::Invalid, first, at_);
}

/// A reserved word where only a name can open an item: `input = 3;`.
bool Parser::at_reserved_name() const {
  const TokenKind following = next();
  return is_reserved(kind()) && !begins_expression(kind()) &&
         (following == TokenKind::Equal || following == TokenKind::ColonEqual || following == TokenKind::Dot);
}

/// A reserved word where a name is needed, and not because something was forgotten before it.
bool Parser::reserved_word_is_name() const {
  switch (kind()) {
    case TokenKind::WordAnd:
    case TokenKind::WordOr:
    case TokenKind::WordNot:
    case TokenKind::WordIf:
    case TokenKind::WordThen:
    case TokenKind::WordElse:
    case TokenKind::WordFor:
      return false;
    default:
      return is_reserved(kind()) && !at_line_start();
  }
}

void Parser::reserved_word_error() {
  error_here(diag::Kind::ReservedWord, fmt::format("{} is a reserved word and cannot be a name", spelling(kind())))
      .hint(fmt::format("choose another name, or write it in back-quotes: `` `{}` ``", text(at_)));
}

/// Two names in a row open no item: a word of another language, or one mistyped.
void Parser::misread_item(const Start& start) {
  const std::string_view word = text(at_);
  const ForeignWord* const foreign = find_foreign_word(word);
  const std::optional<std::string_view> meant = base::nearest(word, kOpeningWords);
  if (foreign != nullptr) {
    const std::string_view what =
        foreign->declares_variable ? "does not begin a declaration" : "is not a word of the language";
    error_here(diag::Kind::Unexpected, fmt::format("{} {}", found(), what)).hint(std::string(foreign->hint));
  } else if (meant) {
    error_here(diag::Kind::Unexpected, fmt::format("{} is not a word of the language", found()))
        .hint(fmt::format("did you mean `{}`?", *meant));
  } else {
    const std::uint32_t place = tokens_[at_].end;
    error(diag::Kind::Expected, place, place, fmt::format("expected an operator or `;` after {}", found()));
  }
  if (foreign != nullptr ? foreign->declares_variable : meant && declares_variables(*meant)) {
    if (has_label(start)) builder_.drop(start.mark);
    token_leaf(NodeKind::VariableKind);
    while (next() == TokenKind::Identifier) advance();
    declarators();
    expect_semicolon("declaration");
    return finish(NodeKind::VariableDecl, start);
  }
  advance();
  // A heading such as `equation` stands alone on its line.
  if (foreign == nullptr || !at_line_start()) skip_to_item_end();
  invalid_since(start);
}

/// Makes an Invalid node of the item.
void Parser::skip_rest(const Start& start) {
  skip_to_item_end();
  invalid_since(start);
}

}  // namespace hyla::syntax
