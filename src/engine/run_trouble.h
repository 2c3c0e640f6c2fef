// Why the equations of a run cannot be solved any further: data first, text last.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

struct RunTrouble {
  /// An equation concerned, with what is to be said there.
  struct Place {
    diag::Span span;
    std::string text;
  };
  /// The variable with which it began.
  struct Blame {
    std::string text;
    diag::Span span;  ///< of its equation
  };
  /// What the solver was doing.
  struct Solver {
    const solve::Integrator* integrator = nullptr;  ///< null: only a loop was to be solved
    bool linear_loop = false;                       ///< a loop that takes no iterations
    std::uint32_t iterations = 0;                   ///< spent on a loop that was not solved
    bool singular_matrix = false;
  };

  diag::Kind kind{};
  std::string message;
  ObjectRef object;           ///< where it happened
  std::vector<Place> places;  ///< the first is to be looked at first; may be empty
  std::optional<Blame> blame;
  Happening since;
  std::optional<Solver> solver;
  std::vector<std::string> hints;
};

/// Ends the run with a report; nothing if it is over already.
void tell_trouble(Run& run, const RunTrouble& trouble);

/// Names for reports. `Plant.tank.level`, or from an object's own point of view `level`, `tank.level`.
std::string name_of(const Run& run, const Cluster& cluster, std::uint32_t variable);
std::string name_of(const Run& run, const Cluster& cluster, std::uint32_t variable, std::uint32_t seen_from);
/// "`a`", "`a` and `b`", "`a`, `b` and 7 others", as seen from an object.
std::string list_of(const Run& run, const Cluster& cluster, const std::vector<std::uint32_t>& variables,
                    std::uint32_t seen_from);
/// "active in state mode.Open", or "always active".
std::string activity_of(const Run& run, const Cluster& cluster, const ShapeEquation& equation);

}  // namespace hyla::engine
