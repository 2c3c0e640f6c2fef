// Lets another program draw a picture: gnuplot, Graphviz.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace hyla::service {

struct DrawingProgram {
  std::string name;                    ///< found on the path
  std::string package;                 ///< of Debian, that has it
  std::vector<std::string> arguments;  ///< it reads standard input and writes the picture to standard output
};

/// Whether a picture can be written there: the reason if not.
std::optional<base::Failure> check_writable(const std::string& path);

/// Runs the program with a text as its input and the picture's file as its output. The reason if there is no picture.
std::optional<base::Failure> run_drawing_program(const DrawingProgram& program, const std::string& input,
                                                 const std::string& path);

}  // namespace hyla::service
