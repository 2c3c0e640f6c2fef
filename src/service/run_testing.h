// What tests of whole runs share: a text, checked once and run as often as wanted.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check.h"
#include "diag/render.h"
#include "engine/build.h"
#include "engine/run.h"
#include "service/modules.h"
#include "service/run_model.h"

namespace hyla::service {

/// A checked model that has its sources with it. Errors tell why it cannot be built or run.
class CheckedText {
 public:
  CheckedText(const FileSystem& files, const std::string& path, const std::string& top = "") {
    ModulePath modules(files, {}, sources_);
    const diag::FileId prelude = modules.load_standard("prelude");
    const base::Result<diag::FileId> file = modules.load(path);
    if (!file.ok()) return;
    diag::Sink sink;
    const check::Forest forest = check::load_modules(sources_, prelude, file.value(), modules, sink);
    model_ = check::check(forest, sink);
    errors_ = sink.has_errors() ? diag::render(sink.sorted(), sources_) : "";
    const std::string name = path.substr(folder_of(path).size());
    if (errors_.empty()) request_.top = engine::find_top(model_, name.substr(0, name.rfind('.')), top, errors_);
  }
  /// A text whose top model is `Case`.
  explicit CheckedText(const std::string& text)
      : CheckedText(MemoryFiles({{"model.hyla", text}}), "model.hyla", "Case") {}
  CheckedText(const CheckedText&) = delete;
  CheckedText& operator=(const CheckedText&) = delete;

  const model::Model& model() const { return model_; }
  const diag::Sources& sources() const { return sources_; }
  bool good() const { return errors_.empty() && request_.top; }
  const std::string& errors() const { return errors_; }
  engine::BuildRequest request(std::uint64_t seed, std::vector<engine::Assignment> assignments = {}) const {
    engine::BuildRequest result = request_;
    result.seed = seed;
    result.assignments = std::move(assignments);
    return result;
  }
  std::unique_ptr<engine::World> build(const engine::BuildRequest& request, diag::Sink& sink) const {
    engine::BuildFailure failure;
    return engine::build(model_, request, sink, failure);
  }

 private:
  diag::Sources sources_;
  model::Model model_;
  engine::BuildRequest request_;
  std::string errors_;
};

/// What a model prints, line by line; its top model is `Case`. Errors follow.
inline std::string printed(const std::string& text, double stop_time = 100) {
  RunRequest request;
  request.path = "model.hyla";
  request.model = "Case";
  request.stop_time = stop_time;
  std::string result;
  RunWatcher watcher;
  watcher.print = [&](std::string_view line) { result += std::string(line) + "\n"; };
  const RunReport report = run_model(request, MemoryFiles({{"model.hyla", text}}), watcher);
  if (report.counts.errors > 0) result += diag::render(report.diagnostics, report.sources);
  for (const std::string& failure : report.failures) result += failure;
  return result;
}

}  // namespace hyla::service
