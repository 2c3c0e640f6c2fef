// The command `hyla`: options in, texts out. Status 0 all is well, 1 the model has failed, 2 the command could not
// run.
#include <algorithm>
#include <csignal>
#include <string>
#include <variant>

#include "command.h"
#include "console.h"
#include "diag/json.h"
#include "report.h"
#include "run_command.h"
#include "service/explain.h"

namespace hyla::app {
namespace {

constexpr std::size_t kWidestText = 100;  ///< paragraphs wider than that are hard to read

template <class Outcome>
int status_of(const Outcome& outcome) {
  if (!outcome.failures.empty()) return kCouldNotRun;
  return outcome.counts.errors > 0 ? kModelFailed : kFine;
}

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

int execute(const RunCommand& command) { return execute_run(command); }

int execute(const InitCommand& command) {
  service::Disk disk;
  const service::InitReport outcome = service::init_model(command.request, disk);
  if (command.json) {
    write(Stream::Out, service::init_json(outcome));
  } else {
    report(outcome, command.colour);
    write(Stream::Out, service::init_text(outcome));
  }
  return status_of(outcome);
}

int execute(const FormatCommand& command) {
  service::Disk disk;
  const service::FormatOutcome outcome = command.from_input ? service::format_text("standard input", read_input())
                                                            : service::format_files(command.request, disk);
  report(outcome, command.colour);
  if (command.from_input && !command.request.check_only) write(Stream::Out, outcome.text);
  const int status = status_of(outcome);
  if (!command.request.check_only || outcome.changed.empty()) return status;
  for (const std::string& path : outcome.changed) write(Stream::Error, path + " is not laid out as `hyla fmt` would\n");
  return status == kFine ? kModelFailed : status;
}

int execute(const ExplainCommand& command) {
  const std::size_t columns = std::min(width(Stream::Out, kWidestText), kWidestText);
  const service::ExplainOptions options = {columns, wants_colour(Stream::Out, command.colour)};
  if (command.kind.empty()) {
    write(Stream::Out, service::list_kinds(options));
    return kFine;
  }
  const base::Result<std::string> page = service::explain(command.kind, options);
  if (!page.ok()) {
    complain(page.message());
    return kCouldNotRun;
  }
  write(Stream::Out, page.value());
  return kFine;
}

int execute(const PrintCommand& command) {
  write(Stream::Out, command.text);
  return kFine;
}

}  // namespace
}  // namespace hyla::app

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has seen enough is no error
  const hyla::base::Result<hyla::app::Command> command = hyla::app::parse_command(argc, argv);
  if (!command.ok()) {
    hyla::app::complain(command.message());
    return hyla::app::kCouldNotRun;
  }
  return std::visit([](const auto& verb) { return hyla::app::execute(verb); }, command.value());
}
