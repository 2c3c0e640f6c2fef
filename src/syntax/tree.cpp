#include "syntax/tree.h"

#include <algorithm>
#include <array>

#include "syntax/words.h"

namespace hyla::syntax {
namespace {

constexpr auto kSpellings = std::to_array<std::string_view>({
#define HYLA_TOKEN(kind, text) text,
#define HYLA_SIGN(kind, text) "`" text "`",
#define HYLA_WORD(kind, text) "`" text "`",
#define HYLA_PLACE_WORD(kind, text) "`" text "`",
#include "syntax/token_kinds.def"
#undef HYLA_TOKEN
#undef HYLA_SIGN
#undef HYLA_WORD
#undef HYLA_PLACE_WORD
});

constexpr auto kNodeNames = std::to_array<std::string_view>({
#define HYLA_NODE(kind, children) #kind,
#include "syntax/node_kinds.def"
#undef HYLA_NODE
});

}  // namespace

std::string_view spelling(TokenKind kind) { return kSpellings[static_cast<std::size_t>(kind)]; }

std::string_view name_of(NodeKind kind) { return kNodeNames[static_cast<std::size_t>(kind)]; }

bool may_be_name(TokenKind kind) { return kind == TokenKind::Identifier || is_place_word(kind); }

NodeId Tree::find(NodeId id, NodeKind kind) const {
  for (const NodeId child_id : children(id)) {
    if (node(child_id).kind == kind) return child_id;
  }
  return {};
}

bool Tree::has_modifier(NodeId id, TokenKind word) const {
  return std::ranges::any_of(children(id), [&](NodeId child_id) {
    return kind(child_id) == NodeKind::Modifier && first_token_kind(child_id) == word;
  });
}

std::string_view Tree::text(NodeId id) const {
  const diag::Span place = span(id);
  return source_.substr(place.begin, place.end - place.begin);
}

std::string_view Tree::name(NodeId id) const {
  std::string_view name = text(id);
  if (name.starts_with('`')) name.remove_prefix(1);
  if (name.ends_with('`')) name.remove_suffix(1);
  return name;
}

diag::Span Tree::span(NodeId id) const {
  const Node& n = node(id);
  const std::uint32_t begin = tokens_[n.first_token].begin;
  return {file_, begin, n.first_token == n.end_token ? begin : tokens_[n.end_token - 1].end};
}

std::string Tree::doc_comment(NodeId id) const {
  const std::uint32_t first_token = node(id).first_token;
  const auto behind = std::ranges::upper_bound(comments_, first_token, {}, &Comment::next_token);
  // The first of the doc lines that follow each other without an empty line, each alone on its line.
  auto first = behind;
  std::uint32_t next_begin = tokens_[first_token].begin;
  while (first != comments_.begin()) {
    const Comment& line = *(first - 1);
    const std::string_view gap = source_.substr(line.end, next_begin - line.end);
    const std::string_view before = source_.substr(0, line.begin);
    const std::string_view indent = before.substr(before.find_last_of('\n') + 1);
    const bool directly_before = std::ranges::count(gap, '\n') == 1;
    if (line.next_token != first_token || line.form != Comment::Form::Doc || !directly_before ||
        indent.find_first_not_of(" \t") != std::string_view::npos) {
      break;
    }
    --first;
    next_begin = line.begin;
  }
  std::string text;
  for (auto line = first; line != behind; ++line) {
    std::string_view words = source_.substr(line->begin, line->end - line->begin).substr(3);
    if (words.starts_with(' ')) words.remove_prefix(1);
    if (line != first) text += '\n';
    text += words;
  }
  return text;
}

std::size_t Tree::memory() const {
  return tokens_.size() * sizeof(Token) + comments_.size() * sizeof(Comment) + nodes_.size() * sizeof(Node) +
         children_.size() * sizeof(NodeId);
}

bool is_atomic(const Tree& tree, NodeId model) {
  const Node& n = tree.node(model);
  const auto words = tree.tokens().subspan(n.first_token, n.end_token - n.first_token);
  const auto word = std::ranges::find_if(
      words, [](const Token& t) { return t.kind == TokenKind::WordModel || t.kind == TokenKind::WordAtomic; });
  return word != words.end() && word->kind == TokenKind::WordAtomic;
}

}  // namespace hyla::syntax
