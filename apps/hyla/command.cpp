#include "command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "options.h"

namespace hyla::app {
namespace {

struct Verb {
  std::string_view name;
  std::string_view summary;
};

constexpr std::array kVerbs = {
    Verb{"check", "Report mistakes in models."}, Verb{"run", "Simulate a model."},
    Verb{"fmt", "Lay files out in place."},      Verb{"explain", "Explain a kind of message."},
    Verb{"version", "Print the version."},       Verb{"help", "Explain the command or one of its verbs."},
};

constexpr std::array kPlannedVerbs = {
    Verb{"experiment", "run sweeps, replications and optimisations"},
    Verb{"graph", "draw structure and charts"},
    Verb{"init", "analyse and solve the start of a model"},
    Verb{"compare", "compare two runs"},
    Verb{"why", "explain what happened in a run"},
};

std::string general_help() {
  std::string text = "usage: hyla VERB [ARGUMENT...]\n\n";
  for (const Verb& verb : kVerbs) {
    text += "  " + std::string(verb.name) + std::string(10 - verb.name.size(), ' ') + std::string(verb.summary) + '\n';
  }
  text +=
      "\n`hyla help VERB` tells more. Exit status: 0 all is well, 1 the model has failed, 2 the command could not "
      "run.\n";
  return text;
}

base::Failure unknown_verb(std::string_view word) {
  for (const Verb& verb : kPlannedVerbs) {
    if (verb.name == word)
      return {in_quotes(word) + " (" + std::string(verb.summary) + ") is not part of this version yet"};
  }
  std::vector<std::string_view> names(kVerbs.size());
  std::transform(kVerbs.begin(), kVerbs.end(), names.begin(), [](const Verb& verb) { return verb.name; });
  const std::string_view what = word.starts_with('-') ? "option" : "verb";
  return {"unknown " + std::string(what) + ' ' + in_quotes(word) + suggestion(word, names) +
          "\n`hyla help` lists the verbs"};
}

constexpr std::array<std::pair<std::string_view, Colour>, 3> kColours = {
    {{"auto", Colour::Auto}, {"always", Colour::Always}, {"never", Colour::Never}}};
constexpr std::array<std::pair<std::string_view, When>, 3> kTimes = {
    {{"auto", When::Auto}, {"always", When::Always}, {"never", When::Never}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kOrders = {{{"fixed", false}, {"random", true}}};
constexpr std::array<std::pair<std::string_view, service::Dump>, 3> kDumps = {
    {{"tokens", service::Dump::Tokens}, {"tree", service::Dump::Tree}, {"model", service::Dump::Model}}};

/// What parsing has ended with early: a help text or a failure.
base::Result<Command> answer_of(const Options& options) {
  if (options.failure) return *options.failure;
  return Command(PrintCommand{options.answer});
}

// --- The verbs: each declares its options once, for parsing and for help
// ------------------------------------------------------------

/// Parses the words of a verb, or describes it if there are none to parse.
using Parser = base::Result<Command> (*)(std::string_view summary, const std::vector<std::string>* words);

base::Result<Command> parse_check(std::string_view summary, const std::vector<std::string>* words) {
  CheckCommand command;
  std::string colour = "auto";
  std::string dump;
  Options options("check FILE... [OPTION...]", summary);
  options.files(command.request.paths);
  options.flag("--json", command.json, "write messages to standard output as JSON");
  options.word("--dump", dump, "STAGE", "print what is understood: tokens, tree or model");
  options.words("-I", command.request.library_paths, "DIR", "look for modules here too");
  options.flag("--werror", command.warnings_are_errors, "end with status 1 on warnings too");
  options.word("--color", colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return answer_of(options);
  if (command.request.paths.empty()) return base::Failure{"`hyla check` needs a file"};
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  if (!dump.empty()) {
    if (auto wrong = choose("--dump", dump, kDumps, command.request.dump)) return *wrong;
    if (command.json) return base::Failure{"--json and --dump both write to standard output: choose one"};
  }
  return Command(std::move(command));
}

/// The words of options whose values are not words.
struct RunWords {
  std::string stop_time, seed, threads, replications, queue_limit, object_limit, max_events;
  std::string output_interval, tolerance, step_size;
  std::string order = "fixed", progress = "auto", colour = "auto";
  std::vector<std::string> settings, checkpoint;
};

/// What is recorded, and how equations are solved.
void declare_record(Options& options, service::RunRequest& request, RunWords& words) {
  options.word("--output-file", request.output_file, "FILE", "write variables over time there, as CSV; `-` to print");
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
  options.word("--replications", words.replications, "N", "run N times with different random numbers");
  options.word("--threads", words.threads, "N", "use so many threads; the results are the same");
  options.word("--order", words.order, "ORDER", "of simultaneous events: fixed, or random to expose races");
  options.flag("--keep-going", command.request.keep_going, "do not end at a violated requirement");
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
  if (auto wrong = read_number("--stop-time", words.stop_time, request.stop_time)) return wrong;
  if (auto wrong = read_count("--seed", words.seed, 0, INT64_MAX, request.seed)) return wrong;
  if (auto wrong = read_count("--threads", words.threads, 1, 1024, threads)) return wrong;
  if (auto wrong = read_count("--replications", words.replications, 1, 1'000'000, replications)) return wrong;
  if (auto wrong = read_count("--queue-limit", words.queue_limit, 1, INT64_MAX, request.queue_limit)) return wrong;
  if (auto wrong = read_count("--object-limit", words.object_limit, 0, INT64_MAX, request.object_limit)) return wrong;
  if (auto wrong = read_count("--max-events", words.max_events, 1, INT64_MAX, request.event_limit)) return wrong;
  if (auto wrong = understand_record(words, request)) return wrong;
  if (!words.checkpoint.empty()) {
    if (auto wrong = read_number("--checkpoint-at", words.checkpoint.front(), request.checkpoint_time)) return wrong;
    request.checkpoint_file = words.checkpoint.back();
    if (request.checkpoint_file.empty()) return base::Failure{"--checkpoint-at needs a file behind the time"};
  }
  if (auto wrong = choose("--order", words.order, kOrders, request.random_order)) return wrong;
  if (auto wrong = choose("--progress", words.progress, kTimes, command.progress)) return wrong;
  if (auto wrong = choose("--color", words.colour, kColours, command.colour)) return wrong;
  request.threads = static_cast<unsigned>(threads.value_or(std::max(1U, std::thread::hardware_concurrency())));
  if (replications) request.replications = static_cast<std::uint32_t>(*replications);
  for (const std::string& text : words.settings) {
    base::Result<service::ParameterSetting> setting = service::parse_setting(text);
    if (!setting.ok()) return base::Failure{"--set: " + setting.message()};
    request.settings.push_back(std::move(setting).value());
  }
  return std::nullopt;
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

base::Result<Command> parse_run(std::string_view summary, const std::vector<std::string>* words) {
  RunCommand command;
  RunWords values;
  Options options("run FILE [MODEL] [OPTION...]", summary);
  declare_run(options, command, values);
  if (!options.parse(words)) return answer_of(options);
  if (command.request.path.empty()) return base::Failure{"`hyla run` needs a file"};
  if (auto wrong = understand(values, command)) return *wrong;
  if (auto wrong = check_combination(command)) return *wrong;
  return Command(std::move(command));
}

base::Result<Command> parse_fmt(std::string_view summary, const std::vector<std::string>* words) {
  FormatCommand command;
  std::string colour = "auto";
  Options options("fmt (FILE... | --stdin) [OPTION...]", summary);
  options.files(command.request.paths);
  options.flag("--check", command.request.check_only, "change nothing; end with status 1 if a file is not laid out");
  options.flag("--stdin", command.from_input, "from standard input to standard output");
  options.word("--color", colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return answer_of(options);
  if (command.request.paths.empty() && !command.from_input) return base::Failure{"`hyla fmt` needs a file or --stdin"};
  if (!command.request.paths.empty() && command.from_input)
    return base::Failure{"--stdin and files exclude each other"};
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  return Command(std::move(command));
}

base::Result<Command> parse_explain(std::string_view summary, const std::vector<std::string>* words) {
  ExplainCommand command;
  std::string colour = "auto";
  Options options("explain [KIND]", summary);
  options.word("KIND", command.kind, "", "the name in brackets behind `error`; without it all kinds are listed");
  options.word("--color", colour, "WHEN", "auto, always or never");
  if (!options.parse(words)) return answer_of(options);
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  return Command(std::move(command));
}

base::Result<Command> parse_version(std::string_view summary, const std::vector<std::string>* words) {
  Options options("version", summary);
  if (!options.parse(words)) return answer_of(options);
  return Command(PrintCommand{"hyla " HYLA_VERSION "\n"});
}

base::Result<Command> parse_help(std::string_view summary, const std::vector<std::string>* words);

constexpr std::array<Parser, kVerbs.size()> kParsers = {parse_check,   parse_run,     parse_fmt,
                                                        parse_explain, parse_version, parse_help};

base::Result<Command> parse_verb(std::string_view name, const std::vector<std::string>* words) {
  for (std::size_t i = 0; i < kVerbs.size(); ++i) {
    if (kVerbs[i].name == name) return kParsers[i](kVerbs[i].summary, words);
  }
  return unknown_verb(name);
}

base::Result<Command> parse_help(std::string_view summary, const std::vector<std::string>* words) {
  std::string topic;
  Options options("help [VERB]", summary);
  options.word("VERB", topic, "", "a verb; without it all verbs are listed");
  if (!options.parse(words)) return answer_of(options);
  if (topic.empty()) return Command(PrintCommand{general_help()});
  return parse_verb(topic, nullptr);
}

}  // namespace

base::Result<Command> parse_command(int argc, const char* const* argv) {
  if (argc < 2) return base::Failure{"a verb is missing\n`hyla help` lists the verbs"};
  const std::string_view first = argv[1];
  if (first == "-h" || first == "--help") return Command(PrintCommand{general_help()});
  const std::vector<std::string> words(argv + 2, argv + argc);
  return parse_verb(first == "--version" ? "version" : first, &words);
}

}  // namespace hyla::app
