#include "service/plot_model.h"

#include "engine/build.h"
#include "service/recorded_columns.h"

namespace hyla::service {

bool load_plot_model(const std::string& path, const std::string& model, const std::vector<std::string>& library_paths,
                     const FileSystem& files, ModelReport& report, PlotModel& result) {
  model::Model checked;
  if (!read_model(path, library_paths, files, report, checked)) return false;
  engine::BuildRequest build;
  build.top = find_class(path, model, checked, report);
  if (!build.top) return false;
  diag::Sink sink;
  engine::BuildFailure failure;
  const std::unique_ptr<engine::World> world = engine::build(checked, build, sink, failure);
  add_messages(sink, report);
  if (!world) {
    if (!failure.message.empty()) report.failures.push_back(failure.message);
    return false;
  }
  result.view = view_spec(checked, report.sources, build.top);
  result.name = checked.name(checked.classes[build.top].name);
  result.time_unit = engine::settings_of(checked, build.top).time_unit;
  for (const RecordedColumn& column : all_columns(*world)) result.units.emplace(column.name, column.unit);
  return true;
}

}  // namespace hyla::service
