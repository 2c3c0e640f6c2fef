// The search for a least value: the role that NLopt fills.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hyla::experiment {

struct SearchRequest {
  std::string method = "auto";
  std::vector<double> low, high, start;
  double tolerance = 1e-6;    ///< part of high - low by which the last steps still differ
  std::uint64_t most = 1000;  ///< points
  std::size_t bounds = 0;     ///< further functions that must not be positive
  /// The value at a point, and those of the bounds. With a method that needs slopes, `slopes` receives the derivatives
  /// of the value, then of each bound, by axis; otherwise it is empty. False asks for the end.
  std::function<bool(std::span<const double> point, double& value, std::span<double> bounds, std::span<double> slopes)>
      evaluate;
};

struct SearchResult {
  std::vector<double> point;
  double value = 0;
  std::string method;  ///< that was used
  std::string ending;  ///< why it ended, in words
  bool good = false;   ///< it has converged
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// The methods that can be asked for, "auto" first.
  virtual std::vector<std::string> methods() const = 0;
  virtual bool needs_slopes(const SearchRequest& request) const = 0;
  virtual SearchResult search(const SearchRequest& request) = 0;
};

/// How a shared library hands it out.
using OptimizerEntry = Optimizer* (*)();
inline constexpr const char* kOptimizerEntry = "hyla_optimizer";

}  // namespace hyla::experiment
