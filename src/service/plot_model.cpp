#include "service/plot_model.h"

#include <map>
#include <string_view>

#include "base/text.h"
#include "engine/build.h"
#include "service/recorded_columns.h"

namespace hyla::service {
namespace {

/// Stands before the path of each file where a text has several.
constexpr std::string_view kFileLine = "// --- ";

struct StoredFile {
  std::string path;
  std::string text;
};

std::vector<StoredFile> split_files(const std::string& text) {
  if (!text.starts_with(kFileLine)) return {{"model.hyla", text}};
  std::vector<StoredFile> files;
  for (const std::string_view line : base::split_lines(text)) {
    if (line.starts_with(kFileLine)) {
      files.push_back({std::string(line.substr(kFileLine.size())), ""});
    } else {
      (files.back().text += line) += '\n';
    }
  }
  return files;
}

}  // namespace

bool load_plot_model(const PlotSource& source, const FileSystem& files, ModelReport& report, PlotModel& result) {
  model::Model checked;
  if (!read_model(source.path, source.library_paths, files, report, checked)) return false;
  engine::BuildRequest build;
  build.external = source.external.get();
  build.top = find_class(source.path, source.model, checked, report);
  if (!build.top) return false;
  diag::Sink sink;
  engine::BuildFailure failure;
  const std::unique_ptr<engine::World> world = engine::build(checked, build, sink, failure);
  add_messages(sink, report);
  if (!world) {
    if (!failure.message.empty()) report.failures.push_back(failure.message);
    return false;
  }
  report.diagnostics.clear();  // warnings were told when the model was run
  report.counts = {};
  result.view = view_spec(checked, report.sources, build.top);
  result.name = checked.name(checked.classes[build.top].name);
  result.time_unit = engine::settings_of(checked, build.top).time_unit;
  for (const RecordedColumn& column : all_columns(*world)) result.units.emplace(column.name, column.unit);
  return true;
}

bool load_stored_model(const std::string& text, const std::string& model, PlotModel& result) {
  std::map<std::string, std::string> all;
  std::vector<std::string> folders;
  const std::vector<StoredFile> stored = split_files(text);
  for (const StoredFile& file : stored) {
    all[file.path] = file.text;
    folders.push_back(folder_of(file.path));
  }
  const MemoryFiles files(std::move(all));
  for (const StoredFile& file : stored) {
    ModelReport report;
    PlotModel found;
    if (!load_plot_model({file.path, model, folders, nullptr}, files, report, found)) continue;
    result = std::move(found);
    return true;
  }
  return false;
}

}  // namespace hyla::service
