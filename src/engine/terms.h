// Equations and conditions in scalar form: terms over numbered operands, and what the operands stand for.
//
// A term is made once and shared by all equations of the same form: those of all objects of a class, and all members of
// a family. What differs (which variables, which constants that depend on a family's index) is in the operands.
//
// Relations in an equation (`if`, `abs`, `min`, `max`, `sign`, `floor`, ...) are operands too, of kind Mode: their
// value is held during a step and switched at located events. The function whose zeros switch them is part of the term.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "code/graph.h"
#include "engine/world.h"

namespace hyla::engine {

/// A scalar place in the world: a variable of an object, or one element of an array variable.
struct Place {
  ObjectRef object;
  std::uint32_t slot = 0;
  std::uint32_t element = kNone;  ///< of an array, row by row from 0; field of a record; kNone for a scalar

  friend bool operator==(const Place&, const Place&) = default;
};

/// A discrete value that only the machine can compute (texts, records, states, calls): looked at again at events.
struct Opaque {
  ObjectRef object;
  const code::Program* program = nullptr;
  model::TypeKind type = model::TypeKind::Real;  ///< of the program's result: Real (Integers too), Boolean or Enum
  Inputs inputs;
};

struct Leaf {
  enum class Kind : std::uint8_t {
    Value,       ///< of a place: Real as it is, Integer and Boolean converted
    Derivative,  ///< of a place with respect to time
    Time,
    Constant,      ///< number
    Opaque,        ///< number of the opaque in World::opaques
    Mode,          ///< index: into Term::modes
    Continuation,  ///< 0: `homotopy(a, s)` is s, 1: it is a
  };
  Kind kind = Kind::Value;
  model::TypeKind type = model::TypeKind::Real;  ///< of Value: how the slot is read
  Place place;
  double number = 0;
  std::uint32_t index = 0;
};

/// How a mode's value follows from its function g.
enum class ModeKind : std::uint8_t {
  NotNegative,  ///< 1 if g >= 0
  Positive,     ///< 1 if g > 0
  Floor,        ///< floor(g); switches where g passes a whole number
  Ceil,
  Round,
  Truncate,
  Crosses,  ///< 1 at the instant at which g passes zero
  Rises,
  Falls,
};

struct Mode {
  ModeKind kind = ModeKind::NotNegative;
  std::uint32_t operand = 0;  ///< the operand of the term that holds its value
  code::NodeId g = code::kNoNode;
};

struct Term {
  code::Graph graph;
  code::NodeId value = code::kNoNode;
  std::uint32_t operands = 0;
  std::vector<Mode> modes;
};

using TermId = std::uint32_t;

/// One scalar equation. Implicit: the term is left - right and must be zero.
struct ScalarEquation {
  model::EquationForm form = model::EquationForm::Implicit;
  Place subject;  ///< of Derivative and Formula
  TermId term = 0;
  std::vector<Leaf> operands;
};

/// A truth value (0 or 1) over modes and discrete operands; or with `Rate`-like uses, a number.
struct ScalarCondition {
  TermId term = 0;
  std::vector<Leaf> operands;
};

/// All terms of a model.
class Terms {
 public:
  /// The term of a value in a graph, with those of the modes that it needs. The same form again gives the same number.
  /// Modes by ascending operand. `operands` tells which operand of the graph each operand of the term is, in the order
  /// of their first occurrence.
  TermId cut(const code::Graph& graph, code::NodeId value, const std::vector<Mode>& modes,
             std::vector<std::uint32_t>& operands);
  /// The same for a term whose operands are numbered in that order already.
  TermId intern(const Term& term);
  const Term& operator[](TermId id) const { return *terms_[id]; }
  std::size_t size() const { return terms_.size(); }

 private:
  std::vector<std::unique_ptr<Term>> terms_;
  std::unordered_map<std::string, TermId> known_;
  std::vector<code::NodeId> places_;    ///< room for cut()
  std::vector<std::uint32_t> numbers_;  ///< likewise
};

}  // namespace hyla::engine
