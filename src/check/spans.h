// The narrow places that messages mark.
#pragma once

#include "check/context.h"

namespace hyla::check {

/// An item without its annotations, its body and its `;`: `state Filling`, `when level > 1`.
Span head_span(const syntax::Tree& tree, NodeId item);

/// The sign between two expressions; everything between them if there is no such sign.
Span sign_span(const syntax::Tree& tree, NodeId left, NodeId right, TokenKind sign);

}  // namespace hyla::check
