#include <string>
#include <utility>
#include <vector>

#include "analysis_options.h"
#include "command.h"
#include "report.h"

namespace hyla::app {
namespace {

struct LinearCommand {
  service::LinearRequest request;
  bool json = false;
  Colour colour = Colour::Auto;
};

int execute(const LinearCommand& command) {
  service::Disk disk;
  const service::AnalysisReport outcome = service::linearise_model(command.request, disk);
  if (command.json) {
    write(Stream::Out, service::linear_json(outcome));
  } else {
    report(outcome, command.colour);
    write(Stream::Out, service::linear_text(outcome));
  }
  return status_of(outcome);
}

}  // namespace

base::Result<Command> parse_linearize(std::string_view summary, const std::vector<std::string>* words) {
  LinearCommand command;
  AnalysisWords analysis;
  Options options("linearize FILE [MODEL] [OPTION...]", summary);
  options.words("--input", command.request.inputs, "NAME", "an input, parameter or discrete variable; may be repeated");
  options.words("--output", command.request.outputs, "NAME", "a variable; may be repeated");
  options.word("-o", command.request.output, "FILE", "write the matrices there: .json or .mat");
  options.flag("--json", command.json, "write messages and matrices to standard output as JSON");
  add_analysis_options(options, command.request, analysis);
  if (!options.parse(words)) return options.outcome();
  if (command.request.path.empty()) return base::Failure{"`hyla linearize` needs a file"};
  if (auto wrong = read_analysis_words(analysis, command.request, command.colour)) return *wrong;
  return Command([command = std::move(command)] { return execute(command); });
}

}  // namespace hyla::app
