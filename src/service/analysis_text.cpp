// Linear models and steady states for people.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "base/text.h"
#include "service/analyse_model.h"
#include "service/summary.h"
#include "service/table.h"

namespace hyla::service {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kWidestMatrix = 12;  ///< columns that are printed; files have them all

std::string heading(const AnalysisReport& report, std::string_view what) {
  std::string text =
      fmt::format("{} {} at t = {} {}\n", report.model, what, short_number(report.time), report.time_unit);
  if (!report.configuration.empty()) {
    Rows rows;
    for (const auto& [object, states] : report.configuration) rows.push_back({object, states});
    text += "in the states\n" + aligned(rows, 2, "  ");
  }
  if (report.depends_on_time) text += "the derivatives depend on time; it is held where it is\n";
  return text;
}

std::string list(std::string_view title, const std::vector<AnalysedQuantity>& quantities, bool are_states) {
  if (quantities.empty()) return "";
  Rows rows = {{std::string(title), "unit", "value"}};
  if (are_states) rows.front().emplace_back("derivative");
  for (const AnalysedQuantity& one : quantities) {
    rows.push_back({one.name, one.unit, short_number(one.value)});
    if (are_states) rows.back().push_back(short_number(one.derivative));
  }
  return '\n' + aligned(rows, 2, "  ");
}

/// Rows and columns are named; a matrix without rows or columns is left out.
std::string matrix(std::string_view name, const std::vector<double>& numbers, const std::vector<AnalysedQuantity>& down,
                   const std::vector<AnalysedQuantity>& across, bool are_derivatives) {
  if (down.empty() || across.empty()) return "";
  if (across.size() > kWidestMatrix) {
    return fmt::format("\n{} has {} rows and {} columns: -o writes it\n", name, down.size(), across.size());
  }
  Rows rows = {{std::string(name)}};
  for (const AnalysedQuantity& one : across) rows.front().push_back(one.name);
  for (std::size_t i = 0; i < down.size(); ++i) {
    rows.push_back({are_derivatives ? "der(" + down[i].name + ")" : down[i].name});
    for (std::size_t j = 0; j < across.size(); ++j) rows.back().push_back(short_number(numbers[i * across.size() + j]));
  }
  return '\n' + aligned(rows, 1, "  ");
}

/// Of a pair the one with the positive imaginary part stands for both.
std::string eigenvalue_table(const AnalysisReport& report) {
  if (report.eigenvalues.empty()) return "";
  Rows rows = {{"eigenvalue", "damping", "frequency (rad/" + report.time_unit + ")", "period", "time constant"}};
  for (const std::complex<double>& one : report.eigenvalues) {
    if (one.imag() < 0) continue;
    const double size = std::abs(one);
    std::string value = short_number(one.real());
    if (one.imag() > 0) value += " ± " + short_number(one.imag()) + " i";
    rows.push_back({value, size > 0 ? short_number(-one.real() / size) : "", short_number(size),
                    one.imag() > 0 ? short_number(2 * std::numbers::pi / one.imag()) : "",
                    one.real() != 0 ? short_number(1 / std::abs(one.real())) : ""});
  }
  return '\n' + aligned(rows, 1, "  ");
}

std::string_view sentence_of(Stability stability) {
  switch (stability) {
    case Stability::Stable:
      return "stable: all eigenvalues have negative real parts\n";
    case Stability::Marginal:
      return "neither stable nor unstable by its eigenvalues: a real part is zero\n";
    case Stability::Unstable:
      return "unstable: an eigenvalue has a positive real part\n";
  }
  return "";
}

}  // namespace

std::string linear_text(const AnalysisReport& report) {
  if (!report.has_result) return "";
  std::string text = heading(report, "linearised");
  if (report.states.empty()) text += "nothing is integrated: there are no states\n";
  text +=
      list("state", report.states, true) + list("input", report.inputs, false) + list("output", report.outputs, false);
  text += matrix("A", report.a, report.states, report.states, true);
  text += matrix("B", report.b, report.states, report.inputs, true);
  text += matrix("C", report.c, report.outputs, report.states, false);
  text += matrix("D", report.d, report.outputs, report.inputs, false);
  text += eigenvalue_table(report);
  if (!report.states.empty()) text += '\n' + std::string(sentence_of(report.stability));
  return text;
}

std::string steady_text(const SteadyReport& report) {
  if (!report.has_result) return "";
  std::string text = heading(report, "is steady");
  if (report.states.empty()) return text + "nothing is integrated: any point is steady\n";
  Rows rows = {{"state", "unit", "value", "before"}};
  for (std::size_t i = 0; i < report.states.size(); ++i) {
    const AnalysedQuantity& one = report.states[i];
    rows.push_back({one.name, one.unit, short_number(one.value), short_number(report.starts[i])});
  }
  text += '\n' + aligned(rows, 2, "  ");
  if (!report.open.empty()) {
    std::vector<std::string_view> names(report.open.begin(), report.open.end());
    text += "not determined, left where it was: " + base::quoted_list(names) + '\n';
  }
  return text + eigenvalue_table(report) + '\n' + std::string(sentence_of(report.stability));
}

}  // namespace hyla::service
