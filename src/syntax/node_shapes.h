// The children of each kind of node, as node_kinds.def describes them, in a form that can be checked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "syntax/tree.h"

namespace hyla::syntax {

/// How many tokens a node without children covers.
enum class LeafTokens : std::uint8_t { Any, One, None };

/// For a kind that never has children.
std::optional<LeafTokens> leaf_tokens(NodeKind kind);

/// Whether a node of the kind may have these children; `Invalid` matches every place.
bool children_fit(NodeKind kind, std::span<const NodeKind> children);

}  // namespace hyla::syntax
