#include "service/plot_runs.h"

#include <algorithm>
#include <utility>

#include "record/chart_strips.h"
#include "service/load_result.h"
#include "service/plot_events.h"

namespace hyla::service {
namespace {

/// Only what the words name is read; words that name no variable may name charts.
base::Result<record::RunResult> load_wanted(const std::string& path, const PlotRequest& request,
                                            const FileSystem& files) {
  record::ResultChoice choice;
  for (const std::string& word : request.words) {
    if (word != kNextPanel) choice.patterns.push_back(word);
  }
  if (!choice.patterns.empty()) {
    if (!request.x.empty()) choice.patterns.push_back(request.x);
    base::Result<record::RunResult> result = load_result(path, files, choice);
    if (result.ok()) return result;
  }
  return load_result(path, files);
}

const record::ResultColumn* find_named(const record::RunResult& result, const std::string& name) {
  for (const record::ResultColumn& column : result.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

}  // namespace

std::string stem_of(const std::string& path) {
  const std::string name = path.substr(folder_of(path).size());
  const std::size_t dot = name.rfind('.');
  return dot == 0 || dot == std::string::npos ? name : name.substr(0, dot);
}

std::optional<base::Failure> PlotRuns::load(const PlotRequest& request, const FileSystem& files,
                                            std::vector<std::string>& notes) {
  for (const std::string& path : request.results) {
    base::Result<record::RunResult> result = load_wanted(path, request, files);
    if (!result.ok()) return base::Failure{result.message()};
    PlotRun& run = runs_.emplace_back();
    run.path = path;
    run.result = std::move(result).value();
    if (run.result.time.empty()) return base::Failure{"`" + path + "` has no rows: there is nothing to draw"};
    notes.insert(notes.end(), run.result.notes.begin(), run.result.notes.end());
    const std::string events = runs_.size() == 1 ? request.events_file : "";
    const base::Result<bool> has_events = find_events(path, events, files, run.result, notes);
    if (!has_events.ok()) return base::Failure{has_events.message()};
    if (has_events.value()) run.strips = record::strips_of(*run.result.events, run.result.time.back());
  }
  for (PlotRun& run : runs_) {
    if (runs_.size() == 1) break;
    const auto is_same = [&](const PlotRun& it) { return stem_of(it.path) == stem_of(run.path); };
    const bool is_unique = std::count_if(runs_.begin(), runs_.end(), is_same) == 1;
    run.label = " (" + (is_unique ? stem_of(run.path) : run.path) + ")";
  }
  return std::nullopt;
}

bool PlotRuns::is_everywhere(const std::string& name) const {
  if (runs_.size() == 1) return true;  // names come from the first
  return std::all_of(runs_.begin(), runs_.end(),
                     [&](const PlotRun& run) { return find_named(run.result, name) != nullptr; });
}

base::Result<std::vector<std::string>> PlotRuns::variables(const std::string& pattern) const {
  std::vector<std::string> names;
  for (const PlotRun& run : runs_) {
    const auto found = record::find_columns(run.result.columns, pattern);
    if (!found.ok()) return base::Failure{"`" + run.path + "`: " + found.message()};
    if (&run != &runs_.front()) continue;
    for (const std::size_t column : found.value()) names.push_back(run.result.columns[column].name);
  }
  std::erase_if(names, [&](const std::string& name) { return !is_everywhere(name); });
  if (names.empty()) {
    return base::Failure{"no variable that `" + pattern + "` stands for was recorded in all results"};
  }
  return names;
}

std::vector<std::string> PlotRuns::variables() const {
  std::vector<std::string> names;
  for (const record::ResultColumn& column : runs_.front().result.columns) {
    if (is_everywhere(column.name)) names.push_back(column.name);
  }
  return names;
}

std::string PlotRuns::unit_of(const std::string& name) const {
  for (const PlotRun& run : runs_) {
    const record::ResultColumn* column = find_named(run.result, name);
    if (column != nullptr && !column->unit.empty()) return column->unit;
  }
  return "";
}

record::PlotCurve PlotRuns::curve(std::size_t run, const std::string& name) const {
  const record::RunResult& result = runs_[run].result;
  return {name + runs_[run].label, unit_of(name), result.values(*find_named(result, name)), run};
}

}  // namespace hyla::service
