// The tree as text, for tests and debugging.
#pragma once

#include <string>

#include "syntax/tree.h"

namespace hyla::syntax {

/// An s-expression of kinds; a kind that never has children shows its text: `(Equation (NameExpr (Name x))
/// (NumberLiteral 1))`.
std::string dump_tree(const Tree& tree);
std::string dump_tree(const Tree& tree, NodeId node);

}  // namespace hyla::syntax
