// The one layout of source text.
//
// format() lays out what the author wrote and changes nothing else: the tokens stay, except for a `;` behind `}`, which
// has no meaning, and so do all comments. docs/formatting.md describes the layout. The work goes through three stages:
//
//   format_layout    tree                        -> a Gap per token: how it is set off from the token before
//   format_weave     tokens, comments and gaps   -> a Document: texts, possible line breaks, groups, indents
//   format_document  Document                    -> text of lines that fit
//
// Every stage is linear in the length of the text and none recurses.
#pragma once

#include <string>

#include "syntax/tree.h"

namespace hyla::syntax {

/// The text of the tree in the standard layout. Formatting the result again changes nothing. Meant for trees of files
/// without syntax errors; for others the tokens and comments are kept too, but the lines are nothing to be proud of.
std::string format(const Tree& tree);

}  // namespace hyla::syntax
