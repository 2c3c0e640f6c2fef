// An experiment for other programs: comma-separated values, JSON.
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "base/text.h"
#include "diag/json.h"
#include "record/hdf5_writer.h"
#include "record/mat_writer.h"
#include "record/store.h"
#include "service/experiment_model.h"
#include "service/json_members.h"
#include "service/report_requirements.h"

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

void append_row(std::string& out, const experiment::Plan& plan, const Group& group, std::size_t member,
                std::size_t number) {
  out += std::to_string(number) + ',';
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
  members.array("violated", violated,
                [&](std::string& text, std::size_t i) { base::append_json_string(text, plan.requirements[i].text); });
  members.end();
}

/// A run is a row; what is a time in other results is its number.
record::ResultHeader header_of(const ExperimentReport& report) {
  record::ResultHeader header;
  header.model = report.model;
  header.time_unit = "run";
  header.seed = report.seed;
  header.stop_time = static_cast<double>(report.members);
  const auto add = [&](const std::string& name, const std::string& unit, const std::string& description) {
    header.columns.push_back({name, unit, description, header.columns.size(), false});
  };
  for (const experiment::Factor& factor : report.plan.factors) add(factor.path, factor.unit, "varied");
  add("replication", "", "number of the random substreams, from 1");
  add("status", "", "0 good, 1 failed, 2 missing");
  for (const experiment::Observed& observed : report.plan.observed) {
    if (!observed.is_hidden) add(observed.name, observed.unit, "observed");
  }
  return header;
}

record::RowBlock rows_of(const ExperimentReport& report) {
  const experiment::Plan& plan = report.plan;
  record::RowBlock block;
  block.width = 1 + header_of(report).columns.size();
  double number = 0;
  for (const Group& group : report.conclusion.groups) {
    for (std::size_t i = 0; i < group.results.size(); ++i) {
      const experiment::MemberResult& result = group.results[i];
      block.numbers.push_back(++number);
      for (const experiment::Value& value : group.members[i].point) block.numbers.push_back(value.number);
      block.numbers.push_back(static_cast<double>(group.members[i].replication) + 1);
      block.numbers.push_back(result.status == MemberStatus::Good ? 0 : result.status == MemberStatus::Failed ? 1 : 2);
      for (std::size_t k = 0; k < plan.observed.size(); ++k) {
        if (plan.observed[k].is_hidden) continue;
        block.numbers.push_back(result.status == MemberStatus::Good ? result.values[k] : NAN);
      }
    }
  }
  return block;
}

}  // namespace

std::string experiment_csv(const ExperimentReport& report) {
  const experiment::Plan& plan = report.plan;
  std::string text = "run,";
  for (const experiment::Factor& factor : plan.factors) text += cell(factor.path) + ',';
  text += "replication,status";
  for (const experiment::Observed& observed : plan.observed) {
    if (!observed.is_hidden) text += ',' + cell(observed.name);
  }
  text += '\n';
  std::size_t number = 0;
  for (const Group& group : report.conclusion.groups) {
    for (std::size_t i = 0; i < group.results.size(); ++i) append_row(text, plan, group, i, ++number);
  }
  return text;
}

std::optional<base::Failure> write_experiment(const ExperimentReport& report, const std::string& path,
                                              FileSystem& files) {
  if (path.ends_with(".csv")) return files.write(path, experiment_csv(report));
  record::MemoryStore store;
  const bool is_mat = path.ends_with(".mat");
  const std::unique_ptr<record::ResultWriter> writer =
      is_mat ? std::make_unique<record::MatWriter>(store, header_of(report))
             : record::make_hdf5_writer(store, header_of(report));
  if (!writer->add_rows(rows_of(report)) || !writer->finish()) return base::Failure{"cannot write " + path};
  return files.write(path, store.bytes());
}

bool is_table_name(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".h5") || path.ends_with(".mat");
}

std::string experiment_json(const ExperimentReport& report) {
  std::string out;
  Members members(out);
  members.array("diagnostics", report.diagnostics,
                [&](std::string& text, const diag::Diagnostic& one) { text += diag::to_json(one, report.sources); });
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
    if (!report.coverage.empty()) append_coverage(members.key("coverage"), report.coverage);
    std::string& timing = members.key("timing");
    Members times(timing);
    times.number("seconds", report.seconds).number("processor_seconds", report.processor_seconds);
    times.count("threads", report.threads).count("processes", report.processes).end();
  }
  members.end();
  return out + '\n';
}

}  // namespace hyla::service
