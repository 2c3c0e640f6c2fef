#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"
#include "service/compare_files.h"

namespace hyla::app {
namespace {

struct CompareWords {
  std::vector<std::string> events, tubes;
  std::string tolerance, time_tolerance, until;
};

int execute(const service::CompareRequest& request, bool json) {
  const service::Disk disk;
  const service::CompareReport outcome = service::compare_files(request, disk);
  if (json) {
    write(Stream::Out, service::compare_json(outcome));
  } else {
    for (const std::string& failure : outcome.failures) complain(failure);
    write(Stream::Out, service::compare_text(outcome));
  }
  if (!outcome.failures.empty()) return kCouldNotRun;
  return outcome.alike() ? kFine : kModelFailed;
}

std::optional<base::Failure> understand(const CompareWords& words, service::CompareRequest& request) {
  std::optional<double> tolerance, until;
  if (auto wrong = read_number("--tolerance", words.tolerance, tolerance)) return wrong;
  if (auto wrong = read_number("--time-tolerance", words.time_tolerance, request.options.time)) return wrong;
  if (auto wrong = read_time("--until", words.until, until)) return wrong;
  if (tolerance) request.options.tube.relative = *tolerance;
  if (until) request.options.until = *until;
  for (const std::string& text : words.tubes) {
    base::Result<record::TubeChoice> tube = service::parse_tube(text);
    if (!tube.ok()) return base::Failure{"--tube: " + tube.message()};
    request.options.choices.push_back(std::move(tube).value());
  }
  if (!words.events.empty()) {
    request.a_events = words.events.front();
    request.b_events = words.events.back();
  }
  if (request.without_events && !words.events.empty()) {
    return base::Failure{"--events and --no-events exclude each other: choose one"};
  }
  return std::nullopt;
}

}  // namespace

base::Result<Command> parse_compare(std::string_view summary, const std::vector<std::string>* words) {
  service::CompareRequest request;
  CompareWords values;
  bool json = false;
  Options options("compare A B [OPTION...]", summary);
  options.argument("A", request.a);
  options.argument("B", request.b);
  options.pair("--events", values.events, "A.jsonl B.jsonl",
               "their events; those inside or beside the files unless given");
  options.flag("--no-events", request.without_events, "compare values only");
  options.word("--tolerance", values.tolerance, "R",
               "half the width of tubes, of the largest value; 1e-3 unless given");
  options.word("--time-tolerance", values.time_tolerance, "T",
               "by which events may move; 1e-4 of the run unless given");
  options.words("--tube", values.tubes, "GLOB=ABS[,REL]", "another tube for these variables; may be repeated");
  options.words("--variable", request.variables, "GLOB", "compare these only; may be repeated");
  options.word("--until", values.until, "T", "compare up to this time");
  options.flag("--json", json, "write what was found to standard output as JSON");
  if (!options.parse(words)) return options.outcome();
  if (request.b.empty()) return base::Failure{"`hyla compare` needs two files: results or events of runs"};
  if (auto wrong = understand(values, request)) return *wrong;
  return Command([request = std::move(request), json] { return execute(request, json); });
}

}  // namespace hyla::app
