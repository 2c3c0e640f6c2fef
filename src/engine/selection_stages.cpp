// Who is integrated under constraints, order by order (Mattsson and Söderlind 1993).
#include <algorithm>

#include "engine/reduce.h"

namespace hyla::engine {
namespace {

/// Rows of a group that are differentiated `stage` times or more, over the candidates that are still open.
SelectionStage open_stage(const ConstraintGroup& group, std::uint32_t number, const double* values,
                          const std::vector<double>& weights, const std::vector<std::uint8_t>& open) {
  SelectionStage stage{&group, {}, {}, {}, solve::Elimination({}, {}), false};
  std::vector<std::uint32_t> row_of(group.rows.size(), kNone), column_of(group.columns.size(), kNone);
  for (std::uint32_t i = 0; i < group.rows.size(); ++i) {
    if (group.rows[i].times < number) continue;
    row_of[i] = static_cast<std::uint32_t>(stage.rows.size());
    stage.rows.push_back(i);
  }
  std::vector<double> own_weights;
  for (std::uint32_t j = 0; j < group.columns.size(); ++j) {
    if (open[j] == 0 || group.columns[j].orders < number) continue;
    column_of[j] = static_cast<std::uint32_t>(stage.candidates.size());
    stage.columns.push_back(j);
    stage.candidates.push_back(group.columns[j].first + group.columns[j].orders - number);
    own_weights.push_back(weights[stage.candidates.back()]);
  }
  std::vector<solve::Elimination::Row> rows(stage.rows.size());
  for (const ConstraintGroup::Entry& entry : group.entries) {
    if (row_of[entry.row] == kNone || column_of[entry.column] == kNone) continue;
    rows[row_of[entry.row]].push_back({column_of[entry.column], values[entry.value]});
  }
  stage.elimination = solve::Elimination(std::move(rows), std::move(own_weights));
  return stage;
}

/// From the highest order down: what is demoted at one order may be demoted at the next lower one.
std::vector<SelectionStage> go_through(const ConstraintGroup& group, double* values, const std::vector<double>& weights,
                                       const Demoted* given, Demoted& demoted) {
  for (const auto& [place, value] : group.constants) values[place] = value;
  code::run(group.partials, values);
  std::vector<SelectionStage> result;
  std::vector<std::uint8_t> open(group.columns.size(), 1);
  for (std::uint32_t number = 1;; ++number) {
    SelectionStage stage = open_stage(group, number, values, weights, open);
    if (stage.rows.empty()) return result;
    if (given != nullptr) {
      std::vector<std::uint8_t> taken;
      for (const std::uint32_t candidate : stage.candidates) taken.push_back((*given)[candidate]);
      stage.good = stage.elimination.take(taken);
    } else {
      stage.good = stage.elimination.choose();
    }
    const std::vector<std::uint8_t> chosen = stage.elimination.chosen();
    std::fill(open.begin(), open.end(), std::uint8_t{0});
    for (std::uint32_t k = 0; k < chosen.size(); ++k) {
      if (chosen[k] == 0) continue;
      demoted[stage.candidates[k]] = 1;
      open[stage.columns[k]] = 1;
    }
    result.push_back(std::move(stage));
    if (!result.back().good) return result;
  }
}

}  // namespace

std::vector<SelectionStage> select(const Reduction& reduction, double* values, const std::vector<double>& weights,
                                   Demoted& demoted) {
  demoted.assign(reduction.candidates.size(), 0);
  std::vector<SelectionStage> result;
  for (const ConstraintGroup& group : reduction.groups) {
    for (SelectionStage& stage : go_through(group, values, weights, nullptr, demoted)) {
      result.push_back(std::move(stage));
    }
  }
  return result;
}

std::vector<SelectionStage> review(const ConstraintGroup& group, double* values, const std::vector<double>& weights,
                                   const Demoted& demoted) {
  Demoted again(demoted.size(), 0);
  return go_through(group, values, weights, &demoted, again);
}

std::vector<double> plain_weights(const Reduction& reduction) {
  constexpr double kRatherDemoted = 1e4;
  std::vector<double> result;
  for (const Candidate& candidate : reduction.candidates) {
    result.push_back(candidate.is_derivative || candidate.is_algebraic ? kRatherDemoted : 1);
  }
  return result;
}

}  // namespace hyla::engine
