// The lossless syntax tree of one file.
//
// A Tree is what the parser leaves behind: the significant tokens in order, the comments between them, and nodes over
// ranges of tokens. Nothing of the text is lost: token offsets, comment offsets and the white space between them give
// back every byte. Nodes are plain records in one vector, children are ids in another; a NodeId is an index. The parser
// never fails: where the text makes no sense the tree has `Invalid` nodes and the sink has the messages. A Tree is
// immutable once parse() has returned it.
//
// node_kinds.def lists the kinds with their children.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/source.h"

namespace hyla::syntax {

enum class TokenKind : std::uint8_t {
#define HYLA_TOKEN(kind, text) kind,
#define HYLA_SIGN(kind, text) kind,
#define HYLA_WORD(kind, text) kind,
#define HYLA_PLACE_WORD(kind, text) kind,
#include "syntax/token_kinds.def"
#undef HYLA_TOKEN
#undef HYLA_SIGN
#undef HYLA_WORD
#undef HYLA_PLACE_WORD
};

enum class NodeKind : std::uint8_t {
#define HYLA_NODE(kind, children) kind,
#include "syntax/node_kinds.def"
#undef HYLA_NODE
};

/// How a token is spelled in messages: `;` for a sign or word, "a name" for a class of tokens.
std::string_view spelling(TokenKind kind);
std::string_view name_of(NodeKind kind);
/// Identifiers and words with a meaning in their own place only.
bool may_be_name(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  std::uint32_t begin = 0;  ///< byte offset in the file
  std::uint32_t end = 0;
};

struct Comment {
  enum class Form : std::uint8_t { Line, Block, Doc };
  Form form = Form::Line;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;         ///< without the line break
  std::uint32_t next_token = 0;  ///< index of the first token behind it
};

struct NodeId {
  std::uint32_t index = UINT32_MAX;
  explicit operator bool() const { return index != UINT32_MAX; }
  friend bool operator==(NodeId, NodeId) = default;
};

struct Node {
  NodeKind kind = NodeKind::Invalid;
  std::uint32_t first_token = 0;
  std::uint32_t end_token = 0;  ///< one behind the last
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
};

class Tree {
 public:
  diag::FileId file() const { return file_; }
  std::string_view source() const { return source_; }
  NodeId root() const { return root_; }

  const Node& node(NodeId id) const { return nodes_[id.index]; }
  NodeKind kind(NodeId id) const { return nodes_[id.index].kind; }
  std::span<const NodeId> children(NodeId id) const {
    const Node& n = nodes_[id.index];
    return {children_.data() + n.first_child, n.child_count};
  }
  NodeId child(NodeId id, std::size_t index) const { return children(id)[index]; }
  /// The first child of that kind, or none.
  NodeId find(NodeId id, NodeKind kind) const;
  bool has_modifier(NodeId id, TokenKind word) const;

  const Token& token(std::uint32_t index) const { return tokens_[index]; }
  TokenKind first_token_kind(NodeId id) const { return tokens_[nodes_[id.index].first_token].kind; }
  std::string_view text(const Token& token) const { return source_.substr(token.begin, token.end - token.begin); }
  /// The source text from the node's first token to its last; empty for a node without tokens.
  std::string_view text(NodeId id) const;
  /// The identifier of a Name node, without back-quotes.
  std::string_view name(NodeId id) const;
  /// Where the node stands; for a node without tokens the empty span before the next token.
  diag::Span span(NodeId id) const;
  diag::Span span(const Token& token) const { return {file_, token.begin, token.end}; }
  /// The `///` lines directly before the node, joined by line breaks, without the slashes.
  std::string doc_comment(NodeId id) const;

  std::span<const Token> tokens() const { return tokens_; }  ///< ends with EndOfFile
  std::span<const Comment> comments() const { return comments_; }
  std::size_t node_count() const { return nodes_.size(); }
  /// Bytes held by the tree, without the source text.
  std::size_t memory() const;

 private:
  friend class TreeBuilder;
  diag::FileId file_;
  std::string_view source_;  ///< owned by diag::Sources, which outlives every tree
  std::vector<Token> tokens_;
  std::vector<Comment> comments_;
  std::vector<Node> nodes_;
  std::vector<NodeId> children_;
  NodeId root_;
};

/// Whether a ModelDecl is written with `atomic`.
bool is_atomic(const Tree& tree, NodeId model);

}  // namespace hyla::syntax
