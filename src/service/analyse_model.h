// `hyla linearize` and `hyla steady` in plain data: the equations of a model around a point, and the point at which it
// stays.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/files.h"
#include "service/parameters.h"
#include "service/read_model.h"

namespace hyla::service {

/// Which point is looked at: the start, or where a run has come to at a time.
struct AnalysisRequest {
  std::string path;
  std::string model;  ///< empty: the one that no other uses
  std::vector<std::string> library_paths;
  std::vector<ParameterSetting> settings;
  std::string start_values_file;  ///< empty: none
  bool allow_external = false;
  std::vector<std::string> external_folders;
  std::optional<double> at;
  std::optional<double> tolerance;
};

struct LinearRequest : AnalysisRequest {
  std::vector<std::string> inputs;   ///< none: the free inputs of the model
  std::vector<std::string> outputs;  ///< none: the outputs of the model
  std::string output;                ///< ends with `.json` or `.mat`; empty: none
};

struct SteadyRequest : AnalysisRequest {
  std::string save_file;  ///< of start values; empty: none
};

struct AnalysedQuantity {
  std::string name;
  std::string unit;  ///< empty for a bare number
  double value = 0;
  double derivative = 0;  ///< of a state
};

enum class Stability : std::uint8_t {
  Stable,    ///< all eigenvalues have negative real parts
  Marginal,  ///< one is zero within rounding, none is positive
  Unstable,
};

/// x' = A x + B u, y = C x + D u around the point.
struct AnalysisReport : ModelReport {
  bool has_result = false;  ///< the rest means something
  std::string model;
  double time = 0;
  std::string time_unit;
  bool depends_on_time = false;                                    ///< the derivatives do, explicitly
  std::vector<std::pair<std::string, std::string>> configuration;  ///< objects with charts, and their active states
  std::vector<AnalysedQuantity> states, inputs, outputs;
  std::vector<double> a, b, c, d;  ///< row by row
  std::vector<std::complex<double>> eigenvalues;
  Stability stability = Stability::Stable;
};

struct SteadyReport : AnalysisReport {
  std::vector<double> starts;     ///< by state: where the search began
  std::string complaint;          ///< why there is none; empty: it was found, or the model has failed before
  std::vector<std::string> open;  ///< states that the equations do not determine: they have kept their values
};

AnalysisReport linearise_model(const LinearRequest& request, FileSystem& files);
SteadyReport find_steady_state(const SteadyRequest& request, FileSystem& files);

std::string linear_text(const AnalysisReport& report);
std::string linear_json(const AnalysisReport& report);
/// A MAT file of level 4 with A, B, C, D, the names, the point and the eigenvalues.
std::string linear_mat(const AnalysisReport& report);
std::string steady_text(const SteadyReport& report);
std::string steady_json(const SteadyReport& report);

}  // namespace hyla::service
