// What an integrator works on: M y' = f(t, y), M diagonal with 1 for differential and 0 for algebraic variables.
//
// The engine fills this role for an island, tests for systems with known solutions. Nothing here allocates while steps
// are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyla::solve {

/// What came of an evaluation.
enum class Evaluation : std::uint8_t {
  Good,
  Undefined,  ///< not a number, or a loop without solution: a smaller step may help
  Failed,     ///< nothing helps
};

/// Positions of the entries of a square matrix that can differ from zero, column by column.
struct Pattern {
  std::size_t size = 0;
  std::vector<std::int32_t> starts;  ///< by column, and one more: where its entries begin
  std::vector<std::int32_t> rows;    ///< of the entries, ascending in each column

  std::size_t entries() const { return rows.size(); }
};

class System {
 public:
  virtual ~System() = default;
  virtual std::size_t size() const = 0;
  /// f(t, y). Algebraic rows are residuals.
  virtual Evaluation evaluate(double t, const double* y, double* f) = 0;
  /// The entries of df/dy in the order of the pattern, and df/dt.
  virtual Evaluation jacobian(double t, const double* y, double* entries, double* df_dt) = 0;
  /// Stays the same while the system does.
  virtual const Pattern& pattern() const = 0;
  /// By variable: 1 for an algebraic one; null if there is none.
  virtual const std::uint8_t* algebraic() const { return nullptr; }
};

}  // namespace hyla::solve
