// Tokens, comments and gaps become a document.
//
// A comment keeps its place: behind the text of its line, on a line of its own, or before the token that follows it on
// the same line. These places are the same when the result is read again.
#pragma once

#include <span>

#include "syntax/format_document.h"
#include "syntax/format_layout.h"
#include "syntax/tree.h"

namespace hyla::syntax {

Document weave(const Tree& tree, std::span<const Gap> gaps);

}  // namespace hyla::syntax
