#include "service/check_files.h"

#include "check/check.h"
#include "check/forest.h"
#include "model/model.h"
#include "service/dump.h"
#include "service/modules.h"

namespace hyla::service {
namespace {

constexpr std::string_view kPrelude = "prelude";

/// Checks one file with all it imports.
std::string check_file(const diag::Sources& sources, diag::FileId prelude, diag::FileId file, Dump dump,
                       check::ModuleFinder& finder, diag::Sink& sink) {
  const check::Forest forest = check::load_modules(sources, prelude, file, finder, sink);
  switch (dump) {
    case Dump::Tokens:
      return dump_tokens(forest.modules[forest.main].tree, sources);
    case Dump::Tree:
      return dump_tree(forest.modules[forest.main].tree);
    case Dump::Model:
    case Dump::None:
      break;
  }
  const model::Model model = check::check(forest, sink);
  return dump == Dump::Model && !sink.has_errors() ? model::dump(model) : std::string();
}

}  // namespace

CheckOutcome check_files(const CheckRequest& request, const FileSystem& files) {
  CheckOutcome outcome;
  diag::Sink sink;
  ModulePath modules(files, request.library_paths, outcome.sources);
  const diag::FileId prelude = modules.load_standard(kPrelude);
  for (const std::string& path : request.paths) {
    const base::Result<diag::FileId> file = modules.load(path);
    if (file.ok()) {
      outcome.dump += check_file(outcome.sources, prelude, file.value(), request.dump, modules, sink);
    } else {
      outcome.failures.push_back(file.message());
    }
  }
  outcome.diagnostics = sink.sorted();
  outcome.counts = sink.counts();
  return outcome;
}

}  // namespace hyla::service
