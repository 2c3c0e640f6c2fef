// An experiment for other programs: comma-separated values, JSON.
#include <cmath>
#include <string>

#include "base/text.h"
#include "diag/json.h"
#include "service/experiment_model.h"
#include "service/json_members.h"

namespace hyla::service {
namespace {

using experiment::Figures;
using experiment::Group;
using experiment::MemberStatus;

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string_view word_of(MemberStatus status) {
  switch (status) {
    case MemberStatus::Good:
      return "good";
    case MemberStatus::Failed:
      return "failed";
    case MemberStatus::Missing:
      return "missing";
  }
  return "";
}

void append_row(std::string& out, const experiment::Plan& plan, const Group& group, std::size_t member) {
  const experiment::MemberResult& result = group.results[member];
  for (const experiment::Value& value : group.members[member].point) out += cell(value.text) + ',';
  out += std::to_string(group.members[member].replication + 1) + ',' + std::string(word_of(result.status));
  for (std::size_t i = 0; i < plan.observed.size(); ++i) {
    if (plan.observed[i].is_hidden) continue;
    out += ',';
    if (result.status == MemberStatus::Good) out += base::format_number(result.values[i]);
  }
  out += '\n';
}

void append_figures(std::string& out, const std::string& name, const Figures& figures) {
  Members members(out);
  members.text("name", name).count("count", figures.count).count("never", figures.infinite);
  members.number("mean", figures.mean).number("half_width", figures.half_width).number("min", figures.minimum);
  members.number("max", figures.maximum).number("stddev", figures.stddev).end();
}

void append_point(std::string& out, const experiment::Plan& plan, const std::vector<experiment::Value>& point) {
  Members members(out);
  for (std::size_t i = 0; i < plan.factors.size(); ++i) {
    if (point[i].text.empty()) continue;
    if (plan.factors[i].is_number) {
      members.number(plan.factors[i].path, point[i].number);
    } else {
      members.text(plan.factors[i].path, point[i].text);
    }
  }
  members.end();
}

void append_group(std::string& out, const experiment::Plan& plan, const Group& group) {
  Members members(out);
  append_point(members.key("point"), plan, group.point);
  members.count("runs", group.members.size()).count("failed", group.failed).count("missing", group.missing);
  members.flag("enough", group.is_enough);
  if (plan.objective) members.number("objective", group.objective.value_or(NAN));
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < plan.observed.size(); ++i) {
    if (!plan.observed[i].is_hidden) shown.push_back(i);
  }
  members.array("observed", shown, [&](std::string& text, std::size_t i) {
    append_figures(text, plan.observed[i].name, group.figures[i]);
  });
  std::vector<std::size_t> violated;
  for (std::size_t i = 0; i < group.violations.size(); ++i) {
    if (group.violations[i] > 0) violated.push_back(i);
  }
  members.array("violated", violated, [&](std::string& text, std::size_t i) {
    base::append_json_string(text, plan.requirements[i].text);
  });
  members.end();
}

}  // namespace

std::string experiment_csv(const ExperimentReport& report) {
  const experiment::Plan& plan = report.plan;
  std::string text;
  for (const experiment::Factor& factor : plan.factors) text += cell(factor.path) + ',';
  text += "replication,status";
  for (const experiment::Observed& observed : plan.observed) {
    if (!observed.is_hidden) text += ',' + cell(observed.name);
  }
  text += '\n';
  for (const Group& group : report.conclusion.groups) {
    for (std::size_t i = 0; i < group.results.size(); ++i) append_row(text, plan, group, i);
  }
  return text;
}

std::string experiment_json(const ExperimentReport& report) {
  std::string out;
  Members members(out);
  members.array("diagnostics", report.diagnostics, [&](std::string& text, const diag::Diagnostic& one) {
    text += diag::to_json(one, report.sources);
  });
  members.texts("failures", report.failures);
  if (!report.listed.empty()) {
    members.array("experiments", report.listed, [](std::string& text, const ListedExperiment& one) {
      Members entry(text);
      entry.text("name", one.name).text("model", one.model).text("place", one.place).end();
    });
  }
  if (report.has_run) {
    members.text("experiment", report.name).text("model", report.model).count("seed", report.seed);
    members.count("runs", report.members).count("failed", report.failed);
    members.flag("complete", report.conclusion.is_complete);
    if (!report.conclusion.search.empty()) members.text("search", report.conclusion.search);
    if (report.conclusion.best) members.count("best", *report.conclusion.best);
    members.array("points", report.conclusion.groups,
                  [&](std::string& text, const Group& group) { append_group(text, report.plan, group); });
    std::string& timing = members.key("timing");
    Members times(timing);
    times.number("seconds", report.seconds).number("processor_seconds", report.processor_seconds);
    times.count("threads", report.threads).count("processes", report.processes).end();
  }
  members.end();
  return out + '\n';
}

}  // namespace hyla::service
