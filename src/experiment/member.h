// One run of an experiment: what is varied has its values, and what is observed comes out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/build.h"
#include "engine/run.h"
#include "experiment/coverage_counts.h"
#include "experiment/plan.h"

namespace hyla::experiment {

struct Member {
  std::vector<Value> point;       ///< by factor
  std::uint64_t replication = 0;  ///< from 0: number of the substream of all random numbers
};

/// Which member it is, as text.
std::string key_of(const Member& member);

enum class MemberStatus : std::uint8_t {
  Missing,  ///< has not been run, or not to its end
  Good,
  Failed,
};

struct MemberResult {
  MemberStatus status = MemberStatus::Missing;
  double time = 0;                      ///< where the run ended
  std::vector<double> values;           ///< by Plan::observed; of good ones
  std::vector<std::uint32_t> violated;  ///< requirements of each run, by number
  std::string message;                  ///< of failed ones, on one line
  double seconds = 0;                   ///< of the processor
  CoverageCounts coverage;              ///< if that was asked for
};

/// How members are run.
struct MemberSetup {
  engine::BuildRequest build;  ///< assignments of the factors are added
  engine::RunOptions options;
  /// Changes the options for a member whose settings depend on what is varied; may be empty. The reason if that fails.
  std::function<std::string(const Member& member, const engine::BuildRequest& build, engine::RunOptions& options)>
      adapt;
};

/// The request to build the world of a member.
engine::BuildRequest request_of(const Plan& plan, const MemberSetup& setup, const std::vector<Value>& point,
                                std::uint64_t replication);

/// `observer` may be null. Can be called from several threads at once, with a compiled model for each.
MemberResult run_member(const Plan& plan, const MemberSetup& setup, const Member& member,
                        std::shared_ptr<engine::CompiledModel> compiled, engine::Observer* observer, diag::Sink& sink);

}  // namespace hyla::experiment
