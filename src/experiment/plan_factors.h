// From `vary p in …` to a factor.
#pragma once

#include "experiment/plan.h"

namespace hyla::experiment {

struct FactorRules {
  std::uint64_t samples = 0;  ///< above 0: ranges without a step are drawn from
  bool optimises = false;     ///< ranges without a step are searched
};

class FactorPlanner {
 public:
  FactorPlanner(const model::Model& model, engine::World& world, const diag::Sources& sources, diag::Sink& sink,
                FactorRules rules)
      : model_(model), world_(world), sources_(sources), sink_(sink), rules_(rules) {}

  /// False: reported.
  bool add(const model::Variation& variation, Plan& plan);

 private:
  bool fail(diag::Span span, const std::string& message, const std::string& hint);
  std::optional<double> number(model::ExprId expr);
  bool read_values(const model::Expr& expr, Factor& factor);
  bool read_range(const model::Expr& expr, Factor& factor);
  bool read_distribution(const model::Expr& expr, Factor& factor);
  bool set_interval(double low, double high, Factor& factor);
  bool read_bounds(const model::Variable& variable, Factor& factor);
  bool check_bounds(const model::Variable& variable, diag::Span span, const Factor& factor);

  const model::Model& model_;
  engine::World& world_;
  const diag::Sources& sources_;
  diag::Sink& sink_;
  FactorRules rules_;
};

}  // namespace hyla::experiment
