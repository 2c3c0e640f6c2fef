// Charts, states and reactions.
#include "syntax/parser_impl.h"

namespace hyla::syntax {

void Parser::chart(const Start& start) {
  advance();
  if (!at(TokenKind::BraceOpen)) name("the name of a chart or `{`");
  body();
  optional_semicolon();
  finish(NodeKind::ChartDecl, start);
}

void Parser::state(const Start& start) {
  advance();
  name("the name of a state");
  const bool is_indented = at_line_start() && indentation(at_) > indentation(at_ - 1);
  if (at(TokenKind::BraceOpen) || (is_indented && !at(TokenKind::Semicolon))) {
    body();
    optional_semicolon();
  } else {
    expect_semicolon("state");
  }
  finish(NodeKind::StateDecl, start);
}

void Parser::choice(const Start& start) {
  advance();
  name("the name of a choice");
  braced(&Parser::choice_branch);
  optional_semicolon();
  finish(NodeKind::ChoiceDecl, start);
}

void Parser::choice_branch() {
  const Start start = this->start();
  if (at(TokenKind::WordIf)) {
    guard();
  } else if (!accept(TokenKind::WordElse)) {
    error_expected("`if` or `else`");
    skip_to_item_end();
    return invalid_since(start);
  }
  expect(TokenKind::Arrow, "the condition of a branch");
  target();
  transition_end();
  finish(NodeKind::ChoiceBranch, start);
}

void Parser::initial(const Start& start) {
  advance();
  if (accept(TokenKind::Arrow)) {
    target();
    transition_end();
    return finish(NodeKind::InitialTransition, start);
  }
  if (!at(TokenKind::BraceOpen)) error_expected("`->` or `{` after `initial`");
  block();
  optional_semicolon();
  finish(NodeKind::InitialBlock, start);
}

/// A keyword and a block.
void Parser::block_item(NodeKind kind, const Start& start) {
  advance();
  block();
  optional_semicolon();
  finish(kind, start);
}

void Parser::defer(const Start& start) {
  advance();
  do {
    event();
  } while (accept(TokenKind::Comma));
  expect_semicolon("line");
  finish(NodeKind::Defer, start);
}

void Parser::reaction(const Start& start) {
  if (at(TokenKind::WordFrom)) from_clause();
  if (at(TokenKind::WordIf) || at(TokenKind::Arrow)) {
    empty(NodeKind::AutoTrigger);
    if (at(TokenKind::WordIf)) guard();
    return transition(start);
  }
  trigger();
  if (at(TokenKind::WordIf)) guard();
  if (at(TokenKind::Arrow)) return transition(start);
  if (!at(TokenKind::BraceOpen)) {
    diag::Sink::Entry entry = error_expected("`->` or `{` after the trigger");
    if (at(TokenKind::Equal)) entry.hint("two values are compared with `==`");
  }
  block();
  optional_semicolon();
  finish(NodeKind::Reaction, start);
}

/// From the `->` on.
void Parser::transition(const Start& start) {
  if (expect(TokenKind::Arrow, "the condition")) {
    target();
    transition_end();
  } else {
    empty(NodeKind::Invalid);
    skip_to_item_end();
  }
  finish(NodeKind::Reaction, start);
}

void Parser::from_clause() {
  const Start start = this->start();
  advance();
  const bool is_any = at(TokenKind::WordAny) && next() != TokenKind::Dot && next() != TokenKind::Comma;
  if (is_any) {
    advance();
  } else {
    path_list();
  }
  finish(NodeKind::FromClause, start);
}

void Parser::trigger() {
  const Start start = this->start();
  switch (kind()) {
    case TokenKind::WordOn:
      advance();
      do {
        event();
      } while (accept(TokenKind::Comma));
      if (at(TokenKind::WordAs)) alias();
      return finish(NodeKind::OnTrigger, start);
    case TokenKind::WordEvery:
      advance();
      expression();
      if (accept(TokenKind::WordFrom)) expression();
      return finish(NodeKind::EveryTrigger, start);
    case TokenKind::WordWhen:
      return trigger_with_expression(NodeKind::WhenTrigger);
    case TokenKind::WordAfter:
      return trigger_with_expression(NodeKind::AfterTrigger);
    case TokenKind::WordAt:
      return trigger_with_expression(NodeKind::AtTrigger);
    case TokenKind::WordRate:
      return trigger_with_expression(NodeKind::RateTrigger);
    case TokenKind::WordDone:
      advance();
      return finish(NodeKind::DoneTrigger, start);
    default:
      error_expected("a trigger such as `when` or `on`");
      return empty(NodeKind::Invalid);
  }
}

void Parser::trigger_with_expression(NodeKind kind) {
  const Start start = this->start();
  advance();
  expression();
  finish(kind, start);
}

void Parser::guard() {
  const Start start = this->start();
  advance();
  expression();
  finish(NodeKind::Guard, start);
}

void Parser::event() {
  const Start start = this->start();
  reference();
  if (at(TokenKind::ParenOpen)) {
    const Start binders = this->start();
    const std::uint32_t open = at_;
    advance();
    if (!at(TokenKind::ParenClose)) name_list();
    close_bracket(TokenKind::ParenClose, open);
    finish(NodeKind::Binders, binders);
  }
  finish(NodeKind::Event, start);
}

void Parser::target() {
  const Start start = this->start();
  const std::uint32_t open = at_;
  switch (kind()) {
    case TokenKind::WordSelf:
      return token_leaf(NodeKind::TargetSelf);
    case TokenKind::WordFinal:
      return token_leaf(NodeKind::TargetFinal);
    case TokenKind::ParenOpen:
      advance();
      path_list();
      close_bracket(TokenKind::ParenClose, open);
      return finish(NodeKind::TargetFork, start);
    case TokenKind::WordDeep:
      if (next() != TokenKind::WordHistory) break;
      advance();
      return history(NodeKind::TargetDeepHistory, start);
    case TokenKind::WordHistory:
      if (next() != TokenKind::ParenOpen) break;
      return history(NodeKind::TargetHistory, start);
    default:
      break;
  }
  path();
  finish(NodeKind::TargetPath, start);
}

void Parser::history(NodeKind kind, const Start& start) {
  advance();
  const std::uint32_t open = at_;
  if (expect(TokenKind::ParenOpen, "`history`")) {
    path();
    close_bracket(TokenKind::ParenClose, open);
  } else {
    empty(NodeKind::Invalid);
  }
  finish(kind, start);
}

/// What follows a target: `;` or a block.
void Parser::transition_end() {
  if (!at(TokenKind::BraceOpen)) return expect_semicolon("transition");
  block();
  optional_semicolon();
}

}  // namespace hyla::syntax
