// The words of the language.
#pragma once

#include <string_view>

#include "syntax/tree.h"

namespace hyla::syntax {

/// The word that `text` is, or Identifier.
TokenKind word_kind(std::string_view text);

/// Has a meaning in its own place only.
constexpr bool is_place_word(TokenKind kind) { return kind >= TokenKind::WordAccumulate; }
/// Never a name without back-quotes.
constexpr bool is_reserved(TokenKind kind) { return kind >= TokenKind::WordAbstract && !is_place_word(kind); }

}  // namespace hyla::syntax
