#include "syntax/format_separators.h"

namespace hyla::syntax {
namespace {

/// Expressions without a good place for a line break inside.
bool is_unbreakable(NodeKind kind) {
  switch (kind) {
    case NodeKind::NumberLiteral:
    case NodeKind::UnitLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::BooleanLiteral:
    case NodeKind::NoneLiteral:
    case NodeKind::ThisExpr:
    case NodeKind::NameExpr:
    case NodeKind::DerExpr:
    case NodeKind::InStateExpr:
    case NodeKind::MemberExpr:
    case NodeKind::IndexExpr:
      return true;
    default:
      return false;
  }
}

bool is_external(NodeKind kind) {
  return kind == NodeKind::ExternalFunctionDecl || kind == NodeKind::ExternalObjectDecl;
}

bool is_target(NodeKind kind) { return kind >= NodeKind::TargetPath && kind <= NodeKind::TargetFork; }
bool is_trigger(NodeKind kind) { return kind >= NodeKind::OnTrigger && kind <= NodeKind::DoneTrigger; }

/// Nodes whose body begins on a line of its own when the head takes several lines: the two could not be told apart
/// otherwise.
bool has_condition(NodeKind kind) {
  switch (kind) {
    case NodeKind::Reaction:
    case NodeKind::InitialTransition:
    case NodeKind::ChoiceBranch:
    case NodeKind::If:
    case NodeKind::IfItem:
    case NodeKind::For:
    case NodeKind::ForItem:
    case NodeKind::While:
    case NodeKind::ReceiveBranch:
    case NodeKind::UntilBranch:
    case NodeKind::AfterBranch:
    case NodeKind::AtBranch:
      return true;
    default:
      return false;
  }
}

/// The clauses of a reaction or a branch, each of which gets a line if they do not fit on one.
bool begins_clause(const Part& left, const Part& right) {
  if (left.is(NodeKind::Annotation) || left.is(NodeKind::Modifier) || left.is(NodeKind::Label)) return false;
  if (right.is(TokenKind::Arrow)) return true;
  if (!right.child) return false;
  return right.node == NodeKind::Guard || is_trigger(right.node) ||
         (is_target(right.node) && !left.is(TokenKind::Arrow));
}

/// Clauses that move to the next line when they do not fit.
bool is_trailing_clause(NodeKind kind, const Part& left, const Part& right) {
  if (!right.child) {
    return (kind == NodeKind::Comprehension && right.token == TokenKind::WordFor) ||
           (kind == NodeKind::EveryTrigger && right.token == TokenKind::WordFrom) ||
           (kind == NodeKind::Vary && right.token == TokenKind::WordIn) ||
           (kind == NodeKind::IsExpr && right.token == TokenKind::WordIs) ||
           (kind == NodeKind::IfExpr && right.token == TokenKind::WordThen) ||
           (is_external(kind) && right.token == TokenKind::Equal && !left.is(TokenKind::WordDerivative));
  }
  switch (right.node) {
    case NodeKind::AddOperator:
    case NodeKind::MultiplyOperator:
    case NodeKind::CompareOperator:
    case NodeKind::ConnectKind:
    case NodeKind::ForDuration:
    case NodeKind::RequireUntil:
    case NodeKind::Within:
    case NodeKind::DelayAfter:
    case NodeKind::DelayAt:
    case NodeKind::InPopulation:
    case NodeKind::Where:
    case NodeKind::OrderBy:
      return true;
    case NodeKind::Direction:
      return kind == NodeKind::PortDecl;
    case NodeKind::StringLiteral:
      return kind == NodeKind::Require;
    default:
      return false;
  }
}

bool is_tight(NodeKind kind, const Part& left, const Part& right) {
  if (kind == NodeKind::UnitText || kind == NodeKind::ConnectKind) return true;
  if (kind == NodeKind::SignExpr) return !right.is(NodeKind::SignExpr);
  if (left.is(TokenKind::ParenOpen) || left.is(TokenKind::BracketOpen) || left.is(TokenKind::At)) return true;
  if (left.is(TokenKind::Dot) || left.is(TokenKind::DotDot) || left.is(TokenKind::Caret)) return true;
  if (!right.child) {
    switch (right.token) {
      case TokenKind::Comma:
      case TokenKind::Semicolon:
      case TokenKind::Colon:
      case TokenKind::Dot:
      case TokenKind::DotDot:
      case TokenKind::Caret:
      case TokenKind::ParenClose:
      case TokenKind::BracketClose:
        return true;
      case TokenKind::ParenOpen:
        return kind != NodeKind::WhereArgument;
      case TokenKind::BracketOpen:
        return kind == NodeKind::IndexExpr;
      default:
        return false;
    }
  }
  switch (right.node) {
    case NodeKind::Arguments:
    case NodeKind::Parameters:
    case NodeKind::Dimensions:
    case NodeKind::Binders:
    case NodeKind::PassOn:
      return true;
    default:
      return false;
  }
}

}  // namespace

Separator separator_between(NodeKind kind, const Part& left, const Part& right) {
  if (is_tight(kind, left, right)) return Separator::None;
  if (right.is_body()) {
    return has_condition(kind) && !left.is(TokenKind::WordElse) ? Separator::Line : Separator::Space;
  }
  if (kind == NodeKind::Results) return Separator::Space;  // the parameters break first
  if (left.is(TokenKind::Comma) || is_trailing_clause(kind, left, right)) return Separator::Fill;
  switch (kind) {
    case NodeKind::OrExpr:
    case NodeKind::AndExpr:
      return right.child ? Separator::Space : Separator::Line;
    case NodeKind::IfExpr:
      return right.is(TokenKind::WordElse) ? Separator::Line : Separator::Space;
    case NodeKind::Reaction:
    case NodeKind::InitialTransition:
    case NodeKind::ChoiceBranch:
      return begins_clause(left, right) ? Separator::Line : Separator::Space;
    default:
      break;
  }
  const bool before_value = !is_external(kind) && (left.is(TokenKind::Equal) || left.is(TokenKind::ColonEqual));
  return before_value && right.child && is_unbreakable(right.node) ? Separator::Fill : Separator::Space;
}

}  // namespace hyla::syntax
