// Pictures of a checked model, as texts in the DOT language for Graphviz to draw.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "diag/source.h"
#include "model/model.h"

namespace hyla::picture {

/// Parts within parts, their ports and plugs, and how they are connected. `depth` is the number of levels that are
/// opened. A failure if the picture would be too large to be of use.
base::Result<std::string> draw_structure(const model::Model& model, const diag::Sources& sources, model::ClassId top,
                                         std::size_t depth);

/// Charts side by side.
std::string draw_charts(const model::Model& model, const diag::Sources& sources,
                        const std::vector<model::ChartId>& charts);

/// The charts of a class that are in no state, those of `if` and `for` included.
std::vector<model::ChartId> charts_of(const model::Model& model, model::ClassId id);

/// The class, and the classes of its parts on all levels; each once, in the order in which they are met.
std::vector<model::ClassId> classes_within(const model::Model& model, model::ClassId top);

/// All parts of a body, those of its states, families and conditionals included.
std::vector<model::PartId> parts_within(const model::Model& model, model::BodyId body);

/// The class whose members a part shows: that of its first occupant, if it has one.
model::ClassId shown_class(const model::Part& part);

}  // namespace hyla::picture
