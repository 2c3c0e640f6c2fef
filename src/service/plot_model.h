// What the model of a run knows about its results: units, the view, the unit of the time.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "code/external.h"
#include "service/files.h"
#include "service/plot_spec.h"
#include "service/read_model.h"

namespace hyla::service {

struct PlotModel {
  PlotSpec view;
  std::string name;
  std::string time_unit;
  std::unordered_map<std::string, std::string> units;  ///< by the names of variables
};

/// Where the model is.
struct PlotSource {
  std::string path;
  std::string model;  ///< empty: the one that no other uses
  std::vector<std::string> library_paths;
  std::unique_ptr<code::ExternalLibraries> external;  ///< none: not allowed
};

/// False if the model cannot be read or built, with the reasons in the report.
bool load_plot_model(const PlotSource& source, const FileSystem& files, ModelReport& report, PlotModel& result);

/// From the text that a result file keeps of its model. False if that does not stand for itself, for example because it
/// needs external code.
bool load_stored_model(const std::string& text, const std::string& model, PlotModel& result);

}  // namespace hyla::service
