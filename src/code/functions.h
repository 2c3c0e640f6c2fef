// The functions of a model, and the constants of its modules, as programs. A function is compiled when the first text
// that calls it is compiled, so running never compiles.
#pragma once

#include <memory>
#include <vector>

#include "code/compiler.h"
#include "code/external.h"
#include "code/layout.h"
#include "code/program.h"

namespace hyla::code {

class Functions {
 public:
  /// Model and layout must outlive it.
  Functions(const model::Model& model, const Layout& layout);
  ~Functions();

  /// Compiles the function and those that it calls, unless that has been done; an external one is looked up. What
  /// cannot be run goes to the list.
  void prepare(model::FunctionId id, std::vector<Unsupported>& unsupported);
  /// The same for a constant of a module that lives in a box.
  void prepare(model::VariableId constant, std::vector<Unsupported>& unsupported);
  /// A function that has been prepared.
  const Program& program(model::FunctionId id) const { return *programs_[id.index]; }
  /// The value of a constant that has been prepared.
  const Program& program(model::VariableId id) const { return *constants_[id.index]; }

  ExternalCode external;  ///< what is called of shared libraries

 private:
  const model::Model* model_;
  const Layout* layout_;
  std::vector<std::unique_ptr<Program>> programs_;   ///< by FunctionId
  std::vector<std::unique_ptr<Program>> constants_;  ///< by VariableId
};

}  // namespace hyla::code
