#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "diag/json.h"
#include "options.h"
#include "report.h"
#include "service/check_files.h"

namespace hyla::app {
namespace {

struct CheckCommand {
  service::CheckRequest request;
  bool json = false;
  bool warnings_are_errors = false;
  Colour colour = Colour::Auto;
};

constexpr std::array<std::pair<std::string_view, service::Dump>, 3> kDumps = {
    {{"tokens", service::Dump::Tokens}, {"tree", service::Dump::Tree}, {"model", service::Dump::Model}}};

int execute(const CheckCommand& command) {
  const service::Disk disk;
  const service::CheckOutcome outcome = service::check_files(command.request, disk);
  const bool stopped_by_warnings = command.warnings_are_errors && outcome.counts.warnings > 0;
  if (command.json) {
    write(Stream::Out, diag::to_json(outcome.diagnostics, outcome.counts, outcome.failures, outcome.sources));
  } else {
    write(Stream::Out, outcome.dump);
    report(outcome, command.colour, stopped_by_warnings ? " (warnings count as errors)" : "");
  }
  const int status = status_of(outcome);
  return status == kFine && stopped_by_warnings ? kModelFailed : status;
}

}  // namespace

base::Result<Command> parse_check(std::string_view summary, const std::vector<std::string>* words) {
  CheckCommand command;
  std::string colour = "auto";
  std::string dump;
  Options options("check FILE... [OPTION...]", summary);
  options.files(command.request.paths);
  options.flag("--json", command.json, "write messages to standard output as JSON");
  options.word("--dump", dump, "STAGE", "print what is understood: tokens, tree or model");
  options.words("-I", command.request.library_paths, "DIR", "look for modules here too");
  options.flag("--werror", command.warnings_are_errors, "end with status 1 on warnings too");
  options.word("--color", colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return options.outcome();
  if (command.request.paths.empty()) return base::Failure{"`hyla check` needs a file"};
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  if (!dump.empty()) {
    if (auto wrong = choose("--dump", dump, kDumps, command.request.dump)) return *wrong;
    if (command.json) return base::Failure{"--json and --dump both write to standard output: choose one"};
  }
  return Command([command = std::move(command)] { return execute(command); });
}

}  // namespace hyla::app
