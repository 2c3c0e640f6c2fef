// Checks requirements: which clauses go together, and what they say.
#include <fmt/core.h>

#include "check/actions.h"
#include "check/expressions.h"
#include "syntax/literals.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

class RequirementChecker {
 public:
  RequirementChecker(Context& context, const Place& place)
      : context_(context), tree_(context.tree(place.module)), checker_(context, place) {}

  Requirement check(NodeId node) {
    result_.span = tree_.span(node);
    for (const NodeId child : tree_.children(node)) part(child);
    return std::move(result_);
  }

 private:
  void part(NodeId child) {
    switch (tree_.kind(child)) {
      case NodeKind::Annotation:
      case NodeKind::Modifier:
        return;
      case NodeKind::RequireWhen:
        result_.trigger = checker_.check_condition(tree_.child(child, 0));
        return;
      case NodeKind::RequireForm:
        if (tree_.text(child) == "eventually") result_.form = RequirementForm::Eventually;
        return;
      case NodeKind::ForDuration:
        refuse_with_eventually(child, "for", "a condition that is to hold always may be broken for a time");
        result_.duration = checker_.check_duration(tree_.child(child, 0), "the time allowed");
        return;
      case NodeKind::RequireUntil:
        refuse_with_eventually(child, "until", "write `eventually` with the goal alone, or what is to hold before it");
        result_.goal = checker_.check_condition(tree_.child(child, 0));
        result_.form = RequirementForm::Until;
        return;
      case NodeKind::Within:
        result_.within = checker_.check_duration(tree_.child(child, 0), "the time allowed");
        return;
      case NodeKind::StringLiteral:
        if (result_.condition) {
          result_.text = syntax::string_value(tree_.text(child));
          return;
        }
        [[fallthrough]];
      default:
        if (!result_.condition) result_.condition = checker_.check_condition(child);
    }
  }

  void refuse_with_eventually(NodeId clause, std::string_view word, std::string_view hint) {
    if (result_.form != RequirementForm::Eventually) return;
    context_.sink
        .report(diag::Kind::BadRequirement, tree_.span(clause), fmt::format("`{}` does not go with `eventually`", word))
        .hint(std::string(hint));
  }

  Context& context_;
  const syntax::Tree& tree_;
  ExpressionChecker checker_;
  Requirement result_;
};

}  // namespace

RequirementId check_requirement(Context& context, const Place& place, NodeId node) {
  return context.model.requirements.add(RequirementChecker(context, place).check(node));
}

}  // namespace hyla::check
