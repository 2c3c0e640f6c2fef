// Files, declarations and experiments.
#include <fmt/format.h>

#include "syntax/parser_impl.h"

namespace hyla::syntax {

void Parser::import() {
  const Start start = this->start();
  advance();
  name("the name of a module");
  if (at(TokenKind::WordAs)) alias();
  expect_semicolon("import");
  finish(NodeKind::Import, start);
}

void Parser::declaration() {
  const Start start = this->start();
  if (at(TokenKind::WordPrivate)) token_leaf(NodeKind::Modifier);
  switch (kind()) {
    case TokenKind::WordConstant:
      return variable(start);
    case TokenKind::WordEnvironment:
      return environment(start);
    case TokenKind::WordExperiment:
      return experiment(start);
    case TokenKind::WordImport:
      error_here(diag::Kind::Unexpected, "an import cannot be private");
      builder_.drop(start.mark);
      return import();
    case TokenKind::BraceClose:
      error_here(diag::Kind::Unexpected, "this `}` closes nothing");
      break;
    default:
      if (opens_nested(kind())) return nested(start, kind());
      if (at(TokenKind::Identifier) && next() == TokenKind::Identifier) return misread_item(start);
      if (opens_item(opener())) {
        error_here(diag::Kind::Unexpected, fmt::format("{} cannot stand outside a model", found()));
      } else {
        error_expected("a declaration such as `model`");
      }
  }
  skip_to_declaration();
  invalid_since(start);
}

/// Declarations that may stand in a file and in a body.
bool Parser::opens_nested(TokenKind word) {
  switch (word) {
    case TokenKind::WordAbstract:
    case TokenKind::WordModel:
    case TokenKind::WordAtomic:
    case TokenKind::WordConnector:
    case TokenKind::WordMessage:
    case TokenKind::WordProtocol:
    case TokenKind::WordRecord:
    case TokenKind::WordEnum:
    case TokenKind::WordType:
    case TokenKind::WordFunction:
    case TokenKind::WordExternal:
      return true;
    default:
      return false;
  }
}

void Parser::nested(const Start& start, TokenKind word) {
  switch (word) {
    case TokenKind::WordConnector:
      return connector(start);
    case TokenKind::WordMessage:
      return message(start);
    case TokenKind::WordProtocol:
      return protocol(start);
    case TokenKind::WordRecord:
      return record(start);
    case TokenKind::WordEnum:
      return enumeration(start);
    case TokenKind::WordType:
      return type_definition(start);
    case TokenKind::WordFunction:
      return function(start);
    case TokenKind::WordExternal:
      return external(start);
    default:
      return model(start);
  }
}

void Parser::model(const Start& start) {
  if (at(TokenKind::WordAbstract)) token_leaf(NodeKind::Modifier);
  if (!accept(TokenKind::WordAtomic)) expect(TokenKind::WordModel, "`abstract`");
  name("the name of a model");
  if (at(TokenKind::WordExtends)) {
    const Start extends = this->start();
    advance();
    path();
    if (at(TokenKind::ParenOpen)) arguments();
    finish(NodeKind::Extends, extends);
  }
  body();
  optional_semicolon();
  finish(NodeKind::ModelDecl, start);
}

void Parser::connector(const Start& start) {
  advance();
  name("the name of a connector");
  braced(&Parser::connector_field);
  optional_semicolon();
  finish(NodeKind::ConnectorDecl, start);
}

void Parser::connector_field() {
  const Start start = this->start();
  if (!at(TokenKind::WordPotential) && !at(TokenKind::WordFlow)) {
    error_expected("`potential` or `flow`");
    skip_to_item_end();
    return invalid_since(start);
  }
  token_leaf(NodeKind::Modifier);
  declarators();
  expect_semicolon("declaration");
  finish(NodeKind::ConnectorField, start);
}

void Parser::message(const Start& start) {
  advance();
  name("the name of a message");
  if (at(TokenKind::BraceOpen)) {
    braced(&Parser::field);
    optional_semicolon();
  } else {
    while (accept(TokenKind::Comma)) name();
    expect_semicolon("declaration");
  }
  finish(NodeKind::MessageDecl, start);
}

void Parser::record(const Start& start) {
  advance();
  name("the name of a record");
  braced(&Parser::field);
  optional_semicolon();
  finish(NodeKind::RecordDecl, start);
}

void Parser::field() {
  const Start start = this->start();
  declarators();
  expect_semicolon("field");
  finish(NodeKind::Field, start);
}

void Parser::protocol(const Start& start) {
  advance();
  name("the name of a protocol");
  braced(&Parser::protocol_item);
  optional_semicolon();
  finish(NodeKind::ProtocolDecl, start);
}

void Parser::protocol_item() {
  const Start start = this->start();
  if (!at(TokenKind::WordReceives) && !at(TokenKind::WordSends)) {
    error_expected("`receives` or `sends`");
    skip_to_item_end();
    return invalid_since(start);
  }
  direction();
  expect_semicolon("declaration");
}

void Parser::direction() {
  const Start start = this->start();
  token_leaf(NodeKind::Modifier);
  path_list();
  finish(NodeKind::Direction, start);
}

void Parser::enumeration(const Start& start) {
  advance();
  name("the name of an enumeration");
  const std::uint32_t open = at_;
  if (expect(TokenKind::BraceOpen, "the name of an enumeration")) {
    name_list();
    close_bracket(TokenKind::BraceClose, open);
  } else {
    empty(NodeKind::Invalid);
  }
  optional_semicolon();
  finish(NodeKind::EnumDecl, start);
}

void Parser::type_definition(const Start& start) {
  advance();
  name("the name of a type");
  expect(TokenKind::Equal, "the name of a type");
  type();
  expect_semicolon("declaration");
  finish(NodeKind::TypeDecl, start);
}

void Parser::environment(const Start& start) {
  advance();
  expect(TokenKind::WordPackage, "`environment`");
  name("the name of a package");
  body();
  optional_semicolon();
  finish(NodeKind::PackageDecl, start);
}

void Parser::function(const Start& start) {
  signature_head();
  block();
  optional_semicolon();
  finish(NodeKind::FunctionDecl, start);
}

/// `function name(…) -> …`
void Parser::signature_head() {
  advance();
  name("the name of a function");
  parameters();
  if (accept(TokenKind::Arrow)) results();
}

void Parser::external(const Start& start) {
  advance();
  if (at(TokenKind::WordFunction)) return external_function(start);
  if (at(TokenKind::WordObject)) return external_object(start);
  error_expected("`function` or `object` after `external`");
  skip_to_item_end();
  invalid_since(start);
}

void Parser::external_function(const Start& start) {
  signature_head();
  expect(TokenKind::Equal, "the head of an external function");
  string();
  if (accept(TokenKind::Comma)) {
    expect(TokenKind::WordDerivative);
    expect(TokenKind::Equal, "`derivative`");
    string();
  }
  expect_semicolon("declaration");
  finish(NodeKind::ExternalFunctionDecl, start);
}

void Parser::string() {
  if (at(TokenKind::String)) return token_leaf(NodeKind::StringLiteral);
  error_expected("a string");
  empty(NodeKind::Invalid);
}

void Parser::external_object(const Start& start) {
  advance();
  name("the name of an object");
  if (at(TokenKind::ParenOpen)) parameters();
  expect(TokenKind::Equal, "the head of an external object");
  string();
  if (at(TokenKind::BraceOpen)) {
    braced(&Parser::signature);
    optional_semicolon();
  } else {
    expect_semicolon("declaration");
  }
  finish(NodeKind::ExternalObjectDecl, start);
}

void Parser::signature() {
  const Start start = this->start();
  if (!at(TokenKind::WordFunction)) {
    error_expected("`function`");
    skip_to_item_end();
    return invalid_since(start);
  }
  signature_head();
  expect_semicolon("declaration");
  finish(NodeKind::Signature, start);
}

void Parser::parameters() {
  const Start start = this->start();
  const std::uint32_t open = at_;
  if (expect(TokenKind::ParenOpen, "the name")) {
    if (!at(TokenKind::ParenClose)) {
      do {
        parameter();
      } while (accept(TokenKind::Comma));
    }
    close_bracket(TokenKind::ParenClose, open);
  }
  finish(NodeKind::Parameters, start);
}

void Parser::parameter() {
  const Start start = this->start();
  name("the name of a parameter");
  if (accept(TokenKind::Colon)) type();
  if (at(TokenKind::Equal)) {
    const Start binding = this->start();
    advance();
    expression();
    finish(NodeKind::Binding, binding);
  }
  finish(NodeKind::Parameter, start);
}

void Parser::results() {
  const Start start = this->start();
  const std::uint32_t open = at_;
  if (accept(TokenKind::ParenOpen)) {
    do {
      parameter();
    } while (accept(TokenKind::Comma));
    close_bracket(TokenKind::ParenClose, open);
  } else {
    type();
  }
  finish(NodeKind::Results, start);
}

void Parser::experiment(const Start& start) {
  advance();
  name("the name of an experiment");
  expect(TokenKind::WordOf, "the name of an experiment");
  path();
  braced(&Parser::experiment_item);
  optional_semicolon();
  finish(NodeKind::ExperimentDecl, start);
}

void Parser::experiment_item() {
  const Start start = this->start();
  // Only settings begin with a name here, so fewer signs than in a body make a name of a word.
  const TokenKind following = next();
  const bool is_setting = is_place_word(kind()) && (following == TokenKind::Equal || following == TokenKind::Dot ||
                                                    following == TokenKind::BracketOpen);
  switch (is_setting ? TokenKind::Identifier : kind()) {
    case TokenKind::WordVary:
      advance();
      reference();
      if (kind() != TokenKind::Semicolon) {
        expect(TokenKind::WordIn, "what is varied");
        range();
      }
      expect_semicolon("line");
      return finish(NodeKind::Vary, start);
    case TokenKind::WordReplicate:
      advance();
      expression();
      if (accept(TokenKind::WordUntil)) expression();
      expect_semicolon("line");
      return finish(NodeKind::Replicate, start);
    case TokenKind::WordObserve:
      advance();
      name();
      expect(TokenKind::Equal, "the name of what is observed");
      expression();
      expect_semicolon("line");
      return finish(NodeKind::Observe, start);
    case TokenKind::WordMinimize:
    case TokenKind::WordMaximize:
      advance();
      expression();
      expect_semicolon("line");
      return finish(NodeKind::Objective, start);
    case TokenKind::WordRequire:
      return require(start);
    default:
      break;
  }
  if (at_name()) {
    reference();
    return setting(start);
  }
  error_expected("a setting or one of `vary`, `replicate`, `observe`, `minimize`, `maximize` and `require`");
  skip_to_item_end();
  invalid_since(start);
}

/// Behind what is set.
void Parser::setting(const Start& start) {
  expect(TokenKind::Equal, "what is set");
  expression();
  expect_semicolon("setting");
  finish(NodeKind::Setting, start);
}

}  // namespace hyla::syntax
