#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"
#include "service/explain.h"

namespace hyla::app {
namespace {

struct ExplainCommand {
  std::string kind;  ///< empty: list all kinds
  Colour colour = Colour::Auto;
};

constexpr std::size_t kWidestText = 100;  ///< paragraphs wider than that are hard to read

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

}  // namespace

base::Result<Command> parse_explain(std::string_view summary, const std::vector<std::string>* words) {
  ExplainCommand command;
  std::string colour = "auto";
  Options options("explain [KIND]", summary);
  options.word("KIND", command.kind, "", "the name in brackets behind `error`; without it all kinds are listed");
  options.word("--color", colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return options.outcome();
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  return Command([command = std::move(command)] { return execute(command); });
}

}  // namespace hyla::app
