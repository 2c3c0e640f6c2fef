// Blocks and statements.
#include "syntax/parser_impl.h"

namespace hyla::syntax {

void Parser::block() {
  const Start start = this->start();
  braced(&Parser::statement);
  finish(NodeKind::Block, start);
}

void Parser::statement() {
  const Start start = this->start();
  if (at_reserved_name()) return formula(start);
  switch (opener()) {
    case TokenKind::WordLet:
      return let();
    case TokenKind::WordKeep:
    case TokenKind::WordConstant:
    case TokenKind::WordParameter:
    case TokenKind::WordInput:
    case TokenKind::WordOutput:
    case TokenKind::WordVar:
    case TokenKind::WordDiscrete:
      return variable(start);
    case TokenKind::WordIf:
      return if_statement(start);
    case TokenKind::WordFor:
      for_head();
      return block_end(NodeKind::For, start);
    case TokenKind::WordWhile:
      advance();
      expression();
      return block_end(NodeKind::While, start);
    case TokenKind::WordLoop:
      advance();
      return block_end(NodeKind::Loop, start);
    case TokenKind::WordReturn:
      advance();
      if (begins_expression(kind())) expression();
      return statement_end(NodeKind::Return, start);
    case TokenKind::WordBreak:
      advance();
      return statement_end(NodeKind::Break, start);
    case TokenKind::WordContinue:
      advance();
      return statement_end(NodeKind::Continue, start);
    case TokenKind::WordSend:
    case TokenKind::WordStart:
    case TokenKind::WordNew:
    case TokenKind::WordConnect:
      operation();
      return statement_end(NodeKind::OperationStatement, start);
    case TokenKind::WordRaise:
      advance();
      name("the name of a signal");
      return statement_end(NodeKind::Raise, start);
    case TokenKind::WordStop:
      advance();
      reference();
      return statement_end(NodeKind::Stop, start);
    case TokenKind::WordCancel:
      advance();
      reference();
      return statement_end(NodeKind::Cancel, start);
    case TokenKind::WordDelete:
      return delete_statement(start);
    case TokenKind::WordDisconnect:
      return disconnect(start);
    case TokenKind::WordWait: {
      advance();
      const bool is_until = accept(TokenKind::WordUntil);
      expression();
      return statement_end(is_until ? NodeKind::WaitUntil : NodeKind::Wait, start);
    }
    case TokenKind::WordReceive:
      advance();
      awaited();
      return statement_end(NodeKind::Receive, start);
    case TokenKind::WordFirstOf:
      advance();
      braced(&Parser::branch);
      optional_semicolon();
      return finish(NodeKind::FirstOf, start);
    default:
      break;
  }
  if (is_reserved(kind()) && !begins_expression(kind())) {
    const std::string_view hint = at(TokenKind::WordElse) ? "`else` follows the `}` of an `if`"
                                                          : "it belongs into the body of a model, a state or a chart";
    error_here(diag::Kind::Unexpected, found() + " cannot stand inside a block of actions").hint(std::string(hint));
    return skip_rest(start);
  }
  formula(start);
}

void Parser::statement_end(NodeKind kind, const Start& start) {
  expect_semicolon("statement");
  finish(kind, start);
}

void Parser::block_end(NodeKind kind, const Start& start) {
  block();
  optional_semicolon();
  finish(kind, start);
}

void Parser::let() {
  const Start start = this->start();
  advance();
  if (at(TokenKind::ParenOpen)) {
    const Start list = this->start();
    const std::uint32_t open = at_;
    advance();
    name_list();
    close_bracket(TokenKind::ParenClose, open);
    finish(NodeKind::NameList, list);
  } else {
    name();
  }
  expect(TokenKind::Equal, "the name");
  value();
  statement_end(NodeKind::Let, start);
}

/// A statement `if c { … }`, or a formula whose left side is `if c then a else b`.
void Parser::if_statement(const Start& start) {
  const Start condition = this->start();
  advance();
  expression();
  if (at(TokenKind::WordThen)) {
    if_expression_rest(condition);
    return formula_rest(start);
  }
  if_rest(start, NodeKind::If, &Parser::block);
}

/// Behind the condition of a statement or of an item; `inside` reads what stands between the braces, with them.
void Parser::if_rest(const Start& start, NodeKind kind, void (Parser::*inside)()) {
  const Nesting nesting(*this);
  if (!nesting) {
    skip_deep_if();
    return finish(kind, start);
  }
  (this->*inside)();
  optional_semicolon();
  if (accept(TokenKind::WordElse)) {
    if (at(TokenKind::WordIf)) {
      const Start inner = this->start();
      advance();
      expression();
      if_rest(inner, kind, inside);
    } else {
      (this->*inside)();
      optional_semicolon();
    }
  }
  finish(kind, start);
}

/// Over the rest of a chain `{ … } else if c { … } else { … }`.
void Parser::skip_deep_if() {
  const std::uint32_t first = at_;
  do {
    while (!at(TokenKind::BraceOpen) && !at(TokenKind::BraceClose) && !at(TokenKind::Semicolon) &&
           !at(TokenKind::EndOfFile)) {
      advance();
    }
    if (at(TokenKind::BraceOpen)) skip_braces();
    optional_semicolon();
  } while (at(TokenKind::WordElse));
  builder_.leaf(NodeKind::Invalid, first, at_);
}

void Parser::delete_statement(const Start& start) {
  advance();
  expression();
  if (at(TokenKind::WordWith)) {
    token_leaf(NodeKind::Modifier);
    expect(TokenKind::WordExit, "`with`");
  }
  statement_end(NodeKind::Delete, start);
}

void Parser::disconnect(const Start& start) {
  advance();
  reference();
  if (at(TokenKind::Arrow) || at(TokenKind::Minus)) {
    connect_kind();
    reference();
  }
  statement_end(NodeKind::Disconnect, start);
}

void Parser::awaited() {
  event();
  if (at(TokenKind::WordAs)) alias();
  if (at(TokenKind::WordWhere)) {
    const Start where = this->start();
    advance();
    expression();
    finish(NodeKind::Where, where);
  }
}

void Parser::branch() {
  const Start start = this->start();
  NodeKind kind = NodeKind::Invalid;
  switch (this->kind()) {
    case TokenKind::WordReceive:
      kind = NodeKind::ReceiveBranch;
      break;
    case TokenKind::WordUntil:
      kind = NodeKind::UntilBranch;
      break;
    case TokenKind::WordAfter:
      kind = NodeKind::AfterBranch;
      break;
    case TokenKind::WordAt:
      kind = NodeKind::AtBranch;
      break;
    default:
      error_expected("`receive`, `until`, `after` or `at`");
      skip_to_item_end();
      return invalid_since(start);
  }
  advance();
  kind == NodeKind::ReceiveBranch ? awaited() : expression();
  block_end(kind, start);
}

void Parser::value() {
  switch (kind()) {
    case TokenKind::WordSend:
    case TokenKind::WordNew:
    case TokenKind::WordConnect:
      return operation();
    case TokenKind::WordStart:
      return is_name(next()) ? operation() : expression();
    default:
      return expression();
  }
}

/// An action that also has a value.
void Parser::operation() {
  const Start start = this->start();
  switch (kind()) {
    case TokenKind::WordSend:
      return send();
    case TokenKind::WordConnect:
      connection();
      return finish(NodeKind::Connect, start);
    case TokenKind::WordStart:
      advance();
      reference();
      if (at(TokenKind::ParenOpen)) arguments();
      return finish(NodeKind::Start, start);
    default:
      break;
  }
  advance();
  path();
  if (at(TokenKind::ParenOpen)) arguments();
  if (at(TokenKind::WordIn)) {
    const Start population = this->start();
    advance();
    reference();
    finish(NodeKind::InPopulation, population);
  }
  finish(NodeKind::New, start);
}

void Parser::send() {
  const Start start = this->start();
  advance();
  reference();
  if (at(TokenKind::ParenOpen)) {
    arguments();
  } else if (at(TokenKind::Dot)) {
    const Start pass_on = this->start();
    advance();
    const std::uint32_t open = at_;
    expect(TokenKind::ParenOpen, "`.`");
    expression();
    close_bracket(TokenKind::ParenClose, open);
    finish(NodeKind::PassOn, pass_on);
  }
  if (at(TokenKind::WordAfter) || at(TokenKind::WordAt)) {
    const NodeKind kind = at(TokenKind::WordAfter) ? NodeKind::DelayAfter : NodeKind::DelayAt;
    const Start delay = this->start();
    advance();
    expression();
    finish(kind, delay);
  }
  finish(NodeKind::Send, start);
}

}  // namespace hyla::syntax
