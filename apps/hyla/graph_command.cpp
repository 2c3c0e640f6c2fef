#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"
#include "service/graph_model.h"

namespace hyla::app {
namespace {

constexpr std::uint64_t kMostLevels = 1000;

struct GraphCommand {
  service::GraphRequest request;
  Colour colour = Colour::Auto;
};

int execute(const GraphCommand& command) {
  service::Disk disk;
  const service::GraphReport outcome = service::graph_model(command.request, disk);
  report(outcome, command.colour);
  if (command.request.output.empty()) write(Stream::Out, outcome.dot);
  return status_of(outcome);
}

/// At most one of the three options.
std::optional<base::Failure> choose_subject(bool structure, bool charts, service::GraphRequest& request) {
  const bool one = !request.chart.empty();
  if (static_cast<int>(structure) + static_cast<int>(charts) + static_cast<int>(one) > 1) {
    return base::Failure{"--structure, --charts and --chart exclude each other"};
  }
  if (structure) request.subject = service::GraphSubject::Structure;
  if (charts) request.subject = service::GraphSubject::Charts;
  if (one) request.subject = service::GraphSubject::Chart;
  return std::nullopt;
}

}  // namespace

base::Result<Command> parse_graph(std::string_view summary, const std::vector<std::string>* words) {
  GraphCommand command;
  service::GraphRequest& request = command.request;
  bool structure = false;
  bool charts = false;
  std::string depth, colour = "auto";
  Options options("graph FILE [MODEL] [OPTION...]", summary);
  options.argument("FILE", request.path);
  options.argument("MODEL", request.model);
  options.flag("--structure", structure, "objects, ports and connections; without a choice that of a model with parts");
  options.flag("--charts", charts, "the charts of the model and of its parts");
  options.word("--chart", request.chart, "NAME", "one chart: `travel`, `Valve.travel` or `plant.outlet.travel`");
  options.word("--depth", depth, "N", "open N levels of parts; all without it");
  options.word("-o", request.output, "FILE", "draw the picture there: .svg, .png, .pdf or .dot; otherwise print DOT");
  options.words("-I", request.library_paths, "DIR", "look for modules here too");
  options.word("--color", colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return options.outcome();
  if (request.path.empty()) return base::Failure{"`hyla graph` needs a file"};
  std::optional<std::uint64_t> levels;
  if (auto wrong = read_count("--depth", depth, 0, kMostLevels, levels)) return *wrong;
  if (levels) request.depth = *levels;
  if (auto wrong = choose_subject(structure, charts, request)) return *wrong;
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  return Command([command = std::move(command)] { return execute(command); });
}

}  // namespace hyla::app
