#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"
#include "service/run_source.h"
#include "service/why_event.h"
#include "service/why_not.h"

namespace hyla::app {
namespace {

struct WhyCommand {
  service::WhyRequest event;
  service::WhyNotRequest not_fired;
  bool json = false;
  Colour colour = Colour::Auto;
};

struct WhyWords {
  std::string event, depth, stop_time, seed, tolerance, colour = "auto";
  std::vector<std::string> settings;
};

int explain_event(const WhyCommand& command) {
  const service::Disk disk;
  const service::WhyReport outcome = service::why_event(command.event, disk);
  if (command.json) {
    write(Stream::Out, service::why_json(outcome));
  } else {
    for (const std::string& failure : outcome.failures) complain(failure);
    write(Stream::Out, service::why_text(outcome));
  }
  return outcome.failures.empty() ? kFine : kCouldNotRun;
}

int explain_absence(const WhyCommand& command) {
  const service::Disk disk;
  service::WhyNotRequest request = command.not_fired;
  if (!request.run.path.ends_with(".hyla")) {
    const auto failure = service::read_run_source(request.run.path, command.event.events_path, disk, request.run);
    if (failure) {
      complain(failure->message);
      return kCouldNotRun;
    }
  }
  const service::WhyNotReport outcome = service::why_not(request, disk);
  if (command.json) {
    write(Stream::Out, service::why_not_json(outcome));
  } else {
    report(outcome, command.colour);
    write(Stream::Out, service::why_not_text(outcome));
  }
  if (!outcome.failures.empty()) return kCouldNotRun;
  return outcome.counts.errors > 0 || outcome.has_fired() ? kModelFailed : kFine;
}

std::optional<base::Failure> understand(const WhyWords& words, WhyCommand& command) {
  service::RunRequest& run = command.not_fired.run;
  std::optional<std::uint64_t> depth;
  if (auto wrong = read_count("--event", words.event, 1, INT64_MAX, command.event.event)) return wrong;
  if (auto wrong = read_count("--depth", words.depth, 1, INT64_MAX, depth)) return wrong;
  if (auto wrong = read_time("--stop-time", words.stop_time, run.stop_time)) return wrong;
  if (auto wrong = read_count("--seed", words.seed, 0, INT64_MAX, run.seed)) return wrong;
  if (auto wrong = read_number("--tolerance", words.tolerance, run.solver.tolerance)) return wrong;
  if (auto wrong = choose("--color", words.colour, kColours, command.colour)) return wrong;
  if (depth) command.event.depth = static_cast<std::size_t>(*depth);
  if (auto wrong = service::check_solver_words(run.solver)) return wrong;
  return read_settings(words.settings, run.settings);
}

/// One question, and a file that can answer it.
std::optional<base::Failure> check_question(const WhyCommand& command) {
  const service::WhyRequest& event = command.event;
  const bool asks_absence = !command.not_fired.path.empty();
  const int questions = (event.event ? 1 : 0) + (event.transition.empty() ? 0 : 1) + (asks_absence ? 1 : 0);
  if (event.path.empty())
    return base::Failure{"`hyla why` needs a file: events or results of a run, or with --not a model"};
  if (questions != 1)
    return base::Failure{"`hyla why` answers one question: --event N, --transition PATH or --not PATH"};
  const bool is_model = event.path.ends_with(".hyla");
  if (!asks_absence && is_model) {
    return base::Failure{in_quotes(event.path) + " is a model, and this is about a run: make one with `hyla run " +
                         event.path + " --events-file F.jsonl` and ask `hyla why F.jsonl`"};
  }
  return std::nullopt;
}

}  // namespace

base::Result<Command> parse_why(std::string_view summary, const std::vector<std::string>* words) {
  WhyCommand command;
  WhyWords values;
  service::RunRequest& run = command.not_fired.run;
  Options options(
      "why RUN (--event N | --transition PATH | --not PATH), or why MODEL.hyla [MODEL] --not PATH [OPTION...]",
      summary);
  options.argument("FILE", command.event.path);
  options.argument("MODEL", run.model);
  options.word("--event", values.event, "N", "what led to the event with this number");
  options.word("--transition", command.event.transition, "PATH", "what led to a transition, such as `lamp.Off->Lit`");
  options.word("--not", command.not_fired.path, "PATH",
               "make the run again and tell what stood in the way of a transition");
  options.word("--events", command.event.events_path, "FILE",
               "events of a result file that has none inside or beside it");
  options.word("--depth", values.depth, "N", "tell so many causes; 20 unless given");
  options.word("--stop-time", values.stop_time, "T", "with --not: run to this model time");
  options.word("--seed", values.seed, "N", "with --not: first number of all random streams");
  options.words("--set", values.settings, "PATH=VALUE", "with --not: set a parameter; may be repeated");
  options.word("--solver", run.solver.solver, "NAME", "with --not: of the integration method");
  options.word("--tolerance", values.tolerance, "R", "with --not: relative; 1e-6 unless given");
  options.flag("--allow-external", run.allow_external, "with --not: call functions of shared libraries");
  options.words("--library-path", run.external_folders, "DIR", "with --not: look for shared libraries here too");
  options.words("-I", run.library_paths, "DIR", "with --not: look for modules here too");
  options.flag("--json", command.json, "write the answer to standard output as JSON");
  options.word("--color", values.colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return options.outcome();
  run.path = command.event.path;
  if (auto wrong = understand(values, command)) return *wrong;
  if (auto wrong = check_question(command)) return *wrong;
  return Command([command = std::move(command)] {
    return command.not_fired.path.empty() ? explain_event(command) : explain_absence(command);
  });
}

}  // namespace hyla::app
