// How the objects of a class get their first values: made once, when the first of them is built.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "code/program.h"
#include "engine/expansion.h"
#include "engine/plan.h"
#include "model/model.h"

namespace hyla::engine {

/// How a variable gets its first value.
struct VariableRecipe {
  model::VariableId id;
  std::uint32_t slot = 0;
  model::Type type;
  bool boxed = false;
  bool fixed = false;                    ///< a parameter or constant
  model::ExprId expr;                    ///< its value; none: the default of its type
  bool in_image = false;                 ///< its value is in the image of the class
  const code::Program* value = nullptr;  ///< of `expr`, compiled at the first use
};

struct BodyRecipe {
  std::vector<VariableRecipe> fixed;  ///< parameters and constants, in the order of their dependence
  std::vector<VariableRecipe> others;
};

struct ClassRecipe {
  bool ready = false;
  bool prepared = false;            ///< its plan was made before the first object
  bool has_members = false;         ///< ports, mailboxes, statistics, populations or external objects
  bool choices = false;             ///< its expansion depends on parameters
  std::vector<Slot> image;          ///< holds no boxes
  const Plan* only_plan = nullptr;  ///< if there are no choices
  std::unique_ptr<Expansion> only_expansion;
  std::map<std::vector<std::int64_t>, const Plan*> plans;
  bool has_base_arguments = false;
  std::vector<model::BodyId> fixed_bodies;      ///< with parameters or constants
  std::vector<model::BodyId> boxed_bodies;      ///< of states, with variables that hold boxes
  std::vector<model::BodyId> statistic_bodies;  ///< of states, with statistics
};

}  // namespace hyla::engine
