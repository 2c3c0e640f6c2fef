// From what the engine says at the end of a run to the plain data of a RunReport.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/run.h"
#include "experiment/replications.h"
#include "service/run_report.h"

namespace hyla::service {

/// `Server.Busy`: the class and the states around a body.
std::string body_path(const model::Model& model, model::BodyId id);
/// `Server.work`: the same of a chart.
std::string chart_path(const model::Model& model, const model::Chart& chart);
/// `Server.work.Busy: after`.
std::string reaction_path(const model::Model& model, const model::Reaction& reaction);

ContinuousReport report_of(const engine::ContinuousWork& work);

SingleRun report_of(const model::Model& model, const engine::RunOutcome& outcome,
                    const std::vector<experiment::Figure>& figures, std::uint64_t number);

StatisticReport statistic_of(const model::Model& model, const experiment::Figure& figure);
StatisticReport statistic_of(const model::Model& model, const experiment::JointFigure& figure);

/// Entries for the same thing are summed; the most frequent come first.
std::vector<FiredReport> fired_of(const model::Model& model, const diag::Sources& sources,
                                  const std::vector<engine::FireCount>& counts);

}  // namespace hyla::service
