// `hyla graph` in plain data: a picture of a model's structure or of its charts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "service/files.h"
#include "service/read_model.h"

namespace hyla::service {

enum class GraphSubject : std::uint8_t {
  Auto,  ///< the structure of a model with parts, the charts of one without
  Structure,
  Charts,  ///< of the model and of its parts
  Chart,   ///< one of them
};

struct GraphRequest {
  std::string path;
  std::string model;  ///< empty: the one that no other uses
  std::vector<std::string> library_paths;
  GraphSubject subject = GraphSubject::Auto;
  std::string chart;             ///< `travel`, `Valve.travel`, `plant.outlet.travel`
  std::size_t depth = SIZE_MAX;  ///< levels of parts that are opened
  std::string output;            ///< ends with `.svg`, `.png`, `.pdf` or `.dot`; empty: none
};

struct GraphReport : ModelReport {
  std::string dot;  ///< the picture as text; empty with a reason among the messages
};

GraphReport graph_model(const GraphRequest& request, FileSystem& files);

}  // namespace hyla::service
