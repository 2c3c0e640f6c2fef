// Equations: their two sides, and what they are written for.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/actions.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/messages.h"
#include "check/passes.h"
#include "check/spans.h"
#include "model/entry_values.h"
#include "syntax/literals.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

class EquationChecker {
 public:
  EquationChecker(Context& context, EquationId id)
      : context_(context), id_(id), origin_(context.equation_origins[id]) {}

  void check() {
    const Origin& origin = origin_;
    const syntax::Tree& tree = context_.tree(origin.module);
    const diag::Sink::Mute mute(context_.sink, origin.inherited);
    const std::span<const NodeId> children = tree.children(origin.node);
    if (children.size() < 2) return;
    const NodeId left_node = children[children.size() - 2];
    const NodeId right_node = children[children.size() - 1];
    Place place;
    place.module = origin.module;
    place.scope = origin.scope;
    place.body = context_.model.equations[id_].body;
    place.object_class = context_.model.bodies[place.body].object_class;
    place.use = Use::Equation;
    ExpressionChecker checker(context_, place);
    const ExprId left = checker.check(left_node);
    const ExprId right = checker.check(right_node);
    check_sides(left, right, sign_span(tree, left_node, right_node, TokenKind::Equal));
    Equation equation = context_.model.equations[id_];
    equation.left = left;
    equation.right = right;
    classify(equation);
    context_.model.equations[id_] = equation;
  }

 private:
  void check_sides(ExprId left, ExprId right, Span span) {
    const Expr a = context_.model.exprs[left];
    const Expr b = context_.model.exprs[right];
    if (a.type.is_error() || b.type.is_error()) return;
    if (!assignable(context_, a.type, b.type) && !assignable(context_, b.type, a.type)) {
      context_.sink
          .report(Kind::TypeMismatch, span,
                  fmt::format("an equation between {} and {}", base::with_article(context_.model.type_name(a.type)),
                              base::with_article(context_.model.type_name(b.type))))
          .label(a.span, context_.model.type_name(a.type))
          .label(b.span, context_.model.type_name(b.type));
      return;
    }
    if (!shapes_agree(context_, a.shape, b.shape)) {
      context_.sink.report(Kind::ArrayShape, span, "the sides of this equation have different sizes")
          .label(a.span, shape_name(context_, a.shape))
          .label(b.span, shape_name(context_, b.shape));
    }
    if (a.type.is_number()) join_units(context_, left, right, span, "an equation between");
    const bool continuous = a.type.kind == TypeKind::Real || b.type.kind == TypeKind::Real;
    const bool formula = a.op == Op::Entity || a.op == Op::Index;
    if (!continuous && !formula &&
        (model::changing_operand(context_.model, left) || model::changing_operand(context_.model, right))) {
      context_.sink
          .report(Kind::TypeMismatch, a.span,
                  fmt::format("only an equation `name = …` can define {}",
                              base::with_article(context_.model.type_name(a.type))))
          .hint("implicit equations are for Reals");
    }
  }

  /// `name = e` and `der(name) = e` have a subject; everything else is implicit, as are equations for plugs.
  void classify(Equation& equation) {
    const Expr* left = &context_.model.exprs[equation.left];
    equation.form = EquationForm::Implicit;
    const bool derivative = left->op == Op::Der;
    if (derivative) left = &context_.model.exprs[context_.model.operand(*left, 0)];
    while (left->op == Op::Index) left = &context_.model.exprs[context_.model.operand(*left, 0)];
    if (left->op != Op::Entity || left->entity != EntityKind::Variable) return check_known(equation);
    const bool foreign = left->operand_count != 0;
    if (context_.model.variables[VariableId(left->ref)].plug && (foreign || !derivative)) return;
    if (foreign) return check_foreign(equation, *left, derivative);
    const VariableId subject(left->ref);
    const Variable& variable = context_.model.variables[subject];
    equation.form = derivative ? EquationForm::Derivative : EquationForm::Formula;
    equation.subject = subject;
    const bool allowed = variable.kind == VariableKind::Var || variable.kind == VariableKind::Output;
    if (allowed) return;
    const std::string_view word = word_for(context_, {EntityKind::Variable, subject.index});
    auto entry =
        context_.sink.report(Kind::EquationForFixed, left->span,
                             fmt::format("an equation cannot change the {} `{}`", word, context_.name(variable.name)));
    entry.label(variable.span, "declared here");
    switch (variable.kind) {
      case VariableKind::Input:
        entry.hint("an input is given from outside; declare it `output` or `var` if it is computed here");
        break;
      case VariableKind::Discrete:
        entry.hint("only assignments change it; declare it `var` to give it an equation");
        break;
      default:
        if (const ClassId base = context_.model.classes[context_.model.bodies[equation.body].object_class].base;
            base && context_.variable_origins[subject].origin.inherited) {
          entry.hint(fmt::format("set it by an argument: `extends {}({} = …)`",
                                 context_.name(context_.model.classes[base].name), context_.name(variable.name)));
        } else {
          entry.hint("declare it `var`");
        }
        break;
    }
  }

  /// `part.input = e` feeds a part; everything else of it is determined inside.
  void check_foreign(const Equation& equation, const Expr& left, bool derivative) {
    const Variable& variable = context_.model.variables[VariableId(left.ref)];
    if (!derivative && variable.kind == VariableKind::Input) return check_known(equation);
    context_.sink
        .report(Kind::EquationForFixed, left.span,
                fmt::format("`{}` belongs to another object, which determines it itself", context_.name(variable.name)))
        .label(variable.span, "declared here")
        .hint("declare it `input` there and join something to it, or write the equation there");
  }

  /// An implicit equation must have something to solve for.
  void check_known(const Equation& equation) {
    for (ExprId side : {equation.left, equation.right}) {
      if (context_.model.exprs[side].type.is_error() || model::changing_operand(context_.model, side) || calls(side))
        return;
    }
    context_.sink.report(Kind::NoEffect, equation.span, "nothing in this equation can change")
        .hint("at least one variable is needed");
  }

  bool calls(ExprId id) const {
    std::vector<ExprId> pending = {id};
    while (!pending.empty()) {
      const Expr& expr = context_.model.exprs[pending.back()];
      pending.pop_back();
      if (expr.op == Op::Call || expr.op == Op::Reduce) return true;
      for (ExprId operand : context_.model.operands_of(expr)) pending.push_back(operand);
    }
    return false;
  }

  Context& context_;
  EquationId id_;
  Origin origin_;
};

}  // namespace

void check_equation(Context& context, EquationId id) { EquationChecker(context, id).check(); }

}  // namespace hyla::check
