#include "engine/inner_plugs.h"

namespace hyla::engine {
namespace {

using model::EntityKind;
using model::ExprId;

class InnerPlugs {
 public:
  explicit InnerPlugs(const model::Model& model)
      : model_(model), result_(model.plugs.size(), 0), mentions_(model.variables.size(), 0) {}

  std::vector<std::uint8_t> find() {
    for (const model::Connection& connection : model_.connections) {
      if (connection.kind != model::ConnectionKind::Plugs) continue;
      note_end(connection.from);
      note_end(connection.to);
    }
    for (const model::Equation& equation : model_.equations) {
      if (equation.subject && !equation.left) ++mentions_[equation.subject.index];
      each_own(equation, [&](std::uint32_t variable) { ++mentions_[variable]; });
    }
    std::vector<std::uint8_t> is_given(model_.variables.size(), 0);
    for (const model::Equation& equation : model_.equations) {
      if (only_shows(equation)) continue;
      if (equation.subject) is_given[equation.subject.index] = 1;
      each_own(equation, [&](std::uint32_t variable) { is_given[variable] = 1; });
    }
    for (std::uint32_t i = 0; i < result_.size(); ++i) {
      const model::Plug& plug = model_.plugs[model::PlugId(i)];
      const std::vector<model::Field>& fields = model_.connectors[plug.connector].fields;
      for (std::size_t field = 0; field < plug.variables.size(); ++field) {
        if (fields[field].is_flow && is_given[plug.variables[field].index] != 0) result_[i] = 0;
      }
    }
    return std::move(result_);
  }

 private:
  void note_end(ExprId end) {
    const model::Expr& expr = model_.exprs[end];
    const model::Expr& whole = expr.op == model::Op::Index ? model_.exprs[model_.operand(expr, 0)] : expr;
    if (whole.entity == EntityKind::Plug && whole.operand_count == 0) result_[whole.ref] = 1;
  }

  /// `output i = p.i;` for what no other equation is about: it gives this and nothing else.
  bool only_shows(const model::Equation& equation) const {
    return equation.form == model::EquationForm::Formula && equation.subject && mentions_[equation.subject.index] == 1;
  }

  template <class Visit>
  void each_own(const model::Equation& equation, Visit&& visit) const {
    std::vector<ExprId> waiting;
    for (const ExprId side : {equation.left, equation.right}) {
      if (side) waiting.push_back(side);
    }
    while (!waiting.empty()) {
      const model::Expr& expr = model_.exprs[waiting.back()];
      waiting.pop_back();
      if (expr.entity == EntityKind::Variable && expr.operand_count == 0) visit(expr.ref);
      for (const ExprId operand : model_.operands_of(expr)) waiting.push_back(operand);
    }
  }

  const model::Model& model_;
  std::vector<std::uint8_t> result_;
  std::vector<std::uint32_t> mentions_;  ///< by variable: in how many places of equations
};

}  // namespace

std::vector<std::uint8_t> find_inner_plugs(const model::Model& model) { return InnerPlugs(model).find(); }

}  // namespace hyla::engine
