// Evaluates a list of equations in order: straight code, the same term for many instances, loops to be solved.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "code/evaluator.h"
#include "solve/nonlinear.h"

namespace hyla::engine {

/// The same term for several equations.
struct Batch {
  const code::Tape* tape = nullptr;
  std::vector<std::uint32_t> index;  ///< places of operands and of the result, one equation after the other
  std::vector<std::uint32_t> steps;  ///< if not empty: the index is that of the first, the others follow in these steps
  std::size_t count = 0;
  code::NativeCode native;
};

struct LargeLoop;

/// A relation in an equation of a loop that depends on its unknowns: g >= 0, or g > 0. What is held is in `mode`.
struct LoopRelation {
  std::uint32_t g = 0, mode = 0;  ///< places
  bool is_strict = false;
};

/// Equations that must be solved together.
struct Loop {
  std::vector<std::uint32_t> unknowns;   ///< places that are iterated on
  std::vector<double> nominals;          ///< typical sizes of the unknowns; empty: all 1
  std::vector<std::uint32_t> residuals;  ///< places
  code::Code evaluate;                   ///< from the unknowns to everything that follows from them, and the residuals
  code::Code differentiate;              ///< d residuals / d unknowns, those entries that are not zero
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      entries;  ///< of the Jacobian: position in it, place of its value
  bool linear = false;
  std::shared_ptr<const LargeLoop> large;           ///< in the place of residuals, code and entries: large_loop.h
  std::shared_ptr<Loop> whole;                      ///< the same for all unknowns, if it is linear and torn: likewise
  std::vector<std::uint32_t> equations, variables;  ///< for messages
  std::vector<LoopRelation> relations;              ///< see loop_relations.h
  code::Code relate;                                ///< from the values to all g
};

struct Evaluation {
  enum class Kind : std::uint8_t { Code, Batch, Loop };
  struct Step {
    Kind kind = Kind::Code;
    std::uint32_t index = 0;
  };
  std::vector<Step> steps;
  std::vector<code::Code> codes;
  std::vector<code::NativeCode> native;  ///< by code
  std::vector<Batch> batches;
  std::vector<Loop> loops;
  std::vector<std::pair<std::uint32_t, double>> constants;  ///< to be in place before it runs

  std::uint64_t cost = 0;  ///< of one run, in instructions
  std::uint64_t heat = 0;  ///< cost of the steps so far, about
  bool is_native = false;  ///< native code has been asked for

  bool empty() const { return steps.empty(); }
};

/// Adds batches for equations with one term, whose rows of places follow each other in `index`. Those whose places are
/// evenly spaced become batches of their own.
void add_batches(Evaluation& evaluation, const code::Tape& tape, std::span<const std::uint32_t> index);

/// Where a search for a start is to stay, if it can.
struct SearchRanges {
  std::vector<double> least, most;    ///< by place; infinite: no such limit
  std::vector<std::uint32_t> places;  ///< of the values of the variables that loops name
};

/// What came of it.
struct Evaluated {
  solve::Solved loop_status = solve::Solved::Good;
  std::uint32_t loop = UINT32_MAX;  ///< the one that failed
  std::uint32_t iterations = 0;     ///< spent on it
  bool good() const { return loop_status == solve::Solved::Good; }
};

/// Asks for native code for all of it; until that is there the tapes go on.
void make_native(Evaluation& evaluation, code::NativeCompiler& compiler);

void run(const Batch& batch, double* values);
/// `ranges`: null if everything is allowed.
Evaluated evaluate(const Evaluation& evaluation, double* values, solve::NonlinearSolver& solver,
                   const SearchRanges* ranges = nullptr);

}  // namespace hyla::engine
