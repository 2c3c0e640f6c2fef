// Experiments: what is set, varied, observed and optimised.
#include <fmt/core.h>

#include "base/text.h"
#include "check/actions.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/folds.h"
#include "check/lookup.h"
#include "check/passes.h"
#include "check/settings.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

class ExperimentChecker {
 public:
  ExperimentChecker(Context& context, ExperimentId id)
      : context_(context), id_(id), origin_(context.experiment_origins[id]), tree_(context.tree(origin_.module)) {}

  void check() {
    const NodeId path = tree_.find(origin_.node, NodeKind::Path);
    const Entity entity =
        path ? resolve_path(context_, origin_.scope, origin_.module, path, EntityKind::Class, "model") : Entity{};
    if (!entity) return;
    experiment_ = context_.model.experiments[id_];
    experiment_.of = ClassId(entity.index);
    if (context_.model.classes[experiment_.of].is_abstract) {
      context_.sink
          .report(Kind::AbstractObject, tree_.span(path),
                  fmt::format("`{}` is abstract and cannot be run", tree_.text(path)))
          .label(context_.model.classes[experiment_.of].span, "declared `abstract` here");
    }
    place_.module = origin_.module;
    place_.scope = context_.scopes.add(ScopeKind::Block, context_.class_origins[experiment_.of].scope);
    place_.object_class = experiment_.of;
    place_.body = context_.model.classes[experiment_.of].body;
    place_.use = Use::Observation;
    for (NodeId item : tree_.children(origin_.node)) check_item(item);
    // These speak of what is observed, wherever that stands.
    for (NodeId item : tree_.children(origin_.node)) check_conclusion(item);
    context_.model.experiments[id_] = experiment_;
  }

 private:
  void check_item(NodeId item) {
    switch (tree_.kind(item)) {
      case NodeKind::Setting:
        return check_value(item);
      case NodeKind::Vary:
        return check_vary(item);
      case NodeKind::Observe:
        return check_observe(item);
      default:
        return;
    }
  }

  void check_conclusion(NodeId item) {
    switch (tree_.kind(item)) {
      case NodeKind::Replicate:
        return check_replicate(item);
      case NodeKind::Objective:
        return check_objective(item);
      case NodeKind::Require:
        return check_requirement_of_observations(item);
      default:
        return;
    }
  }

  /// What says the same as `eventually` of a run that is over.
  std::string instead_of(NodeId item) const {
    std::string_view condition, within;
    bool is_eventually = false;
    for (const NodeId child : tree_.children(item)) {
      const NodeKind kind = tree_.kind(child);
      if (is_eventually && condition.empty()) condition = tree_.text(child);
      if (kind == NodeKind::RequireForm) is_eventually = true;
      if (kind == NodeKind::Within) within = tree_.text(tree_.child(child, 0));
      if (kind == NodeKind::RequireWhen) break;
    }
    if (condition.empty()) return "put it into the model: a run that violates it counts as failed";
    if (within.empty()) return fmt::format("write `require count({}) > 0;`", condition);
    return fmt::format("write `require time_of({}) <= {};`", condition, within);
  }

  /// Observations are there when a run is over: nothing of them takes time. A condition on the course of the run is to
  /// hold all the time, with or without `always`.
  void check_requirement_of_observations(NodeId item) {
    const RequirementId requirement = check_requirement(context_, place_, item);
    experiment_.requirements.push_back(requirement);
    if (requirement) {
      check_folds(context_, context_.model.requirements[requirement].condition, experiment_.observations,
                  FoldPlace::Requirement);
    }
    for (const NodeId child : tree_.children(item)) {
      const NodeKind kind = tree_.kind(child);
      const bool is_over_time = kind == NodeKind::RequireWhen || kind == NodeKind::ForDuration ||
                                kind == NodeKind::RequireUntil || kind == NodeKind::Within ||
                                (kind == NodeKind::RequireForm && tree_.text(child) == "eventually");
      if (!is_over_time) continue;
      context_.sink
          .report(Kind::BadRequirement, tree_.span(child), "a requirement of an experiment is about what was observed")
          .hint(instead_of(item));
      return;
    }
  }

  PackageId package_named(std::string_view name) const {
    for (std::size_t i = 0; i < context_.model.packages.size(); ++i) {
      if (context_.name(context_.model.packages[PackageId(i)].name) == name) return PackageId(i);
    }
    return {};
  }
  ScopeId settings_of(PackageId package) const {
    return context_.class_origins[context_.model.packages[package].parameters].scope;
  }

  /// The package of which this is a setting, if there is one.
  PackageId package_with(SymbolId name) const {
    for (const std::string_view known : {"Simulation", "Experiment"}) {
      const PackageId package = package_named(known);
      if (package && context_.scopes.find_local(settings_of(package), name)) return package;
    }
    return {};
  }

  void report_unknown_setting(NodeId target) {
    auto entry = context_.sink.report(
        Kind::UnknownSetting, tree_.span(target),
        fmt::format("neither model `{}` nor the simulation nor the experiment has a `{}`",
                    context_.name(context_.model.classes[experiment_.of].name), tree_.text(target)));
    std::optional<std::string> near;
    for (const std::string_view known : {"Simulation", "Experiment"}) {
      const PackageId package = package_named(known);
      if (package && !near) near = nearest_member(context_, settings_of(package), tree_.text(target));
    }
    if (!near) near = nearest_member(context_, context_.class_origins[experiment_.of].scope, tree_.text(target));
    if (near) entry.hint(fmt::format("did you mean `{}`?", *near));
  }

  /// `stop_time = 3600;` is a setting of Simulation or Experiment, everything else a parameter of the model.
  void check_value(NodeId item) {
    const NodeId target = tree_.child(item, 0);
    if (package_named("Simulation") && tree_.kind(target) == NodeKind::NameExpr) {
      const SymbolId name = context_.intern(tree_.text(target));
      if (const PackageId package = package_with(name)) {
        const auto setting = check_setting(context_, place_, item, package);
        if (setting) add_setting(context_, experiment_.settings, *setting);
        return;
      }
      if (!find_in_body(context_, context_.class_origins[experiment_.of].scope, name)) {
        return report_unknown_setting(target);
      }
    }
    const ExprId parameter = check_parameter(target);
    if (!parameter) return;
    const Expr expr = context_.model.exprs[parameter];
    Place at = place_;
    at.use = Use::Parameter;
    const ExprId value = ExpressionChecker(context_, at)
                             .check_as(tree_.child(item, 1), {expr.type, expr.unit, expr.shape, {}},
                                       fmt::format("`{}`", tree_.text(target)));
    experiment_.parameters.push_back({parameter, false, value});
    note_parameter(target, "set");
  }

  /// A parameter is set or varied once.
  void note_parameter(NodeId node, std::string_view verb) {
    for (const auto& [other, before] : noted_) {
      if (tree_.text(other) != tree_.text(node)) continue;
      context_.sink
          .report(Kind::BadExperiment, tree_.span(node),
                  verb == before ? fmt::format("`{}` is {} twice", tree_.text(node), verb)
                                 : fmt::format("`{}` is both set and varied", tree_.text(node)))
          .label(tree_.span(other), fmt::format("{} here", before))
          .hint("keep one of the two");
      return;
    }
    noted_.emplace_back(node, verb);
  }

  /// A parameter of the model, or a setting of the simulation such as a tolerance.
  ExprId check_parameter(NodeId node) {
    if (const ExprId setting = setting_named(node)) return setting;
    const ExprId target = ExpressionChecker(context_, place_).check(node);
    const Expr* expr = &context_.model.exprs[target];
    if (expr->type.is_error()) return {};
    while (expr->op == Op::Index) expr = &context_.model.exprs[context_.model.operand(*expr, 0)];
    const bool parameter = expr->op == Op::Entity && expr->entity == EntityKind::Variable &&
                           context_.model.variables[VariableId(expr->ref)].kind == VariableKind::Parameter;
    if (parameter) return target;
    auto entry = context_.sink.report(Kind::BadExperiment, tree_.span(node),
                                      fmt::format("`{}` is not a parameter", tree_.text(node)));
    if (const Span span = declaration_span(context_, expr->target()); expr->op == Op::Entity && span.file)
      entry.label(span, base::with_article(word_for(context_, expr->target())));
    entry.hint("experiments set and vary parameters");
    return {};
  }

  ExprId setting_named(NodeId node) {
    const PackageId package = package_named("Simulation");
    if (!package || tree_.kind(node) != NodeKind::NameExpr) return {};
    const ScopeId settings = context_.class_origins[context_.model.packages[package].parameters].scope;
    const Entity entity = context_.scopes.find_local(settings, context_.intern(tree_.text(node)));
    if (entity.kind != EntityKind::Variable) return {};
    settle_variable(context_, VariableId(entity.index));
    const Variable& variable = context_.model.variables[VariableId(entity.index)];
    const ExprId id = make_expr(context_, Op::Entity, variable.type, tree_.span(node));
    Expr& expr = context_.model.exprs[id];
    expr.entity = entity.kind;
    expr.ref = entity.index;
    expr.unit = variable.unit;
    expr.shape = variable.shape;
    return id;
  }

  /// `normal(1, 0.1)`.
  bool calls_distribution(NodeId node) const {
    if (tree_.kind(node) != NodeKind::CallExpr) return false;
    const Builtin builtin = find_builtin(tree_.text(tree_.child(node, 0)));
    return builtin != Builtin::None && info(builtin).group == BuiltinClass::Random;
  }

  /// `vary p;` is bounded by what the parameter says of itself.
  void check_bounds(NodeId item, ExprId target) {
    if (!target) return;
    note_parameter(tree_.child(item, 0), "varied");
    const Expr* expr = &context_.model.exprs[target];
    while (expr->op == Op::Index) expr = &context_.model.exprs[context_.model.operand(*expr, 0)];
    const Variable& variable = context_.model.variables[VariableId(expr->ref)];
    if (!variable.attributes.min || !variable.attributes.max) {
      context_.sink
          .report(Kind::BadExperiment, tree_.span(item),
                  fmt::format("`{}` has no bounds to be varied between", tree_.text(tree_.child(item, 0))))
          .label(variable.span, "declared here")
          .hint("say how far: `vary p in 1..5;`, or give the parameter a `min` and a `max`");
      return;
    }
    experiment_.variations.push_back({tree_.span(item), target, {}});
  }

  void check_vary(NodeId item) {
    const ExprId target = check_parameter(tree_.child(item, 0));
    if (tree_.children(item).size() < 2) return check_bounds(item, target);
    Type element;
    Place at = place_;
    at.use = Use::Parameter;
    at.draws = true;
    const bool is_drawn = calls_distribution(tree_.child(item, 1));
    ExprId range;
    if (is_drawn) {
      range = ExpressionChecker(context_, at).check(tree_.child(item, 1));
      element = context_.model.exprs[range].type;
    } else {
      range = ExpressionChecker(context_, at).check_range(tree_.child(item, 1), element);
    }
    if (!target) return;
    note_parameter(tree_.child(item, 0), "varied");
    const Expr& expr = context_.model.exprs[target];
    if (!assignable(context_, expr.type, element)) {
      context_.sink.report(
          Kind::TypeMismatch, tree_.span(tree_.child(item, 1)),
          fmt::format("`{}` is {}, these are {}s", tree_.text(tree_.child(item, 0)),
                      base::with_article(context_.model.type_name(expr.type)), context_.model.type_name(element)));
    }
    require_unit(context_, range, expr.unit, fmt::format("`{}`", tree_.text(tree_.child(item, 0))));
    const Expr& bounds = context_.model.exprs[range];
    if (bounds.op == Op::Range) {
      const auto first = known_value(context_, context_.model.operand(bounds, 0));
      const auto last = known_value(context_, context_.model.operand(bounds, 1));
      const auto step = bounds.operand_count > 2 ? known_value(context_, context_.model.operand(bounds, 2))
                                                 : std::optional<double>(1.0);
      if (first && last && step && (*last - *first) * *step < 0)
        context_.sink.report(Kind::BadExperiment, bounds.span, "this range is empty")
            .hint("the step must lead from the first value to the last");
    }
    experiment_.variations.push_back({tree_.span(item), target, range});
  }

  void check_replicate(NodeId item) {
    if (experiment_.replications) {
      context_.sink.report(Kind::BadExperiment, tree_.span(item), "`replicate` is given twice")
          .label(context_.model.exprs[experiment_.replications].span, "first here");
      return;
    }
    Place at = place_;
    at.use = Use::Parameter;
    experiment_.replications =
        ExpressionChecker(context_, at).check_integer(tree_.child(item, 0), "the number of replications");
    if (const auto known = known_value(context_, experiment_.replications); known && *known < 1) {
      context_.sink
          .report(Kind::BadExperiment, tree_.span(tree_.child(item, 0)), "there must be at least one replication")
          .hint("leave `replicate` out for a single run");
    }
    if (tree_.children(item).size() < 2) return;
    experiment_.enough = ExpressionChecker(context_, place_).check_condition(tree_.child(item, 1));
    check_folds(context_, experiment_.enough, experiment_.observations, FoldPlace::Runs);
  }

  void check_observe(NodeId item) {
    const NodeId name = tree_.find(item, NodeKind::Name);
    if (!name) return;
    Observation observation;
    observation.name = context_.intern(tree_.name(name));
    observation.span = tree_.span(item);
    observation.value = ExpressionChecker(context_, place_).check_real(tree_.children(item).back(), "an observation");
    check_folds(context_, observation.value, experiment_.observations, FoldPlace::Observation);
    const Expr& expr = context_.model.exprs[observation.value];
    observation.local =
        context_.model.locals.add({observation.name, tree_.span(name), real_type(), expr.unit, {}, false});
    // An observation may carry the name of a variable of the model: it is a name of the experiment.
    if (const Entity before =
            context_.scopes.declare(place_.scope, observation.name, {EntityKind::Local, observation.local.index})) {
      context_.sink
          .report(Kind::DuplicateName, tree_.span(name), fmt::format("`{}` is observed twice", tree_.name(name)))
          .label(declaration_span(context_, before), "first here");
    }
    experiment_.observations.push_back(observation);
  }

  void check_objective(NodeId item) {
    if (experiment_.objective) {
      context_.sink.report(Kind::BadExperiment, tree_.span(item), "an experiment has one objective")
          .label(context_.model.exprs[experiment_.objective].span, "the first")
          .hint("join the two into one number, for example by a weighted sum");
      return;
    }
    experiment_.maximize = tree_.first_token_kind(item) == TokenKind::WordMaximize;
    experiment_.objective = ExpressionChecker(context_, place_).check_real(tree_.child(item, 0), "an objective");
    check_folds(context_, experiment_.objective, experiment_.observations, FoldPlace::Runs);
  }

  Context& context_;
  ExperimentId id_;
  Origin origin_;
  const syntax::Tree& tree_;
  std::vector<std::pair<NodeId, std::string_view>> noted_;  ///< parameters that are set or varied, and which
  Experiment experiment_;
  Place place_;
};

}  // namespace

void check_experiment(Context& context, ExperimentId id) { ExperimentChecker(context, id).check(); }

}  // namespace hyla::check
