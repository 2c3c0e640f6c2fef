#include "syntax/parser.h"

#include "syntax/parser_impl.h"

namespace hyla::syntax {

Tree parse(const diag::Sources& sources, diag::FileId file, diag::Sink& sink) {
  const std::string_view source = sources.text(file);
  Reporter reporter(file, sink);
  Lexed lexed = lex(source, reporter);
  TreeBuilder builder(file, source, std::move(lexed.tokens), std::move(lexed.comments));
  Parser(builder, std::move(lexed.bad_tokens), reporter).file();
  return builder.take();
}

Parser::Parser(TreeBuilder& builder, std::vector<std::uint32_t> bad_tokens, Reporter& reporter)
    : builder_(builder), tokens_(builder.tree().tokens()), bad_tokens_(std::move(bad_tokens)), reporter_(reporter) {
  for (const Token& token : tokens_) {
    if (token.kind == TokenKind::BraceOpen) ++missing_closers_;
    if (token.kind == TokenKind::BraceClose) --missing_closers_;
  }
}

void Parser::file() {
  const Start start = this->start();
  move_to(0);
  bool imports_may_follow = true;
  while (!at(TokenKind::EndOfFile)) {
    begin_item();
    if (at(TokenKind::WordImport)) {
      if (!imports_may_follow) {
        error_here(diag::Kind::Unexpected, "imports stand at the top of the file")
            .hint("move this line before the first declaration");
      }
      import();
    } else {
      imports_may_follow = false;
      declaration();
    }
  }
  finish(NodeKind::File, start);
}

TokenKind Parser::ahead(int count) const {
  std::uint32_t token = at_;
  while (count > 0 && tokens_[token].kind != TokenKind::EndOfFile) {
    ++token;
    if (tokens_[token].kind != TokenKind::Unknown) --count;
  }
  return tokens_[token].kind;
}

void Parser::move_to(std::uint32_t token) {
  at_ = std::min(token, static_cast<std::uint32_t>(tokens_.size() - 1));
  while (tokens_[at_].kind == TokenKind::Unknown) ++at_;
  while (next_bad_ < bad_tokens_.size() && bad_tokens_[next_bad_] <= at_) {
    ++next_bad_;
    poisoned_ = true;
  }
}

bool Parser::starts_line(std::uint32_t token) const {
  if (token == 0) return true;
  const std::uint32_t gap = tokens_[token - 1].end;
  return builder_.tree().source().substr(gap, tokens_[token].begin - gap).find('\n') != std::string_view::npos;
}

std::uint32_t Parser::indentation(std::uint32_t token) const {
  const std::string_view before = builder_.tree().source().substr(0, tokens_[token].begin);
  const std::string_view line = before.substr(before.find_last_of('\n') + 1);
  return static_cast<std::uint32_t>(std::min(line.find_first_not_of(" \t"), line.size()));
}

TokenKind Parser::opener() const {
  const TokenKind word = kind();
  if (!is_place_word(word)) return word;
  const TokenKind following = next();
  const bool lists_components = word == TokenKind::WordSelect && following == TokenKind::BracketOpen;
  return makes_name(following) && !lists_components ? TokenKind::Identifier : word;
}

bool makes_name(TokenKind following) {
  switch (following) {
    case TokenKind::Equal:
    case TokenKind::ColonEqual:
    case TokenKind::Colon:
    case TokenKind::Dot:
    case TokenKind::BracketOpen:
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::Star:
    case TokenKind::Slash:
    case TokenKind::Caret:
      return true;
    default:
      return false;
  }
}

bool opens_declaration(TokenKind kind) {
  switch (kind) {
    case TokenKind::WordModel:
    case TokenKind::WordAtomic:
    case TokenKind::WordAbstract:
    case TokenKind::WordConnector:
    case TokenKind::WordMessage:
    case TokenKind::WordProtocol:
    case TokenKind::WordRecord:
    case TokenKind::WordEnum:
    case TokenKind::WordType:
    case TokenKind::WordConstant:
    case TokenKind::WordFunction:
    case TokenKind::WordExternal:
    case TokenKind::WordEnvironment:
    case TokenKind::WordExperiment:
    case TokenKind::WordPrivate:
    case TokenKind::WordImport:
      return true;
    default:
      return false;
  }
}

bool opens_item(TokenKind kind) {
  if (opens_declaration(kind)) return true;
  switch (kind) {
    case TokenKind::At:
    case TokenKind::WordRedefine:
    case TokenKind::WordKeep:
    case TokenKind::WordParameter:
    case TokenKind::WordInput:
    case TokenKind::WordOutput:
    case TokenKind::WordVar:
    case TokenKind::WordDiscrete:
    case TokenKind::WordObject:
    case TokenKind::WordDynamic:
    case TokenKind::WordPopulation:
    case TokenKind::WordPlug:
    case TokenKind::WordPort:
    case TokenKind::WordMailbox:
    case TokenKind::WordSignal:
    case TokenKind::WordTally:
    case TokenKind::WordAccumulate:
    case TokenKind::WordAuto:
    case TokenKind::WordProcess:
    case TokenKind::WordChart:
    case TokenKind::WordState:
    case TokenKind::WordChoice:
    case TokenKind::WordInitial:
    case TokenKind::WordEntry:
    case TokenKind::WordExit:
    case TokenKind::WordDefer:
    case TokenKind::WordHold:
    case TokenKind::WordConnect:
    case TokenKind::WordRequire:
    case TokenKind::WordSelect:
    case TokenKind::WordSection:
    case TokenKind::WordAdvance:
    case TokenKind::WordLambda:
    case TokenKind::WordInternal:
    case TokenKind::WordConfluent:
    case TokenKind::WordFrom:
    case TokenKind::WordOn:
    case TokenKind::WordWhen:
    case TokenKind::WordAfter:
    case TokenKind::WordAt:
    case TokenKind::WordEvery:
    case TokenKind::WordRate:
    case TokenKind::WordDone:
    case TokenKind::WordFor:
    case TokenKind::WordIf:
    case TokenKind::WordLet:
    case TokenKind::WordWhile:
    case TokenKind::WordLoop:
    case TokenKind::WordReturn:
    case TokenKind::WordBreak:
    case TokenKind::WordContinue:
    case TokenKind::WordSend:
    case TokenKind::WordStart:
    case TokenKind::WordNew:
    case TokenKind::WordRaise:
    case TokenKind::WordStop:
    case TokenKind::WordCancel:
    case TokenKind::WordDelete:
    case TokenKind::WordDisconnect:
    case TokenKind::WordWait:
    case TokenKind::WordReceive:
    case TokenKind::WordFirstOf:
      return true;
    default:
      return false;
  }
}

bool begins_expression(TokenKind kind) {
  switch (kind) {
    case TokenKind::Number:
    case TokenKind::String:
    case TokenKind::ParenOpen:
    case TokenKind::BracketOpen:
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::WordNot:
    case TokenKind::WordIf:
    case TokenKind::WordTrue:
    case TokenKind::WordFalse:
    case TokenKind::WordNone:
    case TokenKind::WordThis:
    case TokenKind::WordDer:
      return true;
    default:
      return kind == TokenKind::Identifier || is_place_word(kind);
  }
}

}  // namespace hyla::syntax
