#include "syntax/verify_tree.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "syntax/node_shapes.h"
#include "syntax/parser.h"

namespace hyla::syntax {
namespace {

/// More nodes on one path than one level of nesting can contribute: `-f(x)^2 + 1 < y and …` inside parentheses.
constexpr std::uint32_t kNodesPerLevel = 12;

class Verifier {
 public:
  explicit Verifier(const Tree& tree) : tree_(tree) {}

  std::vector<std::string> run() {
    verify_tokens();
    if (!tree_.root() || tree_.kind(tree_.root()) != NodeKind::File) {
      problem("the root is not a File");
      return std::move(problems_);
    }
    const Node& root = tree_.node(tree_.root());
    if (root.first_token != 0 || root.end_token + 1 != tree_.tokens().size()) problem("the root leaves out tokens");
    for (std::uint32_t i = 0; i < tree_.node_count(); ++i) verify_node(NodeId{i});
    verify_parents();
    return std::move(problems_);
  }

 private:
  void problem(std::string text) { problems_.push_back(std::move(text)); }

  /// Between tokens and comments there is white space only.
  void verify_tokens() {
    const std::span<const Token> tokens = tree_.tokens();
    if (tokens.empty() || tokens.back().kind != TokenKind::EndOfFile) return problem("the tokens do not end");
    std::uint32_t behind = 0;
    std::size_t next_comment = 0;
    const auto pass = [&](std::uint32_t begin, std::uint32_t end) {
      if (begin < behind || end < begin) return problem(fmt::format("overlapping text at {}", begin));
      std::string_view gap = tree_.source().substr(behind, begin - behind);
      if (behind == 0 && gap.starts_with("\xEF\xBB\xBF")) gap.remove_prefix(3);
      if (gap.find_first_not_of(" \t\r\n\v\f") != std::string_view::npos)
        problem(fmt::format("lost text at {}", behind));
      behind = end;
    };
    for (std::uint32_t i = 0; i < tokens.size(); ++i) {
      while (next_comment < tree_.comments().size() && tree_.comments()[next_comment].next_token == i) {
        const Comment& comment = tree_.comments()[next_comment++];
        pass(comment.begin, comment.end);
      }
      pass(tokens[i].begin, tokens[i].end);
      const bool is_empty = tokens[i].begin == tokens[i].end;
      if (is_empty != (i + 1 == tokens.size())) problem(fmt::format("an empty token at {}", tokens[i].begin));
    }
    if (behind != tree_.source().size()) problem("the tokens end too early");
    if (next_comment != tree_.comments().size()) problem("a comment is out of order");
  }

  void verify_node(NodeId id) {
    const Node& node = tree_.node(id);
    const auto complain = [&](std::string_view what) {
      problem(fmt::format("{} {} at token {}: {}", name_of(node.kind), id.index, node.first_token, what));
    };
    if (node.first_token > node.end_token || node.end_token >= tree_.tokens().size()) return complain("bad range");
    if (const auto tokens = leaf_tokens(node.kind)) {
      const std::uint32_t count = node.end_token - node.first_token;
      if (*tokens == LeafTokens::One && count != 1) complain("does not cover one token");
      if (*tokens == LeafTokens::None && count != 0) complain("covers tokens");
    }
    std::vector<NodeKind> kinds;
    std::uint32_t behind = node.first_token;
    for (const NodeId child_id : tree_.children(id)) {
      if (child_id.index >= id.index) return complain("a child that is not made before its parent");
      const Node& child = tree_.node(child_id);
      kinds.push_back(child.kind);
      if (child.first_token < behind || child.end_token > node.end_token) complain("a child outside of its place");
      behind = child.end_token;
    }
    if (!children_fit(node.kind, kinds)) {
      std::string names;
      for (const NodeKind kind : kinds) names += fmt::format(" {}", name_of(kind));
      complain("has other children than described:" + names);
    }
  }

  void verify_parents() {
    std::vector<std::uint32_t> parents(tree_.node_count());
    std::vector<std::uint32_t> heights(tree_.node_count());
    for (std::uint32_t i = 0; i < tree_.node_count(); ++i) {
      for (const NodeId child : tree_.children(NodeId{i})) {
        ++parents[child.index];
        heights[i] = std::max(heights[i], heights[child.index] + 1);
      }
    }
    for (std::uint32_t i = 0; i < tree_.node_count(); ++i) {
      const bool is_root = NodeId{i} == tree_.root();
      if (parents[i] != (is_root ? 0 : 1)) problem(fmt::format("node {} has {} parents", i, parents[i]));
    }
    const std::uint32_t height = heights[tree_.root().index];
    if (height > kNodesPerLevel * static_cast<std::uint32_t>(kMaxNesting)) problem(fmt::format("{} levels", height));
  }

  const Tree& tree_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify_tree(const Tree& tree) { return Verifier(tree).run(); }

}  // namespace hyla::syntax
