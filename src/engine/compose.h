// Turns ordered blocks of equations into an evaluation: straight code, batches of equal terms, loops.
#pragma once

#include <vector>

#include "engine/cluster.h"

namespace hyla::engine {

class TermTapes;

/// Whether an implicit equation can be solved for one of its operands by a formula: it occurs with a constant factor.
bool is_solvable_for(const Terms& terms, TermId term, std::uint32_t operand);

class Composer {
 public:
  /// One equation and the place that it gives.
  struct Step {
    std::uint32_t equation = 0;
    At unknown = kNowhere;
  };
  struct Part {
    bool is_loop = false;
    std::vector<Step> steps;  ///< the only one, or those inside a loop
    std::vector<At> tears;
    std::vector<std::uint32_t> residuals;  ///< equations
    std::vector<std::uint32_t> variables;  ///< of a loop, for messages
  };

  /// Scratch begins at `size`.
  Composer(const Shape& shape, TermTapes& tapes, At size) : shape_(shape), tapes_(tapes), size_(size) {}

  Evaluation compose(const std::vector<Part>& parts);
  At size() const { return size_; }

 private:
  /// An equation in the form in which it gives its unknown.
  struct Explicit {
    TermId term = 0;
    std::vector<At> operands;
    At unknown = kNowhere;
  };
  Explicit explicit_form(const Step& step);
  void straight(const std::vector<Part>& parts, std::size_t begin, std::size_t end, Evaluation& result);
  void in_order(const std::vector<Explicit>& equations, Evaluation& result);
  void by_levels(const std::vector<Explicit>& equations, Evaluation& result);
  Loop loop(const Part& part, Evaluation& result);

  const Shape& shape_;
  TermTapes& tapes_;
  At size_;
};

}  // namespace hyla::engine
