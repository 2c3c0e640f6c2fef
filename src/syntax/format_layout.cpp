#include "syntax/format_layout.h"

#include <algorithm>
#include <span>

#include "syntax/format_separators.h"

namespace hyla::syntax {
namespace {

/// Bodies with more items are never kept on one line.
constexpr std::size_t kMostOnOneLine = 2;

enum class Role : std::uint8_t {
  Part,
  Item,    ///< of a file or between braces
  ElseIf,  ///< the `if` behind `else`, statement or expression; lays out with the first `if`
};

struct Visit {
  NodeId id;
  Role role = Role::Part;
  bool one_line = false;  ///< bodies and further branches of an `if`: the item they belong to may stand on one line
};

/// Declarations that are lists rather than bodies; on one line they may be as long as the line.
bool is_list(NodeKind kind) {
  switch (kind) {
    case NodeKind::ConnectorDecl:
    case NodeKind::MessageDecl:
    case NodeKind::RecordDecl:
    case NodeKind::ProtocolDecl:
    case NodeKind::EnumDecl:
    case NodeKind::ChoiceDecl:
    case NodeKind::Section:
    case NodeKind::ExternalObjectDecl:
      return true;
    default:
      return false;
  }
}

/// Nodes inside which a line breaks only if they do not fit as a whole.
bool is_group(NodeKind kind) {
  switch (kind) {
    case NodeKind::OrExpr:
    case NodeKind::AndExpr:
    case NodeKind::CompareExpr:
    case NodeKind::IsExpr:
    case NodeKind::SumExpr:
    case NodeKind::ProductExpr:
    case NodeKind::IfExpr:
    case NodeKind::Comprehension:
    case NodeKind::Declarator:
    case NodeKind::Parameter:
    case NodeKind::NamedArgument:
    case NodeKind::InitialArgument:
      return true;
    default:
      return false;
  }
}

bool is_if(NodeKind kind) { return kind == NodeKind::If || kind == NodeKind::IfItem; }

class Layout {
 public:
  explicit Layout(const Tree& tree) : tree_(tree), gaps_(tree.tokens().size()) {}

  std::vector<Gap> run() {
    gaps_.front().separator = gaps_.back().separator = Separator::Item;
    visits_.push_back({tree_.root()});
    while (!visits_.empty()) {
      const Visit visit = visits_.back();
      visits_.pop_back();
      node(visit);
    }
    return std::move(gaps_);
  }

 private:
  /// How the elements between brackets are laid out when they do not fit on the line.
  enum class Brackets : std::uint8_t {
    Packed,   ///< f(a, b,
              ///<     c)
    Filled,   ///< [
              ///<     1, 2,
              ///<     3
              ///< ]
    OneEach,  ///< f(
              ///<     a = 1,
              ///<     b = 2
              ///< )
  };

  Gap& gap(std::uint32_t token) { return gaps_[token]; }
  /// The gap behind a token.
  Gap& behind(std::uint32_t token) { return gaps_[token + 1]; }

  void node(const Visit& visit) {
    const NodeKind kind = tree_.kind(visit.id);
    split(visit.id);
    if (parts_.empty()) return;
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      gap(parts_[i].first_token).separator = separator_between(kind, parts_[i - 1], parts_[i]);
    }

    if (kind == NodeKind::File) {
      separate_items(0, parts_.size(), Separator::Item);
      visit_children(visit, 0);
      return;
    }
    const std::size_t brace =
        find_part(0, parts_.size(), [](const Part& part) { return part.is(TokenKind::BraceOpen); });
    const std::size_t head_end = find_part(0, brace, [](const Part& part) { return part.is_body(); });
    const bool is_body = kind == NodeKind::Body || kind == NodeKind::Block;
    const bool one_line = visit.role == Role::ElseIf || is_body ? visit.one_line : group_bodies(visit.id, head_end);
    if (visit.role != Role::ElseIf || is_if(kind)) lay_out_head(visit, kind, head_end);
    if (brace < parts_.size()) lay_out_braces(brace, one_line ? Separator::Line : Separator::Item);
    visit_children({visit.id, visit.role, one_line}, brace);
  }

  /// Lists the parts of a node. Children without tokens are left out.
  void split(NodeId id) {
    parts_.clear();
    const Node& node = tree_.node(id);
    std::uint32_t at = node.first_token;
    const auto add_tokens_until = [&](std::uint32_t end) {
      for (; at < end; ++at) {
        parts_.push_back({.token = tree_.token(at).kind, .first_token = at, .end_token = at + 1});
      }
    };
    for (const NodeId child_id : tree_.children(id)) {
      const Node& child = tree_.node(child_id);
      if (child.first_token == child.end_token) continue;
      add_tokens_until(child.first_token);
      parts_.push_back({child_id, child.kind, TokenKind::EndOfFile, child.first_token, child.end_token});
      at = child.end_token;
    }
    add_tokens_until(node.end_token);
  }

  /// The first of the parts [begin, end) that passes the test, or `end`.
  template <class Test>
  std::size_t find_part(std::size_t begin, std::size_t end, Test test) const {
    while (begin < end && !test(parts_[begin])) ++begin;
    return begin;
  }

  void visit_children(const Visit& parent, std::size_t brace) {
    const NodeKind kind = tree_.kind(parent.id);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      if (!part.child) continue;
      Visit visit{part.child, i >= brace ? Role::Item : Role::Part, parent.one_line};
      const bool behind_else = i > 0 && parts_[i - 1].is(TokenKind::WordElse);
      if (behind_else && part.node == kind) visit.role = Role::ElseIf;
      visits_.push_back(visit);
    }
  }

  // --- heads -------------------------------------------------------------------------------------------------------

  /// Everything before the body: groups, brackets, and the indent of further lines.
  void lay_out_head(const Visit& visit, NodeKind kind, std::size_t head_end) {
    const std::uint32_t first = parts_.front().first_token;
    const bool has_body = head_end < parts_.size();
    const std::uint32_t last = has_body ? parts_[head_end].first_token : parts_.back().end_token - 1;
    if (visit.role == Role::Item || visit.role == Role::ElseIf || is_group(kind)) {
      ++gap(first).groups;
      ++behind(last).groups_closed;
    }

    const std::size_t open = find_part(
        0, head_end, [](const Part& part) { return part.is(TokenKind::ParenOpen) || part.is(TokenKind::BracketOpen); });
    const std::size_t close = find_part(open, head_end, [](const Part& part) {
      return part.is(TokenKind::ParenClose) || part.is(TokenKind::BracketClose);
    });
    if (close < head_end) lay_out_brackets(kind, open, close);
    indent_from_first_break(close < head_end ? close + 1 : 1, head_end, has_body);
  }

  void indent_from_first_break(std::size_t begin, std::size_t end, bool has_body) {
    for (std::size_t i = begin; i < end; ++i) {
      Gap& candidate = gap(parts_[i].first_token);
      if (candidate.separator != Separator::Line && candidate.separator != Separator::Fill) continue;
      // Lines inside parentheses at the start are indented more than those behind.
      if (parts_.front().is(NodeKind::ParenExpr) || parts_.front().is(NodeKind::NotExpr)) {
        ++gap(parts_.front().first_token).indents_within;
      } else {
        ++candidate.indents;
      }
      if (has_body) {
        ++gap(parts_[end].first_token).dedents_before;
      } else {
        ++behind(parts_.back().end_token - 1).dedents;
      }
      return;
    }
  }

  // --- brackets ----------------------------------------------------------------------------------------------------

  Brackets brackets_of(NodeKind kind, std::span<const Part> elements) const {
    const auto holds = [&](NodeKind wanted) {
      return std::ranges::any_of(elements, [&](const Part& part) { return part.is(wanted); });
    };
    switch (kind) {
      case NodeKind::Parameters:
      case NodeKind::TupleExpr:
        return Brackets::OneEach;
      case NodeKind::Arguments: {
        const bool named = holds(NodeKind::NamedArgument) || holds(NodeKind::InitialArgument);
        return named ? Brackets::OneEach : Brackets::Packed;
      }
      case NodeKind::ArrayLiteral:
        return holds(NodeKind::ArrayLiteral) ? Brackets::OneEach : Brackets::Filled;
      default:
        return Brackets::Packed;
    }
  }

  void lay_out_brackets(NodeKind kind, std::size_t open, std::size_t close) {
    const std::uint32_t open_token = parts_[open].first_token;
    const std::uint32_t close_token = parts_[close].first_token;
    if (close == open + 1) return;
    const Brackets style = brackets_of(kind, std::span(parts_).subspan(open, close - open));

    ++gap(open_token + 1).groups_around;
    ++behind(close_token).groups_closed;
    for (std::size_t i = open + 1; i < close; ++i) {
      if (style == Brackets::OneEach && parts_[i - 1].is(TokenKind::Comma)) {
        gap(parts_[i].first_token).separator = Separator::Line;
      }
    }
    if (style == Brackets::Packed) {
      indent_packed(open, close);
      return;
    }
    gap(open_token + 1).separator = Separator::Soft;
    ++gap(open_token + 1).indents;
    gap(close_token).separator = Separator::Soft;
    ++gap(close_token).dedents_before;
  }

  void indent_packed(std::size_t open, std::size_t close) {
    for (std::size_t i = open + 1; i < close; ++i) {
      if (!parts_[i - 1].is(TokenKind::Comma)) continue;
      ++gap(parts_[i].first_token).indents;
      ++gap(parts_[close].first_token).dedents_before;
      return;
    }
  }

  // --- braces ------------------------------------------------------------------------------------------------------

  /// Sets off the parts [begin, end) as items.
  void separate_items(std::size_t begin, std::size_t end, Separator separator) {
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (!is_separator(parts_[i])) gap(parts_[i].first_token).separator = separator;
    }
  }
  static bool is_separator(const Part& part) { return part.is(TokenKind::Semicolon) || part.is(TokenKind::Comma); }

  /// The last `}` behind the `{` at `open`, or `open` if there is none.
  std::size_t closing_brace(std::size_t open) const {
    std::size_t close = parts_.size() - 1;
    while (close > open && !parts_[close].is(TokenKind::BraceClose)) --close;
    return close;
  }

  void lay_out_braces(std::size_t open, Separator separator) {
    const std::size_t close = closing_brace(open);
    if (close == open) return;
    const std::uint32_t open_token = parts_[open].first_token;
    const std::uint32_t close_token = parts_[close].first_token;
    ++gap(open_token + 1).indents;
    ++gap(close_token).dedents_before;
    if (open + 1 == close) {
      gap(close_token).separator = has_comments(open_token, close_token) ? Separator::Item : Separator::Space;
    } else {
      gap(open_token + 1).separator = separator;
      separate_items(open + 1, close, separator);
      gap(close_token).separator = separator;
    }
  }

  // --- items on one line -------------------------------------------------------------------------------------------

  /// The bodies of an item: one, or those of `if`, `else if` and `else`.
  struct Bodies {
    std::uint32_t first_open = 0;
    std::uint32_t last_close = 0;  ///< 0 if there are none
    std::size_t most_items = 0;
    bool is_list = false;
  };

  /// Puts the whole item in a group if it may stand on one line; returns whether it may.
  bool group_bodies(NodeId id, std::size_t head_end) {
    if (head_end == parts_.size()) return false;
    const Bodies bodies = parts_[head_end].child ? bodies_below(id) : own_body(tree_.kind(id), head_end);
    if (bodies.last_close == 0 || (bodies.most_items > kMostOnOneLine && !bodies.is_list) ||
        !is_on_one_line(bodies.first_open, bodies.last_close)) {
      return false;
    }
    Gap& first = gap(parts_.front().first_token);
    ++first.groups;
    first.short_group = bodies.most_items > 1 && !bodies.is_list;
    ++behind(bodies.last_close).groups_closed;
    return true;
  }

  Bodies own_body(NodeKind kind, std::size_t open) const {
    const std::size_t close = closing_brace(open);
    if (close == open) return {};
    const auto items = std::span(parts_).subspan(open + 1, close - open - 1);
    const auto count = std::ranges::count_if(items, [](const Part& part) { return !is_separator(part); });
    return {parts_[open].first_token, parts_[close].first_token, static_cast<std::size_t>(count), is_list(kind)};
  }

  Bodies bodies_below(NodeId id) const {
    Bodies bodies;
    while (id) {
      NodeId next;
      for (const NodeId child_id : tree_.children(id)) {
        const Node& child = tree_.node(child_id);
        if (is_if(child.kind)) next = child_id;
        if (child.kind != NodeKind::Body && child.kind != NodeKind::Block) continue;
        if (!is_braced(child)) return {};
        if (bodies.last_close == 0) bodies.first_open = child.first_token;
        bodies.last_close = child.end_token - 1;
        bodies.most_items = std::max(bodies.most_items, static_cast<std::size_t>(child.child_count));
      }
      id = next;
    }
    return bodies;
  }

  bool is_braced(const Node& body) const {
    return body.end_token >= body.first_token + 2 && tree_.token(body.first_token).kind == TokenKind::BraceOpen &&
           tree_.token(body.end_token - 1).kind == TokenKind::BraceClose;
  }

  /// The author wrote it on one line, and there are no comments.
  bool is_on_one_line(std::uint32_t open_token, std::uint32_t close_token) const {
    const std::uint32_t begin = tree_.token(open_token).end;
    const std::string_view text = tree_.source().substr(begin, tree_.token(close_token).begin - begin);
    return text.find('\n') == std::string_view::npos && !has_comments(open_token, close_token);
  }

  bool has_comments(std::uint32_t open_token, std::uint32_t close_token) const {
    const auto next = std::ranges::upper_bound(tree_.comments(), open_token, {}, &Comment::next_token);
    return next != tree_.comments().end() && next->next_token <= close_token;
  }

  const Tree& tree_;
  std::vector<Gap> gaps_;
  std::vector<Visit> visits_;
  std::vector<Part> parts_;  ///< of the node being laid out
};

}  // namespace

std::vector<Gap> lay_out(const Tree& tree) { return Layout(tree).run(); }

}  // namespace hyla::syntax
