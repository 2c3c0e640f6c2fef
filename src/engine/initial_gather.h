// Equations of `initial { … }` in scalar form, and where `homotopy` occurs: what gathering needs for the start.
#pragma once

#include <functional>
#include <vector>

#include "engine/cluster.h"
#include "engine/scalarise.h"

namespace hyla::engine {

/// Tells which texts contain `homotopy`, in themselves or in functions that they call.
class Homotopies {
 public:
  explicit Homotopies(const model::Model& model);
  bool occur_in(model::ExprId id);

 private:
  bool find(model::ExprId id);

  const model::Model& model_;
  bool any_ = false;          ///< somewhere in the model
  bool in_function_ = false;  ///< in some function: then every call may have it
};

/// Writes out the loops of `initial` and chooses its branches; both may depend on parameters only.
class InitialEquations {
 public:
  using Take = std::function<void(EquationInstance)>;

  InitialEquations(const model::Model& model, Scalariser& scalariser, diag::Sink& sink)
      : model_(model), scalariser_(scalariser), sink_(sink), homotopies_(model) {}

  void collect(const Object& object, const PlanInitial& initial, const Take& take);

 private:
  void block(model::BlockId id);
  void equation(const model::Action& action);
  void turn(const model::Action& action);
  void choose(const model::Action& action);

  const model::Model& model_;
  Scalariser& scalariser_;
  diag::Sink& sink_;
  Homotopies homotopies_;
  // Of the block under way.
  Scope scope_;
  EquationInstance pattern_;
  const Take* take_ = nullptr;
};

}  // namespace hyla::engine
