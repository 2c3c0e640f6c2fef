#include <string>
#include <utility>
#include <vector>

#include "analysis_options.h"
#include "command.h"
#include "report.h"

namespace hyla::app {
namespace {

struct SteadyCommand {
  service::SteadyRequest request;
  bool json = false;
  Colour colour = Colour::Auto;
};

int execute(const SteadyCommand& command) {
  service::Disk disk;
  const service::SteadyReport outcome = service::find_steady_state(command.request, disk);
  if (command.json) {
    write(Stream::Out, service::steady_json(outcome));
  } else {
    report(outcome, command.colour);
    write(Stream::Out, service::steady_text(outcome));
    if (!outcome.complaint.empty()) complain(outcome.complaint);
  }
  const int status = status_of(outcome);
  return status == kFine && !outcome.complaint.empty() ? kModelFailed : status;
}

}  // namespace

base::Result<Command> parse_steady(std::string_view summary, const std::vector<std::string>* words) {
  SteadyCommand command;
  AnalysisWords analysis;
  Options options("steady FILE [MODEL] [OPTION...]", summary);
  options.word("--save", command.request.save_file, "FILE", "write the values there, for --start-values");
  options.flag("--json", command.json, "write messages and the values to standard output as JSON");
  add_analysis_options(options, command.request, analysis);
  if (!options.parse(words)) return options.outcome();
  if (command.request.path.empty()) return base::Failure{"`hyla steady` needs a file"};
  if (auto wrong = read_analysis_words(analysis, command.request, command.colour)) return *wrong;
  return Command([command = std::move(command)] { return execute(command); });
}

}  // namespace hyla::app
