// What people write who come from other languages, and what they should write instead.
#pragma once

#include <string_view>

#include "syntax/tree.h"

namespace hyla::syntax {

/// A sign of another language.
struct ForeignSign {
  std::string_view text;
  TokenKind meant;  ///< Unknown if nothing of ours takes its place
  std::string_view hint;
};

/// The longest foreign sign that `text` begins with, or null. None of them is a sequence of our own signs that could be
/// right.
const ForeignSign* find_foreign_sign(std::string_view text);

/// A word of another language that opens an item or a statement.
struct ForeignWord {
  std::string_view word;
  std::string_view hint;
  bool declares_variable = false;  ///< names follow that are being declared
};

const ForeignWord* find_foreign_word(std::string_view word);

}  // namespace hyla::syntax
