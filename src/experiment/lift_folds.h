// Takes the folds out of the expressions of an experiment: a local stands for the value of each.
#pragma once

#include <functional>

#include "experiment/plan.h"

namespace hyla::experiment {

class FoldLifter {
 public:
  /// Reads the further arguments of a fold over time: what part, which data. False: reported.
  using Arguments = std::function<bool(const model::Expr& fold, TimeFold& result)>;

  FoldLifter(model::Model& model, Plan& plan, Arguments arguments)
      : model_(model), plan_(plan), arguments_(std::move(arguments)) {}

  /// Of `observe`: all folds are over time.
  bool lift_observation(model::ExprId expr);
  /// Of what is said about several runs.
  bool lift_conclusion(model::ExprId expr);
  /// A condition that speaks of the time of a run alone becomes a truth value of the run: it holds all the time. False:
  /// it is none.
  bool lift_condition(model::ExprId expr);

 private:
  bool lift_over_time(model::ExprId fold);
  bool lift_over_runs(model::ExprId fold);
  bool is_over_runs(model::ExprId expr) const;
  bool is_over_time(model::ExprId expr) const;
  std::size_t observed_at(model::ExprId value);
  model::LocalId replace(model::ExprId fold);

  model::Model& model_;
  Plan& plan_;
  Arguments arguments_;
};

}  // namespace hyla::experiment
