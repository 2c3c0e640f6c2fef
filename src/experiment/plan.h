// An experiment as plain data, ready to be done: what is varied, observed, repeated and optimised.
//
// The texts of the experiment are taken apart here. What is folded over time (`max(h)`) becomes a TimeFold with a local
// that stands for its value; what is folded over runs (`mean(peak)`) a RunsFold. What is left are expressions over
// parameters and locals, which are evaluated at the end of a run, or of a group of runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "diag/diagnostic.h"
#include "engine/world.h"
#include "experiment/distribution.h"
#include "experiment/fold_run.h"
#include "model/model.h"

namespace hyla::experiment {

/// A value of a varied parameter.
struct Value {
  std::string text;   ///< as settings are written
  double number = 0;  ///< of what is no number: its place in the list, from 1
};

enum class FactorKind : std::uint8_t {
  Values,  ///< one after the other
  Drawn,   ///< from a distribution; an interval is a uniform one
  Free,    ///< found by optimisation
};

/// Something that is varied.
struct Factor {
  std::string path;
  std::string unit;
  diag::Span span;
  FactorKind kind = FactorKind::Values;
  bool is_setting = false;  ///< of the simulation, not of the model
  bool is_integer = false;
  bool is_number = true;
  std::vector<Value> values;  ///< Values
  Distribution distribution;  ///< Drawn
  double low = 0, high = 0;   ///< Free
  double start = 0;           ///< Free: where the search begins
};

enum class Sampling : std::uint8_t { Random, LatinHypercube, Sobol };

struct TimeFold {
  FoldRequest request;
  model::ExprId quantity;
  model::LocalId local;
  std::size_t data = SIZE_MAX;  ///< of a misfit: into Plan::data
};

/// A number of each run.
struct Observed {
  std::string name;
  std::string unit;
  model::ExprId value;
  model::LocalId local;
  bool is_hidden = false;  ///< needed by others, not asked for
};

struct RunsFold {
  model::Builtin builtin = model::Builtin::Mean;
  std::size_t observed = 0;  ///< into Plan::observed
  double part = 0;           ///< of a quantile
  model::LocalId local;
};

struct PlannedRequirement {
  model::ExprId condition;
  /// Both sides of a comparison, the smaller one first: the distance is a bound for optimisation. None otherwise.
  model::ExprId smaller, greater;
  std::string text;
  bool of_each_run = true;  ///< false: over the runs of a group
};

struct Plan {
  const model::Model* model = nullptr;
  std::string name;
  std::vector<Factor> factors;
  std::vector<DataColumn> data;
  std::vector<TimeFold> folds;
  std::vector<Observed> observed;
  std::vector<RunsFold> over_runs;
  std::vector<PlannedRequirement> requirements;
  model::ExprId objective;  ///< none: nothing is optimised
  bool maximize = false;
  std::uint64_t replications = 1;
  std::uint64_t max_replications = 1000;
  model::ExprId enough;       ///< none: the number of replications is fixed
  std::uint64_t samples = 1;  ///< of the drawn factors; 1 if there are none
  Sampling sampling = Sampling::Random;
  std::string optimizer = "auto";
  std::uint64_t max_points = 1000;
  double point_tolerance = 1e-6;
  std::uint64_t seed = 1;

  bool is_optimisation() const;
  bool has_drawn() const;
  /// Runs that are known from the beginning; with `enough` there may be more, of an optimisation none is known.
  std::uint64_t member_count() const;
};

/// What counts before the words of the experiment.
struct PlanOptions {
  std::optional<std::uint64_t> replications, samples, max_replications, max_points;
  std::string sampling, optimizer;  ///< empty: not given
  std::string time_unit;            ///< of times that are observed
  std::uint64_t seed = 1;
};

/// Reads a column of a file of measured values.
using LoadData = std::function<base::Result<DataColumn>(const std::string& file, const std::string& column)>;

/// The model is changed: folds in the texts of the experiment become locals. `world` is built with the values that the
/// experiment sets. What is wrong goes to the sink; none then.
std::optional<Plan> make_plan(model::Model& model, model::ExperimentId experiment, engine::World& world,
                              const diag::Sources& sources, const PlanOptions& options, const LoadData& load,
                              diag::Sink& sink);

/// A parameter as settings name it: the text without blanks.
std::string path_of(const model::Model& model, model::ExprId target, const diag::Sources& sources);

/// The value of a parameter as settings are written; none if it cannot be computed. Without a world: a constant.
std::optional<std::string> value_text(const model::Model& model, model::ExprId value, engine::World* world);

}  // namespace hyla::experiment
