#include "service/compare_files.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace hyla::service {
namespace {

bool read_width(std::string_view word, double& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number >= 0;
}

std::optional<StoredRun> load(const std::string& path, const std::string& events, const CompareRequest& request,
                              const FileSystem& files, CompareReport& report) {
  const EventsWanted wanted = request.without_events ? EventsWanted::No : EventsWanted::IfFound;
  base::Result<StoredRun> run = load_run(path, events, wanted, files, {request.variables});
  if (!run.ok()) {
    report.failures.push_back(run.message());
    return std::nullopt;
  }
  report.notes.insert(report.notes.end(), run.value().notes.begin(), run.value().notes.end());
  return std::move(run).value();
}

record::ComparedRun view(const StoredRun& run) {
  return {run.result ? &*run.result : nullptr, run.events ? &*run.events : nullptr};
}

/// What is told about the runs themselves.
void add_notes(const StoredRun& a, const StoredRun& b, CompareReport& report) {
  const auto model = [](const StoredRun& run) {
    return run.events ? run.events->model : run.result ? run.result->model : "";
  };
  const auto seed = [](const StoredRun& run) -> std::optional<std::uint64_t> {
    if (run.events) return run.events->seed;
    return run.result ? run.result->seed : std::nullopt;
  };
  if (!model(a).empty() && !model(b).empty() && model(a) != model(b)) {
    report.notes.push_back("A is a run of `" + model(a) + "`, B of `" + model(b) + "`");
  }
  if (seed(a) && seed(b) && *seed(a) != *seed(b)) {
    report.notes.push_back("A has the seed " + std::to_string(*seed(a)) + ", B " + std::to_string(*seed(b)));
  }
  if (a.events.has_value() != b.events.has_value()) {
    report.notes.push_back(std::string("only ") + (a.events ? "A" : "B") +
                           " has events, so the runs are not aligned by them");
  }
  if (a.result.has_value() != b.result.has_value()) {
    report.notes.push_back(std::string("only ") + (a.result ? "A" : "B") + " has values, so only events are compared");
  }
}

}  // namespace

base::Result<record::TubeChoice> parse_tube(std::string_view text) {
  const std::size_t sign = text.rfind('=');
  record::TubeChoice choice;
  if (sign != std::string_view::npos && sign > 0) {
    choice.pattern = base::trim(text.substr(0, sign));
    const std::string_view widths = base::trim(text.substr(sign + 1));
    const std::size_t comma = widths.find(',');
    choice.tube.relative = 0;
    const bool good = read_width(widths.substr(0, comma), choice.tube.absolute) &&
                      (comma == std::string_view::npos || read_width(widths.substr(comma + 1), choice.tube.relative));
    if (good && !choice.pattern.empty()) return choice;
  }
  return base::Failure{"`" + std::string(text) +
                       "` is no tube: GLOB=ABSOLUTE or GLOB=ABSOLUTE,RELATIVE is expected, such as `tank.*=1e-6,1e-3`"};
}

CompareReport compare_files(const CompareRequest& request, const FileSystem& files) {
  CompareReport report;
  report.a = load(request.a, request.a_events, request, files, report);
  report.b = load(request.b, request.b_events, request, files, report);
  if (!report.a || !report.b) return report;
  add_notes(*report.a, *report.b, report);
  if (!request.options.choices.empty() && !(report.a->result && report.b->result)) {
    report.failures.push_back("--tube is about variables, and one of the runs has only events");
    return report;
  }
  base::Result<record::Comparison> comparison = record::compare_runs(view(*report.a), view(*report.b), request.options);
  if (comparison.ok()) {
    report.comparison = std::move(comparison).value();
  } else {
    report.failures.push_back("cannot compare `" + request.a + "` and `" + request.b + "`: " + comparison.message());
  }
  return report;
}

}  // namespace hyla::service
