#include "command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text.h"

namespace hyla::app {
namespace {

struct Verb {
  std::string_view name;
  std::string_view summary;
};

constexpr std::array kVerbs = {
    Verb{"check", "Report mistakes in models."},
    Verb{"fmt", "Lay files out in place."},
    Verb{"explain", "Explain a kind of message."},
    Verb{"version", "Print the version."},
    Verb{"help", "Explain the command or one of its verbs."},
};

constexpr std::array kPlannedVerbs = {
    Verb{"run", "simulate a model"},
    Verb{"experiment", "run sweeps, replications and optimisations"},
    Verb{"graph", "draw structure and charts"},
    Verb{"init", "analyse and solve the start of a model"},
    Verb{"compare", "compare two runs"},
    Verb{"why", "explain what happened in a run"},
};

std::string in_quotes(std::string_view text) { return '`' + std::string(text) + '`'; }

std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto near = base::nearest(word, candidates);
  return near ? "; did you mean " + in_quotes(*near) + "?" : "";
}

std::string general_help() {
  std::string text = "usage: hyla VERB [ARGUMENT...]\n\n";
  for (const Verb& verb : kVerbs) {
    text += "  " + std::string(verb.name) + std::string(10 - verb.name.size(), ' ') + std::string(verb.summary) + '\n';
  }
  text +=
      "\n`hyla help VERB` tells more. Exit status: 0 all is well, 1 the model has mistakes, 2 the command could not "
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

/// Turns the word given for an option into its value.
template <class Value, std::size_t count>
std::optional<base::Failure> choose(std::string_view option, const std::string& word,
                                    const std::array<std::pair<std::string_view, Value>, count>& choices,
                                    Value& value) {
  std::vector<std::string_view> words;
  for (const auto& [name, meaning] : choices) {
    words.push_back(name);
    if (name == word) {
      value = meaning;
      return std::nullopt;
    }
  }
  return base::Failure{std::string(option) + " takes one of " + base::quoted_list(words) + ", not " + in_quotes(word) +
                       suggestion(word, words)};
}

constexpr std::array<std::pair<std::string_view, Colour>, 3> kColours = {
    {{"auto", Colour::Auto}, {"always", Colour::Always}, {"never", Colour::Never}}};
constexpr std::array<std::pair<std::string_view, service::Dump>, 3> kDumps = {
    {{"tokens", service::Dump::Tokens}, {"tree", service::Dump::Tree}, {"model", service::Dump::Model}}};

/// The options of one verb: declared once, for parsing and for help.
class Options {
 public:
  Options(std::string_view usage, std::string_view summary) : help_("usage: hyla " + std::string(usage) + "\n\n") {
    help_ += std::string(summary) + "\n\n";
    app_.allow_extras();  // unknown options are reported with the nearest known one
    app_.set_help_flag("-h,--help", "");
    describe("--help", "print this text");
  }

  void flag(const std::string& name, bool& value, std::string_view text) {
    app_.add_flag(name, value)->disable_flag_override();
    describe(name, text);
  }
  void word(const std::string& name, std::string& value, std::string_view type, std::string_view text) {
    app_.add_option(name, value);
    describe(type.empty() ? name : name + ' ' + std::string(type), text);
  }
  void words(const std::string& name, std::vector<std::string>& values, std::string_view type, std::string_view text) {
    app_.add_option(name, values)->allow_extra_args(false);
    describe(name + ' ' + std::string(type), text);
  }
  void files(std::vector<std::string>& values) { app_.add_option("FILE", values); }

  /// Reads the words. What comes back is the whole answer: a help text, also if there are no words to read, or a
  /// failure.
  std::optional<base::Result<Command>> parse(const std::vector<std::string>* words) {
    if (words == nullptr) return Command(PrintCommand{help_});
    try {
      app_.parse(std::vector<std::string>(words->rbegin(), words->rend()));  // the last first, as the parser wants them
    } catch (const CLI::CallForHelp&) {
      return Command(PrintCommand{help_});
    } catch (const CLI::ArgumentMismatch& error) {
      return base::Failure{wrong_values(error.what())};
    } catch (const CLI::ParseError& error) {
      return base::Failure{std::string(error.what())};
    }
    for (const std::string& extra : app_.remaining()) {
      if (extra != "--") return unexpected(extra);
    }
    return std::nullopt;
  }

 private:
  void describe(const std::string& name, std::string_view text) {
    constexpr std::size_t kColumn = 16;
    help_ += "  " + name + std::string(kColumn - std::min(kColumn - 1, name.size()), ' ') + std::string(text) + '\n';
  }

  /// The parser says `--dump: …` of an option without its value, and `werror …` of a flag with one.
  static std::string wrong_values(std::string_view complaint) {
    const std::size_t colon = complaint.find(':');
    if (colon != std::string_view::npos) return in_quotes(complaint.substr(0, colon)) + " needs a value";
    return in_quotes("--" + std::string(complaint.substr(0, complaint.find(' ')))) + " takes no value";
  }

  base::Failure unexpected(const std::string& word) const {
    if (!word.starts_with('-')) return {"unexpected argument " + in_quotes(word)};
    std::vector<std::string> names;
    for (const CLI::Option* option : app_.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    const std::string name = word.substr(0, word.find('='));
    return {"unknown option " + in_quotes(name) + suggestion(name, {names.begin(), names.end()})};
  }

  CLI::App app_;
  std::string help_;
};

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
  if (auto answer = options.parse(words)) return *std::move(answer);
  if (command.request.paths.empty()) return base::Failure{"`hyla check` needs a file"};
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  if (!dump.empty()) {
    if (auto wrong = choose("--dump", dump, kDumps, command.request.dump)) return *wrong;
    if (command.json) return base::Failure{"--json and --dump both write to standard output: choose one"};
  }
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
  if (auto answer = options.parse(words)) return *std::move(answer);
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
  if (auto answer = options.parse(words)) return *std::move(answer);
  if (auto wrong = choose("--color", colour, kColours, command.colour)) return *wrong;
  return Command(std::move(command));
}

base::Result<Command> parse_version(std::string_view summary, const std::vector<std::string>* words) {
  Options options("version", summary);
  if (auto answer = options.parse(words)) return *std::move(answer);
  return Command(PrintCommand{"hyla " HYLA_VERSION "\n"});
}

base::Result<Command> parse_help(std::string_view summary, const std::vector<std::string>* words);

constexpr std::array<Parser, kVerbs.size()> kParsers = {parse_check, parse_fmt, parse_explain, parse_version,
                                                        parse_help};

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
  if (auto answer = options.parse(words)) return *std::move(answer);
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
