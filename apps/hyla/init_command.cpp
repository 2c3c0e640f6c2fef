#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"
#include "service/init_model.h"

namespace hyla::app {
namespace {

struct InitCommand {
  service::InitRequest request;
  bool json = false;
  Colour colour = Colour::Auto;
};

constexpr std::array<std::pair<std::string_view, service::InitShow>, 4> kShows = {
    {{"all", service::InitShow::All},
     {"reduced", service::InitShow::Reduced},
     {"selected", service::InitShow::Selected},
     {"changed", service::InitShow::Changed}}};
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

}  // namespace

base::Result<Command> parse_init(std::string_view summary, const std::vector<std::string>* words) {
  InitCommand command;
  service::InitRequest& request = command.request;
  std::string show, colour = "auto";
  std::vector<std::string> settings;
  Options options("init FILE [MODEL] [OPTION...]", summary);
  options.argument("FILE", request.path);
  options.argument("MODEL", request.model);
  options.words("--fix", request.fixes, "NAME[=VALUE]", "give this value; may be repeated");
  options.words("--free", request.frees, "NAME", "compute this variable or parameter; may be repeated");
  options.words("--guess", request.guesses, "NAME=VALUE", "begin the search here; may be repeated");
  options.words("--set", settings, "PATH=VALUE", "set a parameter; may be repeated");
  options.word("--load", request.load_file, "FILE", "take choices and values from there first");
  options.word("--save", request.save_file, "FILE", "write choices and values there");
  options.word("--show", show, "WHAT", "all, reduced, selected or changed");
  options.words("--select", request.selected, "GLOB", "show these, such as `tank.*`; may be repeated");
  options.flag("--json", command.json, "write messages and the table to standard output as JSON");
  options.flag("--allow-external", request.allow_external, "call functions of shared libraries");
  options.words("--library-path", request.external_folders, "DIR", "look for shared libraries here too");
  options.words("-I", request.library_paths, "DIR", "look for modules here too");
  options.word("--color", colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return options.outcome();
  if (request.path.empty()) return base::Failure{"`hyla init` needs a file"};
  if (show.empty()) show = request.selected.empty() ? "all" : "selected";
  if (auto wrong = choose("--show", show, kShows, request.show)) return *wrong;
  if (request.show == service::InitShow::Selected && request.selected.empty()) {
    return base::Failure{"--show selected needs --select GLOB"};
  }
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  if (auto wrong = read_settings(settings, request.settings)) return *wrong;
  return Command([command = std::move(command)] { return execute(command); });
}

}  // namespace hyla::app
