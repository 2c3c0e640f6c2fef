// Shared by the tests of this folder.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace hyla::syntax {

/// A parsed text with everything it needs to live.
struct Parsed {
  explicit Parsed(std::string text)
      : file(sources->add("test.hyla", std::move(text))), tree(parse(*sources, file, sink)) {}

  /// Each message as `line:column kind: message`, in the order of the text.
  std::vector<std::string> messages() const {
    std::vector<std::string> lines;
    for (const diag::Diagnostic& d : sink.sorted()) {
      const diag::Position at = sources->position(file, d.span.begin);
      lines.push_back(fmt::format("{}:{} {}: {}", at.line, at.column, diag::info(d.kind).name, d.message));
    }
    return lines;
  }
  /// All hints, in the order of the text.
  std::vector<std::string> hints() const {
    std::vector<std::string> lines;
    for (const diag::Diagnostic& d : sink.sorted()) lines.insert(lines.end(), d.hints.begin(), d.hints.end());
    return lines;
  }

  std::unique_ptr<diag::Sources> sources = std::make_unique<diag::Sources>();
  diag::FileId file;
  diag::Sink sink;
  Tree tree;
};

}  // namespace hyla::syntax
