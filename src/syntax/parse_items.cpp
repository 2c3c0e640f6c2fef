// Items of bodies: which there are, behaviour and structure. Declarations of variables and ports are in
// parse_variables.cpp, charts and reactions in parse_charts.cpp.
#include <fmt/format.h>

#include "syntax/mistakes.h"
#include "syntax/parser_impl.h"

namespace hyla::syntax {

void Parser::body() {
  const Start start = this->start();
  braced(&Parser::item);
  finish(NodeKind::Body, start);
}

void Parser::item() {
  const Start start = this->start();
  while (at(TokenKind::At)) annotation();
  if (at(TokenKind::WordRedefine)) token_leaf(NodeKind::Modifier);
  if (at_reserved_name()) return formula(start);
  const TokenKind word = opener();
  const bool is_devs_function = word == TokenKind::WordExternal && next() == TokenKind::ParenOpen;
  if (opens_nested(word) && !is_devs_function) return nested(start, word);
  switch (word) {
    case TokenKind::WordKeep:
    case TokenKind::WordConstant:
    case TokenKind::WordParameter:
    case TokenKind::WordInput:
    case TokenKind::WordOutput:
    case TokenKind::WordVar:
    case TokenKind::WordDiscrete:
      return variable(start);
    case TokenKind::WordObject:
      return declarator_item(NodeKind::ObjectDecl, start);
    case TokenKind::WordDynamic:
      return declarator_item(NodeKind::DynamicDecl, start);
    case TokenKind::WordPopulation:
      return declarator_item(NodeKind::PopulationDecl, start);
    case TokenKind::WordPlug:
      return declarator_item(NodeKind::PlugDecl, start);
    case TokenKind::WordPort:
      return port(start);
    case TokenKind::WordMailbox:
      return mailbox(start);
    case TokenKind::WordSignal:
      return signal(start);
    case TokenKind::WordTally:
    case TokenKind::WordAccumulate:
      return statistic(start);
    case TokenKind::WordAuto:
    case TokenKind::WordProcess:
      return process(start);
    case TokenKind::WordChart:
      return chart(start);
    case TokenKind::WordState:
      return state(start);
    case TokenKind::WordChoice:
      return choice(start);
    case TokenKind::WordInitial:
      return initial(start);
    case TokenKind::WordEntry:
      return block_item(NodeKind::EntryAction, start);
    case TokenKind::WordExit:
      return block_item(NodeKind::ExitAction, start);
    case TokenKind::WordDefer:
      return defer(start);
    case TokenKind::WordHold:
      return hold(start);
    case TokenKind::WordConnect:
      connection();
      expect_semicolon("connection");
      return finish(NodeKind::Connect, start);
    case TokenKind::WordRequire:
      return require(start);
    case TokenKind::WordSelect:
      return select(start);
    case TokenKind::WordSection:
      return section(start);
    case TokenKind::WordFor:
      return for_item(start);
    case TokenKind::WordAdvance:
    case TokenKind::WordLambda:
    case TokenKind::WordInternal:
    case TokenKind::WordExternal:
    case TokenKind::WordConfluent:
      return devs_function(start);
    default:
      return behaviour(start);
  }
}

void Parser::annotation() {
  const Start start = this->start();
  advance();
  name("the name of an annotation");
  if (at(TokenKind::ParenOpen)) arguments();
  finish(NodeKind::Annotation, start);
}

/// A reaction or a formula, maybe with a label.
void Parser::behaviour(const Start& start) {
  if (at_name() && next() == TokenKind::Colon) {
    const Start label = this->start();
    name();
    advance();
    finish(NodeKind::Label, label);
  }
  switch (opener()) {
    case TokenKind::WordFrom:
    case TokenKind::WordOn:
    case TokenKind::WordWhen:
    case TokenKind::WordAfter:
    case TokenKind::WordAt:
    case TokenKind::WordEvery:
    case TokenKind::WordRate:
    case TokenKind::WordDone:
    case TokenKind::Arrow:
      return reaction(start);
    case TokenKind::WordIf:
      return if_item(start);
    default:
      break;
  }
  const bool opens_other_item = is_reserved(kind()) || next() == TokenKind::Identifier;
  if (has_label(start) && opens_item(opener()) && opens_other_item) {
    error_here(diag::Kind::Unexpected, fmt::format("a label cannot stand before {}", found()))
        .hint("labels name reactions and equations");
    if (at(TokenKind::At) || at(TokenKind::WordRedefine)) return skip_rest(start);
    builder_.drop(start.mark);
    return item();
  }
  if (is_reserved(kind()) && !begins_expression(kind())) return misplaced_item(start);
  formula(start);
}

/// Whether the last thing read of the item is its label.
bool Parser::has_label(const Start& start) const {
  return builder_.waiting_since(start.mark) > 0 && builder_.last().kind == NodeKind::Label;
}

/// A reserved word that means something elsewhere.
void Parser::misplaced_item(const Start& start) {
  const std::string_view hint = at(TokenKind::WordElse) ? "`else` follows the `}` of an `if`"
                                : opens_declaration(kind())
                                    ? "imports, experiments and environment packages stand outside of models"
                                    : "actions stand in the braces of a reaction, a process or a function";
  error_here(diag::Kind::Unexpected, fmt::format("{} cannot stand here", found())).hint(std::string(hint));
  skip_rest(start);
}

void Parser::process(const Start& start) {
  if (at(TokenKind::WordAuto)) token_leaf(NodeKind::Modifier);
  expect(TokenKind::WordProcess, "`auto`");
  name("the name of a process");
  if (at(TokenKind::ParenOpen)) parameters();
  block();
  optional_semicolon();
  finish(NodeKind::ProcessDecl, start);
}

void Parser::formula(const Start& start) {
  if (at(TokenKind::Identifier) && next() == TokenKind::Identifier &&
      (!starts_line(at_ + 1) || find_foreign_word(text(at_)) != nullptr)) {
    return misread_item(start);
  }
  if (at(TokenKind::Semicolon)) {
    error_here(diag::Kind::Unexpected, "there is nothing before this `;`");
    return skip_rest(start);
  }
  const std::uint32_t first = at_;
  if (at_reserved_name()) {
    const Start chain_start = this->start();
    name_expression();
    chain(chain_start, true);
  } else {
    expression();
  }
  if (at_ == first) return skip_rest(start);
  formula_rest(start);
}

/// Behind the first expression.
void Parser::formula_rest(const Start& start) {
  if (accept(TokenKind::Equal)) {
    expression();
    expect_semicolon("equation");
    finish(NodeKind::Equation, start);
  } else if (accept(TokenKind::ColonEqual)) {
    value();
    expect_semicolon("assignment");
    finish(NodeKind::Assign, start);
  } else {
    expect_semicolon("expression");
    finish(NodeKind::ExprStatement, start);
  }
}

/// The children of a Connect.
void Parser::connection() {
  advance();
  reference();
  connect_kind();
  reference();
}

void Parser::connect_kind() {
  const Start start = this->start();
  if (accept(TokenKind::Arrow)) return finish(NodeKind::ConnectKind, start);
  if (at(TokenKind::Minus) && next() == TokenKind::Minus) {
    if (!touches_next()) error_here(diag::Kind::Unexpected, "the two signs of `--` must stand together");
    advance();
    advance();
    return finish(NodeKind::ConnectKind, start);
  }
  error_expected("`->` or `--`").hint("`->` joins an output to an input, `--` joins ports or plugs");
  empty(NodeKind::Invalid);
}

void Parser::hold(const Start& start) {
  advance();
  do {
    reference();
  } while (accept(TokenKind::Comma));
  expect_semicolon("line");
  finish(NodeKind::Hold, start);
}

void Parser::require(const Start& start) {
  advance();
  if (at(TokenKind::WordWhen)) {
    require_clause(NodeKind::RequireWhen);
    expect(TokenKind::Colon, "the condition");
  }
  if (at(TokenKind::WordAlways) || at(TokenKind::WordEventually)) token_leaf(NodeKind::RequireForm);
  expression();
  if (at(TokenKind::WordFor)) {
    require_clause(NodeKind::ForDuration);
  } else if (at(TokenKind::WordUntil)) {
    require_clause(NodeKind::RequireUntil);
  }
  if (at(TokenKind::WordWithin)) require_clause(NodeKind::Within);
  if (at(TokenKind::String)) token_leaf(NodeKind::StringLiteral);
  expect_semicolon("requirement");
  finish(NodeKind::Require, start);
}

void Parser::require_clause(NodeKind kind) {
  const Start clause = start();
  advance();
  expression();
  finish(kind, clause);
}

void Parser::select(const Start& start) {
  advance();
  if (at(TokenKind::BracketOpen)) {
    array();
    expect_semicolon("line");
    return finish(NodeKind::Select, start);
  }
  const std::uint32_t open = at_;
  if (!accept(TokenKind::ParenOpen)) {
    error_expected("`[` or `(` after `select`");
    skip_to_item_end();
    return invalid_since(start);
  }
  name();
  close_bracket(TokenKind::ParenClose, open);
  block();
  optional_semicolon();
  finish(NodeKind::SelectFunction, start);
}

void Parser::section(const Start& start) {
  advance();
  name("the name of a package");
  braced(&Parser::section_item);
  optional_semicolon();
  finish(NodeKind::Section, start);
}

void Parser::section_item() {
  const Start start = this->start();
  if (!at_name()) {
    error_expected("a setting `name = value` or an element `Name(…)`");
    skip_to_item_end();
    return invalid_since(start);
  }
  if (next() == TokenKind::Equal) {
    name_expression();
    return setting(start);
  }
  const Start call = this->start();
  member_path();
  if (at(TokenKind::ParenOpen)) {
    arguments();
  } else {
    error_expected("`=` or `(`");
    empty(NodeKind::Invalid);
  }
  finish(NodeKind::CallExpr, call);
  expect_semicolon("element");
  finish(NodeKind::ExprStatement, start);
}

void Parser::for_item(const Start& start) {
  for_head();
  body();
  optional_semicolon();
  finish(NodeKind::ForItem, start);
}

/// `for i in 1..3`
void Parser::for_head() {
  advance();
  name();
  expect(TokenKind::WordIn, "the name that runs");
  range();
}

/// Everything that begins with `if`: a choice between bodies, a transition without trigger, or an equation whose left
/// side is a choice.
void Parser::if_item(const Start& start) {
  const bool must_be_reaction = has_label(start);
  const Start condition = this->start();
  advance();
  expression();
  if (at(TokenKind::WordThen)) {
    if_expression_rest(condition);
    return formula_rest(start);
  }
  if (at(TokenKind::Arrow) || must_be_reaction) {
    finish(NodeKind::Guard, condition);
    builder_.insert_empty(NodeKind::AutoTrigger, condition.mark, condition.token);
    return transition(start);
  }
  if_rest(start, NodeKind::IfItem, &Parser::body);
}

void Parser::devs_function(const Start& start) {
  const bool has_names = at(TokenKind::WordExternal) || at(TokenKind::WordConfluent);
  token_leaf(NodeKind::DevsKind);
  if (has_names) {
    const std::uint32_t open = at_;
    if (expect(TokenKind::ParenOpen, "`external` or `confluent`")) {
      name_list();
      close_bracket(TokenKind::ParenClose, open);
    }
  }
  block();
  optional_semicolon();
  finish(NodeKind::DevsFunction, start);
}

}  // namespace hyla::syntax
