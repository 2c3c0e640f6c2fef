// Turns ordered blocks of equations into an evaluation: straight code, batches of equal terms, loops.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/cluster.h"

namespace hyla::engine {

class TermTapes;

/// An equation in the form in which it gives its unknown.
struct ExplicitEquation {
  TermId term = 0;
  std::vector<At> operands;
  At unknown = kNowhere;
};
/// An equation that is not written for its unknown is turned round: with r the residual at x = 0 and c the factor of x,
/// x = -r / c.
ExplicitEquation explicit_form(const Shape& shape, TermTapes& tapes, const EvaluationPart::Step& step);
/// The place of what an equation is written for; kNowhere if it is implicit.
At own_place(const Shape& shape, const ShapeEquation& equation);

class Composer {
 public:
  /// Scratch begins at `size`.
  Composer(const Shape& shape, TermTapes& tapes, At size) : shape_(shape), tapes_(tapes), size_(size) {}

  Evaluation compose(const std::vector<EvaluationPart>& parts);
  At size() const { return size_; }

 private:
  void straight(const std::vector<EvaluationPart>& parts, std::size_t begin, std::size_t end, Evaluation& result);
  void in_order(const std::vector<ExplicitEquation>& equations, Evaluation& result);
  void by_levels(const std::vector<ExplicitEquation>& equations, Evaluation& result);
  Loop loop(const EvaluationPart& part, Evaluation& result);
  std::vector<double> nominals_of(const std::vector<At>& unknowns);
  void add_loop(const std::vector<EvaluationPart>& parts, std::size_t number, Evaluation& result);

  const Shape& shape_;
  TermTapes& tapes_;
  At size_;
  std::unordered_map<At, double> sizes_;  ///< typical ones that are not 1, by place
  bool knows_sizes_ = false;
};

}  // namespace hyla::engine
