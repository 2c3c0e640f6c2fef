// The command line as work to be done. Each verb has a file of its own, which declares its options once, for parsing
// and for help, and prints what the service answers; verbs.cpp knows them all.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hyla::app {

/// What the words ask for, understood but not done yet. Gives the status.
using Command = std::function<int()>;

/// Parses the words of a verb, or describes it if there are none to parse (nullptr). The failure says what is wrong and
/// names the nearest valid word.
using Parser = base::Result<Command> (*)(std::string_view summary, const std::vector<std::string>* words);

base::Result<Command> parse_check(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_run(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_experiment(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_init(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_plot(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_compare(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_linearize(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_steady(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_graph(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_why(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_fmt(std::string_view summary, const std::vector<std::string>* words);
base::Result<Command> parse_explain(std::string_view summary, const std::vector<std::string>* words);

/// A command that prints a text: help, version.
Command print_command(std::string text);

/// Reads the arguments of main().
base::Result<Command> parse_command(int argc, const char* const* argv);

}  // namespace hyla::app
