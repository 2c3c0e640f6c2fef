#include "check/spans.h"

namespace hyla::check {

Span head_span(const syntax::Tree& tree, NodeId item) {
  std::uint32_t first = tree.node(item).first_token;
  std::uint32_t end = tree.node(item).end_token;
  for (NodeId child : tree.children(item)) {
    const syntax::Node& node = tree.node(child);
    if (node.kind == NodeKind::Annotation) first = node.end_token;
    if ((node.kind == NodeKind::Body || node.kind == NodeKind::Block) && node.first_token > first) {
      end = node.first_token;
      break;
    }
  }
  if (first >= end) return tree.span(item);
  if (end > first + 1 && tree.token(end - 1).kind == TokenKind::Semicolon) --end;
  return {tree.file(), tree.token(first).begin, tree.token(end - 1).end};
}

Span sign_span(const syntax::Tree& tree, NodeId left, NodeId right, TokenKind sign) {
  for (std::uint32_t t = tree.node(left).end_token; t < tree.node(right).first_token; ++t) {
    if (tree.token(t).kind == sign) return tree.span(tree.token(t));
  }
  return {tree.file(), tree.span(left).end, tree.span(right).begin};
}

}  // namespace hyla::check
