// Declarations of variables, ports and the like, and the types they have.
#include "syntax/parser_impl.h"

namespace hyla::syntax {

void Parser::variable(const Start& start) {
  if (at(TokenKind::WordKeep)) token_leaf(NodeKind::Modifier);
  switch (kind()) {
    case TokenKind::WordConstant:
    case TokenKind::WordParameter:
    case TokenKind::WordInput:
    case TokenKind::WordOutput:
    case TokenKind::WordVar:
    case TokenKind::WordDiscrete:
      token_leaf(NodeKind::VariableKind);
      break;
    default:
      error_expected("`var` or another kind of variable after `keep`");
      empty(NodeKind::Invalid);
  }
  declarators();
  expect_semicolon("declaration");
  finish(NodeKind::VariableDecl, start);
}

void Parser::declarators() {
  do {
    declarator();
  } while (accept(TokenKind::Comma));
}

void Parser::declarator() {
  const Start start = this->start();
  name();
  if (at(TokenKind::BracketOpen)) dimensions();
  if (accept(TokenKind::Colon)) type();
  if (at(TokenKind::ColonEqual) || at(TokenKind::Equal)) {
    const NodeKind kind = at(TokenKind::Equal) ? NodeKind::Binding : NodeKind::InitialValue;
    const Start binding = this->start();
    advance();
    value();
    finish(kind, binding);
  }
  finish(NodeKind::Declarator, start);
}

void Parser::dimensions() {
  const Start start = this->start();
  const std::uint32_t open = at_;
  advance();
  if (at_name() && next() == TokenKind::WordIn) {
    const Start index = this->start();
    name();
    advance();
    range();
    finish(NodeKind::FamilyIndex, index);
  } else {
    do {
      dimension();
    } while (accept(TokenKind::Comma));
  }
  close_bracket(TokenKind::BracketClose, open);
  finish(NodeKind::Dimensions, start);
}

void Parser::dimension() {
  if (at(TokenKind::Colon)) return token_leaf(NodeKind::WholeRange);
  expression();
}

void Parser::type() {
  const Start start = this->start();
  if (at(TokenKind::Number) || at(TokenKind::String)) {
    error_expected("a type").hint("a value is given by `=` or `:=`");
  }
  path();
  if (at(TokenKind::BracketOpen)) dimensions();
  if (at(TokenKind::ParenOpen)) arguments();
  finish(NodeKind::TypeRef, start);
}

/// A keyword and declarators.
void Parser::declarator_item(NodeKind kind, const Start& start) {
  advance();
  declarators();
  expect_semicolon("declaration");
  finish(kind, start);
}

void Parser::port(const Start& start) {
  advance();
  do {
    port_name();
  } while (accept(TokenKind::Comma));
  if (at(TokenKind::WordReceives) || at(TokenKind::WordSends)) {
    do {
      direction();
    } while (at(TokenKind::WordReceives) || at(TokenKind::WordSends));
  } else if (accept(TokenKind::Colon)) {
    if (at(TokenKind::WordConjugate) && is_name(next())) token_leaf(NodeKind::Modifier);
    path();
  } else {
    exported_port("`receives`, `sends`, `:` or `=`");
  }
  expect_semicolon("declaration");
  finish(NodeKind::PortDecl, start);
}

void Parser::port_name() {
  const Start start = this->start();
  name("the name of a port");
  if (at(TokenKind::BracketOpen)) dimensions();
  finish(NodeKind::Declarator, start);
}

/// `= valve.command`
void Parser::exported_port(std::string_view expected) {
  const Start start = this->start();
  if (!accept(TokenKind::Equal)) {
    error_expected(expected);
    return empty(NodeKind::Invalid);
  }
  reference();
  finish(NodeKind::Binding, start);
}

void Parser::mailbox(const Start& start) {
  advance();
  port_name();
  if (accept(TokenKind::Colon)) {
    path_list();
    if (at(TokenKind::WordBy)) {
      const Start order = this->start();
      advance();
      expression();
      finish(NodeKind::OrderBy, order);
    }
  } else {
    exported_port("`:` or `=`");
  }
  expect_semicolon("declaration");
  finish(NodeKind::MailboxDecl, start);
}

void Parser::signal(const Start& start) {
  advance();
  name_list();
  expect_semicolon("declaration");
  finish(NodeKind::SignalDecl, start);
}

void Parser::statistic(const Start& start) {
  token_leaf(NodeKind::StatisticKind);
  declarators();
  expect_semicolon("declaration");
  finish(NodeKind::StatisticDecl, start);
}

}  // namespace hyla::syntax
