// From text to tree.
#pragma once

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/tree.h"

namespace hyla::syntax {

/// How deep blocks, bodies and expressions may nest, each link of a chain `a.b[1](c)` and each `else if` counted.
/// Whoever walks a tree may recurse: its height is at most a small multiple of this.
inline constexpr int kMaxNesting = 256;

/// Reads one file. Never fails: the tree always has a File as its root, and mistakes go to the sink.
///
/// After a mistake the tree still has the shape that node_kinds.def promises, with an `Invalid` node, often an empty
/// one, in the place of a child that is missing or makes no sense.
Tree parse(const diag::Sources& sources, diag::FileId file, diag::Sink& sink);

}  // namespace hyla::syntax
