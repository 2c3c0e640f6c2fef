#include "syntax/format_weave.h"

#include <algorithm>

namespace hyla::syntax {
namespace {

/// An item with two statements in its body stays on one line up to this width.
constexpr std::uint32_t kShortItem = 80;

bool is_word(TokenKind kind) {
  return kind == TokenKind::Identifier || kind == TokenKind::Number || kind >= TokenKind::WordAbstract;
}

bool is_opening_bracket(TokenKind kind) { return kind == TokenKind::ParenOpen || kind == TokenKind::BracketOpen; }

/// Tokens that never stand apart from what is before them.
bool leans_back(TokenKind kind) {
  return kind == TokenKind::ParenClose || kind == TokenKind::BracketClose || kind == TokenKind::Comma ||
         kind == TokenKind::Semicolon;
}

/// Without a space between them the two would be read as something else.
bool would_merge(TokenKind left, TokenKind right) {
  if (is_word(left) && is_word(right)) return true;
  return (left == TokenKind::Number && right == TokenKind::Dot) ||
         (left == TokenKind::Dot && right == TokenKind::Number);
}

class Weaver {
 public:
  Weaver(const Tree& tree, std::span<const Gap> gaps)
      : tree_(tree), gaps_(gaps), comments_(tree.comments()), document_(tree.source()) {}

  Document run() {
    for (std::uint32_t i = 0; i < gaps_.size(); ++i) token(i);
    return std::move(document_);
  }

 private:
  /// The comments between two tokens. Boundary 0 is before the first of them, boundary `size` behind the last.
  struct Comments {
    std::span<const Comment> list;
    std::size_t first_break = 0;  ///< the first boundary behind a comment that is a line break; size + 1 if none is
    bool standing = false;        ///< a line break comes before the first
  };

  void token(std::uint32_t index) {
    const Token& token = tree_.token(index);
    const Gap& gap = gaps_[index];
    repeat(gap.groups_closed, [&] { document_.close_group(); });
    repeat(gap.dedents, [&] { document_.dedent(); });
    repeat(gap.indents, [&] { document_.indent(); });
    repeat(gap.groups_around, [&] { document_.open_group(); });

    const bool is_redundant =
        token.kind == TokenKind::Semicolon && left_ == TokenKind::BraceClose && gap.separator == Separator::None;
    const Comments comments = is_redundant ? Comments{} : comments_before(index);
    if (!comments.list.empty()) {
      place(comments, token, gap);
    } else {
      repeat(gap.dedents_before, [&] { document_.dedent(); });
      if (!is_redundant) separate(token, gap, token.begin);
    }

    for (std::uint16_t i = 0; i < gap.groups; ++i) {
      document_.open_group(i == 0 && gap.short_group ? kShortItem : kLineWidth);
    }
    repeat(gap.indents_within, [&] { document_.indent(); });
    if (is_redundant) return;
    if (token.kind != TokenKind::EndOfFile) document_.text(token.begin, token.end);
    left_ = token.kind;
    left_end_ = token.end;
  }

  template <class Action>
  static void repeat(std::uint16_t count, Action action) {
    for (std::uint16_t i = 0; i < count; ++i) action();
  }

  bool at_start() const { return left_ == TokenKind::EndOfFile; }

  std::size_t newlines(std::uint32_t begin, std::uint32_t end) const {
    return static_cast<std::size_t>(std::ranges::count(tree_.source().substr(begin, end - begin), '\n'));
  }

  /// What stands between two tokens, or between a token and the comment that leads the next one.
  void separate(const Token& token, const Gap& gap, std::uint32_t right_begin) {
    if (at_start()) return;
    switch (gap.separator) {
      case Separator::None:
        if (would_merge(left_, token.kind)) document_.space();
        break;
      case Separator::Space:
        document_.space();
        break;
      case Separator::Line:
        document_.line(Document::Line::Space);
        break;
      case Separator::Soft:
        document_.line(Document::Line::Soft);
        break;
      case Separator::Fill:
        document_.line(Document::Line::Fill);
        break;
      case Separator::Item: {
        const bool at_edge = left_ == TokenKind::BraceOpen || ends_block(token.kind);
        document_.end_line({.blank = !at_edge && newlines(left_end_, right_begin) > 1});
        break;
      }
    }
  }

  static bool ends_block(TokenKind kind) { return kind == TokenKind::BraceClose || kind == TokenKind::EndOfFile; }

  // --- comments ----------------------------------------------------------------------------------------------------

  Comments comments_before(std::uint32_t index) {
    const std::size_t first = next_comment_;
    while (next_comment_ < comments_.size() && comments_[next_comment_].next_token <= index) ++next_comment_;
    Comments found{comments_.subspan(first, next_comment_ - first), 0, false};
    if (found.list.empty()) return found;

    const Token& right = tree_.token(index);
    const bool ends_item = gaps_[index].separator == Separator::Item && ends_block(right.kind);
    found.first_break = 1;
    while (found.first_break <= found.list.size() && !is_break(found, found.first_break, right, ends_item)) {
      ++found.first_break;
    }
    // A block comment alone between braces gets its own line.
    const bool is_content =
        left_ == TokenKind::BraceOpen && ends_item && found.list.front().form == Comment::Form::Block;
    found.standing = at_start() || is_content || newlines(left_end_, found.list.front().begin) > 0;
    return found;
  }

  std::size_t newlines_at(const Comments& comments, std::size_t boundary, const Token& right) const {
    const std::uint32_t begin = boundary == 0 ? left_end_ : comments.list[boundary - 1].end;
    const std::uint32_t end = boundary == comments.list.size() ? right.begin : comments.list[boundary].begin;
    return newlines(begin, end);
  }

  bool is_break(const Comments& comments, std::size_t boundary, const Token& right, bool ends_item) const {
    return comments.list[boundary - 1].form != Comment::Form::Block || newlines_at(comments, boundary, right) > 0 ||
           (ends_item && boundary == comments.list.size());
  }

  void place(const Comments& comments, const Token& token, const Gap& gap) {
    if (comments.first_break > comments.list.size()) {
      place_on_line(comments, token, gap);
    } else {
      place_with_breaks(comments, token, gap);
    }
  }

  /// All comments are followed by the token on the same line: they lead it, or follow the text before if the token
  /// cannot be led.
  void place_on_line(const Comments& comments, const Token& token, const Gap& gap) {
    const bool lead = !leans_back(token.kind);
    const bool tight = is_opening_bracket(left_) || at_start();
    if (lead) {
      repeat(gap.dedents_before, [&] { document_.dedent(); });
      if (gap.separator != Separator::None) separate(token, gap, comments.list.front().begin);
    }
    if ((!lead || gap.separator == Separator::None) && !tight) document_.space();
    for (std::size_t i = 0; i < comments.list.size(); ++i) {
      if (i > 0) document_.space();
      document_.block_comment(comments.list[i].begin, comments.list[i].end);
    }
    if (lead) {
      document_.space();
    } else {
      repeat(gap.dedents_before, [&] { document_.dedent(); });
      separate(token, gap, token.begin);
    }
  }

  void place_with_breaks(const Comments& comments, const Token& token, const Gap& gap) {
    const bool is_item = gap.separator == Separator::Item;
    const bool hanging = is_unforeseen_break(token.kind, gap.separator);
    const bool opens_block = left_ == TokenKind::BraceOpen;
    const bool ends_item = is_item && ends_block(token.kind);
    for (std::size_t boundary = 0; boundary <= comments.list.size(); ++boundary) {
      const bool is_last = boundary == comments.list.size();
      if (is_last) repeat(gap.dedents_before, [&] { document_.dedent(); });
      if (boundary == 0 ? comments.standing : is_break(comments, boundary, token, ends_item)) {
        const bool at_edge =
            (opens_block && boundary == (comments.standing ? 0 : comments.first_break)) || (is_last && ends_item);
        const bool blank = is_item && !at_edge && newlines_at(comments, boundary, token) > 1;
        if (boundary > 0 || !at_start()) document_.end_line({.blank = blank, .hanging = hanging});
      } else if (is_last ? !leans_back(token.kind) : comments.list[boundary].form == Comment::Form::Block) {
        document_.space();
      }
      if (!is_last) comment(comments.list[boundary]);
    }
  }

  /// The comments break the line where the layout has no break: what follows is indented, so that it reads as a
  /// continuation.
  bool is_unforeseen_break(TokenKind right, Separator separator) const {
    if (separator != Separator::None && separator != Separator::Space) return false;
    return left_ != TokenKind::BraceClose && right != TokenKind::BraceOpen && right != TokenKind::BraceClose &&
           right != TokenKind::ParenClose && right != TokenKind::BracketClose;
  }

  void comment(const Comment& comment) {
    if (comment.form == Comment::Form::Block) {
      document_.block_comment(comment.begin, comment.end);
    } else {
      document_.line_comment(comment.begin, comment.end);
    }
  }

  const Tree& tree_;
  std::span<const Gap> gaps_;
  std::span<const Comment> comments_;
  Document document_;
  std::size_t next_comment_ = 0;
  TokenKind left_ = TokenKind::EndOfFile;  ///< the token written last; EndOfFile at the start
  std::uint32_t left_end_ = 0;
};

}  // namespace

Document weave(const Tree& tree, std::span<const Gap> gaps) { return Weaver(tree, gaps).run(); }

}  // namespace hyla::syntax
