#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "command.h"
#include "options.h"
#include "run_command.h"

namespace hyla::app {
namespace {

constexpr std::array<std::pair<std::string_view, When>, 3> kTimes = {
    {{"auto", When::Auto}, {"always", When::Always}, {"never", When::Never}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kOrders = {{{"fixed", false}, {"random", true}}};
/// The words of options whose values are not words.
struct RunWords {
  std::string stop_time, seed, threads, replications, queue_limit, object_limit, max_events;
  std::string output_interval, tolerance, step_size;
  std::string order = "fixed", progress = "auto", colour = "auto";
  std::vector<std::string> settings, checkpoint;
};

/// What is recorded, and how equations are solved.
void declare_record(Options& options, service::RunRequest& request, RunWords& words) {
  options.word("--output-file", request.output_file, "FILE",
               "write variables over time there: `.csv`, `.mat` or `.h5`; `-` prints CSV");
  options.words("--output-variable", request.output_variables, "GLOB",
                "record these, such as `tank.*`; may be repeated");
  options.word("--output-interval", words.output_interval, "DT",
               "record at this distance too; a 500th of the run unless given");
  options.word("--plot", request.plot_file, "FILE", "draw a picture: .svg, .png or .pdf");
  options.word("--solver", request.solver.solver, "NAME", "of the integration method, such as rk45; auto unless given");
  options.word("--tolerance", words.tolerance, "R", "relative; 1e-6 unless given");
  options.word("--step-size", words.step_size, "H", "of methods with a fixed step");
  options.word("--events", request.solver.events, "HOW", "conditions are located: isolate or one_sided[:GAMMA]");
  options.word("--zeno", request.solver.zeno, "WHAT", "follows when events accumulate: stop, slide or continue");
  options.word("--jit", request.solver.jit, "WHEN", "equations become machine code: auto, on or off");
}

void declare_run(Options& options, RunCommand& command, RunWords& words) {
  options.argument("FILE", command.request.path);
  options.argument("MODEL", command.request.model);
  options.word("--stop-time", words.stop_time, "T", "run to this model time");
  options.word("--seed", words.seed, "N", "first number of all random streams");
  options.words("--set", words.settings, "PATH=VALUE", "set a parameter; may be repeated");
  options.word("--parameters", command.parameters_file, "FILE", "set parameters from lines `PATH = VALUE`");
  options.word("--start-values", command.request.start_values_file, "FILE", "start from what `hyla init` has saved");
  options.word("--replications", words.replications, "N", "run N times with different random numbers");
  options.word("--threads", words.threads, "N", "use so many threads; the results are the same");
  options.word("--order", words.order, "ORDER", "of simultaneous events: fixed, or random to expose races");
  options.flag("--keep-going", command.request.keep_going, "do not end at a violated requirement");
  options.flag("--require-decided", command.request.require_decided,
               "fail if a requirement is undecided or was never tested");
  options.flag("--coverage", command.request.coverage, "tell which states, transitions and conditions were reached");
  options.flag("--allow-external", command.request.allow_external, "call functions of shared libraries");
  options.words("--library-path", command.request.external_folders, "DIR", "look for shared libraries here too");
  options.word("--queue-limit", words.queue_limit, "N", "longest queue that is no failure; a million unless given");
  options.word("--object-limit", words.object_limit, "N",
               "most objects that actions may have made at one time; a million unless given");
  options.word("--max-events", words.max_events, "N", "end the run in order after so many events");
  declare_record(options, command.request, words);
  options.word("--events-file", command.request.events_file, "FILE", "write all events there as JSON lines");
  options.pair("--checkpoint-at", words.checkpoint, "T FILE", "keep the run at this model time in a file");
  options.word("--resume", command.request.resume_file, "FILE", "go on from a checkpoint of the same run");
  options.flag("--trace", command.trace, "print all events");
  options.flag("--histograms", command.histograms, "draw the distributions of the statistics");
  options.flag("--json", command.json, "write messages and results to standard output as JSON");
  options.word("--progress", words.progress, "WHEN", "auto, always or never");
  options.words("-I", command.request.library_paths, "DIR", "look for modules here too");
  options.word("--color", words.colour, "WHEN", "auto, always or never");
}

std::optional<base::Failure> understand_record(const RunWords& words, service::RunRequest& request) {
  if (auto wrong = read_number("--output-interval", words.output_interval, request.output_interval)) return wrong;
  if (request.output_interval && *request.output_interval <= 0) {
    return base::Failure{"--output-interval takes a positive number, not " + in_quotes(words.output_interval)};
  }
  if (auto wrong = read_number("--tolerance", words.tolerance, request.solver.tolerance)) return wrong;
  if (auto wrong = read_number("--step-size", words.step_size, request.solver.step_size)) return wrong;
  return service::check_solver_words(request.solver);
}

/// Turns words into values.
std::optional<base::Failure> understand(const RunWords& words, RunCommand& command) {
  service::RunRequest& request = command.request;
  std::optional<std::uint64_t> threads;
  std::optional<std::uint64_t> replications;
  if (auto wrong = read_time("--stop-time", words.stop_time, request.stop_time)) return wrong;
  if (auto wrong = read_count("--seed", words.seed, 0, INT64_MAX, request.seed)) return wrong;
  if (auto wrong = read_count("--threads", words.threads, 1, 1024, threads)) return wrong;
  if (auto wrong = read_count("--replications", words.replications, 1, 1'000'000, replications)) return wrong;
  if (auto wrong = read_count("--queue-limit", words.queue_limit, 1, INT64_MAX, request.queue_limit)) return wrong;
  if (auto wrong = read_count("--object-limit", words.object_limit, 0, INT64_MAX, request.object_limit)) return wrong;
  if (auto wrong = read_count("--max-events", words.max_events, 1, INT64_MAX, request.event_limit)) return wrong;
  if (auto wrong = understand_record(words, request)) return wrong;
  if (!words.checkpoint.empty()) {
    if (words.checkpoint.size() > 2)
      return base::Failure{"--checkpoint-at may be given once: a run is kept at one time"};
    if (auto wrong = read_time("--checkpoint-at", words.checkpoint.front(), request.checkpoint_time)) return wrong;
    request.checkpoint_file = words.checkpoint.back();
    if (request.checkpoint_file.empty()) return base::Failure{"--checkpoint-at needs a file behind the time"};
  }
  if (auto wrong = choose("--order", words.order, kOrders, request.random_order)) return wrong;
  if (auto wrong = choose("--progress", words.progress, kTimes, command.progress)) return wrong;
  if (auto wrong = choose("--color", words.colour, kColours, command.colour)) return wrong;
  request.threads = static_cast<unsigned>(threads.value_or(std::max(1U, std::thread::hardware_concurrency())));
  if (replications) request.replications = static_cast<std::uint32_t>(*replications);
  return read_settings(words.settings, request.settings);
}

/// Options that exclude each other.
std::optional<base::Failure> check_combination(const RunCommand& command) {
  const service::RunRequest& request = command.request;
  if (command.json && command.trace) {
    return base::Failure{"--json and --trace both write to standard output: choose one"};
  }
  if (request.output_file == "-" && (command.json || command.trace)) {
    return base::Failure{"--output-file - and " + std::string(command.json ? "--json" : "--trace") +
                         " both write to standard output: choose one"};
  }
  if (request.output_file.empty() && !request.output_variables.empty()) {
    return base::Failure{"--output-variable chooses what --output-file writes: name a file too"};
  }
  if (request.output_file.empty() && request.plot_file.empty() && request.output_interval) {
    return base::Failure{"--output-interval is for --output-file and --plot: use one of them too"};
  }
  if (!request.replications) return std::nullopt;
  std::string_view option;
  if (!request.plot_file.empty()) option = "--plot";
  if (!request.output_file.empty()) option = "--output-file";
  if (!request.events_file.empty()) option = "--events-file";
  if (request.checkpoint_time) option = "--checkpoint-at";
  if (!request.resume_file.empty()) option = "--resume";
  if (command.trace) option = "--trace";
  if (option.empty()) return std::nullopt;
  return base::Failure{std::string(option) + " shows one run, and --replications makes several: choose one"};
}

}  // namespace

base::Result<Command> parse_run(std::string_view summary, const std::vector<std::string>* words) {
  RunCommand command;
  RunWords values;
  Options options("run FILE [MODEL] [OPTION...]", summary);
  declare_run(options, command, values);
  if (!options.parse(words)) return options.outcome();
  if (command.request.path.empty()) return base::Failure{"`hyla run` needs a file"};
  if (auto wrong = understand(values, command)) return *wrong;
  if (auto wrong = check_combination(command)) return *wrong;
  return Command([command = std::move(command)] { return execute_run(command); });
}

}  // namespace hyla::app
