// The parser: recursive descent over the grammar of docs/language.md, one function per rule.
//
// Every rule function consumes its tokens and leaves exactly one node waiting in the builder; those of a list leave one
// per element. After a mistake the rest of the item is read in silence (poisoned_), so one mistake gives one message;
// begin_item() ends the silence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/lexer.h"
#include "syntax/parser.h"
#include "syntax/reporter.h"
#include "syntax/tree_builder.h"
#include "syntax/words.h"

namespace hyla::syntax {

/// A token that may follow a place word which is then a name: `rate = 3;`, `at.x := 1;`.
bool makes_name(TokenKind following);
/// Opens an item of a body, a statement or a declaration, in whichever place.
bool opens_item(TokenKind kind);
/// Opens a declaration of a file.
bool opens_declaration(TokenKind kind);
bool begins_expression(TokenKind kind);

class Parser {
 public:
  Parser(TreeBuilder& builder, std::vector<std::uint32_t> bad_tokens, Reporter& reporter);
  void file();

 private:
  /// Where a node begins.
  struct Start {
    TreeBuilder::Mark mark;
    std::uint32_t token;
  };
  using Rule = void (Parser::*)();

  /// One level deeper, as long as it lives; false if that is too deep, which is then reported.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser), entered_(parser.enter()) {}
    ~Nesting() { parser_.depth_ -= entered_ ? 1 : 0; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    explicit operator bool() const { return entered_; }

   private:
    Parser& parser_;
    bool entered_;
  };

  // Tokens
  TokenKind kind() const { return tokens_[at_].kind; }
  bool at(TokenKind kind) const { return tokens_[at_].kind == kind; }
  bool at_name() const { return is_name(kind()); }
  static bool is_name(TokenKind kind) { return kind == TokenKind::Identifier || is_place_word(kind); }
  /// The kind of the first token behind the current one; unknown characters do not count.
  TokenKind next() const { return ahead(1); }
  TokenKind ahead(int count) const;
  void advance() { move_to(at_ + 1); }
  void move_to(std::uint32_t token);
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }
  std::string_view text(std::uint32_t token) const { return builder_.tree().text(tokens_[token]); }
  bool at_line_start() const { return starts_line(at_); }
  bool starts_line(std::uint32_t token) const;
  bool touches_next() const { return at_ + 1 < tokens_.size() && tokens_[at_].end == tokens_[at_ + 1].begin; }
  /// The indentation of the token's line, in bytes.
  std::uint32_t indentation(std::uint32_t token) const;
  /// The word that opens an item or a statement here; Identifier for a place word that is a name here.
  TokenKind opener() const;

  // Nodes
  Start start() const { return {builder_.mark(), at_}; }
  void finish(NodeKind kind, const Start& start) { builder_.finish(kind, start.mark, start.token, at_); }
  void token_leaf(NodeKind kind) {
    builder_.leaf(kind, at_, at_ + 1);
    advance();
  }
  void empty(NodeKind kind) { builder_.leaf(kind, at_, at_); }
  /// Replaces everything since the start by one Invalid node.
  void invalid_since(const Start& start) {
    builder_.drop(start.mark);
    builder_.leaf(NodeKind::Invalid, start.token, at_);
  }

  // Mistakes (parse_recovery.cpp)
  void begin_item();
  void end_silence();
  diag::Sink::Entry error(diag::Kind kind, std::uint32_t begin, std::uint32_t end, std::string message);
  diag::Sink::Entry error_here(diag::Kind kind, std::string message);
  /// "expected …, found …"
  diag::Sink::Entry error_expected(std::string_view what);
  std::string found() const;
  bool enter();
  bool expect(TokenKind wanted, std::string_view after = {});
  void expect_semicolon(std::string_view after);
  /// The end of an item that ended with a brace.
  void optional_semicolon() { accept(TokenKind::Semicolon); }
  void close_bracket(TokenKind close, std::uint32_t open);
  void skip_to_item_end();
  void skip_to_declaration();
  void skip_braces();
  void skip_deep_expression();
  void skip_rest(const Start& start);
  void misread_item(const Start& start);
  bool at_reserved_name() const;
  bool reserved_word_is_name() const;
  void reserved_word_error();

  // Braces (parse_braces.cpp)
  struct Brace {
    std::uint32_t token = 0;
    bool is_implied = false;  ///< missing, and `token` is the last one of the head
  };
  void braced(Rule read_item);
  bool open_brace(Brace& brace);
  bool is_left_by_indentation(const Brace& brace) const;
  bool at_outer_declaration() const;
  bool is_stray_close(const Brace& brace);
  bool closes_outer(const Brace& brace) const;
  void unclosed_brace(const Brace& brace);

  // Files and declarations (parse_declarations.cpp)
  void import();
  void declaration();
  static bool opens_nested(TokenKind word);
  void nested(const Start& start, TokenKind word);
  void model(const Start& start);
  void connector(const Start& start);
  void connector_field();
  void message(const Start& start);
  void record(const Start& start);
  void field();
  void protocol(const Start& start);
  void protocol_item();
  void direction();
  void enumeration(const Start& start);
  void type_definition(const Start& start);
  void environment(const Start& start);
  void function(const Start& start);
  void signature_head();
  void external(const Start& start);
  void external_function(const Start& start);
  void external_object(const Start& start);
  void string();
  void signature();
  void parameters();
  void parameter();
  void results();
  void experiment(const Start& start);
  void experiment_item();
  void setting(const Start& start);

  // Items of bodies (parse_items.cpp)
  void body();
  void item();
  void annotation();
  void behaviour(const Start& start);
  bool has_label(const Start& start) const;
  void misplaced_item(const Start& start);
  void process(const Start& start);
  void formula(const Start& start);
  void formula_rest(const Start& start);
  void connection();
  void connect_kind();
  void hold(const Start& start);
  void require(const Start& start);
  /// A word and the expression that belongs to it.
  void require_clause(NodeKind kind);
  void select(const Start& start);
  void section(const Start& start);
  void section_item();
  void for_item(const Start& start);
  void for_head();
  void if_item(const Start& start);
  void devs_function(const Start& start);

  // Variables, ports and the like (parse_variables.cpp)
  void variable(const Start& start);
  void declarators();
  void declarator();
  void dimensions();
  void dimension();
  void type();
  void declarator_item(NodeKind kind, const Start& start);
  void port(const Start& start);
  void port_name();
  void exported_port(std::string_view expected);
  void mailbox(const Start& start);
  void signal(const Start& start);
  void statistic(const Start& start);

  // Charts and reactions (parse_charts.cpp)
  void chart(const Start& start);
  void state(const Start& start);
  void choice(const Start& start);
  void choice_branch();
  void initial(const Start& start);
  void block_item(NodeKind kind, const Start& start);
  void defer(const Start& start);
  void reaction(const Start& start);
  void transition(const Start& start);
  void from_clause();
  void trigger();
  void trigger_with_expression(NodeKind kind);
  void guard();
  void event();
  void target();
  void history(NodeKind kind, const Start& start);
  void transition_end();

  // Actions (parse_actions.cpp)
  void block();
  void statement();
  void statement_end(NodeKind kind, const Start& start);
  void block_end(NodeKind kind, const Start& start);
  void let();
  void if_statement(const Start& start);
  void if_rest(const Start& start, NodeKind kind, void (Parser::*inside)());
  void skip_deep_if();
  void delete_statement(const Start& start);
  void disconnect(const Start& start);
  void awaited();
  void branch();
  void value();
  void operation();
  void send();

  // Names and expressions (parse_expressions.cpp)
  void name(std::string_view what = "a name");
  void name_list();
  void path();
  void path_list();
  void alias();
  void reference();
  void name_expression();
  void member_path();
  void chain(const Start& start, bool with_calls);
  void subscripts();
  void expression();
  void if_expression();
  void if_expression_rest(const Start& start);
  void disjunction();
  void conjunction();
  void negation();
  void relation();
  void chained_comparison();
  void sum();
  void product();
  void sign();
  void power();
  void postfix();
  void primary();
  void number_literal();
  void unit();
  void unit_factor();
  void unit_power();
  void parenthesised();
  void array();
  void range();
  void subscript();
  void arguments();
  void argument();
  void where_argument();
  bool last_is_reference() const;

  TreeBuilder& builder_;
  std::span<const Token> tokens_;
  std::vector<std::uint32_t> bad_tokens_;
  Reporter& reporter_;

  std::uint32_t at_ = 0;          ///< the current token, never an unknown character
  std::uint32_t next_bad_ = 0;    ///< index into bad_tokens_ of the first one not reached
  std::uint32_t item_begin_ = 0;  ///< the first token of the item being read
  std::uint32_t last_error_ = UINT32_MAX;
  bool poisoned_ = false;
  int depth_ = 0;
  int deepest_ = 0;  ///< the greatest depth below the chain being read; see chain()
  /// How many `}` (or, if negative, `{`) the file lacks and no message has told yet. Only then indentation is looked
  /// at.
  int missing_closers_ = 0;
};

}  // namespace hyla::syntax
