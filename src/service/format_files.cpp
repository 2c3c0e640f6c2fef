#include "service/format_files.h"

#include <optional>

#include "syntax/format.h"
#include "syntax/parser.h"

namespace hyla::service {
namespace {

/// The text of a file laid out, or none if it has mistakes: a formatter must not guess what was meant.
std::optional<std::string> formatted(const diag::Sources& sources, diag::FileId file, diag::Sink& sink) {
  const std::size_t errors_before = sink.error_count();
  const syntax::Tree tree = syntax::parse(sources, file, sink);
  if (sink.error_count() > errors_before) return std::nullopt;
  return syntax::format(tree);
}

void finish(FormatOutcome& outcome, const diag::Sink& sink) {
  outcome.diagnostics = sink.sorted();
  outcome.counts = sink.counts();
}

}  // namespace

FormatOutcome format_files(const FormatRequest& request, FileSystem& files) {
  FormatOutcome outcome;
  diag::Sink sink;
  for (const std::string& path : request.paths) {
    base::Result<std::string> text = files.read(path);
    if (!text.ok()) {
      outcome.failures.push_back(text.message());
      continue;
    }
    const diag::FileId file = outcome.sources.add(path, std::move(text).value());
    const std::optional<std::string> result = formatted(outcome.sources, file, sink);
    if (!result || *result == outcome.sources.text(file)) continue;
    if (!request.check_only) {
      if (const auto problem = files.write(path, *result)) {
        outcome.failures.push_back(problem->message);
        continue;
      }
    }
    outcome.changed.push_back(path);
  }
  finish(outcome, sink);
  return outcome;
}

FormatOutcome format_text(const std::string& path, std::string text) {
  FormatOutcome outcome;
  diag::Sink sink;
  const diag::FileId file = outcome.sources.add(path, std::move(text));
  if (auto result = formatted(outcome.sources, file, sink)) {
    if (*result != outcome.sources.text(file)) outcome.changed.push_back(path);
    outcome.text = *std::move(result);
  }
  finish(outcome, sink);
  return outcome;
}

}  // namespace hyla::service
