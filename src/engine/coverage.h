// What of a model its runs have come to: states, transitions, conditions.
//
// Plain counts by the numbers of the model, so that those of several runs of the same model can be added up, also if
// they come from other processes. Nothing is counted unless it is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "model/model.h"

namespace hyla::engine {

struct Coverage {
  /// How often something was seen to be true, and to be false.
  struct Truths {
    std::vector<std::uint64_t> yes, no;

    void note(std::size_t number, bool holds) { ++(holds ? yes : no)[number]; }
    void transfer(base::Archive& archive) { archive(yes, no); }
  };

  std::vector<std::uint64_t> objects;    ///< by class: that began
  std::vector<std::uint64_t> states;     ///< by state: entered
  std::vector<std::uint64_t> reactions;  ///< by reaction: fired
  std::vector<std::uint64_t> branches;   ///< by branch: taken; see first_branches()
  Truths conditions;                     ///< by reaction: of `when`
  Truths guards;                         ///< by reaction: of `if`
  Truths branch_guards;                  ///< by branch

  bool empty() const { return objects.empty(); }
  void transfer(base::Archive& archive) {
    archive(objects, states, reactions, branches, conditions, guards, branch_guards);
  }
};

/// Branches of all choices are counted through: by choice, the number of its first.
std::vector<std::uint32_t> first_branches(const model::Model& model);

/// All counts zero.
Coverage make_coverage(const model::Model& model);

/// Adds the counts of another run of the same model. An empty one takes the other over.
void merge(Coverage& coverage, const Coverage& other);

}  // namespace hyla::engine
