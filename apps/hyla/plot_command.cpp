#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"
#include "service/plot_results.h"

namespace hyla::app {
namespace {

constexpr std::size_t kUsualColumns = 80;

struct PlotCommand {
  service::PlotRequest request;
  bool terminal = false;
  bool names_picture = false;  ///< nobody has said what it is called
  Colour colour = Colour::Auto;
};

/// What the words of the command give besides the request.
struct PlotWords {
  std::vector<std::string> arguments;
  std::string title, size, from, to;
  std::string colour = "auto";
};

int execute(const PlotCommand& command) {
  service::Disk disk;
  service::PlotRequest request = command.request;
  if (command.terminal) {
    request.terminal_width = width(Stream::Out, kUsualColumns);
    request.terminal_colours = wants_colour(Stream::Out, command.colour);
  }
  const service::PlotOutcome outcome = service::plot_results(request, disk);
  for (const std::string& note : outcome.notes) write(Stream::Error, "note: " + note + '\n');
  report(outcome, command.colour);
  write(Stream::Out, outcome.text);
  const int status = status_of(outcome);
  if (status == kFine && command.names_picture) write(Stream::Error, "drawn: " + request.picture + '\n');
  return status;
}

/// `800x600`.
std::optional<base::Failure> read_size(const std::string& word, service::PlotRequest& request) {
  if (word.empty()) return std::nullopt;
  constexpr std::uint64_t kLeast = 100, kMost = 10000;
  const std::size_t cross = word.find('x');
  std::optional<std::uint64_t> across, down;
  const bool is_good = cross != std::string::npos && cross > 0 && cross + 1 < word.size() &&
                       !read_count("", word.substr(0, cross), kLeast, kMost, across) &&
                       !read_count("", word.substr(cross + 1), kLeast, kMost, down);
  if (!is_good) {
    return base::Failure{"--size takes a width and a height from 100 to 10000, such as 800x600, not " +
                         in_quotes(word)};
  }
  request.width = static_cast<double>(*across);
  request.height = static_cast<double>(*down);
  return std::nullopt;
}

/// Results come first; behind them names with the end of one are results too.
std::optional<base::Failure> sort_arguments(const std::vector<std::string>& arguments, service::PlotRequest& request) {
  if (arguments.empty()) return base::Failure{"`hyla plot` needs a result file, such as `hyla run` writes"};
  if (arguments.front().ends_with(".hyla")) {
    return base::Failure{in_quotes(arguments.front()) + " is a model, and `hyla plot` draws results: `hyla run " +
                         arguments.front() + " --plot FILE` runs and draws"};
  }
  for (const std::string& argument : arguments) {
    const bool is_result = request.results.empty() || service::is_result_name(argument);
    (is_result ? request.results : request.words).push_back(argument);
  }
  return std::nullopt;
}

/// The name of the first result with another end, in the present folder.
std::string usual_picture(const std::string& result) {
  const std::size_t slash = result.rfind('/');
  const std::string name = slash == std::string::npos ? result : result.substr(slash + 1);
  return name.substr(0, name.rfind('.')) + ".svg";
}

std::optional<base::Failure> understand(const PlotWords& words, PlotCommand& command) {
  service::PlotRequest& request = command.request;
  if (auto wrong = sort_arguments(words.arguments, request)) return wrong;
  if (auto wrong = read_time("--from", words.from, request.from)) return wrong;
  if (auto wrong = read_time("--to", words.to, request.to)) return wrong;
  if (request.from && request.to && !(*request.from < *request.to)) {
    return base::Failure{"--from " + words.from + " is not before --to " + words.to};
  }
  if (auto wrong = read_size(words.size, request)) return wrong;
  if (auto wrong = choose("--color", words.colour, kColours, command.colour)) return wrong;
  if (!words.title.empty()) request.title = words.title;
  if (!request.x.empty() && request.histograms) return base::Failure{"--x and --histogram exclude each other"};
  if (request.results.size() > 1 && !request.events_file.empty()) {
    return base::Failure{"--events-file belongs to one result; with several, name each events file like its result"};
  }
  if (!request.model.empty() && request.model_file.empty()) return base::Failure{"--top needs --model FILE"};
  command.names_picture = request.picture.empty() && !command.terminal;
  if (command.names_picture) request.picture = usual_picture(request.results.front());
  return std::nullopt;
}

}  // namespace

base::Result<Command> parse_plot(std::string_view summary, const std::vector<std::string>* words) {
  PlotCommand command;
  PlotWords values;
  service::PlotRequest& request = command.request;
  Options options("plot RESULT... [VARIABLE...] [/ VARIABLE...] [OPTION...]", summary);
  options.files(values.arguments);
  options.word("-o", request.picture, "FILE",
               "the picture: .svg, .png or .pdf; the result's name with .svg unless given");
  options.flag("--terminal", command.terminal, "draw in the terminal");
  options.word("--x", request.x, "VARIABLE", "draw over this variable instead of the time");
  options.flag("--histogram", request.histograms, "draw how long the variables had which values");
  options.word("--events-file", request.events_file, "FILE",
               "states and events; FILE.jsonl beside FILE.csv unless given");
  options.words("--mark", request.marks, "GLOB", "mark events of these objects, states or messages; may be repeated");
  options.word("--model", request.model_file, "FILE", "take units and `section View` from this model");
  options.word("--top", request.model, "MODEL", "the model in that file");
  options.flag("--allow-external", request.allow_external, "let the model call functions of shared libraries");
  options.words("--library-path", request.external_folders, "DIR", "look for shared libraries of the model here too");
  options.words("-I", request.library_paths, "DIR", "look for modules of the model here too");
  options.word("--from", values.from, "T", "draw from this time");
  options.word("--to", values.to, "T", "draw up to this time");
  options.word("--title", values.title, "TEXT", "the heading");
  options.word("--size", values.size, "WxH", "of the picture in points, such as 800x600");
  options.word("--color", values.colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return options.outcome();
  if (auto wrong = understand(values, command)) return *wrong;
  return Command([command = std::move(command)] { return execute(command); });
}

}  // namespace hyla::app
