// The promises of a tree, checked: for tests and fuzzing.
#pragma once

#include <string>
#include <vector>

#include "syntax/tree.h"

namespace hyla::syntax {

/// What is wrong with a tree; nothing for every tree that parse() makes, whatever the text.
///
/// Checked are the order of tokens and comments and that they lose nothing but white space, the ranges of nodes, that
/// every node but the root has one parent, that children are as node_kinds.def says (`Invalid` may stand for any), and
/// the height.
std::vector<std::string> verify_tree(const Tree& tree);

}  // namespace hyla::syntax
