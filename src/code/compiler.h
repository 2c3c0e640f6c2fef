// From blocks and expressions of the checked model to programs.
//
// Compiled once per class and piece of text, shared by all objects of the class. What this version cannot run
// (derivatives, external code, objects made at run time) is listed, not compiled; a program with such a piece must not
// be run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "code/layout.h"
#include "code/program.h"
#include "model/model.h"

namespace hyla::code {

/// Something in the text that cannot be run (yet).
struct Unsupported {
  diag::Span span;
  std::string what;      ///< "`new`", "the derivative `der`": fits before "is not part of this version yet"
  std::string external;  ///< why this cannot be called, if it is external code
};

/// What surrounds a piece of text.
struct Unit {
  model::ClassId object_class;  ///< whose text it is; the DEVS functions that it calls are looked up there
  /// Locals that the caller sets, in the order of the inputs: indices of families, parameters, `elapsed`, `bag`.
  std::vector<model::LocalId> inputs;
  /// A message pattern: the message is one more input, behind the others, and the names the pattern binds are set from
  /// it.
  const model::Awaited* pattern = nullptr;
  std::uint32_t stream = 0;  ///< number of the random stream for draws, handed on to Host::draw
  bool traced = false;       ///< reads are told to Host::observed
  bool as_real = false;      ///< an Integer result is converted
};

/// Functions of the model, compiled when first called.
class Functions;

class Compiler {
 public:
  Compiler(const model::Model& model, const Layout& layout, Functions& functions);
  ~Compiler();

  /// The actions of a block; `return e` gives the result (DEVS functions, select).
  Program block(model::BlockId block, const Unit& unit);
  Program expression(model::ExprId expr, const Unit& unit);
  /// Parameters are the inputs.
  Program process(model::ProcessId process, std::uint32_t stream);
  /// Assigns a value: inputs of the unit, then the value as one more input, to a target expression (a variable of the
  /// own object, one of its elements or fields). For formulas whose left side is such a target.
  Program assignment(model::ExprId target, const Unit& unit);
  /// The place of an element of an input, `b.u[2]`, in its array from 0; of a slice an array of places.
  Program places(model::ExprId end, const Unit& unit);

  const std::vector<Unsupported>& unsupported() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyla::code
