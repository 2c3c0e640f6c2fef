// Any bytes must check without harm, and what passes without errors must be a sound model that can be printed.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "check/check.h"
#include "check/forest.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "model/model.h"

namespace {

using namespace hyla;

/// Fuzzed text can import nothing.
class NoModules : public check::ModuleFinder {
 public:
  Found find(std::string_view /*name*/, diag::FileId /*importer*/) override { return {}; }
};

const std::string& prelude_text() {
  static const std::string text = [] {
    std::ifstream file("lib/prelude.hyla", std::ios::binary);
    HYLA_CHECK(file.good(), "run this in the repository's root: lib/prelude.hyla is missing");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return text;
}

void check_places(const diag::Sources& sources, const diag::Diagnostic& diagnostic) {
  const auto is_inside = [&](diag::Span span) {
    return span.file.index < sources.size() && span.begin <= span.end && span.end <= sources.text(span.file).size();
  };
  HYLA_CHECK(is_inside(diagnostic.span), "a message without a place in a file");
  for (const diag::Label& label : diagnostic.labels) HYLA_CHECK(is_inside(label.span), "a label without a place");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  diag::Sources sources;
  const std::string text(data, data + size);
  // Only sections and experiments need the prelude; without it more inputs are tried in the same time.
  const bool needs_prelude = text.find("section") != std::string::npos || text.find("experiment") != std::string::npos;
  const diag::FileId prelude = needs_prelude ? sources.add("prelude.hyla", prelude_text()) : diag::FileId{};
  const diag::FileId file = sources.add("input.hyla", text);
  NoModules finder;
  diag::Sink sink;
  const check::Forest forest = check::load_modules(sources, prelude, file, finder, sink);
  const model::Model model = check::check(forest, sink);
  for (const diag::Diagnostic& diagnostic : sink.diagnostics()) check_places(sources, diagnostic);
  if (sink.has_errors()) return 0;
  const std::vector<std::string> problems = model::verify(model);
  for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
  HYLA_CHECK(problems.empty(), "a checked model breaks an invariant");
  model::dump(model);  // must not crash; an empty model has an empty text
  return 0;
}
