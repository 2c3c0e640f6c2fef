#include "service/read_model.h"

#include "check/check.h"
#include "check/forest.h"
#include "engine/build.h"
#include "service/modules.h"

namespace hyla::service {
namespace {

constexpr std::string_view kPrelude = "prelude";

/// `models/mm1.hyla` is the module `mm1`.
std::string module_of(const std::string& path) {
  const std::string name = path.substr(folder_of(path).size());
  return name.substr(0, name.rfind('.'));
}

}  // namespace

bool read_model(const std::string& path, const std::vector<std::string>& library_paths, const FileSystem& files,
                ModelReport& report, model::Model& model) {
  ModulePath modules(files, library_paths, report.sources);
  const diag::FileId prelude = modules.load_standard(kPrelude);
  const base::Result<diag::FileId> file = modules.load(path);
  if (!file.ok()) {
    report.failures.push_back(file.message());
    return false;
  }
  diag::Sink sink;
  const check::Forest forest = check::load_modules(report.sources, prelude, file.value(), modules, sink);
  model = check::check(forest, sink);
  report.diagnostics = sink.sorted();
  report.counts = sink.counts();
  return !sink.has_errors();
}

model::ClassId find_class(const std::string& path, const std::string& name, const model::Model& model,
                          ModelReport& report) {
  std::string message;
  const model::ClassId found = engine::find_top(model, module_of(path), name, message);
  if (!found) report.failures.push_back(message);
  return found;
}

void add_messages(const diag::Sink& sink, ModelReport& report) {
  for (const diag::Diagnostic& diagnostic : sink.diagnostics()) {
    ++(diagnostic.severity() == diag::Severity::Error ? report.counts.errors : report.counts.warnings);
    report.diagnostics.push_back(diagnostic);
  }
  report.counts.omitted += sink.counts().omitted;
}

}  // namespace hyla::service
