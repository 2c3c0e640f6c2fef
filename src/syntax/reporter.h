// How the lexer and the parser report about one file.
#pragma once

#include <cstdint>
#include <string>

#include "diag/diagnostic.h"

namespace hyla::syntax {

class Reporter {
 public:
  Reporter(diag::FileId file, diag::Sink& sink) : file_(file), sink_(sink) {}

  diag::Sink::Entry report(diag::Kind kind, std::uint32_t begin, std::uint32_t end, std::string message) {
    return sink_.report(kind, {file_, begin, end}, std::move(message));
  }
  /// Takes a message that is not worth telling, and gives an entry that goes nowhere.
  diag::Sink::Entry swallow(diag::Kind kind) {
    const diag::Sink::Mute mute(sink_);
    return sink_.report(kind, {file_, 0, 0}, {});
  }

 private:
  diag::FileId file_;
  diag::Sink& sink_;
};

}  // namespace hyla::syntax
