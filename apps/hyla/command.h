// The command line as data. Only command.cpp knows how options are parsed.
#pragma once

#include <string>
#include <variant>

#include "base/result.h"
#include "console.h"
#include "service/check_files.h"
#include "service/format_files.h"
#include "service/init_model.h"
#include "service/run_model.h"

namespace hyla::app {

struct CheckCommand {
  service::CheckRequest request;
  bool json = false;
  bool warnings_are_errors = false;
  Colour colour = Colour::Auto;
};

/// When to show progress. Auto: on a terminal.
enum class When { Auto, Always, Never };

struct RunCommand {
  service::RunRequest request;
  std::string parameters_file;  ///< empty: none
  bool trace = false;
  bool histograms = false;
  bool json = false;
  When progress = When::Auto;
  Colour colour = Colour::Auto;
};

struct InitCommand {
  service::InitRequest request;
  bool json = false;
  Colour colour = Colour::Auto;
};

struct FormatCommand {
  service::FormatRequest request;
  bool from_input = false;  ///< from standard input to standard output
  Colour colour = Colour::Auto;
};

struct ExplainCommand {
  std::string kind;  ///< empty: list all kinds
  Colour colour = Colour::Auto;
};

/// A text that is the whole answer: help, version.
struct PrintCommand {
  std::string text;
};

using Command = std::variant<CheckCommand, RunCommand, InitCommand, FormatCommand, ExplainCommand, PrintCommand>;

/// Reads the arguments of main(); the failure says what is wrong and names the nearest valid word.
base::Result<Command> parse_command(int argc, const char* const* argv);

}  // namespace hyla::app
