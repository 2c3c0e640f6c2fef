// What is made of a model once, for all worlds that are built from it one after the other: the layout, programs, plans,
// recipes of classes, terms, and shapes with their configurations. Nothing in it depends on the values of a run; a
// world that comes later finds what an earlier one has needed.
//
// One world at a time: runs side by side have compiled models of their own.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "code/functions.h"
#include "code/layout.h"
#include "engine/class_recipe.h"
#include "engine/cluster.h"
#include "engine/configure.h"
#include "engine/function_callee.h"
#include "engine/programs.h"
#include "engine/terms.h"

namespace hyla::engine {

class CompiledModel {
 public:
  /// The model must outlive it.
  explicit CompiledModel(const model::Model& model);
  ~CompiledModel();
  CompiledModel(const CompiledModel&) = delete;
  CompiledModel& operator=(const CompiledModel&) = delete;

  /// Whether a further world may use it: objects of shared libraries belong to one world, and what was compiled for
  /// very many different structures is better forgotten.
  bool is_reusable() const;
  /// Forgets what belongs to one run: what it has met, its tolerances.
  void begin_run();

  const model::Model& model;
  std::size_t most_elements = 0;  ///< of an array in a function
  code::Layout layout;
  code::Functions functions;
  std::deque<code::Program> programs;
  Programs plan_texts;   ///< texts of plans and of first values
  Programs other_texts;  ///< of equations, and of what is followed
  std::vector<std::unique_ptr<Plan>> plans;
  std::vector<ClassRecipe> recipes;  ///< by class
  std::map<model::BodyId, BodyRecipe> bodies;
  std::vector<std::vector<model::VariableId>> variables_by_slot;  ///< by class: filled when first needed

  // Continuous quantities.
  FunctionCallees callees;  ///< of equations; they outlive the terms that call them
  Terms terms;
  TermTapes tapes;
  std::unordered_map<std::string, std::unique_ptr<Shape>> shapes;  ///< by their texts
};

}  // namespace hyla::engine
