// Models for the benchmarks of the engine: loaded once, built and run as often as wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check/forest.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "engine/build.h"
#include "engine/run.h"
#include "model/model.h"
#include "service/files.h"

namespace hyla::bench {

/// A model that has passed the checker. Whatever goes wrong, here or in a run, prints the messages and ends the
/// program: a benchmark of something else would be worse than none.
class BenchModel {
 public:
  static BenchModel from_file(const std::string& path, std::vector<engine::Assignment> assignments = {});
  static BenchModel from_text(const std::string& text, std::vector<engine::Assignment> assignments = {});

  std::unique_ptr<engine::World> build();

  struct Run {
    double time_s = 0;  ///< of the run alone, without building
    engine::RunOutcome outcome;
    std::uint64_t observations = 0;  ///< of all tallies together
    double mean = 0;                 ///< of the last tally
  };
  Run run(double stop_time);
  Run run(const engine::RunOptions& options);
  /// The same with what earlier runs by it have compiled, as members of an experiment have it.
  Run run_again(const engine::RunOptions& options);

  /// What a run leads to, for comparisons; slower than run().
  struct Result {
    engine::RunOutcome outcome;
    std::vector<double> event_times;  ///< of transitions and reactions
    std::vector<double> last_events;  ///< the last of them of each object, in the order of creation; 0 for none
    std::vector<double> values;       ///< at the end: of each wanted variable of the top object, arrays in full
  };
  Result result(const engine::RunOptions& options, const std::vector<std::string>& wanted);

 private:
  BenchModel(const service::FileSystem& files, const std::string& path, std::vector<engine::Assignment> assignments);
  std::unique_ptr<engine::World> build(const engine::BuildRequest& request) const;
  Run run(std::unique_ptr<engine::World> world, const engine::RunOptions& options) const;
  [[noreturn]] void give_up(const diag::Sink& sink, const std::string& message) const;

  std::unique_ptr<diag::Sources> sources_ = std::make_unique<diag::Sources>();
  model::Model model_;
  engine::BuildRequest request_;
  std::shared_ptr<engine::CompiledModel> compiled_;  ///< made by the first run that is done again
};

}  // namespace hyla::bench
