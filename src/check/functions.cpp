#include <algorithm>

#include <fmt/core.h>

#include "check/actions.h"
#include "check/expressions.h"
#include "check/passes.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

/// A `break` that leaves the loop around the node.
bool has_break(const syntax::Tree& tree, NodeId node) {
  for (NodeId child : tree.children(node)) {
    const NodeKind kind = tree.kind(child);
    if (kind == NodeKind::Break) return true;
    const bool loop = kind == NodeKind::Loop || kind == NodeKind::While || kind == NodeKind::For;
    if (!loop && has_break(tree, child)) return true;
  }
  return false;
}

}  // namespace

bool always_returns(const syntax::Tree& tree, NodeId node) {
  const std::span<const NodeId> children = tree.children(node);
  switch (tree.kind(node)) {
    case NodeKind::Return:
    case NodeKind::Invalid:  // reported before; it may have been meant as a `return`
      return true;
    case NodeKind::Block:
      return std::any_of(children.begin(), children.end(), [&](NodeId child) { return always_returns(tree, child); });
    case NodeKind::If:
      return children.size() > 2 && always_returns(tree, children[1]) && always_returns(tree, children[2]);
    case NodeKind::Loop:
      return !has_break(tree, node);
    default:
      return false;
  }
}

void check_function(Context& context, FunctionId id) {
  settle_function(context, id);
  const Origin origin = context.function_origins[id].first;
  const syntax::Tree& tree = context.tree(origin.module);
  const NodeId block = tree.find(origin.node, NodeKind::Block);
  if (!block) return;
  Place place;
  place.module = origin.module;
  place.scope = context.function_scopes[id];
  place.use = Use::Function;
  const BlockId checked = check_block(context, place, BlockKind::Function, block, id);
  context.model.functions[id].block = checked;
  const Function& function = context.model.functions[id];
  if (!function.results.empty() && !always_returns(tree, block)) {
    context.sink
        .report(Kind::MissingReturn, function.span,
                fmt::format("function `{}` can end without a result", context.name(function.name)))
        .hint("every way through the function must reach a `return`");
  }
}

}  // namespace hyla::check
