#include "code/compiler.h"

#include "code/functions.h"
#include "code/unit_compiler.h"

namespace hyla::code {

struct Compiler::Impl {
  const model::Model& model;
  const Layout& layout;
  Functions& functions;
  std::vector<Unsupported> unsupported;

  UnitCompiler unit(const Unit& unit) { return {model, layout, functions, unsupported, unit}; }
};

Compiler::Compiler(const model::Model& model, const Layout& layout, Functions& functions)
    : impl_(new Impl{model, layout, functions, {}}) {}
Compiler::~Compiler() = default;

Program Compiler::block(model::BlockId block, const Unit& unit) { return impl_->unit(unit).block(block); }
Program Compiler::expression(model::ExprId expr, const Unit& unit) { return impl_->unit(unit).expression(expr); }
Program Compiler::assignment(model::ExprId target, const Unit& unit) { return impl_->unit(unit).assignment(target); }

Program Compiler::places(model::ExprId end, const Unit& unit) { return impl_->unit(unit).places(end); }

Program Compiler::process(model::ProcessId process, std::uint32_t stream) {
  Unit unit;
  unit.object_class = impl_->model.bodies[impl_->model.processes[process].body].object_class;
  unit.stream = stream;
  return impl_->unit(unit).process(process);
}

const std::vector<Unsupported>& Compiler::unsupported() const { return impl_->unsupported; }

Functions::Functions(const model::Model& model, const Layout& layout)
    : external(model),
      model_(&model),
      layout_(&layout),
      programs_(model.functions.size()),
      constants_(model.variables.size()) {}
Functions::~Functions() = default;

void Functions::prepare(model::FunctionId id, std::vector<Unsupported>& unsupported) {
  if (programs_[id.index] != nullptr) return;
  programs_[id.index] = std::make_unique<Program>();  // so that a function that calls itself finds it
  *programs_[id.index] = UnitCompiler(*model_, *layout_, *this, unsupported, Unit{}).function(id);
}

void Functions::prepare(model::VariableId constant, std::vector<Unsupported>& unsupported) {
  std::unique_ptr<Program>& program = constants_[constant.index];
  if (program != nullptr) return;
  program = std::make_unique<Program>();
  Unit unit;
  const model::Variable& variable = model_->variables[constant];
  unit.as_real = variable.type.kind == model::TypeKind::Real;
  *program = UnitCompiler(*model_, *layout_, *this, unsupported, unit).expression(variable.binding);
}

}  // namespace hyla::code
