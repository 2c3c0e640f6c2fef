// `hyla plot` in plain data: from result files and words to a picture, or a text for the terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "record/plot.h"
#include "service/files.h"
#include "service/read_model.h"

namespace hyla::service {

struct PlotRequest {
  std::vector<std::string> results;  ///< files of runs; several are drawn together
  /// Variables and charts, as patterns. A word `/` begins a panel; without one there is a panel for each unit. None:
  /// what the view of the model asks for, or everything that there is room for.
  std::vector<std::string> words;
  std::string x;                   ///< what stands below the curves instead of the time; empty: the time
  bool histograms = false;         ///< how long the variables had which values
  std::string events_file;         ///< empty: in the result, or beside it
  std::vector<std::string> marks;  ///< patterns of events with a line across all panels
  std::string model_file;          ///< whose units and view count; empty: what the result tells
  std::string model;               ///< in that file; empty: the one that no other uses
  std::vector<std::string> library_paths;
  bool allow_external = false;  ///< the model may call functions of shared libraries
  std::vector<std::string> external_folders;
  std::optional<std::string> title;
  std::optional<double> from, to;
  double width = 0, height = 0;  ///< of the picture; 0: chosen

  std::string picture;             ///< `.svg`, `.png` or `.pdf`; empty: none
  std::size_t terminal_width = 0;  ///< columns of a drawing as text; 0: none
  bool terminal_colours = false;
};

struct PlotOutcome : ModelReport {
  std::vector<std::string> notes;  ///< what was amiss but did not matter
  record::Plot plot;
  std::string text;  ///< for the terminal
};

PlotOutcome plot_results(const PlotRequest& request, const FileSystem& files);

/// Whether a word of a command means a result file, not a variable.
bool is_result_name(const std::string& word);

}  // namespace hyla::service
