// Any bytes must parse without harm into a tree that keeps its promises.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"
#include "syntax/verify_tree.h"

namespace {

using namespace hyla;

bool has_invalid_node(const syntax::Tree& tree) {
  for (std::uint32_t i = 0; i < tree.node_count(); ++i) {
    if (tree.kind(syntax::NodeId{i}) == syntax::NodeKind::Invalid) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  diag::Sources sources;
  const diag::FileId file = sources.add("input.hyla", std::string(data, data + size));
  diag::Sink sink;
  const syntax::Tree tree = syntax::parse(sources, file, sink);
  const std::vector<std::string> problems = syntax::verify_tree(tree);
  for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
  HYLA_CHECK(problems.empty(), "the tree breaks a promise");
  HYLA_CHECK(sink.has_errors() || !has_invalid_node(tree), "an Invalid node without a message");
  for (const diag::Diagnostic& diagnostic : sink.diagnostics()) {
    HYLA_CHECK(diagnostic.span.begin <= diagnostic.span.end && diagnostic.span.end <= size,
               "a message outside the file");
  }
  return 0;
}
