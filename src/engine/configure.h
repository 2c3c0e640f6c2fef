// From a set of active equations to a configuration: who determines what, in which order, in which islands.
#pragma once

#include <vector>

#include "engine/cluster.h"
#include "engine/linear.h"
#include "structure/structure.h"

namespace hyla::engine {

/// Tapes of terms, made when first needed.
class TermTapes {
 public:
  explicit TermTapes(Terms& terms) : terms_(terms) {}
  const code::Tape& operator[](TermId id);
  Terms& terms() { return terms_; }
  const LinearForm& linear(TermId id);

 private:
  Terms& terms_;
  std::vector<std::unique_ptr<code::Tape>> tapes_;
  std::vector<std::unique_ptr<LinearForm>> linear_;
};

/// `active`: by equation of the shape. A misfit is part of the result. Equations of higher index give a configuration
/// that is open.
std::unique_ptr<Configuration> configure(const Shape& shape, TermTapes& tapes, const std::vector<std::uint8_t>& active,
                                         const IslandGroups& united = {});

/// Equations of higher index, with what is computed instead of integrated: by candidate of the reduction.
std::unique_ptr<Configuration> configure(const std::shared_ptr<Reduction>& reduction, TermTapes& tapes,
                                         const std::vector<std::uint8_t>& demoted, const IslandGroups& united = {});

/// Who is given and who is computed when the objects of a cluster begin, or some of their states.
struct StartRoles {
  std::vector<StartRole> values, derivatives;  ///< by variable
  std::vector<std::uint8_t> optional;          ///< by variable: free, but it keeps its value where nothing asks for it
  std::vector<std::uint8_t> guessed;           ///< by variable: searched rather than others, if it is an unknown
};

/// The system of equations behind a start, as structure sees it.
struct StartSystem {
  std::vector<std::uint32_t> equations;  ///< by row: into Shape::equations
  std::vector<At> unknowns;              ///< by column
  structure::Incidence incidence;
  structure::Matching matching;
  std::vector<structure::Block> blocks;
};

/// The same for a start: all is computed at once, as what is held; unknowns are derivatives, algebraic variables, and
/// what is free. `active` includes equations of `initial`; `running` is the configuration that follows. If equations
/// and unknowns do not fit, the system tells, and the misfit is of kind TooFew without more.
std::unique_ptr<Configuration> configure_start(const Shape& shape, const Configuration& running, TermTapes& tapes,
                                               const std::vector<std::uint8_t>& active, const StartRoles& roles,
                                               StartSystem& system);

/// What to watch: `active` by condition of the shape, `equations` by equation.
std::unique_ptr<GuardPlan> plan_guards(const Shape& shape, TermTapes& tapes, const Configuration& configuration,
                                       const std::vector<std::uint8_t>& equations,
                                       const std::vector<std::uint8_t>& active);

}  // namespace hyla::engine
