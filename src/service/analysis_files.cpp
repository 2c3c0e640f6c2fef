// Linear models and steady states for programs: JSON, and MAT files of level 4.
#include <cmath>

#include "base/json.h"
#include "diag/json.h"
#include "record/mat_format.h"
#include "service/analyse_model.h"

namespace hyla::service {
namespace {

void append_quantities(std::string& out, std::string_view key, const std::vector<AnalysedQuantity>& quantities,
                       bool are_states) {
  out += ",\n \"" + std::string(key) + "\": [";
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    out += i > 0 ? ",\n  {\"name\": " : "\n  {\"name\": ";
    base::append_json_string(out, quantities[i].name);
    out += ", \"unit\": ";
    base::append_json_string(out, quantities[i].unit);
    out += ", \"value\": ";
    base::append_json_number(out, quantities[i].value);
    if (are_states) {
      out += ", \"derivative\": ";
      base::append_json_number(out, quantities[i].derivative);
    }
    out += '}';
  }
  out += ']';
}

void append_matrix(std::string& out, std::string_view key, const std::vector<double>& numbers, std::size_t rows,
                   std::size_t columns) {
  out += ",\n \"" + std::string(key) + "\": [";
  for (std::size_t i = 0; i < rows; ++i) {
    out += i > 0 ? ",\n  [" : "\n  [";
    for (std::size_t j = 0; j < columns; ++j) {
      if (j > 0) out += ", ";
      base::append_json_number(out, numbers[i * columns + j]);
    }
    out += ']';
  }
  out += ']';
}

std::string_view word_of(Stability stability) {
  switch (stability) {
    case Stability::Stable:
      return "stable";
    case Stability::Marginal:
      return "marginal";
    case Stability::Unstable:
      return "unstable";
  }
  return "";
}

void append_names(std::string& out, std::string_view key, const std::vector<std::string>& names) {
  out += ",\n \"" + std::string(key) + "\": [";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ", ";
    base::append_json_string(out, names[i]);
  }
  out += ']';
}

/// Messages, the point, and the eigenvalues; the object is left open.
std::string common_json(const AnalysisReport& report, const std::vector<std::string>& failures) {
  std::string out = diag::to_json(report.diagnostics, report.counts, failures, report.sources);
  out.erase(out.rfind('}'));
  out += ", \"model\": ";
  base::append_json_string(out, report.model);
  out += std::string(", \"found\": ") + (report.has_result ? "true" : "false");
  if (!report.has_result) return out;
  out += ", \"time\": ";
  base::append_json_number(out, report.time);
  out += ", \"time_unit\": ";
  base::append_json_string(out, report.time_unit);
  out += std::string(", \"depends_on_time\": ") + (report.depends_on_time ? "true" : "false");
  out += ",\n \"active_states\": {";
  for (std::size_t i = 0; i < report.configuration.size(); ++i) {
    if (i > 0) out += ", ";
    base::append_json_string(out, report.configuration[i].first);
    out += ": ";
    base::append_json_string(out, report.configuration[i].second);
  }
  out += '}';
  append_quantities(out, "states", report.states, true);
  out += ",\n \"eigenvalues\": [";
  for (std::size_t i = 0; i < report.eigenvalues.size(); ++i) {
    const std::complex<double> one = report.eigenvalues[i];
    out += i > 0 ? ",\n  {\"real\": " : "\n  {\"real\": ";
    base::append_json_number(out, one.real());
    out += ", \"imaginary\": ";
    base::append_json_number(out, one.imag());
    out += ", \"frequency\": ";
    base::append_json_number(out, std::abs(one));
    out += ", \"damping\": ";
    base::append_json_number(out, std::abs(one) > 0 ? -one.real() / std::abs(one) : std::nan(""));
    out += '}';
  }
  out += "],\n \"stability\": ";
  base::append_json_string(out, word_of(report.stability));
  return out;
}

std::vector<std::string> names_of(const std::vector<AnalysedQuantity>& quantities) {
  std::vector<std::string> names;
  for (const AnalysedQuantity& one : quantities) names.push_back(one.name);
  return names;
}

std::vector<double> values_of(const std::vector<AnalysedQuantity>& quantities) {
  std::vector<double> values;
  for (const AnalysedQuantity& one : quantities) values.push_back(one.value);
  return values;
}

}  // namespace

std::string linear_json(const AnalysisReport& report) {
  std::string out = common_json(report, report.failures);
  if (!report.has_result) return out + "}\n";
  append_quantities(out, "inputs", report.inputs, false);
  append_quantities(out, "outputs", report.outputs, false);
  append_matrix(out, "A", report.a, report.states.size(), report.states.size());
  append_matrix(out, "B", report.b, report.states.size(), report.inputs.size());
  append_matrix(out, "C", report.c, report.outputs.size(), report.states.size());
  append_matrix(out, "D", report.d, report.outputs.size(), report.inputs.size());
  return out + "}\n";
}

std::string steady_json(const SteadyReport& report) {
  std::vector<std::string> failures = report.failures;
  if (!report.complaint.empty()) failures.push_back(report.complaint);
  std::string out = common_json(report, failures);
  if (report.has_result) append_names(out, "not_determined", report.open);
  return out + "}\n";
}

std::string linear_mat(const AnalysisReport& report) {
  const std::size_t states = report.states.size();
  const std::size_t inputs = report.inputs.size();
  const std::size_t outputs = report.outputs.size();
  std::string bytes;
  record::append_mat_matrix(bytes, "A", states, states, report.a);
  record::append_mat_matrix(bytes, "B", states, inputs, report.b);
  record::append_mat_matrix(bytes, "C", outputs, states, report.c);
  record::append_mat_matrix(bytes, "D", outputs, inputs, report.d);
  record::append_mat_matrix(bytes, "x0", states, 1, values_of(report.states));
  record::append_mat_matrix(bytes, "u0", inputs, 1, values_of(report.inputs));
  record::append_mat_matrix(bytes, "y0", outputs, 1, values_of(report.outputs));
  std::vector<double> derivatives, eigenvalues;
  for (const AnalysedQuantity& one : report.states) derivatives.push_back(one.derivative);
  for (const std::complex<double>& one : report.eigenvalues) {
    eigenvalues.push_back(one.real());
    eigenvalues.push_back(one.imag());
  }
  record::append_mat_matrix(bytes, "dx0", states, 1, derivatives);
  record::append_mat_matrix(bytes, "eigenvalues", report.eigenvalues.size(), 2, eigenvalues);
  record::append_mat_scalar(bytes, "time", report.time);
  record::append_mat_rows(bytes, "states", names_of(report.states));
  record::append_mat_rows(bytes, "inputs", names_of(report.inputs));
  record::append_mat_rows(bytes, "outputs", names_of(report.outputs));
  record::append_mat_text(bytes, "model", report.model);
  return bytes;
}

}  // namespace hyla::service
