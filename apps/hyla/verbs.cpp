#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"

namespace hyla::app {
namespace {

base::Result<Command> parse_version(std::string_view summary, const std::vector<std::string>* words) {
  Options options("version", summary);
  if (!options.parse(words)) return options.outcome();
  return print_command("hyla " HYLA_VERSION "\n");
}

base::Result<Command> parse_help(std::string_view summary, const std::vector<std::string>* words);

struct Verb {
  std::string_view name;
  std::string_view summary;
  Parser parser;
};

constexpr std::array kVerbs = {
    Verb{"check", "Report mistakes in models.", parse_check},
    Verb{"run", "Simulate a model.", parse_run},
    Verb{"experiment", "Do the sweeps, replications and optimisations of a file.", parse_experiment},
    Verb{"init", "Find and show what a model starts with.", parse_init},
    Verb{"plot", "Draw the results of runs.", parse_plot},
    Verb{"compare", "Say where two runs differ.", parse_compare},
    Verb{"linearize", "Find the linear model around a point.", parse_linearize},
    Verb{"steady", "Find the point at which a model stays.", parse_steady},
    Verb{"graph", "Draw structure and charts of a model.", parse_graph},
    Verb{"why", "Tell why something happened in a run, or did not.", parse_why},
    Verb{"fmt", "Lay files out in place.", parse_fmt},
    Verb{"explain", "Explain a kind of message.", parse_explain},
    Verb{"version", "Print the version.", parse_version},
    Verb{"help", "Explain the command or one of its verbs.", parse_help},
};

constexpr std::size_t kWidestVerb = 12;

std::string general_help() {
  std::string text = "usage: hyla VERB [ARGUMENT...]\n\n";
  for (const Verb& verb : kVerbs) {
    text += "  " + std::string(verb.name) + std::string(kWidestVerb - verb.name.size(), ' ') +
            std::string(verb.summary) + '\n';
  }
  text +=
      "\n`hyla help VERB` tells more. Exit status: 0 all is well, 1 the model has failed, 2 the command could not "
      "run.\n";
  return text;
}

base::Failure unknown_verb(std::string_view word) {
  std::vector<std::string_view> names(kVerbs.size());
  std::transform(kVerbs.begin(), kVerbs.end(), names.begin(), [](const Verb& verb) { return verb.name; });
  const std::string_view what = word.starts_with('-') ? "option" : "verb";
  return {"unknown " + std::string(what) + ' ' + in_quotes(word) + suggestion(word, names) +
          "\n`hyla help` lists the verbs"};
}

base::Result<Command> parse_verb(std::string_view name, const std::vector<std::string>* words) {
  for (const Verb& verb : kVerbs) {
    if (verb.name == name) return verb.parser(verb.summary, words);
  }
  return unknown_verb(name);
}

base::Result<Command> parse_help(std::string_view summary, const std::vector<std::string>* words) {
  std::string topic;
  Options options("help [VERB]", summary);
  options.word("VERB", topic, "", "a verb; without it all verbs are listed");
  if (!options.parse(words)) return options.outcome();
  if (topic.empty()) return print_command(general_help());
  return parse_verb(topic, nullptr);
}

}  // namespace

Command print_command(std::string text) {
  return [text = std::move(text)] {
    write(Stream::Out, text);
    return kFine;
  };
}

base::Result<Command> parse_command(int argc, const char* const* argv) {
  if (argc < 2) return base::Failure{"a verb is missing\n`hyla help` lists the verbs"};
  const std::string_view first = argv[1];
  if (first == "-h" || first == "--help") return print_command(general_help());
  const std::vector<std::string> words(argv + 2, argv + argc);
  return parse_verb(first == "--version" ? "version" : first, &words);
}

}  // namespace hyla::app
