// From text to tokens and comments.
//
// The lexer never fails: what it cannot read becomes a token that is marked as bad, with a message. Where the meaning
// is plain all the same (`&&`, a string in single quotes) the token has the kind that was meant.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "syntax/reporter.h"
#include "syntax/tree.h"

namespace hyla::syntax {

struct Lexed {
  std::vector<Token> tokens;  ///< ends with EndOfFile
  std::vector<Comment> comments;
  /// Indices of the tokens that already have a message, in order; what goes wrong right behind them is a consequence.
  std::vector<std::uint32_t> bad_tokens;
};

/// Between tokens and comments nothing is left but white space and a byte-order mark at the start.
Lexed lex(std::string_view text, Reporter& reporter);

}  // namespace hyla::syntax
