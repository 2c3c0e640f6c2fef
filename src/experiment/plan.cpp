#include "experiment/plan.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/core.h>

#include "base/text.h"
#include "engine/follow.h"
#include "experiment/lift_folds.h"
#include "experiment/plan_factors.h"

namespace hyla::experiment {

using model::Expr;
using model::ExprId;
using model::Op;

bool Plan::is_optimisation() const {
  return objective && std::any_of(factors.begin(), factors.end(),
                                  [](const Factor& factor) { return factor.kind == FactorKind::Free; });
}

bool Plan::has_drawn() const {
  return std::any_of(factors.begin(), factors.end(),
                     [](const Factor& factor) { return factor.kind == FactorKind::Drawn; });
}

std::uint64_t Plan::member_count() const {
  if (is_optimisation()) return 0;
  std::uint64_t count = replications * samples;
  for (const Factor& factor : factors) {
    if (factor.kind == FactorKind::Values) count *= factor.values.size();
  }
  return count;
}

std::string path_of(const model::Model& model, ExprId target, const diag::Sources& sources) {
  std::string path;
  for (const char c : sources.text(model.exprs[target].span)) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) path += c;
  }
  return path;
}

std::optional<std::string> value_text(const model::Model& model, ExprId value, engine::World* world) {
  const Expr& expr = model.exprs[value];
  if (expr.op == Op::String) return model.strings[expr.ref];
  if (expr.op == Op::EnumValue)
    return std::string(model.name(model.enums[model::EnumId(expr.type.ref)].values[expr.ref]));
  if (expr.op == Op::Array) {
    std::string text = "[";
    for (std::size_t i = 0; i < expr.operand_count; ++i) {
      const std::optional<std::string> element = value_text(model, model.operand(expr, i), world);
      if (!element) return std::nullopt;
      text += (i > 0 ? ", " : "") + *element;
    }
    return text + "]";
  }
  if (expr.type.rank > 0) return std::nullopt;
  const bool is_truth = expr.type.kind == model::TypeKind::Boolean;
  if (!is_truth && !expr.type.is_number()) return std::nullopt;
  std::optional<double> number;
  if (expr.known == model::Known::Always) {
    number = expr.number;
  } else if (world != nullptr) {
    number = engine::evaluate_in(*world, value, {}, {});
  }
  if (!number) return std::nullopt;
  return is_truth ? (*number != 0 ? "true" : "false") : base::format_number(*number);
}

namespace {

class Planner {
 public:
  Planner(model::Model& model, const model::Experiment& experiment, engine::World& world, const diag::Sources& sources,
          const PlanOptions& options, const LoadData& load, diag::Sink& sink)
      : model_(model),
        experiment_(experiment),
        world_(world),
        sources_(sources),
        options_(options),
        load_(load),
        sink_(sink) {}

  std::optional<Plan> make() {
    plan_.model = &model_;
    plan_.name = model_.name(experiment_.name);
    plan_.seed = options_.seed;
    if (!read_settings() || !read_replications()) return std::nullopt;
    FactorPlanner factors(model_, world_, sources_, sink_, {plan_.samples, static_cast<bool>(experiment_.objective)});
    bool good = true;
    for (const model::Variation& variation : experiment_.variations) good = factors.add(variation, plan_) && good;
    if (!good) return std::nullopt;
    choose_samples();
    if (!lift()) return std::nullopt;
    return std::move(plan_);
  }

 private:
  bool fail(diag::Span span, const std::string& message, const std::string& hint) {
    sink_.report(diag::Kind::BadExperiment, span, message).hint(hint);
    return false;
  }

  void put_number(std::string_view name, double value) {
    const auto whole = static_cast<std::uint64_t>(std::clamp(value, 0.0, 1e15));
    if (name == "samples") plan_.samples = whole;
    if (name == "max_replications") plan_.max_replications = whole;
    if (name == "max_points") plan_.max_points = whole;
    if (name == "point_tolerance") plan_.point_tolerance = value;
  }

  bool read_settings() {
    plan_.samples = 0;
    std::string sampling = "random";
    diag::Span sampling_span = experiment_.span;
    for (const model::Setting& setting : experiment_.settings) {
      const std::string_view name = model_.name(setting.name);
      const Expr& value = model_.exprs[setting.value];
      if (value.op == Op::String && name == "sampling") {
        sampling = model_.strings[value.ref];
        sampling_span = value.span;
      }
      if (value.op == Op::String && name == "optimizer") plan_.optimizer = model_.strings[value.ref];
      if (!value.type.is_number()) continue;
      if (const auto number = engine::evaluate_in(world_, setting.value, {}, {})) put_number(name, *number);
    }
    plan_.samples = options_.samples.value_or(plan_.samples);
    plan_.max_replications = options_.max_replications.value_or(plan_.max_replications);
    plan_.max_points = options_.max_points.value_or(plan_.max_points);
    if (!options_.optimizer.empty()) plan_.optimizer = options_.optimizer;
    if (!options_.sampling.empty()) sampling = options_.sampling;
    return read_sampling(sampling, sampling_span);
  }

  bool read_sampling(const std::string& word, diag::Span span) {
    static const std::vector<std::string_view> kWords = {"random", "latin_hypercube", "sobol"};
    const auto found = std::find(kWords.begin(), kWords.end(), word);
    if (found == kWords.end()) {
      const auto near = base::nearest(word, kWords);
      return fail(span, fmt::format("there is no sampling `{}`", word),
                  near ? fmt::format("did you mean `{}`?", *near) : "there are " + base::quoted_list(kWords));
    }
    plan_.sampling = static_cast<Sampling>(found - kWords.begin());
    return true;
  }

  bool read_replications() {
    if (experiment_.replications) {
      const auto count = engine::evaluate_in(world_, experiment_.replications, {}, {});
      if (!count || !(*count >= 1)) {
        return fail(model_.exprs[experiment_.replications].span, "there must be at least one replication",
                    "leave `replicate` out for a single run");
      }
      plan_.replications = static_cast<std::uint64_t>(*count);
    }
    plan_.replications = options_.replications.value_or(plan_.replications);
    if (!options_.replications) plan_.enough = experiment_.enough;
    plan_.max_replications = std::max(plan_.max_replications, plan_.replications);
    return true;
  }

  void choose_samples() {
    constexpr std::uint64_t kUsualSamples = 100;
    if (!plan_.has_drawn()) {
      plan_.samples = 1;
    } else if (plan_.samples == 0) {
      plan_.samples = kUsualSamples;
    }
  }

  bool lift() {
    FoldLifter lifter(model_, plan_, [&](const Expr& fold, TimeFold& result) { return read_arguments(fold, result); });
    for (const model::Observation& observation : experiment_.observations) {
      Observed observed;
      if (is_time(model_.exprs[observation.value])) observed.unit = options_.time_unit;
      if (!lifter.lift_observation(observation.value)) return false;
      observed.name = model_.name(observation.name);
      const model::UnitId unit = model_.exprs[observation.value].unit;
      if (unit && unit != model::kBareUnit) observed.unit = model_.unit_name(unit);
      observed.value = observation.value;
      observed.local = observation.local;
      plan_.observed.push_back(observed);
    }
    if (experiment_.observations.empty()) observe_outputs();
    for (const model::RequirementId id : experiment_.requirements) {
      if (!add_requirement(lifter, model_.requirements[id])) return false;
    }
    if (experiment_.objective && !lifter.lift_conclusion(experiment_.objective)) return false;
    plan_.objective = experiment_.objective;
    plan_.maximize = experiment_.maximize;
    return !plan_.enough || lifter.lift_conclusion(plan_.enough);
  }

  /// `time_of`, and what is between two of them.
  bool is_time(const Expr& expr) const {
    if (model::is_fold(model_, expr)) return expr.builtin == model::Builtin::TimeOf;
    if (expr.op != Op::Subtract) return false;
    return is_time(model_.exprs[model_.operand(expr, 0)]) && is_time(model_.exprs[model_.operand(expr, 1)]);
  }

  /// Who asks for nothing gets the outputs of the model as they are at the end.
  void observe_outputs() {
    for (const model::VariableId id : model_.bodies[model_.classes[experiment_.of].body].variables) {
      const model::Variable& variable = model_.variables[id];
      const bool is_number = variable.type.is_number() && variable.type.rank == 0;
      if (variable.kind != model::VariableKind::Output || !is_number) continue;
      Expr value;
      value.op = Op::Entity;
      value.entity = model::EntityKind::Variable;
      value.ref = id.index;
      value.type = variable.type;
      value.unit = variable.unit;
      value.span = variable.span;
      Observed observed;
      observed.name = model_.name(variable.name);
      if (variable.unit && variable.unit != model::kBareUnit) observed.unit = model_.unit_name(variable.unit);
      observed.value = model_.exprs.add(value);
      observed.local = model_.locals.add(
          {variable.name, variable.span, {model::TypeKind::Real, 0, UINT32_MAX}, variable.unit, {}, false});
      plan_.observed.push_back(observed);
    }
  }

  bool add_requirement(FoldLifter& lifter, const model::Requirement& requirement) {
    PlannedRequirement planned;
    planned.condition = requirement.condition;
    planned.text = requirement.text.empty() ? std::string(sources_.text(model_.exprs[requirement.condition].span))
                                            : requirement.text;
    if (requirement.duration) {
      return fail(requirement.span, "`for` has no meaning in a requirement of an experiment",
                  "write the requirement into the model");
    }
    if (lifter.lift_condition(requirement.condition)) {
      plan_.requirements.push_back(planned);
      return true;
    }
    const std::size_t before = plan_.over_runs.size();
    if (!lifter.lift_conclusion(requirement.condition)) return false;
    planned.of_each_run = plan_.over_runs.size() == before;
    const Expr& expr = model_.exprs[requirement.condition];
    const bool rises = expr.op == Op::Greater || expr.op == Op::GreaterEqual;
    if (rises || expr.op == Op::Less || expr.op == Op::LessEqual) {
      planned.smaller = model_.operand(expr, rises ? 1 : 0);
      planned.greater = model_.operand(expr, rises ? 0 : 1);
    }
    plan_.requirements.push_back(planned);
    return true;
  }

  bool read_arguments(const Expr& fold, TimeFold& result) {
    if (fold.builtin == model::Builtin::Quantile) {
      const auto part = engine::evaluate_in(world_, model_.operand(fold, 1), {}, {});
      if (!part || !(*part > 0 && *part < 1)) {
        return fail(fold.span, "the part of a quantile must lie between 0 and 1", "0.5 is the median");
      }
      result.request.part = *part;
    }
    return fold.builtin != model::Builtin::Misfit || read_data(fold, result);
  }

  bool read_data(const Expr& fold, TimeFold& result) {
    const Expr& file = model_.exprs[model_.operand(fold, 1)];
    const Expr& column = model_.exprs[model_.operand(fold, 2)];
    if (file.op != Op::String || column.op != Op::String) {
      return fail(fold.span, "the file and the column of `misfit` must be plain texts",
                  "write `misfit(h, \"level.csv\", \"h\")`");
    }
    base::Result<DataColumn> data = load_(model_.strings[file.ref], model_.strings[column.ref]);
    if (!data.ok()) return fail(fold.span, data.message(), "`misfit` compares a variable with a column of a CSV file");
    result.data = plan_.data.size();
    plan_.data.push_back(std::move(data).value());
    return true;
  }

  model::Model& model_;
  const model::Experiment experiment_;
  engine::World& world_;
  const diag::Sources& sources_;
  const PlanOptions& options_;
  const LoadData& load_;
  diag::Sink& sink_;
  Plan plan_;
};

}  // namespace

std::optional<Plan> make_plan(model::Model& model, model::ExperimentId experiment, engine::World& world,
                              const diag::Sources& sources, const PlanOptions& options, const LoadData& load,
                              diag::Sink& sink) {
  return Planner(model, model.experiments[experiment], world, sources, options, load, sink).make();
}

}  // namespace hyla::experiment
