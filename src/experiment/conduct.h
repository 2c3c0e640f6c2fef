// Does a planned experiment: all combinations with their samples and replications, or a search for the best one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiment/optimizer.h"
#include "experiment/team.h"

namespace hyla::experiment {

/// Of one observation over the runs of a group that were good.
struct Figures {
  std::uint64_t count = 0;                                                ///< finite ones
  std::uint64_t infinite = 0;                                             ///< what never came: `time_of`
  double mean = 0, half_width = 0, minimum = 0, maximum = 0, stddev = 0;  ///< NaN where not known
};

/// Runs that differ in what is drawn alone: samples and replications.
struct Group {
  std::vector<Value> point;  ///< by factor; no text where it is drawn
  std::vector<Member> members;
  std::vector<MemberResult> results;  ///< by member
  std::vector<Figures> figures;       ///< by Plan::observed
  std::uint64_t failed = 0, missing = 0;
  std::vector<std::uint64_t> violations;  ///< by Plan::requirements: runs, or 1 for the group
  std::optional<double> objective;
  std::vector<double>
      margins;            ///< of requirements that compare: not positive where they hold, at the means of the runs
  bool is_enough = true;  ///< the condition of `replicate … until` holds, or there is none
};

struct Conclusion {
  std::vector<Group> groups;        ///< of a search: the points in the order in which they were tried
  std::optional<std::size_t> best;  ///< group with the best objective that violates nothing
  std::string search;               ///< what is to be said about the search; empty: there was none
  bool has_converged = true;
  bool is_complete = true;  ///< no member is missing
};

/// The values of all groups of a sweep; of a search those of the factors that are not searched.
std::vector<std::vector<Value>> grid_of(const Plan& plan);

/// Figures, requirements and objective of a group whose members have been run.
void evaluate_group(const Plan& plan, const MemberSetup& setup, Group& group);

/// Over all runs, each counted once. None: the counts of a run do not fit the model.
std::optional<engine::Coverage> sum_up_coverage(const model::Model& model, const Conclusion& conclusion);

/// `optimizer` may be null if nothing is to be searched.
Conclusion conduct(const Plan& plan, const MemberSetup& setup, Team& team, Optimizer* optimizer);

}  // namespace hyla::experiment
