#include "engine/initial_choices.h"

#include <fmt/core.h>

namespace hyla::engine {
namespace {

using model::ExprId;

/// Looks for texts that are evaluated before the start and read a parameter.
class EarlyReads {
 public:
  EarlyReads(const model::Model& model, model::VariableId parameter) : model_(model), parameter_(parameter) {}

  /// The first of them.
  const model::Expr* find() {
    for (const model::Variable& variable : model_.variables) {
      if (variable.is_fixed() && look(variable.binding)) return found_;
      if (look(variable.initial)) return found_;
      const model::Attributes& attributes = variable.attributes;
      for (const ExprId id : {attributes.min, attributes.max, attributes.nominal, attributes.guess}) {
        if (look(id)) return found_;
      }
    }
    for (const model::Shape& shape : model_.shapes) {
      for (const model::Dimension& dimension : shape.dimensions) {
        if (look(dimension.expr)) return found_;
      }
    }
    for (const model::Body& body : model_.bodies) {
      for (const model::Family& family : body.families) {
        if (look(family.range)) return found_;
      }
      for (const model::Conditional& conditional : body.conditionals) {
        if (look(conditional.condition)) return found_;
      }
    }
    for (const model::Part& part : model_.parts) {
      if (look(part.arguments) || (part.occupant && look(part.occupant->arguments))) return found_;
    }
    for (const model::Class& one : model_.classes) {
      if (look(one.base_arguments)) return found_;
    }
    return nullptr;
  }

 private:
  bool look(ExprId id) {
    if (!id) return false;
    const model::Expr& expr = model_.exprs[id];
    if (expr.op == model::Op::Entity && expr.entity == model::EntityKind::Variable && expr.ref == parameter_.index) {
      found_ = &expr;
      return true;
    }
    for (const ExprId operand : model_.operands_of(expr)) {
      if (look(operand)) return true;
    }
    return false;
  }

  /// An argument for an input goes on holding, so it may depend on anything.
  bool look(const std::vector<model::Argument>& arguments) {
    for (const model::Argument& argument : arguments) {
      const model::Expr* target = &model_.exprs[argument.target];
      while (target->op == model::Op::Index) target = &model_.exprs[model_.operand(*target, 0)];
      const bool is_input = target->op == model::Op::Entity && target->entity == model::EntityKind::Variable &&
                            model_.variables[model::VariableId(target->ref)].kind == model::VariableKind::Input;
      if (!is_input && look(argument.value)) return true;
    }
    return false;
  }

  const model::Model& model_;
  model::VariableId parameter_;
  const model::Expr* found_ = nullptr;
};

void check_body(const model::Model& model, model::BodyId id, diag::Sink& sink) {
  const model::Body& body = model.bodies[id];
  for (const model::VariableId variable : body.variables) {
    const model::Variable& record = model.variables[variable];
    if (record.kind != model::VariableKind::Parameter || record.attributes.fixed != false) continue;
    diag::Span why;
    if (can_be_freed(model, variable, why)) continue;
    sink.report(diag::Kind::ParameterNeededEarly, record.span,
                fmt::format("the start cannot compute the parameter `{}`: something needs it before",
                            model.name(record.name)))
        .label(why, "needs it when the object is made")
        .hint("read it in equations only; what follows from it can be written as `var` with an equation");
  }
  for (const model::Conditional& conditional : body.conditionals) {
    if (conditional.then_body) check_body(model, conditional.then_body, sink);
    if (conditional.else_body) check_body(model, conditional.else_body, sink);
  }
}

}  // namespace

bool World::is_freed(model::VariableId variable) const {
  return model.variables[variable].attributes.fixed == false || starts->freed.contains(variable);
}

StartRole start_role(const World& world, const Place& place, model::VariableId variable) {
  const StartChoice* choice = world.starts->value(place);
  if (choice != nullptr && choice->role != StartRole::Default) return choice->role;
  if (!variable) return StartRole::Default;
  const std::optional<bool> fixed = world.model.variables[variable].attributes.fixed;
  return !fixed ? StartRole::Default : *fixed ? StartRole::Fixed : StartRole::Free;
}

bool can_be_freed(const model::Model& model, model::VariableId parameter, diag::Span& why) {
  if (model.variables[parameter].type.element().kind != model::TypeKind::Real) {
    why = model.variables[parameter].span;
    return false;
  }
  const model::Expr* found = EarlyReads(model, parameter).find();
  if (found != nullptr) why = found->span;
  return found == nullptr;
}

void check_freed_parameters(const model::Model& model, model::ClassId object_class, diag::Sink& sink) {
  check_body(model, model.classes[object_class].body, sink);
}

}  // namespace hyla::engine
