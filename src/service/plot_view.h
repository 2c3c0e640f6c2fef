// What a plot of a run shows: the `section View` of the top model, or else everything that is recorded by default.
#pragma once

#include <string>
#include <vector>

#include "diag/source.h"
#include "engine/world.h"
#include "record/plot.h"
#include "service/recorded_columns.h"

namespace hyla::service {

struct PlotView {
  struct Panel {
    std::string title;
    std::vector<std::size_t> columns;  ///< into the list of all columns
  };
  /// A chart of an object; charts inside its states have strips of their own.
  struct Strip {
    std::string name;
    code::ObjectRef object;
    engine::Index chart = engine::kNone;
  };
  struct Strips {
    std::string title;
    std::vector<Strip> strips;
  };
  struct Path {
    std::string title;
    std::size_t x = 0, y = 0;  ///< into the list of all columns
  };
  std::vector<Path> paths;
  std::vector<Panel> panels;
  std::vector<Strips> strips;
  std::string note;  ///< about what there was no room for
};

PlotView view_of(const engine::World& world, const diag::Sources& sources, const std::vector<RecordedColumn>& all);

}  // namespace hyla::service
