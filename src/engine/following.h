// What following needs while the run goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/context.h"
#include "engine/follow.h"
#include "engine/programs.h"
#include "solve/roots.h"

namespace hyla::engine {

class Following {
 public:
  Following(Run& run, Follower& follower);

  void settle();
  void pass(double time);
  void end();

  bool varies(std::size_t quantity) const { return varies_[quantity]; }
  double value_at(std::size_t quantity, double time);
  void find_changes(std::size_t condition, double begin, double end, std::vector<TruthChange>& changes);

 private:
  /// The difference of the two sides of a comparison.
  struct Relation {
    const code::Program* left = nullptr;
    const code::Program* right = nullptr;
  };
  struct Quantity {
    const code::Program* program = nullptr;
    bool is_condition = false;
    bool reads_time = false;
    std::vector<Relation> relations;  ///< of a condition
  };
  class ConditionCourse;
  class EndEvaluator;

  const code::Program* compile(model::ExprId expr, bool as_real);
  void add_relations(model::ExprId expr, Quantity& quantity);
  bool reads_time(model::ExprId expr) const;
  double run_program(const code::Program* program, bool is_real);
  double evaluate(const Quantity& quantity);
  /// The followed clusters are put at a time of their present steps.
  void show(double time);
  void hide(double now);
  void find_clusters();
  void pass_piece(double begin, double end, int depth);
  bool is_smooth(Passage& passage);
  double longest_piece() const;

  Run& run_;
  Follower& follower_;
  Programs& programs_;
  solve::RootIsolator isolator_;  ///< its own, so that the figures of the run stay as they are
  std::vector<Quantity> quantities_;
  std::vector<bool> varies_;
  std::vector<std::uint32_t> clusters_;    ///< that the quantities read
  std::vector<std::vector<double>> kept_;  ///< values of the clusters, to which they return
  std::vector<double> values_, largest_;   ///< now; magnitudes met so far
  double time_ = 0;                        ///< up to which it was told
  int degree_ = 6;
  bool has_functions_of_time_ = false;
};

}  // namespace hyla::engine
