// Replications: one model, several runs that differ in their random numbers alone.
//
// Replication r draws from substream r of every stream. Each has a world of its own, so replications run on several
// threads without knowing of each other; the results stand in their order and do not depend on the number of threads.
// One that fails does not end the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/build.h"
#include "engine/run.h"
#include "statistics/histogram.h"
#include "statistics/summary.h"

namespace hyla::experiment {

/// A statistic of one object at the end of a run.
struct Figure {
  std::string object;  ///< its path
  model::StatisticId statistic;
  statistics::Summary summary;
  statistics::Histogram histogram;
};

/// All statistics of a world, in the order of their making.
std::vector<Figure> figures_of(const engine::World& world);

struct ReplicationRequest {
  engine::BuildRequest build;  ///< the substream is set for each
  engine::RunOptions options;
  std::uint32_t count = 1;
  unsigned threads = 1;
};

struct Replication {
  bool has_run = false;
  std::string failure;  ///< why it could not be built, if the sink does not tell
  engine::RunOutcome outcome;
  std::vector<Figure> figures;  ///< without histograms
  diag::Sink sink;
};

/// What is told while replications run; by one thread at a time.
class ReplicationWatch {
 public:
  virtual ~ReplicationWatch() = default;
  /// Replication `number` (from 0) has come to this time. False ends all in order.
  virtual bool progress(std::size_t number, double time, std::uint64_t events) = 0;
};

/// Runs all. Those that were not begun when the watch asked for the end count as interrupted at the start time.
std::vector<Replication> replicate(const model::Model& model, const ReplicationRequest& request,
                                   ReplicationWatch& watch);

/// A figure over replications: the means of the runs that reached their end in order, in the order of the runs.
struct JointFigure {
  std::string object;
  model::StatisticId statistic;
  statistics::Summary summary;  ///< of kind Replications
};
std::vector<JointFigure> join(const std::vector<Replication>& replications);

}  // namespace hyla::experiment
