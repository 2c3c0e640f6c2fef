#include "api/messages.h"

#include "diag/render.h"

namespace hyla::api {

std::vector<Message> messages_of(std::span<const diag::Diagnostic> diagnostics, const diag::Sources& sources) {
  std::vector<Message> messages;
  for (const diag::Diagnostic& diagnostic : diagnostics) {
    Message& message = messages.emplace_back();
    message.is_error = diagnostic.severity() == diag::Severity::Error;
    message.kind = diag::info(diagnostic.kind).name;
    message.text = diagnostic.message;
    if (!diagnostic.span.file) continue;
    const diag::Position position = sources.position(diagnostic.span.file, diagnostic.span.begin);
    message.file = sources.path(diagnostic.span.file);
    message.line = position.line;
    message.column = position.column;
  }
  return messages;
}

void raise(const std::vector<std::string>& failures, std::span<const diag::Diagnostic> diagnostics,
           const diag::Sources& sources) {
  std::string text = diag::render(diagnostics, sources);
  for (const std::string& failure : failures) text += (text.empty() ? "" : "\n") + failure;
  throw Error(text, messages_of(diagnostics, sources));
}

void raise(const std::string& text) { throw Error(text, {}); }

}  // namespace hyla::api
