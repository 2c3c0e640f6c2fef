// What is told when equations cannot be solved, or a step cannot be taken.
#pragma once

#include <string>
#include <vector>

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

/// Active equations that do not fit together.
void report_misfit(Run& run, const Cluster& cluster, const Misfit& misfit);
/// A value that was kept or assigned and does not agree with the constraints.
struct Contradiction {
  std::uint32_t variable = 0;
  double kept = 0, needed = 0;           ///< its value, and what would follow from the others
  std::vector<std::uint32_t> others;     ///< variables from which it would follow
  std::vector<std::uint32_t> equations;  ///< of the cluster's shape
  bool can_jump = true;                  ///< false: its own derivative is differentiated, and would be infinite
  std::string no_jump;                   ///< why no values follow from what is conserved; empty: nothing to say
};
void report_contradiction(Run& run, const Cluster& cluster, const Contradiction& contradiction);
/// A loop without a solution; `integrator`: if that was met in a step.
void report_loop(Run& run, Cluster& cluster, const std::vector<EvaluationPart>& parts, const Evaluation& evaluation,
                 const Evaluated& evaluated, const solve::Integrator* integrator);
/// Relations that switch each other without end; `before`: values of the modes in the round before.
void report_undecided(Run& run, const Cluster& cluster, const std::vector<double>& before);
/// An integrator that cannot go on. The time becomes the last good one.
void report_step(Run& run, Island& island, solve::StepStatus status);
/// When an instant has settled: false, and a report, if an equation gives no number.
bool values_are_numbers(Run& run, Cluster& cluster);

/// Adds what an integrator did to the summary.
void add_work(ContinuousWork& work, const solve::Integrator& integrator);

}  // namespace hyla::engine
