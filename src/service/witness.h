// Watches reactions that have not fired while a model runs: how long their states are active, which messages come, and
// what the variables say that show the parts of their conditions.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/observer.h"
#include "service/probe_model.h"
#include "service/reaction_names.h"
#include "service/recorded_columns.h"
#include "service/run_names.h"

namespace hyla::service {

/// A part of a condition as it was seen.
struct SeenConjunct {
  std::size_t left = SIZE_MAX, right = SIZE_MAX, truth = SIZE_MAX;  ///< columns
  double held = 0;                                                  ///< time
  bool ever_held = false;
  bool holds = false;  ///< in the last row
  double now_left = 0, now_right = 0;
  double margin = 0;  ///< in the last row: by how much it holds; negative: by how much it fails
  double best = -std::numeric_limits<double>::infinity();  ///< largest margin
  double best_time = 0, best_left = 0, best_right = 0;
};

/// A reaction as it was seen.
struct SeenReaction {
  NamedReaction named;
  ReactionProbe probe;
  std::string message;  ///< that it waits for: `port.Job`; empty: none
  std::vector<SeenConjunct> conjuncts;
  std::size_t duration = SIZE_MAX;  ///< column

  std::uint64_t fired = 0;
  double first_fired = 0;
  std::uint64_t stays = 0;
  bool is_active = false;
  double since = 0;
  double active = 0;                                         ///< time
  double longest = -1, longest_from = 0, longest_until = 0;  ///< stay
  double needed = std::numeric_limits<double>::quiet_NaN();  ///< time of `after`
  std::uint64_t arrivals = 0, arrivals_in_state = 0;
  bool was_watched = false;  ///< there was a row while it was active
  double last_row = 0;
  /// The row in which the fewest parts failed, and among those the one with the least failure.
  std::size_t least_failing = SIZE_MAX;
  double least_failure = 0, least_time = 0;
  std::vector<SeenConjunct> then;  ///< the parts in that row
};

class Witness : public engine::Observer {
 public:
  /// All outlive this.
  Witness(const engine::World& world, RunNames& names, std::vector<SeenReaction>& seen);

  /// Which columns the rows have.
  const std::vector<RecordedColumn>& columns() const { return columns_; }
  void row(double time, std::span<const double> values);
  void finish(double time);

  void occurred(const engine::World& world, const engine::Occurrence& occurrence) override;
  bool progress(const engine::World& /*world*/, double /*time*/, std::uint64_t /*events*/) override { return true; }
  void printed(const engine::World& /*world*/, double /*time*/, code::ObjectRef /*object*/,
               std::string_view /*text*/) override {}
  bool wants_occurrences() const override { return true; }

 private:
  std::size_t find_column(const std::vector<RecordedColumn>& all, const SeenReaction& seen, const std::string& name);
  void look(SeenReaction& seen, double time, std::span<const double> values);

  RunNames& names_;
  std::vector<SeenReaction>& seen_;
  std::vector<RecordedColumn> columns_;
  std::string prefix_;  ///< of names of objects: the model
};

}  // namespace hyla::service
