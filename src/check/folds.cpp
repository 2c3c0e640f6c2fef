#include "check/folds.h"

#include <algorithm>

#include <fmt/core.h>

#include "check/build.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

class FoldChecker {
 public:
  FoldChecker(Context& context, std::span<const Observation> observed, FoldPlace place)
      : context_(context), observed_(observed), place_(place) {}

  /// A condition over the time of a run alone is one that must hold all the time.
  bool is_over_time(ExprId id) {
    bool nested = false, observes = false, varies = false;
    look(id, nested, observes, varies);
    return varies && !nested && !observes;
  }

  void check(ExprId id) {
    const Expr expr = context_.model.exprs[id];
    if (is_fold(context_.model, expr)) return check_fold(expr);
    if (place_ != FoldPlace::Observation && runs_over_time(expr)) {
      return report(expr, "this changes while a run goes on, and here one number of each run is needed",
                    "take one out of it, such as `final_value(…)` or `max(…)`, or give it a name with `observe`");
    }
    for (std::size_t i = 0; i < expr.operand_count; ++i) {
      const ExprId operand = context_.model.operand(expr, i);
      if (operand) check(operand);
    }
  }

 private:
  bool runs_over_time(const Expr& expr) const {
    if (expr.op == Op::Property || expr.op == Op::Time || expr.op == Op::InState) return true;
    return expr.op == Op::Entity && expr.entity == EntityKind::Variable && is_variable(VariableId(expr.ref));
  }
  bool is_variable(VariableId id) const {
    const VariableKind kind = context_.model.variables[id].kind;
    return kind != VariableKind::Parameter && kind != VariableKind::Constant;
  }

  void report(const Expr& expr, const std::string& what, const std::string& hint) {
    context_.sink.report(Kind::BadExperiment, expr.span, what).hint(hint);
  }

  void check_fold(const Expr& fold) {
    const std::string_view name = info(fold.builtin).name;
    bool nested = false, observes = false, varies = false;
    for (std::size_t i = 0; i < fold.operand_count; ++i) {
      look(context_.model.operand(fold, i), nested, observes, varies);
    }
    if (nested) {
      return report(fold, fmt::format("`{}` of a number that is taken over time already", name),
                    "give the inner one a name with `observe`");
    }
    if (place_ == FoldPlace::Observation) {
      if (observes) {
        report(fold, fmt::format("`{}` runs over time, and what is observed is one number of a run", name),
               "over several runs it is taken in `minimize`, `maximize`, `require` and `replicate … until`");
      } else if (fold.builtin == Builtin::HalfWidth) {
        report(fold, "`half_width` is taken over runs, not over time",
               "use it in `replicate … until`, `minimize`, `maximize` or `require`");
      }
      return;
    }
    if (observes && varies) {
      report(fold,
             fmt::format("`{}` of an observation and of a variable: the one is a number of a run, the other runs "
                         "over time",
                         name),
             "give the part with the variable a name with `observe`");
    } else if (observes && is_over_time_only(fold.builtin)) {
      report(fold, fmt::format("`{}` is taken over the time of a run, not over runs", name),
             "write it into an `observe`");
    } else if (!observes && fold.builtin == Builtin::HalfWidth) {
      report(fold, "`half_width` needs something that is observed", "give it a name with `observe`");
    }
  }

  static bool is_over_time_only(Builtin builtin) {
    return builtin == Builtin::Final || builtin == Builtin::Count || builtin == Builtin::TimeOf ||
           builtin == Builtin::Misfit;
  }

  void look(ExprId id, bool& nested, bool& observes, bool& varies) {
    const Expr& expr = context_.model.exprs[id];
    nested = nested || is_fold(context_.model, expr);
    if (expr.op == Op::Entity && expr.entity == EntityKind::Local) {
      observes = observes || std::any_of(observed_.begin(), observed_.end(),
                                         [&](const Observation& one) { return one.local.index == expr.ref; });
    }
    varies = varies || runs_over_time(expr);
    for (std::size_t i = 0; i < expr.operand_count; ++i) {
      const ExprId operand = context_.model.operand(expr, i);
      if (operand) look(operand, nested, observes, varies);
    }
  }

  Context& context_;
  std::span<const Observation> observed_;
  FoldPlace place_;
};

}  // namespace

void check_folds(Context& context, ExprId expr, std::span<const Observation> observed, FoldPlace place) {
  if (!expr) return;
  FoldChecker checker(context, observed, place);
  if (place == FoldPlace::Requirement && checker.is_over_time(expr)) return;
  checker.check(expr);
}

}  // namespace hyla::check
