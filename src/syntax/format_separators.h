// The spaces and possible line breaks between the parts of a node.
#pragma once

#include <cstdint>

#include "syntax/format_layout.h"
#include "syntax/tree.h"

namespace hyla::syntax {

/// A child of a node, or one of the tokens that belong to the node itself.
struct Part {
  NodeId child{};  ///< none for a token
  NodeKind node = NodeKind::Invalid;
  TokenKind token = TokenKind::EndOfFile;  ///< EndOfFile for a child
  std::uint32_t first_token = 0;
  std::uint32_t end_token = 0;

  bool is(TokenKind kind) const { return !child && token == kind; }
  bool is(NodeKind kind) const { return child && node == kind; }
  bool is_body() const { return is(NodeKind::Body) || is(NodeKind::Block); }
};

/// What separates two neighbouring parts of a node of that kind, before brackets and braces have their say.
Separator separator_between(NodeKind kind, const Part& left, const Part& right);

}  // namespace hyla::syntax
