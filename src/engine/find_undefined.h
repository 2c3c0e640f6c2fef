// Which operation of which equation gives no number: the equations are computed one by one at the point where they
// failed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

/// The first operation whose operands are numbers and whose result is none.
struct UndefinedOperation {
  std::uint32_t equation = kNone;  ///< kNone: there is none
  std::uint32_t variable = kNone;  ///< what the equation gives
  code::NodeOp op{};
  double a = 0, b = 0, result = 0;
  bool is_index = false;                                 ///< an index outside its array
  std::string failure;                                   ///< of a call: why; may be empty
  std::string text;                                      ///< `sqrt(level)`; empty if it would be long
  std::vector<std::pair<std::string, double>> operands;  ///< the variables in it, with their values
};

/// Over the parts in their order, with the values that stand in the cluster.
UndefinedOperation find_undefined(const Run& run, Cluster& cluster, const std::vector<EvaluationPart>& parts);

/// "the square root of a negative number".
std::string reason_of(const UndefinedOperation& undefined);

}  // namespace hyla::engine
