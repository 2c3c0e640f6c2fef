// Braces and what stands between them. Where the file lacks a brace, indentation tells where it belongs.
#include "syntax/parser_impl.h"

namespace hyla::syntax {

/// Reads items up to the `}` that belongs to the `{` here.
void Parser::braced(Rule read_item) {
  const Nesting nesting(*this);
  if (!nesting) {
    const Start start = this->start();
    if (at(TokenKind::BraceOpen)) skip_braces();
    return invalid_since(start);
  }
  Brace brace;
  if (!open_brace(brace)) return;
  while (true) {
    if (at(TokenKind::BraceClose)) {
      end_silence();
      if (is_stray_close(brace)) continue;
      if (closes_outer(brace)) return unclosed_brace(brace);
      return advance();
    }
    if (at(TokenKind::EndOfFile) || at_outer_declaration() || is_left_by_indentation(brace)) {
      end_silence();
      return unclosed_brace(brace);
    }
    begin_item();
    const std::uint32_t before = at_;
    (this->*read_item)();
    if (at_ == before) token_leaf(NodeKind::Invalid);
  }
}

bool Parser::open_brace(Brace& brace) {
  const std::uint32_t head = at_ > 0 ? at_ - 1 : 0;
  brace = {at_, false};
  if (accept(TokenKind::BraceOpen)) return true;
  error_expected("`{`");
  // Something too much in a head does not make its body unreadable.
  while (!at(TokenKind::BraceOpen) && !at(TokenKind::BraceClose) && !at(TokenKind::Semicolon) &&
         !at(TokenKind::EndOfFile) && !at_line_start()) {
    advance();
  }
  brace = {at_, false};
  if (accept(TokenKind::BraceOpen)) return true;
  brace = {head, true};
  if (!at_line_start() || indentation(at_) <= indentation(head) || at(TokenKind::BraceClose)) return false;
  ++missing_closers_;
  return true;
}

/// A body whose `{` is missing ends where the text is no longer indented.
bool Parser::is_left_by_indentation(const Brace& brace) const {
  return brace.is_implied && at_line_start() && indentation(at_) <= indentation(brace.token);
}

/// Whether a declaration at the left margin shows that a `}` is missing before it.
bool Parser::at_outer_declaration() const {
  if (missing_closers_ <= 0 || !opens_declaration(kind()) || !at_line_start()) return false;
  return indentation(at_) == 0 && opens_declaration(opener());
}

/// A `}` deeper than the line of its `{` closes nothing if the file has one too many.
bool Parser::is_stray_close(const Brace& brace) {
  if (missing_closers_ >= 0 || !at_line_start() || indentation(at_) <= indentation(brace.token)) return false;
  ++missing_closers_;
  error_here(diag::Kind::Unexpected, "this `}` closes nothing")
      .label(builder_.tree().span(tokens_[brace.token]), "this `{` is closed further down");
  token_leaf(NodeKind::Invalid);
  return true;
}

/// A `}` further left than the line of its `{` belongs to another one if the file has one too few.
bool Parser::closes_outer(const Brace& brace) const {
  return missing_closers_ > 0 && at_line_start() && indentation(at_) < indentation(brace.token);
}

void Parser::unclosed_brace(const Brace& brace) {
  if (missing_closers_ > 0) --missing_closers_;
  if (brace.is_implied) return;
  error(diag::Kind::UnclosedBracket, tokens_[brace.token].begin, tokens_[brace.token].end, "this `{` is not closed")
      .label(builder_.tree().span(tokens_[at_]),
             at(TokenKind::EndOfFile) ? "the file ends here" : "expected `}` before this");
}

}  // namespace hyla::syntax
