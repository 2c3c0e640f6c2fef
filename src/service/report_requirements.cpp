#include "service/report_requirements.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/dump_text.h"
#include "service/report_run.h"
#include "service/run_names.h"

namespace hyla::service {
namespace {

Verdict verdict_of(engine::Verdict verdict) {
  switch (verdict) {
    case engine::Verdict::NeverTested:
      return Verdict::NeverTested;
    case engine::Verdict::Held:
      return Verdict::Held;
    case engine::Verdict::Undecided:
      return Verdict::Undecided;
    case engine::Verdict::Violated:
      return Verdict::Violated;
  }
  return Verdict::NeverTested;
}

/// Of the first relation over numbers in a condition; empty for a bare number.
std::string unit_of(const model::Model& model, model::ExprId condition) {
  const model::Expr& expr = model.exprs[condition];
  if (expr.op >= model::Op::Less && expr.op <= model::Op::GreaterEqual) {
    for (const model::ExprId side : model.operands_of(expr)) {
      const model::UnitId unit = model.exprs[side].unit;
      if (unit && unit != model::kBareUnit) return std::string(model.unit_name(unit));
    }
    return "";
  }
  if (expr.op != model::Op::And && expr.op != model::Op::Or && expr.op != model::Op::Not) return "";
  for (const model::ExprId operand : model.operands_of(expr)) {
    if (std::string unit = unit_of(model, operand); !unit.empty()) return unit;
  }
  return "";
}

/// `Car`, of objects that have no path of their own.
std::string class_of(const model::Model& model, model::RequirementId id) {
  for (const model::Body& body : model.bodies) {
    if (std::find(body.requirements.begin(), body.requirements.end(), id) == body.requirements.end()) continue;
    return "all " + std::string(model.name(model.classes[body.object_class].name)) + " made in the run";
  }
  return "";
}

RequirementReport report_of(const model::Model& model, const diag::Sources& sources,
                            const engine::RequirementRecord& record) {
  const model::Requirement& requirement = model.requirements[record.requirement];
  RequirementReport report;
  report.object = record.object.empty() ? class_of(model, record.requirement) : record.object;
  report.indices = record.indices;
  report.text = requirement.text;
  report.condition = model::requirement_text(model, requirement, {});
  report.place = place_text(sources, requirement.span);
  report.verdict = verdict_of(record.verdict);
  report.tests = record.tests;
  report.violations = record.violations;
  report.violated_at = record.violated_at;
  report.violated_by = record.violated_by;
  report.margin = record.margin;
  report.margin_at = record.margin_at;
  report.unit = unit_of(model, requirement.condition);
  report.spare = record.spare;
  report.spare_at = record.spare_at;
  return report;
}

void worsen(RequirementReport& report, const RequirementReport& other) {
  report.verdict = std::max(report.verdict, other.verdict);
  report.tests += other.tests;
  if (report.violations == 0 && other.violations > 0) {
    report.violated_at = other.violated_at;
    report.violated_by = other.violated_by;
  }
  report.violations += other.violations;
  if (other.margin < report.margin) std::tie(report.margin, report.margin_at) = std::tie(other.margin, other.margin_at);
  if (other.spare < report.spare) std::tie(report.spare, report.spare_at) = std::tie(other.spare, other.spare_at);
}

class CoverageReporter {
 public:
  CoverageReporter(const model::Model& model, const diag::Sources& sources, const engine::Coverage& coverage)
      : model_(model), sources_(sources), coverage_(coverage), is_used_(model.classes.size()) {
    for (std::size_t i = 0; i < is_used_.size(); ++i) {
      // What is inherited is text of the bases.
      for (model::ClassId id(i); coverage.objects[i] > 0 && id; id = model.classes[id].base) is_used_[id.index] = true;
    }
  }

  CoverageReport report() {
    for (std::size_t i = 0; i < model_.states.size(); ++i) add_state(i);
    for (std::size_t i = 0; i < model_.reactions.size(); ++i) add_reaction(i);
    const std::vector<std::uint32_t> first = engine::first_branches(model_);
    for (std::size_t i = 0; i < model_.choices.size(); ++i) add_choice(model_.choices[model::ChoiceId(i)], first[i]);
    return std::move(result_);
  }

 private:
  bool is_used(model::BodyId body) const { return body && is_used_[model_.bodies[body].object_class.index]; }
  CoverageItem item(std::string name, diag::Span span, std::uint64_t yes, std::uint64_t no) const {
    return {std::move(name), place_text(sources_, span), yes, no};
  }

  void add_state(std::size_t number) {
    const model::State& state = model_.states[model::StateId(number)];
    const model::Chart& chart = model_.charts[state.chart];
    if (!is_used(chart.body)) return;
    result_.states.push_back(item(chart_path(model_, chart) + '.' + std::string(model_.name(state.name)), state.span,
                                  coverage_.states[number], 0));
  }

  void add_reaction(std::size_t number) {
    const model::Reaction& reaction = model_.reactions[model::ReactionId(number)];
    if (!is_used(reaction.body)) return;
    const std::string name = reaction_path(model_, reaction);
    result_.transitions.push_back(item(name, reaction.span, coverage_.reactions[number], 0));
    const auto add_condition = [&](model::ExprId expr, const engine::Coverage::Truths& truths) {
      if (!expr) return;
      const std::string text = " `" + model::expression_text(model_, expr, {}) + '`';
      result_.conditions.push_back(item(name + text, model_.exprs[expr].span, truths.yes[number], truths.no[number]));
    };
    if (reaction.trigger == model::TriggerKind::When) add_condition(reaction.condition, coverage_.conditions);
    add_condition(reaction.guard, coverage_.guards);
  }

  void add_choice(const model::Choice& choice, std::uint32_t first) {
    const model::Chart& chart = model_.charts[choice.chart];
    if (!is_used(chart.body)) return;
    const std::string name = chart_path(model_, chart) + '.' + std::string(model_.name(choice.name)) + ':';
    for (std::size_t i = 0; i < choice.branches.size(); ++i) {
      const model::ChoiceBranch& branch = choice.branches[i];
      const std::string guard =
          branch.guard ? " if `" + model::expression_text(model_, branch.guard, {}) + '`' : std::string(" else");
      result_.transitions.push_back(item(name + guard, branch.span, coverage_.branches[first + i], 0));
      if (!branch.guard) continue;
      const engine::Coverage::Truths& truths = coverage_.branch_guards;
      result_.conditions.push_back(
          item(name + guard, model_.exprs[branch.guard].span, truths.yes[first + i], truths.no[first + i]));
    }
  }

  const model::Model& model_;
  const diag::Sources& sources_;
  const engine::Coverage& coverage_;
  std::vector<bool> is_used_;  ///< by class
  CoverageReport result_;
};

}  // namespace

std::vector<RequirementReport> requirements_of(const model::Model& model, const diag::Sources& sources,
                                               const engine::RunOutcome& outcome) {
  std::vector<RequirementReport> reports;
  std::vector<const engine::RequirementRecord*> records;
  for (const engine::RequirementRecord& record : outcome.requirements) records.push_back(&record);
  // Those of one object in the order of the text.
  const auto begin_of = [&](const engine::RequirementRecord* record) {
    return model.requirements[record->requirement].span.begin;
  };
  for (auto first = records.begin(); first != records.end();) {
    const auto last =
        std::find_if(first, records.end(), [&](const auto* it) { return it->object != (*first)->object; });
    std::stable_sort(first, last, [&](const auto* a, const auto* b) { return begin_of(a) < begin_of(b); });
    first = last;
  }
  for (const engine::RequirementRecord* record : records) reports.push_back(report_of(model, sources, *record));
  return reports;
}

std::vector<RequirementReport> worst_of(const std::vector<SingleRun>& runs) {
  std::vector<RequirementReport> worst;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> places;
  for (const SingleRun& run : runs) {
    for (const RequirementReport& report : run.requirements) {
      const auto [entry, added] =
          places.try_emplace({report.object, report.place, report.condition, report.indices}, worst.size());
      if (added) {
        worst.push_back(report);
      } else {
        worsen(worst[entry->second], report);
      }
    }
  }
  return worst;
}

CoverageReport coverage_of(const model::Model& model, const diag::Sources& sources, const engine::Coverage& coverage) {
  return coverage.empty() ? CoverageReport() : CoverageReporter(model, sources, coverage).report();
}

std::string_view verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::NeverTested:
      return "never tested";
    case Verdict::Held:
      return "held";
    case Verdict::Undecided:
      return "undecided";
    case Verdict::Violated:
      return "violated";
  }
  return "";
}

}  // namespace hyla::service
