// Loops with many unknowns: all of them are iterated on, and the Jacobian is sparse.
//
// Few unknowns are iterated on where a loop is torn, but the others follow from them along chains of equations, in
// which errors grow with every link; and where the tears are many, their dense Jacobian costs more than all the rest.
// So large loops are not torn. Errors can grow in short chains too, where a small factor is divided by: how much a
// diode leaks, or what is left of its resistance. A loop that is torn is therefore kept as a whole beside that, for
// values at which the chains lose too much.
#pragma once

#include <memory>
#include <vector>

#include "engine/cluster.h"

namespace hyla::engine {

class TermTapes;

struct LargeLoop {
  /// A residual is a value, or the difference between what a formula is for and its value.
  struct Row {
    At value = kNowhere;
    At own = kNowhere;
  };
  /// One summand of an entry of the Jacobian.
  struct Entry {
    std::uint32_t position = 0;  ///< in the pattern
    At partial = kNowhere;       ///< kNowhere: one
    bool is_negative = false;
  };
  Evaluation values, partials;
  std::vector<std::unique_ptr<code::Tape>> tapes;  ///< of the partials
  std::vector<Row> rows;
  std::vector<Entry> entries;
  solve::Pattern pattern;
};

/// Finds out whether a loop is to be solved as a whole; if so, all unknowns become tears.
void untear_large(const Shape& shape, TermTapes& tapes, EvaluationPart& part);

/// Completes a loop that has its unknowns and equations; scratch begins at `size`.
void make_large(const Shape& shape, TermTapes& tapes, Loop& loop, At& size);

/// The same equations for all unknowns of a loop that is torn.
std::shared_ptr<Loop> make_whole(const Shape& shape, TermTapes& tapes, const EvaluationPart& part, At& size);

/// A large loop as the solver sees it.
class LargeResiduals : public solve::Residuals {
 public:
  LargeResiduals(const Loop& loop, double* values) : loop_(loop), large_(*loop.large), values_(values) {}

  std::size_t size() const override { return loop_.unknowns.size(); }
  solve::Evaluation evaluate(const double* x, double* residuals) override;
  const solve::Pattern* pattern() const override { return &large_.pattern; }
  solve::Evaluation jacobian(const double* x, double* jacobian) override;
  bool linear() const override { return loop_.linear; }

 protected:
  const solve::Pattern& pattern_of() const { return large_.pattern; }

 private:
  void place(const double* x);

  const Loop& loop_;
  const LargeLoop& large_;
  double* values_;
};

/// A loop of few unknowns as a whole: its Jacobian is dense.
class WholeResiduals : public LargeResiduals {
 public:
  WholeResiduals(const Loop& whole, double* values) : LargeResiduals(whole, values), entries_(pattern_of().entries()) {}

  const solve::Pattern* pattern() const override { return nullptr; }
  solve::Evaluation jacobian(const double* x, double* jacobian) override;

 private:
  std::vector<double> entries_;
};

}  // namespace hyla::engine
