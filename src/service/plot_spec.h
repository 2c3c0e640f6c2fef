// What is to be drawn, by names: the `section View` of a model, or the words of a command. Whoever has the values,
// a run or a result file, finds the columns, charts and statistics that the names stand for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "diag/source.h"
#include "model/model.h"

namespace hyla::service {

struct PlotSpec {
  struct Group {
    std::string title;
    std::vector<std::string> names;  ///< patterns (record/glob.h)
  };
  struct Path {
    std::string title;
    std::string x, y;
  };
  std::vector<Path> paths;
  std::vector<Group> panels;      ///< of variables
  std::vector<Group> strips;      ///< of charts, or objects with charts
  std::vector<Group> histograms;  ///< of statistics

  bool is_empty() const { return paths.empty() && panels.empty() && strips.empty() && histograms.empty(); }
};

/// What the view of a class asks for; empty if it has none.
PlotSpec view_spec(const model::Model& model, const diag::Sources& sources, model::ClassId top);

inline constexpr std::size_t kMostStrips = 12;
inline constexpr std::size_t kMostHistograms = 6;

/// Where nobody has asked for panels: which columns share one. Curves with the same unit do; if no unit is known at
/// all, those whose values have about the same size.
struct PanelChoice {
  std::vector<std::vector<std::size_t>> panels;  ///< places of columns
  std::size_t left_out = 0;                      ///< for which there was no room
};
struct PanelColumn {
  std::string unit;
  double span = 0;  ///< of the values; 0: not known
};
PanelChoice choose_panels(std::span<const PanelColumn> columns);

/// A remark about variables and charts that were left out; empty if none were.
std::string left_out_note(std::size_t variables, std::size_t charts);

}  // namespace hyla::service
