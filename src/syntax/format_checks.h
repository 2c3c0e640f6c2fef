// What must hold of every formatted text; shared by tests and fuzzer.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/format.h"
#include "syntax/parser.h"

namespace hyla::syntax {

/// The formatted text; nothing if the text has syntax errors. Formats those too, because that must not crash.
inline std::optional<std::string> format_text(std::string_view text) {
  diag::Sources sources;
  diag::Sink sink;
  const Tree tree = parse(sources, sources.add("test.hyla", std::string(text)), sink);
  std::string formatted = format(tree);
  if (sink.has_errors()) return std::nullopt;
  return formatted;
}

/// The tokens that matter and the comments between them, in order. Comments are told line by line without the spaces at
/// both ends.
inline std::vector<std::string> words_of(std::string_view text) {
  diag::Sources sources;
  diag::Sink sink;
  const Tree tree = parse(sources, sources.add("test.hyla", std::string(text)), sink);
  std::vector<std::string> words;
  auto comment = tree.comments().begin();
  TokenKind before = TokenKind::EndOfFile;
  for (std::uint32_t i = 0; i < tree.tokens().size(); ++i) {
    const Token& token = tree.token(i);
    const bool is_redundant = token.kind == TokenKind::Semicolon && before == TokenKind::BraceClose;
    if (is_redundant) continue;
    for (; comment != tree.comments().end() && comment->next_token <= i; ++comment) {
      for (const std::string_view line :
           base::split_lines(text.substr(comment->begin, comment->end - comment->begin))) {
        words.emplace_back(base::trim(line));
      }
    }
    words.emplace_back(tree.text(token));
    before = token.kind;
  }
  return words;
}

/// What is wrong with the formatted form of a text; nothing if all is well or the text has syntax errors.
inline std::optional<std::string> format_fault(std::string_view text) {
  const std::optional<std::string> once = format_text(text);
  if (!once) return std::nullopt;
  const std::optional<std::string> twice = format_text(*once);
  if (!twice) return "the result has syntax errors:\n" + *once;
  if (*twice != *once) return "formatting again changes:\n" + *once + "--- into:\n" + *twice;
  const std::vector<std::string> words = words_of(text);
  const std::vector<std::string> formatted_words = words_of(*once);
  if (words != formatted_words) {
    const auto [was, is] = std::ranges::mismatch(words, formatted_words);
    return "changed `" + (was == words.end() ? "" : *was) + "` to `" + (is == formatted_words.end() ? "" : *is) +
           "` in:\n" + *once;
  }
  if (once->find(" \n") != std::string::npos) return "a line ends with a space:\n" + *once;
  if (!once->empty() && (!once->ends_with('\n') || once->ends_with("\n\n")))
    return "it does not end with one line break";
  return std::nullopt;
}

}  // namespace hyla::syntax
