// Tokens and trees as text, for `hyla check --dump`.
#pragma once

#include <string>

#include "syntax/tree.h"

namespace hyla::service {

/// One token a line: its place, its kind and its text.
std::string dump_tokens(const syntax::Tree& tree, const diag::Sources& sources);

/// One node a line, indented by its depth; a node without children is followed by its text.
std::string dump_tree(const syntax::Tree& tree);

}  // namespace hyla::service
