// Quantities that are followed over the whole of a run, also inside the steps of integrators.
//
// A run tells its follower every instant that has settled, and every piece of time between two instants. In a piece the
// quantities are smooth functions of time: the follower gets their values at the nodes of a quadrature rule (Gauss and
// Lobatto's, both ends among them), may ask for any other time of the piece, and for the times at which a condition
// changes. All of it is read from the interpolants: the run goes exactly as without a follower.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/model.h"

namespace hyla::engine {

struct Run;
class World;
class Following;

/// A condition begins or ceases to hold.
struct TruthChange {
  double time = 0;
  bool holds = false;
};

/// Time in which nothing happens.
class Passage {
 public:
  double begin = 0, end = 0;
  std::vector<double> times;    ///< nodes: the first is `begin`, the last `end`
  std::vector<double> weights;  ///< of the quadrature; their sum is end - begin

  /// Whether the quantity changes in it.
  bool varies(std::size_t quantity) const;
  /// At a node; of a condition 1 or 0.
  double value(std::size_t quantity, std::size_t node) const { return values_[node * count_ + quantity]; }
  /// At any time of the passage.
  double value_at(std::size_t quantity, double time);
  /// The changes of a condition in (begin, end].
  void find_changes(std::size_t condition, std::vector<TruthChange>& changes);

 private:
  friend class Following;
  Following* following_ = nullptr;
  std::size_t count_ = 0;
  std::vector<double> values_;  ///< node by node
};

/// Values of expressions of the top object.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// A number or, as 1 and 0, a truth value; `inputs` are the values of `locals`. None if it cannot be computed.
  virtual std::optional<double> evaluate(model::ExprId expr, std::span<const model::LocalId> locals,
                                         std::span<const double> inputs) = 0;
};

/// The role of who follows.
class Follower {
 public:
  virtual ~Follower() = default;
  /// Numbers and conditions, in the words of the top class. They do not change while the world runs.
  virtual std::span<const model::ExprId> quantities() const = 0;
  /// An instant has settled, the start among them.
  virtual void settled(double time, std::span<const double> values) = 0;
  virtual void passed(Passage& passage) = 0;
  /// The run has come to its end without failure.
  virtual void ended(double time, Evaluator& evaluator) = 0;
};

/// Evaluates in the top object of a world that does not run.
std::optional<double> evaluate_in(World& world, model::ExprId expr, std::span<const model::LocalId> locals,
                                  std::span<const double> inputs);

// --- what the run calls ---------------------------------------------------------------------------

/// Compiles the quantities; what cannot be run ends the run.
void begin_following(Run& run, Follower& follower);
/// Time passes: every island's step reaches as far as `time`, and nothing happens before it.
void follow_to(Run& run, double time);
void follow_instant(Run& run);
void end_following(Run& run);

}  // namespace hyla::engine
