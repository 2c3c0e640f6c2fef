#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "command.h"
#include "interrupt.h"
#include "options.h"
#include "progress_line.h"
#include "report.h"
#include "service/experiment_model.h"

namespace hyla::app {
namespace {

constexpr std::array<std::pair<std::string_view, When>, 3> kTimes = {
    {{"auto", When::Auto}, {"always", When::Always}, {"never", When::Never}}};

struct ExperimentCommand {
  service::ExperimentRequest request;
  bool json = false;
  When progress = When::Auto;
  Colour colour = Colour::Auto;
};

/// The words of options whose values are not words.
struct ExperimentWords {
  std::string stop_time, seed, threads, tolerance, step_size;
  std::string replications, samples, max_replications, max_points, member;
  std::string progress = "auto", colour = "auto";
  std::vector<std::string> settings;
};

int execute(const ExperimentCommand& command) {
  service::Disk disk;
  ProgressLine progress(shows_progress(command.progress));
  service::ExperimentWatcher watcher;
  watcher.progress = [&](const service::ExperimentProgress& now) {
    progress.show(now);
    return !is_interrupted();
  };
  end_on_interrupt();
  const service::ExperimentReport outcome = service::run_experiment(command.request, disk, watcher);
  progress.erase();
  if (!outcome.is_quiet) {
    if (command.json) {
      write(Stream::Out, service::experiment_json(outcome));
    } else {
      report(outcome, command.colour);
      write(Stream::Out, service::experiment_text(outcome));
    }
  }
  if (!outcome.failures.empty()) return kCouldNotRun;
  return outcome.has_failed() ? kModelFailed : kFine;
}

void declare_design(Options& options, service::ExperimentRequest& request, ExperimentWords& words) {
  service::AdHocExperiment& ad_hoc = request.ad_hoc;
  options.word("--of", ad_hoc.of, "MODEL", "without NAME: the model of an experiment made of the next options");
  options.words("--vary", ad_hoc.vary, "TEXT", "such as `p in 1..5 step 1`, `p in [1, 2]` or `p in normal(1, 0.1)`");
  options.words("--observe", ad_hoc.observe, "TEXT", "such as `peak = max(h)`; may be repeated");
  options.words("--require", ad_hoc.require, "TEXT", "such as `peak < 3`; may be repeated");
  options.word("--minimize", ad_hoc.minimize, "TEXT", "search for the least value, such as `mean(peak)`");
  options.word("--maximize", ad_hoc.maximize, "TEXT", "search for the greatest value");
  options.word("--replications", words.replications, "N", "run each point N times with different random numbers");
  options.word("--max-replications", words.max_replications, "N", "where `replicate … until` gives up");
  options.word("--samples", words.samples, "N", "points drawn from ranges and distributions");
  options.word("--sampling", request.sampling, "HOW", "random, latin_hypercube or sobol");
  options.word("--optimizer", request.optimizer, "NAME", "such as bobyqa, cobyla, sbplx, direct, crs or slsqp");
  options.word("--max-points", words.max_points, "N", "where a search gives up");
}

void declare(Options& options, ExperimentCommand& command, ExperimentWords& words) {
  service::ExperimentRequest& request = command.request;
  options.argument("FILE", request.run.path);
  options.argument("NAME", request.name);
  declare_design(options, request, words);
  options.word("--stop-time", words.stop_time, "T", "run to this model time");
  options.word("--seed", words.seed, "N", "first number of all random streams");
  options.words("--set", words.settings, "PATH=VALUE", "set a parameter; may be repeated");
  options.word("--solver", request.run.solver.solver, "NAME", "of the integration method; auto unless given");
  options.word("--tolerance", words.tolerance, "R", "relative; 1e-6 unless given");
  options.word("--step-size", words.step_size, "H", "of methods with a fixed step");
  options.word("--events", request.run.solver.events, "HOW", "conditions are located: isolate or one_sided[:GAMMA]");
  options.word("--zeno", request.run.solver.zeno, "WHAT", "follows when events accumulate: stop, slide or continue");
  options.word("--jit", request.run.solver.jit, "WHEN", "equations become machine code: auto, on or off");
  options.flag("--allow-external", request.run.allow_external, "call functions of shared libraries");
  options.words("--library-path", request.run.external_folders, "DIR", "look for shared libraries here too");
  options.word("--threads", words.threads, "N", "use so many threads; the results are the same");
  options.word("--member", words.member, "I/N", "of a job array: do the I-th of N parts, from 1");
  options.words("--merge", request.merged_files, "FILE", "bring the parts of a job array together; may be repeated");
  options.word("--journal", request.journal_file, "FILE", "keep finished runs there");
  options.flag("--resume", request.resume, "do not repeat the runs of the journal");
  options.flag("--coverage", request.run.coverage, "tell which states, transitions and conditions the runs reached");
  options.word("--output", request.table_file, "FILE", "write all runs there: .csv, .h5 or .mat");
  options.word("--plot", request.plot_file, "FILE", "draw a picture: .svg, .png or .pdf");
  options.flag("--json", command.json, "write messages and results to standard output as JSON");
  options.word("--progress", words.progress, "WHEN", "auto, always or never");
  options.words("-I", request.run.library_paths, "DIR", "look for modules here too");
  options.word("--color", words.colour, "WHEN", "auto, always or never");
}

std::optional<base::Failure> read_member(const std::string& word, service::ExperimentRequest& request) {
  if (word.empty()) return std::nullopt;
  const std::size_t slash = word.find('/');
  const auto read = [](std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  const bool good = slash != std::string::npos && read(std::string_view(word).substr(0, slash), request.part) &&
                    read(std::string_view(word).substr(slash + 1), request.parts) && request.part >= 1 &&
                    request.part <= request.parts;
  if (good) return std::nullopt;
  return base::Failure{"--member takes I/N with I from 1 to N, not " + in_quotes(word)};
}

std::optional<base::Failure> understand(const ExperimentWords& words, ExperimentCommand& command) {
  service::ExperimentRequest& request = command.request;
  service::RunRequest& run = request.run;
  std::optional<std::uint64_t> threads;
  constexpr std::uint64_t kMost = 1'000'000'000;
  if (auto wrong = read_time("--stop-time", words.stop_time, run.stop_time)) return wrong;
  if (auto wrong = read_count("--seed", words.seed, 0, INT64_MAX, run.seed)) return wrong;
  if (auto wrong = read_count("--threads", words.threads, 1, 1024, threads)) return wrong;
  if (auto wrong = read_count("--replications", words.replications, 1, kMost, request.replications)) return wrong;
  if (auto wrong = read_count("--samples", words.samples, 1, kMost, request.samples)) return wrong;
  if (auto wrong = read_count("--max-replications", words.max_replications, 1, kMost, request.max_replications)) {
    return wrong;
  }
  if (auto wrong = read_count("--max-points", words.max_points, 1, kMost, request.max_points)) return wrong;
  if (auto wrong = read_number("--tolerance", words.tolerance, run.solver.tolerance)) return wrong;
  if (auto wrong = read_number("--step-size", words.step_size, run.solver.step_size)) return wrong;
  if (auto wrong = service::check_solver_words(run.solver)) return wrong;
  if (auto wrong = read_member(words.member, request)) return wrong;
  if (auto wrong = choose("--progress", words.progress, kTimes, command.progress)) return wrong;
  if (auto wrong = choose("--color", words.colour, kColours, command.colour)) return wrong;
  run.threads = static_cast<unsigned>(threads.value_or(std::max(1U, std::thread::hardware_concurrency())));
  return read_settings(words.settings, run.settings);
}

std::optional<base::Failure> check_combination(const service::ExperimentRequest& request) {
  const service::AdHocExperiment& ad_hoc = request.ad_hoc;
  if (!request.name.empty() && (ad_hoc.is_given() || !ad_hoc.of.empty() || !ad_hoc.require.empty())) {
    return base::Failure{"an experiment has a NAME, or is made by --of, --vary, --observe and so on: choose one"};
  }
  if (!ad_hoc.minimize.empty() && !ad_hoc.maximize.empty()) {
    return base::Failure{"--minimize and --maximize: an experiment has one objective"};
  }
  if (request.name.empty() && !ad_hoc.is_given() && (!ad_hoc.of.empty() || !ad_hoc.require.empty())) {
    return base::Failure{"--of and --require need --observe or --vary too"};
  }
  if (request.parts > 0 &&
      (!request.table_file.empty() || !request.plot_file.empty() || !request.merged_files.empty())) {
    return base::Failure{"--member does a part only: write tables and plots with --merge when all parts are done"};
  }
  return std::nullopt;
}

}  // namespace

base::Result<Command> parse_experiment(std::string_view summary, const std::vector<std::string>* words) {
  ExperimentCommand command;
  ExperimentWords values;
  Options options("experiment FILE [NAME] [OPTION...]", summary);
  declare(options, command, values);
  if (!options.parse(words)) return options.outcome();
  if (command.request.run.path.empty()) return base::Failure{"`hyla experiment` needs a file"};
  if (auto wrong = understand(values, command)) return *wrong;
  if (auto wrong = check_combination(command.request)) return *wrong;
  return Command([command = std::move(command)] { return execute(command); });
}

}  // namespace hyla::app
