// The table of `hyla init` for people and for programs.
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "diag/json.h"
#include "service/init_model.h"
#include "service/summary.h"
#include "service/table.h"

namespace hyla::service {
namespace {

std::string_view word_of(InitStatus status) {
  switch (status) {
    case InitStatus::Fixed:
      return "fixed";
    case InitStatus::Free:
      return "free";
    case InitStatus::Computed:
      return "computed";
  }
  return "";
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

std::string few(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::string text;
  const std::size_t shown = names.size() <= kMost ? names.size() : kMost - 1;
  for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + names[i];
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::vector<std::string> cells(const InitRow& row) {
  std::string affects;
  if (row.is_iterated) affects = row.affects.empty() ? "nothing else" : counted(row.affects.size(), "other");
  return {row.name,
          std::string(word_of(row.status)),
          row.is_open ? "not found" : short_number(row.value),
          row.unit,
          row.origin,
          row.is_iterated ? "yes" : "",
          affects,
          few(row.instead)};
}

void append_names(std::string& out, const std::vector<std::string>& names) {
  out += '[';
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ", ";
    base::append_json_string(out, names[i]);
  }
  out += ']';
}

void append_row(std::string& out, const InitRow& row) {
  out += "{\"path\": ";
  base::append_json_string(out, row.path);
  out += ", \"object\": ";
  base::append_json_string(out, row.object);
  out += ", \"status\": ";
  base::append_json_string(out, word_of(row.status));
  out += ", \"value\": ";
  if (row.is_open) {
    out += "null";
  } else {
    base::append_json_number(out, row.value);
  }
  out += ", \"unit\": ";
  base::append_json_string(out, row.unit);
  out += ", \"origin\": ";
  base::append_json_string(out, row.origin);
  out += std::string(", \"iterated\": ") + (row.is_iterated ? "true" : "false");
  out += std::string(", \"changed\": ") + (row.is_changed ? "true" : "false");
  out += ", \"instead\": ";
  append_names(out, row.instead);
  out += ", \"affects\": ";
  append_names(out, row.affects);
  out += '}';
}

}  // namespace

std::string init_text(const InitReport& report) {
  if (!report.has_table) return "";
  std::string text = report.model + ": " + counted(report.unknowns, "unknown") + " in " +
                     counted(report.blocks, "block") + ", " + std::to_string(report.iterated) + " iterated; " +
                     counted(report.given, "value") + " given; " +
                     (report.is_solved ? "the start is found" : "no start is found") + '\n';
  for (std::size_t first = 0; first < report.rows.size();) {
    std::size_t last = first;
    std::vector<std::vector<std::string>> rows;
    for (; last < report.rows.size() && report.rows[last].object == report.rows[first].object; ++last) {
      rows.push_back(cells(report.rows[last]));
    }
    text += '\n' + report.rows[first].object + '\n';
    rows.insert(rows.begin(), {"variable", "status", "value", "unit", "from", "iterated", "affects", "instead"});
    text += aligned(rows, rows.front().size(), "  ");
    first = last;
  }
  return text;
}

std::string init_json(const InitReport& report) {
  std::string out = diag::to_json(report.diagnostics, report.counts, report.failures, report.sources);
  out.erase(out.rfind('}'));
  out += ", \"model\": ";
  base::append_json_string(out, report.model);
  out += std::string(", \"solved\": ") + (report.is_solved ? "true" : "false");
  out += ", \"unknowns\": " + std::to_string(report.unknowns) + ", \"blocks\": " + std::to_string(report.blocks) +
         ", \"iterated\": " + std::to_string(report.iterated) + ", \"given\": " + std::to_string(report.given);
  out += ",\n \"rows\": [";
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    out += i > 0 ? ",\n  " : "\n  ";
    append_row(out, report.rows[i]);
  }
  return out + "]}\n";
}

}  // namespace hyla::service
