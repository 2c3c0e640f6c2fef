// One number out of the course of a run: `max(h)`, `mean(n)`, `time_of(h > 3)`.
//
// Exact on the interpolants: extrema inside steps are found by searching, integrals by quadrature that is exact for the
// interpolating polynomials, changes of conditions by isolating roots. Values that jump at an event count with both of
// their limits.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/follow.h"
#include "model/builtins.h"

namespace hyla::experiment {

/// Measured values that a quantity is compared with.
struct DataColumn {
  std::vector<double> times;  ///< increasing
  std::vector<double> values;
  std::string name;  ///< for messages: `level` in level.csv
};

/// What a fold sees of one quantity, piece by piece.
class RunFold {
 public:
  virtual ~RunFold() = default;
  virtual void settled(double time, double value) = 0;
  virtual void passed(engine::Passage& passage, std::size_t quantity) = 0;
  /// The figure up to `time`.
  virtual double result(double time) = 0;
};

struct FoldRequest {
  model::Builtin builtin = model::Builtin::None;  ///< of an observer, Max, Min, or All: holds all the time
  double part = 0;                                ///< of Quantile
  const DataColumn* data = nullptr;               ///< of Misfit
};

std::unique_ptr<RunFold> make_fold(const FoldRequest& request);

}  // namespace hyla::experiment
