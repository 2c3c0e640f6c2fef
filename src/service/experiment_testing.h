// What tests of experiments share.
#pragma once

#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "diag/render.h"
#include "service/experiment_model.h"

namespace hyla::service {

inline std::string messages(const ExperimentReport& report) {
  std::string text = diag::render(report.diagnostics, report.sources);
  for (const std::string& failure : report.failures) text += failure + '\n';
  return text;
}

/// Does the experiment `E` of a text.
inline ExperimentReport do_experiment(const std::string& text, ExperimentRequest request = {},
                                      std::map<std::string, std::string> more = {}) {
  more["model.hyla"] = text;
  MemoryFiles files(more);
  request.run.path = "model.hyla";
  if (request.name.empty() && !request.ad_hoc.is_given()) request.name = "E";
  return run_experiment(request, files, {});
}

/// The mean of an observation at a point.
inline double observed(const ExperimentReport& report, const std::string& name, std::size_t point = 0) {
  EXPECT_EQ(messages(report), "");
  for (std::size_t i = 0; i < report.plan.observed.size(); ++i) {
    const bool is_it = report.plan.observed[i].name == name;
    if (is_it && point < report.conclusion.groups.size()) return report.conclusion.groups[point].figures[i].mean;
  }
  ADD_FAILURE() << "no " << name << " at point " << point;
  return std::nan("");
}

}  // namespace hyla::service
