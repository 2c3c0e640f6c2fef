#include "syntax/dump_tree.h"

#include "syntax/node_shapes.h"

namespace hyla::syntax {
namespace {

void dump(const Tree& tree, NodeId node, std::string& out) {
  out += '(';
  out += name_of(tree.kind(node));
  if (leaf_tokens(tree.kind(node)).has_value() && !tree.text(node).empty()) {
    out += ' ';
    out += tree.text(node);
  }
  for (const NodeId child : tree.children(node)) {
    out += ' ';
    dump(tree, child, out);
  }
  out += ')';
}

}  // namespace

std::string dump_tree(const Tree& tree, NodeId node) {
  std::string out;
  dump(tree, node, out);
  return out;
}

std::string dump_tree(const Tree& tree) { return dump_tree(tree, tree.root()); }

}  // namespace hyla::syntax
