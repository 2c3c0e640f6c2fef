#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"
#include "service/format_files.h"

namespace hyla::app {
namespace {

struct FormatCommand {
  service::FormatRequest request;
  bool from_input = false;  ///< from standard input to standard output
  Colour colour = Colour::Auto;
};

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

}  // namespace

base::Result<Command> parse_fmt(std::string_view summary, const std::vector<std::string>* words) {
  FormatCommand command;
  std::string colour = "auto";
  Options options("fmt (FILE... | --stdin) [OPTION...]", summary);
  options.files(command.request.paths);
  options.flag("--check", command.request.check_only, "change nothing; end with status 1 if a file is not laid out");
  options.flag("--stdin", command.from_input, "from standard input to standard output");
  options.word("--color", colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return options.outcome();
  if (command.request.paths.empty() && !command.from_input) return base::Failure{"`hyla fmt` needs a file or --stdin"};
  if (!command.request.paths.empty() && command.from_input)
    return base::Failure{"--stdin and files exclude each other"};
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  return Command([command = std::move(command)] { return execute(command); });
}

}  // namespace hyla::app
