// What tests share that hold two runs side by side: they use the comparison that users have.
#pragma once

#include <string>

#include "service/compare_files.h"

namespace hyla::service {

/// The files that a run has written; either may be empty.
struct RunTexts {
  std::string events, values;
};

inline CompareReport compare_texts(const RunTexts& a, const RunTexts& b, const record::CompareOptions& options) {
  const bool has_values = !a.values.empty() && !b.values.empty();
  const MemoryFiles files(has_values
                              ? std::map<std::string, std::string>{{"A.csv", a.values},
                                                                   {"A.jsonl", a.events},
                                                                   {"B.csv", b.values},
                                                                   {"B.jsonl", b.events}}
                              : std::map<std::string, std::string>{{"A.jsonl", a.events}, {"B.jsonl", b.events}});
  CompareRequest request;
  request.a = has_values ? "A.csv" : "A.jsonl";
  request.b = has_values ? "B.csv" : "B.jsonl";
  request.options = options;
  return compare_files(request, files);
}

/// Where two runs part, as `hyla compare` tells it; empty if they are alike.
inline std::string parting(const RunTexts& a, const RunTexts& b, const record::CompareOptions& options = {}) {
  const CompareReport report = compare_texts(a, b, options);
  if (report.failures.empty()) return report.alike() ? "" : compare_text(report);
  std::string text;
  for (const std::string& failure : report.failures) text += failure + '\n';
  return text;
}

/// The same for runs that must be the same to the last bit.
inline std::string parting_of_bits(const RunTexts& a, const RunTexts& b) {
  if (a.events == b.events && a.values == b.values) return "";
  record::CompareOptions exact;
  exact.tube = {0, 0};
  exact.time = 0;
  const std::string where = parting(a, b, exact);
  return where.empty() ? "the files differ, but not in what is compared" : where;
}

}  // namespace hyla::service
