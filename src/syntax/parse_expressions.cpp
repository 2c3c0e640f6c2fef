// Names and expressions.
#include <utility>

#include "syntax/parser_impl.h"

namespace hyla::syntax {
namespace {

bool is_comparison(TokenKind kind) { return kind >= TokenKind::EqualEqual && kind <= TokenKind::GreaterEqual; }

}  // namespace

void Parser::name(std::string_view what) {
  if (at_name()) {
    token_leaf(NodeKind::Name);
  } else if (reserved_word_is_name() || at_reserved_name()) {
    reserved_word_error();
    token_leaf(NodeKind::Name);
  } else {
    error_expected(what);
    empty(NodeKind::Invalid);
  }
}

void Parser::name_list() {
  do {
    name();
  } while (accept(TokenKind::Comma));
}

void Parser::path() {
  const Start start = this->start();
  do {
    name();
  } while (accept(TokenKind::Dot));
  finish(NodeKind::Path, start);
}

void Parser::path_list() {
  do {
    path();
  } while (accept(TokenKind::Comma));
}

void Parser::alias() {
  const Start start = this->start();
  advance();
  name();
  finish(NodeKind::Alias, start);
}

void Parser::name_expression() {
  const Start start = this->start();
  name();
  finish(NodeKind::NameExpr, start);
}

/// A path as an expression: `a.b.c`.
void Parser::member_path() {
  const Start start = this->start();
  name_expression();
  for (int links = depth_; at(TokenKind::Dot); ++links) {
    if (links >= kMaxNesting) {
      error_here(diag::Kind::NestingTooDeep, "this chain of members is too long");
      skip_deep_expression();
      return invalid_since(start);
    }
    advance();
    name();
    finish(NodeKind::MemberExpr, start);
  }
}

void Parser::reference() {
  const Start start = this->start();
  const int deepest_outside = std::exchange(deepest_, depth_);
  name_expression();
  chain(start, false);
  deepest_ = std::max(deepest_, deepest_outside);
}

// Each link of a chain puts what it follows one level deeper, after that has been read. So the depth that the beginning
// has reached is kept in deepest_ and grows with every link.
void Parser::chain(const Start& start, bool with_calls) {
  while (true) {
    const bool is_call = with_calls && at(TokenKind::ParenOpen);
    const bool is_member = at(TokenKind::Dot) && (with_calls || next() != TokenKind::ParenOpen);
    if (!is_call && !is_member && !at(TokenKind::BracketOpen)) return;
    const int deepest_so_far = deepest_;
    if (deepest_so_far >= kMaxNesting) {
      error_here(diag::Kind::NestingTooDeep, "this chain of members and calls is too long");
      skip_deep_expression();
      return invalid_since(start);
    }
    if (is_call) {
      arguments();
      finish(NodeKind::CallExpr, start);
    } else if (is_member) {
      advance();
      name();
      finish(NodeKind::MemberExpr, start);
    } else {
      subscripts();
      finish(NodeKind::IndexExpr, start);
    }
    deepest_ = std::max(deepest_, deepest_so_far + 1);
  }
}

void Parser::subscripts() {
  const std::uint32_t open = at_;
  advance();
  const Nesting nesting(*this);
  if (!nesting) {
    skip_deep_expression();
  } else {
    do {
      subscript();
    } while (accept(TokenKind::Comma));
  }
  close_bracket(TokenKind::BracketClose, open);
}

void Parser::subscript() {
  if (at(TokenKind::Colon)) return token_leaf(NodeKind::WholeRange);
  range();
}

void Parser::range() {
  const Start start = this->start();
  expression();
  if (!accept(TokenKind::DotDot)) return;
  expression();
  if (accept(TokenKind::WordStep)) expression();
  finish(NodeKind::Range, start);
}

void Parser::expression() {
  if (at(TokenKind::WordIf)) return if_expression();
  disjunction();
}

void Parser::if_expression() {
  const Start start = this->start();
  const Nesting nesting(*this);
  if (!nesting) return skip_deep_expression();
  advance();
  expression();
  if_expression_rest(start);
}

/// Behind the condition.
void Parser::if_expression_rest(const Start& start) {
  expect(TokenKind::WordThen, "the condition");
  expression();
  expect(TokenKind::WordElse, "the first value of `if … then …`");
  expression();
  finish(NodeKind::IfExpr, start);
}

void Parser::disjunction() {
  const Start start = this->start();
  conjunction();
  if (!at(TokenKind::WordOr)) return;
  while (accept(TokenKind::WordOr)) conjunction();
  finish(NodeKind::OrExpr, start);
}

void Parser::conjunction() {
  const Start start = this->start();
  negation();
  if (!at(TokenKind::WordAnd)) return;
  while (accept(TokenKind::WordAnd)) negation();
  finish(NodeKind::AndExpr, start);
}

void Parser::negation() {
  if (!at(TokenKind::WordNot)) return relation();
  const Start start = this->start();
  const Nesting nesting(*this);
  if (!nesting) return skip_deep_expression();
  advance();
  negation();
  finish(NodeKind::NotExpr, start);
}

void Parser::relation() {
  const Start start = this->start();
  sum();
  if (is_comparison(kind())) {
    token_leaf(NodeKind::CompareOperator);
    sum();
    chained_comparison();
    finish(NodeKind::CompareExpr, start);
  } else if (accept(TokenKind::WordIs)) {
    reference();
    chained_comparison();
    finish(NodeKind::IsExpr, start);
  }
}

/// Reads over further comparisons, which are a mistake.
void Parser::chained_comparison() {
  while (is_comparison(kind()) || at(TokenKind::WordIs)) {
    error_here(diag::Kind::ChainedComparison, "comparisons cannot be chained").hint("write `a < b and b < c`");
    const Start start = this->start();
    advance();
    sum();
    builder_.drop(start.mark);
  }
}

void Parser::sum() {
  const Start start = this->start();
  product();
  if (!at(TokenKind::Plus) && !at(TokenKind::Minus)) return;
  do {
    token_leaf(NodeKind::AddOperator);
    product();
  } while (at(TokenKind::Plus) || at(TokenKind::Minus));
  finish(NodeKind::SumExpr, start);
}

void Parser::product() {
  const Start start = this->start();
  sign();
  if (!at(TokenKind::Star) && !at(TokenKind::Slash)) return;
  do {
    token_leaf(NodeKind::MultiplyOperator);
    sign();
  } while (at(TokenKind::Star) || at(TokenKind::Slash));
  finish(NodeKind::ProductExpr, start);
}

void Parser::sign() {
  if (!at(TokenKind::Minus) && !at(TokenKind::Plus)) return power();
  const Start start = this->start();
  const Nesting nesting(*this);
  if (!nesting) return skip_deep_expression();
  advance();
  sign();
  finish(NodeKind::SignExpr, start);
}

void Parser::power() {
  const Start start = this->start();
  postfix();
  if (!at(TokenKind::Caret)) return;
  const Nesting nesting(*this);
  if (!nesting) {
    skip_deep_expression();
    return invalid_since(start);
  }
  advance();
  sign();
  finish(NodeKind::PowerExpr, start);
}

void Parser::postfix() {
  if (at(TokenKind::Number)) return number_literal();
  const Start start = this->start();
  const int deepest_outside = std::exchange(deepest_, depth_);
  primary();
  chain(start, true);
  deepest_ = std::max(deepest_, deepest_outside);
}

void Parser::primary() {
  const Start start = this->start();
  switch (kind()) {
    case TokenKind::String:
      return token_leaf(NodeKind::StringLiteral);
    case TokenKind::WordTrue:
    case TokenKind::WordFalse:
      return token_leaf(NodeKind::BooleanLiteral);
    case TokenKind::WordNone:
      return token_leaf(NodeKind::NoneLiteral);
    case TokenKind::WordThis:
      return token_leaf(NodeKind::ThisExpr);
    case TokenKind::ParenOpen:
      return parenthesised();
    case TokenKind::BracketOpen:
      return array();
    case TokenKind::WordDer:
    case TokenKind::WordIn: {
      const bool is_der = at(TokenKind::WordDer);
      if (!is_der && next() != TokenKind::ParenOpen) return name_expression();
      const Nesting nesting(*this);
      if (!nesting) return skip_deep_expression();
      advance();
      const std::uint32_t open = at_;
      if (expect(TokenKind::ParenOpen, is_der ? "`der`" : "`in`")) {
        is_der ? expression() : reference();
        close_bracket(TokenKind::ParenClose, open);
      } else {
        empty(NodeKind::Invalid);
      }
      return finish(is_der ? NodeKind::DerExpr : NodeKind::InStateExpr, start);
    }
    default:
      break;
  }
  if (at_name() || (reserved_word_is_name() && !is_name(next()))) return name_expression();
  diag::Sink::Entry entry = error_expected("an expression");
  const bool is_doubled_sign =
      at_ >= 2 && tokens_[at_ - 1].kind == tokens_[at_ - 2].kind && tokens_[at_ - 1].begin == tokens_[at_ - 2].end;
  if (is_doubled_sign && tokens_[at_ - 1].kind == TokenKind::Plus) entry.hint("write `n := n + 1`");
  if (is_doubled_sign && tokens_[at_ - 1].kind == TokenKind::Minus) entry.hint("write `n := n - 1`");
  empty(NodeKind::Invalid);
}

void Parser::number_literal() {
  const Start start = this->start();
  token_leaf(NodeKind::NumberLiteral);
  if (!at(TokenKind::BracketOpen)) return;
  const std::uint32_t open = at_;
  advance();
  const std::uint32_t first = at_;
  unit();
  builder_.leaf(NodeKind::UnitText, first, at_);
  close_bracket(TokenKind::BracketClose, open);
  finish(NodeKind::UnitLiteral, start);
}

void Parser::unit() {
  do {
    unit_factor();
  } while (accept(TokenKind::Dot) || accept(TokenKind::Star) || accept(TokenKind::Slash));
}

void Parser::unit_factor() {
  if (at_name()) {
    advance();
    unit_power();
  } else if (at(TokenKind::ParenOpen)) {
    const std::uint32_t open = at_;
    const Nesting nesting(*this);
    if (!nesting) {
      const Start start = this->start();
      skip_deep_expression();
      return builder_.drop(start.mark);
    }
    advance();
    unit();
    close_bracket(TokenKind::ParenClose, open);
    unit_power();
  } else if (!accept(TokenKind::Number)) {
    error_expected("a unit");
  }
}

void Parser::unit_power() {
  const bool has_caret = accept(TokenKind::Caret);
  const std::uint32_t open = at_;
  const bool is_fraction = has_caret && accept(TokenKind::ParenOpen);
  const bool has_sign = accept(TokenKind::Minus);
  const auto expect_number = [&] {
    if (!accept(TokenKind::Number)) error_expected("the exponent of a unit");
  };
  if (has_caret || has_sign) {
    expect_number();
  } else {
    accept(TokenKind::Number);
  }
  if (!is_fraction) return;
  if (accept(TokenKind::Slash)) expect_number();
  close_bracket(TokenKind::ParenClose, open);
}

void Parser::parenthesised() {
  const Start start = this->start();
  const std::uint32_t open = at_;
  const Nesting nesting(*this);
  if (!nesting) return skip_deep_expression();
  advance();
  expression();
  const bool is_tuple = at(TokenKind::Comma);
  while (accept(TokenKind::Comma)) expression();
  close_bracket(TokenKind::ParenClose, open);
  finish(is_tuple ? NodeKind::TupleExpr : NodeKind::ParenExpr, start);
}

void Parser::array() {
  const Start start = this->start();
  const std::uint32_t open = at_;
  const Nesting nesting(*this);
  if (!nesting) return skip_deep_expression();
  advance();
  if (!at(TokenKind::BracketClose)) {
    do {
      expression();
    } while (accept(TokenKind::Comma));
  }
  close_bracket(TokenKind::BracketClose, open);
  finish(NodeKind::ArrayLiteral, start);
}

void Parser::arguments() {
  const Start start = this->start();
  const std::uint32_t open = at_;
  advance();
  const Nesting nesting(*this);
  if (!nesting) {
    skip_deep_expression();
  } else if (!at(TokenKind::ParenClose)) {
    do {
      argument();
    } while (accept(TokenKind::Comma));
  }
  close_bracket(TokenKind::ParenClose, open);
  finish(NodeKind::Arguments, start);
}

void Parser::argument() {
  const bool is_where = at(TokenKind::WordWhere) && begins_expression(next()) && !makes_name(next());
  if (is_where) return where_argument();
  const Start start = this->start();
  expression();
  if ((at(TokenKind::Equal) || at(TokenKind::ColonEqual)) && last_is_reference()) {
    const bool is_initial = at(TokenKind::ColonEqual);
    advance();
    expression();
    finish(is_initial ? NodeKind::InitialArgument : NodeKind::NamedArgument, start);
  } else if (accept(TokenKind::WordFor)) {
    name();
    expect(TokenKind::WordIn, "the name that runs");
    range();
    finish(NodeKind::Comprehension, start);
  }
}

/// `where (j) j.size < 2`: a name in parentheses with an expression behind it is the binder.
void Parser::where_argument() {
  const Start start = this->start();
  advance();
  if (at(TokenKind::ParenOpen) && is_name(next()) && ahead(2) == TokenKind::ParenClose && begins_expression(ahead(3))) {
    advance();
    name();
    advance();
  }
  expression();
  finish(NodeKind::WhereArgument, start);
}

/// Whether the expression read last is `name { "." name | "[" … "]" }`.
bool Parser::last_is_reference() const {
  const Tree& tree = builder_.tree();
  const Node* node = &builder_.last();
  while (node->kind == NodeKind::MemberExpr || node->kind == NodeKind::IndexExpr) {
    node = &tree.node(tree.child(NodeId{static_cast<std::uint32_t>(node - &tree.node(NodeId{0}))}, 0));
  }
  return node->kind == NodeKind::NameExpr;
}

}  // namespace hyla::syntax
