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
  std::uint32_t open = at_;
  if (!open_brace(open)) return;
  while (true) {
    if (at(TokenKind::BraceClose)) {
      end_silence();
      if (is_stray_close(open)) continue;
      if (closes_outer(open)) return unclosed_brace(open);
      return advance();
    }
    if (at(TokenKind::EndOfFile) || at_outer_declaration()) {
      end_silence();
      return unclosed_brace(open);
    }
    begin_item();
    const std::uint32_t before = at_;
    (this->*read_item)();
    if (at_ == before) token_leaf(NodeKind::Invalid);
  }
}

bool Parser::open_brace(std::uint32_t& open) {
  open = at_;
  if (accept(TokenKind::BraceOpen)) return true;
  error_expected("`{`");
  // Something too much in a head does not make its body unreadable.
  while (!at(TokenKind::BraceOpen) && !at(TokenKind::BraceClose) && !at(TokenKind::Semicolon) &&
         !at(TokenKind::EndOfFile) && !at_line_start()) {
    advance();
  }
  open = at_;
  if (accept(TokenKind::BraceOpen)) return true;
  if (missing_closers_ >= 0 || !at_line_start() || at_outer_declaration()) return false;
  ++missing_closers_;
  open = at_ > 0 ? at_ - 1 : 0;
  return true;
}

/// Whether a declaration at the left margin shows that a `}` is missing before it.
bool Parser::at_outer_declaration() const {
  if (missing_closers_ <= 0 || !opens_declaration(kind()) || !at_line_start()) return false;
  return indentation(at_) == 0 && opens_declaration(opener());
}

/// A `}` deeper than the line of its `{` closes nothing if the file has one too many.
bool Parser::is_stray_close(std::uint32_t open) {
  if (missing_closers_ >= 0 || !at_line_start() || indentation(at_) <= indentation(open)) return false;
  ++missing_closers_;
  error_here(diag::Kind::Unexpected, "this `}` closes nothing")
      .label(builder_.tree().span(tokens_[open]), "this `{` is closed further down");
  token_leaf(NodeKind::Invalid);
  return true;
}

/// A `}` further left than the line of its `{` belongs to another one if the file has one too few.
bool Parser::closes_outer(std::uint32_t open) const {
  return missing_closers_ > 0 && at_line_start() && indentation(at_) < indentation(open);
}

void Parser::unclosed_brace(std::uint32_t open) {
  if (missing_closers_ > 0) --missing_closers_;
  error(diag::Kind::UnclosedBracket, tokens_[open].begin, tokens_[open].end, "this `{` is not closed")
      .label(builder_.tree().span(tokens_[at_]),
             at(TokenKind::EndOfFile) ? "the file ends here" : "expected `}` before this");
}

}  // namespace hyla::syntax
