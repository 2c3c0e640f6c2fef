// Partial derivatives of equations: compiled once for each term, evaluated for all equations that share it.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/cluster.h"

namespace hyla::engine {

class TermTapes;

class Partials {
 public:
  /// Places for the derivatives begin at `first`.
  Partials(TermTapes& tapes, At first) : tapes_(tapes), first_(first), size_(first) {}

  /// The derivative of a term with respect to one of its operands.
  struct Partial {
    std::uint32_t operand = 0;
    At place = kNowhere;  ///< final() tells where it is in the end
  };
  /// Those that are not zero, for the operands that are wanted. `operands` are kept by reference until compile().
  template <class IsWanted>
  std::vector<Partial> add(TermId term, const std::vector<At>& operands, IsWanted&& is_wanted) {
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t k = 0; k < operands.size(); ++k) {
      if (is_wanted(operands[k])) wanted.push_back(k);
    }
    return add_wanted(term, operands, wanted);
  }
  /// Operands of the term on which a derivative depends.
  std::vector<std::uint32_t> operands_of(TermId term, std::uint32_t operand);

  /// Batches for all of them, with the tapes behind these.
  void compile(Evaluation& result, std::vector<std::unique_ptr<code::Tape>>& tapes);
  At final(At place) const { return moved_[place - first_]; }
  At size() const { return size_; }

 private:
  struct Rows {
    TermId term = 0;
    std::vector<std::uint32_t> operands;
    bool operator<(const Rows& other) const {
      return term != other.term ? term < other.term : operands < other.operands;
    }
  };
  struct Row {
    const std::vector<At>* operands = nullptr;
    std::vector<At> places;
  };

  std::vector<Partial> add_wanted(TermId term, const std::vector<At>& operands,
                                  const std::vector<std::uint32_t>& wanted);
  code::Graph& graph_of(TermId term);

  TermTapes& tapes_;
  At first_, size_;
  std::vector<At> moved_;
  std::unordered_map<TermId, code::Graph> graphs_;  ///< with derivatives
  std::map<Rows, std::vector<Row>> rows_;
};

}  // namespace hyla::engine
